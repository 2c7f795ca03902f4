import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { hasScope, type Interaction } from '~/shared/fhir-scopes'

/**
 * The scopes of a program (docs/decisions/0048) only take away: the rules of the rows and of each operation hold as for
 * the program's user. A user who signed in has no scopes.
 */
export const inScope = ({ client }: Actor, type: string, interaction: Interaction): boolean =>
  !client || hasScope(client.scopes, type, interaction)

/** Throws `forbidden` for a program without this scope. */
export function requireScope(actor: Actor, type: string, interaction: Interaction): void {
  if (inScope(actor, type, interaction)) return
  const scope = `system/${type}.${interaction}`
  throw new AppError('forbidden', { key: 'fhir.outOfScope', values: { scope } })
}

/** As the `allow` of an operation: true, or `forbidden` with the scope that is missing. */
export function withScope(actor: Actor, type: string, interaction: Interaction): true {
  requireScope(actor, type, interaction)
  return true
}
