import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'

/** Look-ups of an hour that wait for nothing. */
const FREE = 30
const WAIT_MS = 2000

/** How long the user waits before the next look-up: none is refused, and each is in the trail. */
export async function waitBeforeLookup(db: Kysely<DB>, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('identity_lookups')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('at', '>', sql<Date>`clock_timestamp() - interval '1 hour'`)
    .where(sql<boolean>`has_happened(at)`)
    .executeTakeFirstOrThrow()
  return count >= FREE ? WAIT_MS : 0
}

/** `before` of an operation that opens the details of a person outside the user's clinics. */
export async function slowLookups({ db, actor }: Context) {
  const ms = await waitBeforeLookup(db, actor.userId)
  if (ms > 0) await wait(ms)
}

export const countLookup = ({ db, actor }: Context) =>
  db.insertInto('identity_lookups').values({ id: newId(), user_id: actor.userId }).execute()

/** Only the last hour counts; the audit trail keeps what was looked up. */
export const forgetLookups = (db: Kysely<DB>) =>
  db
    .deleteFrom('identity_lookups')
    .where('at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute()
