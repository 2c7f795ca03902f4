import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import type { Context } from './operation'

/**
 * The context of a job that a user requested: the trail names that user, visits keep the name, new users read the
 * language. It may do what an administrator may: the operation that requested the job has checked the user's rights.
 */
export async function contextOfRequester(db: Kysely<DB>, userId: string | null): Promise<Context> {
  const user = userId
    ? await db
        .selectFrom('users')
        .select(['name', 'language'])
        .where('id', '=', userId)
        .executeTakeFirst()
    : undefined
  const actor = {
    userId: userId ?? '',
    name: user?.name ?? '',
    role: 'admin',
    language: user?.language ?? 'en',
    clinicId: null,
    grants: {},
  } as const
  return { db, actor, request: { id: newId(), via: 'system', address: '', headers: new Headers() } }
}
