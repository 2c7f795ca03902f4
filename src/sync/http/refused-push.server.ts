import { sql } from 'kysely'
import { db } from '~/db/db.server'

/**
 * Keeps the size of a push that was too large with its phone, until one gets through. A phone
 * without a known cursor is left out.
 */
export async function recordRefusedPush(request: Request, userId: string, bytes: number) {
  const cursor = Number(new URL(request.url).searchParams.get('last_pulled_at'))
  if (!Number.isSafeInteger(cursor)) return
  await sql`update sync_chains set refused_bytes = ${bytes}, refused_at = clock_timestamp()
    where id = (select chain_id from sync_pulls where id = ${cursor} and user_id = ${userId})`.execute(
    db,
  )
}
