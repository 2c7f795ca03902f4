import { operations } from '~/rpc/operations'
import { operationRules } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import type { World } from './access'
import { aRequest } from './harness'
import { samples } from './samples'

const ROLES: Role[] = ['registrar', 'provider', 'admin']

const SETS: Record<string, readonly Permission[]> = {
  none: [],
  ...Object.fromEntries(PERMISSIONS.map((one) => [one, [one]])),
  ...Object.fromEntries(
    PERMISSIONS.map((one) => [`all but ${one}`, PERMISSIONS.filter((other) => other !== one)]),
  ),
  all: PERMISSIONS,
}

/**
 * Each guard (`allow`) that combines conditions, as its answers: by role, by permissions and by the
 * clinic in which they are held. The input is the sample about the user's own clinic.
 */
export async function compoundGuards(world: World): Promise<string> {
  const lines = []
  const here = world.own.clinic.id
  const rows = await world.db.selectFrom('clinics').select('id').execute()
  const everywhere = rows.map(({ id }) => id)
  const elsewhere = everywhere.filter((id) => id !== here)
  const clinics = { here: [here], elsewhere, everywhere }
  for (const [name, operation] of [...operations].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { allow } = operationRules(operation)
    if (!allow || !String(allow).includes('&&')) continue
    const input = operation.facts.input.parse(samples[name]!(world.own))
    for (const role of ROLES) {
      for (const [where, ids] of Object.entries(clinics)) {
        const allowed = []
        for (const [set, held] of Object.entries(SETS)) {
          const actor: Actor = {
            ...world.actors['provider']!,
            role,
            grants: Object.fromEntries(ids.map((id) => [id, held])),
          }
          if (await allow({ db: world.db, actor, request: aRequest() }, input)) allowed.push(set)
        }
        lines.push(`${name}, ${role}, ${where}: ${inWords(allowed)}`)
      }
    }
  }
  return lines.join('\n')
}

function inWords(allowed: string[]) {
  if (allowed.length === Object.keys(SETS).length) return 'always'
  return allowed.join(', ') || 'never'
}
