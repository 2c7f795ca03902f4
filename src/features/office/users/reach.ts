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
  roleRank,
  type Role,
  ROLES,
} from '~/shared/permissions'

/** What access rules about users read: the role, and the permissions by clinic. */
export type UserAccess = Pick<Actor, 'userId' | 'role' | 'clinicId' | 'grants'>

/** Where a user works: the user's own clinic, and those where the user holds any permission. */
export const personClinics = ({ clinicId, grants }: UserAccess) => [
  ...new Set([
    ...(clinicId ? [clinicId] : []),
    ...Object.keys(grants).filter((clinic) => (grants[clinic] ?? []).length > 0),
  ]),
]

const isStaff = (role: Role) => roleRank(role) <= roleRank('provider')

/** May open lists of users; `maySee` decides which users they show. */
export const mayReadUsers = (actor: Actor) =>
  can(actor, 'read_user') || mayAnywhere(actor, 'is_clinic_admin')
export const mayManageUsers = (actor: Actor) =>
  can(actor, 'update_user') || mayAnywhere(actor, 'is_clinic_admin')

/**
 * Actors who may read users see those of the clinics where they work; others those of the clinics
 * that they administer.
 */
export const clinicsWithVisibleUsers = (actor: Actor) =>
  clinicsWhere(actor, ...(can(actor, 'read_user') ? PERMISSIONS : (['is_clinic_admin'] as const)))

export function maySeeUser(actor: Actor, person: UserAccess) {
  const clinics = clinicsWithVisibleUsers(actor)
  return clinics === 'all' || personClinics(person).some((clinic) => clinics.includes(clinic))
}

/**
 * Edit and delete. Only a super_admin manages administrators. A clinic administrator without such a
 * role manages users all of whose clinics are the administrator's own. No actor manages themselves
 * this way.
 */
export function mayManage(actor: Actor, person: UserAccess): boolean {
  if (actor.userId === person.userId) return false
  if (isSuperAdmin(actor)) return true
  if (!isStaff(person.role)) return false
  if (isAdmin(actor)) return true
  const clinics = personClinics(person)
  return (
    roleRank(person.role) <= roleRank(actor.role) &&
    clinics.length > 0 &&
    clinics.every((clinic) => mayIn(actor, 'is_clinic_admin', clinic))
  )
}

/**
 * Set the password, which gives access to the account: the user may hold no permission that the
 * actor lacks, or two steps would raise the actor's own rights.
 */
export const mayTakeOver = (actor: Actor, person: UserAccess) =>
  mayManage(actor, person) &&
  (isAdmin(actor) ||
    Object.entries(person.grants).every(([clinic, held]) =>
      held.every((right) => mayIn(actor, right, clinic)),
    ))

/**
 * Name, e-mail and clinic of the actor's own record, and a lower role: for administrators; other
 * users have their account page.
 */
export const mayEdit = (actor: Actor, person: UserAccess) =>
  mayManage(actor, person) || (actor.userId === person.userId && isAdmin(actor))

/** Add a user to a clinic that the actor administers or remove them, wherever else they work. */
export const mayGiveClinic = (actor: Actor, person: UserAccess, clinic: string) =>
  actor.userId !== person.userId &&
  isStaff(person.role) &&
  roleRank(person.role) <= roleRank(actor.role) &&
  mayIn(actor, 'is_clinic_admin', clinic)

/** The roles that the actor may give to this user, or to a new one. */
export function rolesToGive(actor: Actor, person?: UserAccess): Role[] {
  const highest =
    isSuperAdmin(actor) || actor.userId === person?.userId
      ? actor.role
      : lower(actor.role, 'provider')
  return ROLES.filter((role) => roleRank(role) <= roleRank(highest))
}
const lower = (a: Role, b: Role) => (roleRank(a) < roleRank(b) ? a : b)

/**
 * The permissions of a user who is added to a clinic: the defaults of the role, as far as the actor
 * holds them.
 */
export const rightsToGive = (actor: Actor, role: Role, clinic: string): Permission[] =>
  defaultPermissions(role).filter((right) => mayIn(actor, right, clinic))
