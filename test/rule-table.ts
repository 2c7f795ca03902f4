import { permits, permitsIn } from '~/policy/facts'
import { CLINIC_RULES, LINK_SOURCES, PATIENT_RULES, type PatientRule } from '~/policy/rules'
import type { Actor } from '~/shared/actor'
import { type Permission, PERMISSIONS, type Role } from '~/shared/permissions'

const HERE = 'here'
const actorWith = (role: Role, held: readonly Permission[]): Actor => ({
  userId: 'user',
  name: 'User',
  role,
  language: 'en',
  clinicId: null,
  grants: { [HERE]: held },
})
const ROLES: Role[] = ['registrar', 'provider']

/**
 * Each access rule as its answers: by role, permission and link, one at a time. A change of a rule
 * changes a line, whatever renders the rule.
 */
export const ruleTable = (): string =>
  [
    ...Object.entries(PATIENT_RULES).flatMap(([name, rule]) =>
      ROLES.map((role) => `${name}, ${role}: ${ofPatients(rule, role)}`),
    ),
    ...Object.entries(CLINIC_RULES).map(
      ([name, rule]) =>
        `${name}: ${list(PERMISSIONS.filter((held) => permitsIn(rule, actorWith('provider', [held]), HERE)))}`,
    ),
  ].join('\n')

function ofPatients(rule: PatientRule, role: Role): string {
  const met = (held: Permission, ...links: Parameters<typeof permits>[2]) =>
    permits(rule, actorWith(role, [held]), links)
  const linked = LINK_SOURCES.map((source) => ({ clinic_id: HERE, source }))
  const permissions = PERMISSIONS.filter((held) => linked.some((link) => met(held, link)))
  const [first] = permissions
  if (!first) return 'never'
  const links = linked.filter((link) => met(first, link))
  const elsewhere = { clinic_id: 'elsewhere', source: links[0]!.source }
  const clinics = met(first, links[0]!, elsewhere) ? 'in one clinic' : 'in every clinic'
  const sources = list(links.map(({ source }) => source))
  return `${list(permissions)}; link ${sources}; ${clinics}`
}

const list = (words: readonly string[]) => words.join(' or ') || 'none'
