import type { Language } from './language'
import { type Capability, type Permission, type Role, roleHas } from './permissions'

/** Who is asking. Made once per request, from the session, the token or the command line; passed, never ambient. */
export type Actor = {
  userId: string
  name: string
  role: Role
  language: Language
  /** The clinic the person belongs to, if any. */
  clinicId: string | null
  /** Clinic id -> what the person may do there. Empty for admins, who may do everything everywhere. */
  grants: Readonly<Record<string, readonly Permission[]>>
  /** Setting care/share-history = organization: clinics show each other what they recorded. */
  sharesHistory?: boolean
  /** Patients that the user can read by emergency access: in a browser, and for reads only. */
  emergency?: readonly string[]
  /** The program that signed in with a key of its own (`api_clients`): it reaches FHIR alone, within its scopes. */
  client?: { id: string; scopes: string }
}

/** What is known of any user, signed in or not. */
type Holder = Pick<Actor, 'role' | 'grants'>

export const isAdmin = ({ role }: Pick<Holder, 'role'>) =>
  role === 'admin' || role === 'super_admin'
export const isSuperAdmin = (actor: Actor) => actor.role === 'super_admin'

/** The role allows it. Where it concerns a clinic, ask `mayIn` as well. */
export const can = (actor: Actor, capability: Capability) => roleHas(actor.role, capability)

/** The person holds the permission in that clinic. */
export const mayIn = (actor: Actor, permission: Permission, clinicId: string) =>
  isAdmin(actor) || (actor.grants[clinicId]?.includes(permission) ?? false)

/** The actor without the permissions that write: what a screen offers of a record that can only be read. */
export const readingOnly = (actor: Actor): Actor => ({
  ...actor,
  grants: Object.fromEntries(
    Object.entries(actor.grants).map(([clinicId, held]) => [
      clinicId,
      held.filter((permission) => permission === 'can_view_history'),
    ]),
  ),
})

/** The clinics where the person holds one of the permissions. */
export function clinicsWhere(actor: Holder, ...permissions: Permission[]): 'all' | string[] {
  if (isAdmin(actor)) return 'all'
  return Object.entries(actor.grants)
    .filter(([, held]) => permissions.some((permission) => held.includes(permission)))
    .map(([clinicId]) => clinicId)
}

/** The person holds one of the permissions somewhere. */
export const mayAnywhere = (actor: Holder, ...permissions: Permission[]) => {
  const clinics = clinicsWhere(actor, ...permissions)
  return clinics === 'all' || clinics.length > 0
}
