import { type RawBuilder, sql } from 'kysely'
import { db } from '~/db/db.server'

/**
 * Keeps the size of a push that was too large with its phone, until one gets through. A forced upload names no
 * cursor: the phone is the one with which its user pulled last.
 */
export async function recordRefusedPush(request: Request, userId: string, bytes: number) {
  const named = new URL(request.url).searchParams.get('last_pulled_at')
  const cursor = Number(named)
  if (!Number.isSafeInteger(cursor)) return
  await record(
    bytes,
    named === null
      ? sql`select id from sync_chains where user_id = ${userId}
          order by last_pull_at desc limit 1`
      : sql`select chain_id from sync_pulls where id = ${cursor} and user_id = ${userId}`,
  )
}

/** The same for a sealed body, which names the phone. Anyone on the clinic's network can say such a name. */
export const recordRefusedSealed = (clientId: string, bytes: number): Promise<void> =>
  record(
    // base64url is a third longer
    Math.floor((bytes * 3) / 4),
    sql`select c.id from sync_chains c join hub_phones p on p.id = c.hub_phone_id
      where p.client_id = ${clientId} order by c.last_pull_at desc limit 1`,
  )

async function record(bytes: number, chain: RawBuilder<unknown>) {
  await sql`update sync_chains set refused_bytes = ${bytes}, refused_at = clock_timestamp()
    where id = (${chain})`.execute(db)
}
