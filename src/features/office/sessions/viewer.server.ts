import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { NoInput, query, signedIn } from '~/server/operation'
import { mayIn } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { CheckPermissions, HasRole } from './session'

/** Calls about the current user. */
export const currentUserId = query('users.currentId', {
  input: NoInput,
  allow: signedIn,
  run: async ({ actor }) => actor.userId,
})

export const currentUser = query('users.current', {
  input: NoInput,
  allow: signedIn,
  run: ({ db, actor }) => loadUser(db, actor.userId),
})

export const hasRole = query('users.hasRole', {
  input: HasRole,
  allow: signedIn,
  run: async ({ actor }, { role }) => actor.role === role,
})

/** Whether the user holds all of the permissions in the clinic. */
export const checkPermissions = query('permissions.check', {
  input: CheckPermissions,
  allow: signedIn,
  run: async ({ actor }, { clinicId, permissions }) =>
    permissions.every((permission) => mayIn(actor, permission, clinicId)),
})

const MASK = '************'

/** A user as phones and programs read it. The password is always masked. */
export async function loadUser(db: Kysely<DB>, id: string) {
  const user = await db
    .selectFrom('users')
    .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
    .select([
      'users.id',
      'users.name',
      'users.email',
      'users.role',
      'users.instance_url',
      'users.clinic_id',
      'clinics.name as clinic_name',
    ])
    .select([
      'users.is_deleted',
      'users.created_at',
      'users.updated_at',
      'users.last_modified',
      'users.server_created_at',
      'users.deleted_at',
    ])
    .where('users.id', '=', id)
    .where('users.is_deleted', '=', false)
    .executeTakeFirst()
  if (!user) throw notFound('users.notFound')
  return { ...user, hashed_password: MASK }
}
