import { leaveWithoutProvider, providersToCome } from '~/features/rules/transitions/day.server'
import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import {
  generatePassword,
  hashAhead,
  hashedAhead,
  setPassword,
} from '~/features/office/sessions/passwords/password.server'
import { needsEmergencyGrant, workAt } from '~/policy/rules'
import { holdsOne, usersWhere } from '~/policy/sql.server'
import { qualified } from '~/records/qualified'
import { userRecord } from '~/records/user'
import { audit } from '~/server/audit'
import { type Context, mutation, type On, query, signedIn } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { byName, containing } from '~/server/scope'
import { type Actor, can, isAdmin, isSuperAdmin, mayIn } from '~/shared/actor'
import { patientsOfRows } from '~/server/shown'
import { AppError, conflict, forbidden, invalid, notFound } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { type Permission, PERMISSIONS, type Preset, PRESETS, type Role } from '~/shared/permissions'
import { initials } from '~/ui/initials'
import {
  mayEdit,
  mayManage,
  mayManageUsers,
  mayReadUsers,
  maySeeUser,
  mayTakeOver,
  type UserAccess,
  rightsToGive,
  rolesToGive,
} from './reach'
import {
  asPerson,
  loadGrants,
  lockBoth,
  seenBy,
  seenUser,
  type StoredUser,
  worksIn,
} from './reach.server'
import { removePermissions, takeRolePermissions } from './permissions.server'
import {
  ClinicsWhere,
  ListNames,
  ListUsers,
  ResetPassword,
  SaveUser,
  type UserFilter,
  UserId,
} from './user'

export type UserRecord = Awaited<ReturnType<typeof getUser>>['user']
export type MayDo = ReturnType<typeof mayDo>

/** The users that the viewer may see, with what the viewer may do about each. */
export const listUsers = query('users.list', {
  reads: ['user_clinic_permissions', 'users'],
  looksUp: ['clinics'],
  input: ListUsers,
  allow: ({ actor }) => mayReadUsers(actor),
  async run({ db, actor }, { search, role, clinicId, page, sort, direction = 'asc' }) {
    const found = usersFound(db, actor, { search, role, clinicId })
    const { rows, pagination } = await loadListPage(
      found
        .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
        .select([...qualified('users', userRecord.selected), 'clinics.name as clinic'])
        .select([lastSignIn, passwordToReplace])
        .$if(sort === 'email', (q) => q.orderBy('email', direction))
        .$if(sort === 'role', (q) => q.orderBy(sql`rank_of(users.role)`, direction))
        .orderBy(byName('users.name'), sort === 'name' ? direction : 'asc')
        .orderBy('users.id'),
      found,
      page,
    )
    const grants = await loadGrants(
      db,
      rows.map(({ id }) => id),
    )
    return {
      rows: rows.map(({ clinic, ...user }) => {
        const others = grants.filter(
          (grant) => grant.userId === user.id && grant.clinic.id !== user.clinic_id,
        )
        const own = clinic && user.clinic_id ? [{ id: user.clinic_id, name: clinic }] : []
        return {
          ...user,
          initials: initials(user.name, EVERY_WORD),
          clinics: [...own, ...others.map((grant) => grant.clinic)],
          may: mayDo(actor, asPerson(user, grants)),
        }
      }),
      pagination,
    }
  },
})

/** The users that the actor may see and the filter matches. */
export const usersFound = (db: Kysely<DB>, actor: Actor, { search, role, clinicId }: UserFilter) =>
  live(db)
    .where(seenBy(actor))
    .$if(!!search, (q) =>
      q.where((eb) =>
        eb.or([
          eb('users.name', 'ilike', containing(search!)),
          eb('email', 'ilike', containing(search!)),
        ]),
      ),
    )
    .$if(!!role, (q) => q.where('role', '=', role!))
    .$if(!!clinicId, (q) => q.where(worksIn([clinicId!])))

