import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { hasScope, type Interaction } from '~/shared/fhir-scopes'
import type { Resource } from './resource'

/**
 * The scopes of a program (docs/decisions/0048) only take away: the rules of the rows and of each operation hold as for
 * the program's user. A user who signed in has no scopes.
 */
export const hasFhirScope = ({ client }: Actor, type: string, interaction: Interaction): boolean =>
  !client || hasScope(client.scopes, type, interaction)

/** Throws `forbidden` for a program without this scope. */
export function requireScope(actor: Actor, type: string, interaction: Interaction): void {
  if (hasFhirScope(actor, type, interaction)) return
  const scope = `system/${type}.${interaction}`
  throw new AppError('forbidden', { key: 'fhir.outOfScope', values: { scope } })
}

/** The `allow` of an operation that shows rows of a type; throws as `requireScope`. */
export function mayShow(
  actor: Actor,
  { type, permits }: Pick<Resource, 'type' | 'permits'>,
  interaction: Interaction,
): boolean {
  requireScope(actor, type, interaction)
  return permits(actor)
}
