import {
  type Actor,
  can,
  clinicsWhere,
  isAdmin,
  isSuperAdmin,
  mayAnywhere,
  mayIn,
} from '~/shared/actor'
import {
  defaultPermissions,
  type Permission,
  PERMISSIONS,
  rankOf,
  type Role,
  ROLES,
} from '~/shared/permissions'

/** Whom an administrator of clinics may touch: his role and, clinic by clinic, what he may do there. */
export type Person = Pick<Actor, 'userId' | 'role' | 'clinicId' | 'grants'>

/** Where a person works: his own clinic, and those where he holds any permission. */
export const clinicsOf = ({ clinicId, grants }: Person) => [
  ...new Set([
    ...(clinicId ? [clinicId] : []),
    ...Object.keys(grants).filter((clinic) => (grants[clinic] ?? []).length > 0),
  ]),
]

const isStaff = (role: Role) => rankOf(role) <= rankOf('provider')

/** Sees lists of people at all; which of them, `maySee` says. */
export const mayReadUsers = (actor: Actor) =>
  can(actor, 'read_user') || mayAnywhere(actor, 'is_clinic_admin')
export const mayManageUsers = (actor: Actor) =>
  can(actor, 'update_user') || mayAnywhere(actor, 'is_clinic_admin')

/** Whoever may read users sees those of the clinics he works in; everyone else those of the clinics he administers. */
export const seesUsersOf = (actor: Actor) =>
  clinicsWhere(actor, ...(can(actor, 'read_user') ? PERMISSIONS : (['is_clinic_admin'] as const)))

export function maySee(actor: Actor, person: Person) {
  const clinics = seesUsersOf(actor)
  return clinics === 'all' || clinicsOf(person).some((clinic) => clinics.includes(clinic))
}

/**
 * Edit and delete. Only a super_admin touches administrators. Whoever administers clinics, but has no such role, touches
 * the people all of whose clinics are his. Nobody touches himself this way.
 */
export function mayManage(actor: Actor, person: Person): boolean {
  if (actor.userId === person.userId) return false
  if (isSuperAdmin(actor)) return true
  if (!isStaff(person.role)) return false
  if (isAdmin(actor)) return true
  const clinics = clinicsOf(person)
  return (
    rankOf(person.role) <= rankOf(actor.role) &&
    clinics.length > 0 &&
    clinics.every((clinic) => mayIn(actor, 'is_clinic_admin', clinic))
  )
}

/**
 * Set the password, which is to be able to sign in as that person: so he may hold nothing that the actor does not hold,
 * else two steps would raise the actor above himself.
 */
export const mayTakeOver = (actor: Actor, person: Person) =>
  mayManage(actor, person) &&
  (isAdmin(actor) ||
    Object.entries(person.grants).every(([clinic, held]) =>
      held.every((right) => mayIn(actor, right, clinic)),
    ))

/** Name, e-mail and clinic of one's own record, and a lower role: those who manage everybody; others have their account page. */
export const mayEdit = (actor: Actor, person: Person) =>
  mayManage(actor, person) || (actor.userId === person.userId && isAdmin(actor))

/** Let somebody into a clinic of one's own or out of it, wherever else he works. */
export const mayGiveClinic = (actor: Actor, person: Person, clinic: string) =>
  actor.userId !== person.userId &&
  isStaff(person.role) &&
  rankOf(person.role) <= rankOf(actor.role) &&
  mayIn(actor, 'is_clinic_admin', clinic)

/** The roles that the actor may give this person, or somebody new. */
export function rolesToGive(actor: Actor, person?: Person): Role[] {
  const highest =
    isSuperAdmin(actor) || actor.userId === person?.userId
      ? actor.role
      : lower(actor.role, 'provider')
  return ROLES.filter((role) => rankOf(role) <= rankOf(highest))
}
const lower = (a: Role, b: Role) => (rankOf(a) < rankOf(b) ? a : b)

/** What somebody gets in a clinic he is let into: the defaults of his role, as far as the giver holds them himself. */
export const rightsToGive = (actor: Actor, role: Role, clinic: string): Permission[] =>
  defaultPermissions(role).filter((right) => mayIn(actor, right, clinic))