/** Ids and names for pickers. Open to everyone signed in, like the names of clinics. */
export const listUserNames = query('users.names', {
  reads: ['users'],
  input: ListNames,
  allow: signedIn,
  run: ({ db }, { search, role, clinicId, permission, limit }) =>
    live(db)
      .select(['id', 'name'])
      .$if(!!search, (q) => q.where('name', 'ilike', containing(search!)))
      .$if(!!role, (q) => q.where('role', '=', role!))
      .$if(!!permission, (q) => q.where(usersWhere([permission!], clinicId)))
      .$if(!!clinicId && !permission, (q) => q.where(worksIn([clinicId!])))
      .orderBy(byName('name'))
      .orderBy('id')
      .limit(limit)
      .execute(),
})

export const getUser = query('users.get', {
  input: UserId,
  allow: ({ actor }) => mayReadUsers(actor),
  async run(ctx, { id }) {
    const found = await readUser(ctx, id)
    if (!found) throw notFound('users.notFound')
    return found
  },
})

/**
 * As `getUser`, for a screen that leads elsewhere if there is no such user: null instead of an
 * error.
 */
export const findUser = query('users.find', {
  input: UserId,
  allow: ({ actor }) => mayReadUsers(actor),
  run: (ctx, { id }) => readUser(ctx, id),
})

/** Actor and user, both locked. */
type Both<Them> = { me: Actor; them: Them }

/** A stored user that the actor manages. */
const managed: On<{ id: string }, Both<StoredUser>> = {
  permits: mayManageUsers,
  async rows(ctx, { id }) {
    const { me, them } = await lockBoth(ctx, id)
    if (!them || !mayManage(me, them)) throw outOfReach(me, them)
    return { me, them }
  },
}

/** A new user, or a stored one that the actor may edit. */
const newOrEdited: On<{ id: string }, Both<StoredUser | undefined>> = {
  permits: mayManageUsers,
  async rows(ctx, { id }) {
    const { me, them } = await lockBoth(ctx, id)
    if (them && !mayEdit(me, them)) throw outOfReach(me, them)
    return { me, them }
  },
}

/**
 * Adds a user, or changes name, e-mail, clinic and role of one. In a clinic where the user has no
 * permissions yet, the defaults of the role are added as far as the caller holds them. A user who
 * leaves a clinic loses the permissions there, unless they are kept.
 */
export const saveUser = mutation('users.save', {
  input: SaveUser,
  on: newOrEdited,
  async before({ actor }, input) {
    if (input.password && mayManageUsers(actor)) await hashAhead(input, input.password)
  },
  async run(ctx, input, { me, them }) {
    const { password, keep_permissions, role_permissions, preset, ...user } = input
    refusePreset(me, user, preset)
    refuseToRaise(me, them, user, password)
    await refuseReservedEmail(ctx.db, me, user)
    // until they choose, new users read the language of the colleague who added them
    const values = them ? user : { ...user, language: ctx.actor.language }
    const saved = await saveRecord(ctx, 'users', values, 'users.notFound')
    const isRepeat = them && !user.last_modified
    if (password && !isRepeat) await givePassword(ctx, user, hashedAhead(input))
    const left = user.last_modified && them?.clinicId !== user.clinic_id ? them?.clinicId : null
    if (left && !keep_permissions) await removePermissions(ctx.db, user.id, left)
    if (role_permissions && them && them.role !== user.role) await takeRolePermissions(ctx, user)
    const rights = preset && PRESETS[preset]
    await letIntoOwnClinic(ctx.db, me, user, them?.clinicId !== user.clinic_id, rights)
    return saved
  },
})

/**
 * Sets the given password, or generates one and returns it this once. Its owner must replace it. Ends every session of
 * the user.
 */
export const resetPassword = mutation('users.resetPassword', {
  input: ResetPassword,
  on: managed,
  async before({ actor }, input) {
    if (mayManageUsers(actor)) await hashAhead(input, input.password ?? generatePassword())
  },
  async run(ctx, input, { me, them }) {
    const { id } = input
    if (!mayTakeOver(me, them)) throw refusal('password', 'users.holdsMore')
    const hashed = hashedAhead(input)
    const isGenerated = !input.password
    const user = { id, email: them.email, clinic_id: them.clinicId }
    await givePassword(ctx, user, hashed)
    return { password: isGenerated ? hashed.password : null }
  },
})

