import { type RawBuilder, sql } from 'kysely'
import { db } from '~/db/db.server'
import { knownBrowser } from '~/features/office/sessions/passwords/known-browser.server'
import { clientInfo } from '~/server/http-client.server'
import { hashToken } from '~/server/secret.server'
import { isUnpulledChain } from '../schema/unpulled'

/** The user whose credentials came with the upload, and the app password if they were one. */
type Sender = { userId: string; appPasswordId?: string | null }

/**
 * Keeps the size of a push that was too large with its phone, until one gets through. The phone is named by its last
 * pull, its app password or the cookie of its sign-in. A forced upload without them is of the phone with which its
 * user pulled last. A phone that none of these names never pulled: it gets a row of its own.
 */
export async function recordRefusedPush(request: Request, sender: Sender, bytes: number) {
  const { userId, appPasswordId = null } = sender
  const named = new URL(request.url).searchParams.get('last_pulled_at')
  const cursor = Number(named)
  const cookie = knownBrowser(request.headers, userId)
  const latest = (where: RawBuilder<unknown>) => sql`(select id from sync_chains
    where user_id = ${userId} and last_pull_at is not null and ${where}
    order by last_pull_at desc limit 1)`
  await record(
    bytes,
    sql`coalesce(
      (select chain_id from sync_pulls
        where id = ${Number.isSafeInteger(cursor) ? cursor : 0} and user_id = ${userId}),
      ${latest(sql`app_password_id = ${appPasswordId}::uuid`)},
      ${latest(sql`cookie_hash = ${cookie && hashToken(cookie)}::bytea`)},
      ${named === null ? latest(sql`${appPasswordId}::uuid is null`) : null}::uuid,
      (select id from sync_chains where ${isUnpulledChain(sender)} limit 1))`,
    sql`select ${userId}::uuid, ${appPasswordId}::uuid, null::uuid,
      ${clientInfo(request).address}, ${(request.headers.get('user-agent') ?? '').slice(0, 300)}`,
  )
}

/** The same for a sealed body, which names the phone. Anyone on the clinic's network can say such a name. */
export const recordRefusedSealed = (clientId: string, bytes: number): Promise<void> =>
  record(
    // base64url is a third longer
    Math.floor((bytes * 3) / 4),
    sql`(select c.id from sync_chains c join hub_phones p on p.id = c.hub_phone_id
      where p.client_id = ${clientId} order by c.last_pull_at desc nulls last limit 1)`,
    sql`select user_id, app_password_id, id, last_address, '' from hub_phones
      where client_id = ${clientId} order by last_seen_at desc limit 1`,
  )

/** `unpulled`: what to insert if there is no such chain. */
async function record(bytes: number, chain: RawBuilder<unknown>, unpulled: RawBuilder<unknown>) {
  await sql`
    with recorded as (
      update sync_chains set refused_bytes = ${bytes}, refused_at = clock_timestamp()
      where id = ${chain} returning id)
    insert into sync_chains (user_id, app_password_id, hub_phone_id, address, user_agent,
      refused_bytes, refused_at)
    select sender.*, ${bytes}::bigint, clock_timestamp() from (${unpulled}) sender
    where not exists (select from recorded)`.execute(db)
}
