import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { workAt } from '~/policy/rules'
import { holdsOne } from '~/policy/sql.server'
import type { Context, On } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { notFound, unauthenticated } from '~/shared/errors'
import { PERMISSIONS, type Role } from '~/shared/permissions'
import { maySeeUser, type UserAccess, clinicsWithVisibleUsers } from './reach'

/** A `where` for the users that the actor may see: `maySee` as SQL. */
export function seenBy(actor: Actor) {
  const clinics = clinicsWithVisibleUsers(actor)
  return clinics === 'all' ? sql<boolean>`true` : worksIn(clinics)
}

/** A `where` for the users who belong to one of the clinics, or hold any permission there. */
export const worksIn = (clinics: readonly string[]) => sql<boolean>`(
  users.clinic_id = any(${clinics}::uuid[]) or exists (
    select from user_clinic_permissions held where held.user_id = users.id and held.clinic_id =
      any(${clinics}::uuid[])
      and not held.is_deleted and ${holdsOne('held', workAt)}))`

/** The permissions of these users, an entry for each clinic, sorted by the clinic's name. */
export async function loadGrants(db: Kysely<DB>, userIds: readonly string[]) {
  const rows = await db
    .selectFrom('user_clinic_permissions as held')
    .innerJoin('clinics', 'clinics.id', 'held.clinic_id')
    .select(['held.user_id', 'held.clinic_id', 'clinics.name', ...PERMISSIONS])
    .where('held.user_id', 'in', [...userIds, NO_ONE])
    .where('held.is_deleted', '=', false)
    .where('clinics.is_deleted', '=', false)
    .where(holdsOne('held', workAt))
    .orderBy(sql`clinics.name collate names`)
    .execute()
  return rows.map((row) => ({
    userId: row.user_id,
    clinic: { id: row.clinic_id, name: row.name },
    held: PERMISSIONS.filter((permission) => row[permission]),
  }))
}
// an empty list is no SQL
const NO_ONE = '00000000-0000-0000-0000-000000000000'

export type StoredUser = UserAccess & { name: string; email: string }

export const asPerson = (
  user: { id: string; role: Role; clinic_id: string | null },
  grants: Awaited<ReturnType<typeof loadGrants>>,
): UserAccess => ({
  userId: user.id,
  role: user.role,
  clinicId: user.clinic_id,
  grants: Object.fromEntries(
    grants.filter(({ userId }) => userId === user.id).map(({ clinic, held }) => [clinic.id, held]),
  ),
})

/** These users as access rules read them, deleted ones included. */
export async function findPeople(db: Kysely<DB>, ids: string[]): Promise<UserAccess[]> {
  if (ids.length === 0) return []
  const grants = await loadGrants(db, ids)
  return (await people(db, ids).execute()).map((user) => asPerson(user, grants))
}

/** The stored user, for a read. */
export async function findPerson(db: Kysely<DB>, id: string): Promise<StoredUser | undefined> {
  const user = await people(db, [id]).where('is_deleted', '=', false).executeTakeFirst()
  return (
    user && { ...asPerson(user, await loadGrants(db, [id])), name: user.name, email: user.email }
  )
}

/**
 * Both users of a write, locked with their permissions until it is done: otherwise one could be
 * demoted, or the other promoted, between the check and the write. An actor without a record (the
 * system, a command) is used as given.
 */
export async function lockBoth(
  { db, actor }: Context,
  id: string,
): Promise<{ me: Actor; them: StoredUser | undefined }> {
  // one order for all transactions, so that two users who change each other do not deadlock
  const users = await people(db, [actor.userId, id]).orderBy('id').forNoKeyUpdate().execute()
  const grants = await loadGrants(db, [actor.userId, id])
  const mine = users.find((user) => user.id === actor.userId)
  if (mine?.is_deleted) throw unauthenticated()
  const theirs = users.find((user) => user.id === id && !user.is_deleted)
  return {
    me: mine ? { ...actor, ...asPerson(mine, grants) } : actor,
    them: theirs && { ...asPerson(theirs, grants), name: theirs.name, email: theirs.email },
  }
}

/** The actor, or a user that the actor may see. */
export const seenUser = (
  mayRead: (actor: Actor) => boolean,
): On<{ userId: string }, { person: UserAccess }> => ({
  permits: (actor, { userId }) => actor.userId === userId || mayRead(actor),
  async rows({ db, actor }, { userId }) {
    const person = await findPerson(db, userId)
    if (!person || !(actor.userId === userId || maySeeUser(actor, person)))
      throw notFound('users.notFound')
    return { person }
  },
})

const people = (db: Kysely<DB>, ids: string[]) =>
  db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'role', 'clinic_id', 'is_deleted'])
    .where('id', 'in', ids)