/**
 * Moves a user to the trash, with the permissions; the e-mail address stays reserved. Ends every
 * session of the user.
 */
export const deleteUser = mutation('users.delete', {
  input: UserId,
  on: managed,
  async run(ctx, { id }, { them }) {
    const deleted = await deleteRecord(ctx, 'users', id, them.name, 'users.notFound')
    await leaveWithoutProvider(ctx, id, deleted.deletionId)
    return deleted
  },
})

/** More names would not be read in a question. */
const NAMED = 5

/** Before a user is deleted: how many appointments they have to come, and the first of those that the actor sees. */
export const appointmentsOfUser = query('users.toCome', {
  access: 'appointments',
  input: UserId,
  on: managed,
  run: (ctx, { id }) => providersToCome(ctx, id, NAMED),
  shows: patientsOfRows,
})

/** The clinics where a user holds a permission: the actor, or a user that the actor may see. */
export const clinicsOfUserWhere = query('users.clinicsWhere', {
  input: ClinicsWhere,
  on: seenUser(mayReadUsers),
  async run({ db }, { permission }, { person }) {
    if (person.role !== 'admin' && person.role !== 'super_admin') {
      return Object.keys(person.grants).filter((clinic) =>
        person.grants[clinic]?.includes(permission),
      )
    }
    const all = await db
      .selectFrom('clinics')
      .select('id')
      .where('is_deleted', '=', false)
      .orderBy('id')
      .execute()
    return all.map(({ id }) => id)
  },
})

async function readUser({ db, actor }: Context, id: string) {
  const user = await live(db)
    .where(seenBy(actor))
    .where('users.id', '=', id)
    .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
    .leftJoin('credentials', 'credentials.user_id', 'users.id')
    .select([...qualified('users', userRecord.selected), 'users.created_at'])
    .select(['clinics.name as clinic', 'credentials.phones_until', passwordToReplace])
    .executeTakeFirst()
  if (!user) return null
  const person = asPerson(user, await loadGrants(db, [id]))
  return {
    user: { ...user, initials: initials(user.name, EVERY_WORD) },
    may: mayDo(actor, person),
    roles: rolesToGive(actor, person),
  }
}

const EVERY_WORD = Number.POSITIVE_INFINITY

const live = (db: Kysely<DB>) => db.selectFrom('users').where('users.is_deleted', '=', false)

const lastSignIn = sql<Date | null>`(
  select at from audit_log where audit_log.user_id = users.id and action = 'sessions.signIn' and record_id = users.id
  order by audit_log.id desc limit 1)`.as('last_sign_in')

/** Another user knows the password, or its owner was asked for a new one; not replaced yet. */
const passwordToReplace = sql<boolean>`(
  exists (select from credentials c where c.user_id = users.id and c.must_change)
  or exists (select from credentials_bcrypt c where c.user_id = users.id and c.must_change))`.as(
  'password_to_replace',
)

/** What the screen offers; each operation checks again. */
const mayDo = (actor: Actor, person: UserAccess) => ({
  edit: mayEdit(actor, person),
  resetPassword: mayTakeOver(actor, person),
  delete: mayManage(actor, person),
  allowEmergency: isAdmin(actor) && needsEmergencyGrant(person),
  managePermissions: can(actor, 'manage_permissions') && actor.role === 'super_admin',
  undoDelete: isAdmin(actor),
})

/**
 * A user out of sight and a missing user give one answer; about a user in sight, the reason may be
 * given.
 */
function outOfReach(me: Actor, them: StoredUser | undefined) {
  if (them?.userId === me.userId) return new AppError('forbidden', { key: 'users.notYourself' })
  return them && maySeeUser(me, them) ? forbidden() : notFound('users.notFound')
}

const refusal = (field: string, key: MessageKey) =>
  new AppError('forbidden', { key }, { [field]: { key } })

/** Users cannot give a role, a clinic or an account above their own. */
function refuseToRaise(
  me: Actor,
  them: StoredUser | undefined,
  { role, clinic_id, email }: Pick<z.output<typeof SaveUser>, 'role' | 'clinic_id' | 'email'>,
  password: string | null,
) {
  if (role !== them?.role && !rolesToGive(me, them).includes(role))
    throw refusal('role', 'users.roleAbove')
  if (!isAdmin(me) && !(clinic_id && mayIn(me, 'is_clinic_admin', clinic_id))) {
    throw refusal('clinic_id', clinic_id ? 'users.clinicNotYours' : 'users.clinicNeeded')
  }
  if (password && them?.userId === me.userId) throw refusal('password', 'users.ownPassword')
  const isMore = them !== undefined && them.userId !== me.userId && !mayTakeOver(me, them)
  if (password && isMore) throw refusal('password', 'users.holdsMore')
  // the address is half of what signs the user in
  if (isMore && email !== them.email) throw refusal('email', 'users.holdsMore')
}

/** A deleted user's address stays reserved: administrators are pointed to the trash. */
async function refuseReservedEmail(
  db: Kysely<DB>,
  me: Actor,
  { id, email }: { id: string; email: string },
) {
  const holder = await db
    .selectFrom('users')
    .select('name')
    .where('email', '=', email)
    .where('id', '<>', id)
    .where('is_deleted', '=', true)
    .executeTakeFirst()
  if (!holder || !isAdmin(me)) return
  const text = { key: 'users.emailOfDeleted', values: { name: holder.name } } as const
  throw conflict(text.key, text.values, { email: text })
}

/** Permissions beyond those of the role are given by super_admins alone, as on the screen of permissions. */
function refusePreset(
  me: Actor,
  {
    clinic_id,
    role,
    last_modified,
  }: { clinic_id: string | null; role: Role; last_modified?: Date | null },
  preset: Preset | null | undefined,
) {
  if (!preset) return
  if (!isSuperAdmin(me)) throw forbidden()
  const isStaff = role === 'registrar' || role === 'provider'
  if (last_modified || !clinic_id || !isStaff)
    throw invalid({ preset: { key: 'users.presetNeeds' } })
}

/** The audit trail records that the password was set and must be replaced, never the password. */
async function givePassword(
  ctx: Context,
  user: { id: string; email: string; clinic_id: string | null },
  password: ReturnType<typeof hashedAhead>,
) {
  const setBy = ctx.actor.userId === user.id ? 'owner' : 'another'
  await setPassword(ctx.db, user, password, { setBy })
  await audit(ctx, {
    action: 'users.setPassword',
    table: 'users',
    recordId: user.id,
    clinicId: user.clinic_id ?? undefined,
    changes: {
      user_id: [null, user.id],
      password: ['***', '***'],
      must_change: [null, setBy === 'another'],
    },
  })
}

async function letIntoOwnClinic(
  db: Kysely<DB>,
  me: Actor,
  { id, clinic_id, role }: { id: string; clinic_id: string | null; role: Role },
  isNewThere: boolean,
  chosen?: readonly Permission[] | null,
) {
  if (!clinic_id || role === 'admin' || role === 'super_admin' || id === me.userId) return
  const rights = chosen ?? rightsToGive(me, role, clinic_id)
  const held = Object.fromEntries(PERMISSIONS.map((name) => [name, rights.includes(name)]))
  await db
    .insertInto('user_clinic_permissions')
    .values({ user_id: id, clinic_id, ...held })
    .onConflict((oc) =>
      oc
        .columns(['user_id', 'clinic_id'])
        .doUpdateSet({ ...held, updated_at: new Date() })
        // of a user who comes back nothing is left
        .where(({ not }) => not(holdsOne('user_clinic_permissions', workAt)))
        .where(sql.lit(isNewThere)),
    )
    .execute()
}
