import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Session } from '~/server/session.server'

/** Hours in which the key of a handshake opens messages. The app shakes hands again before each use. */
const KEY_HOURS = 24
/** Days for which the key of a command is refused afterwards, so that a recorded handshake is of no use. */
const COMMAND_DAYS = 400
/** Handshakes that no sign-in has followed: of one address, and of all. The oldest make room. */
const STRANGERS_OF_ADDRESS = 50
const STRANGERS = 5_000
/** Keys of one phone that are tried; more would only cost time. */
const TRIED = 16
/** Messages with one key: of a phone, and before a sign-in. */
const MESSAGES = 20_000
const MESSAGES_OF_STRANGER = 50

type Handshake = { clientId: string; publicKey: Buffer; address: string }

/**
 * Keeps the key of a handshake. False for a phone that was revoked, and for a key that another phone has or that was
 * in use before the last day.
 */
export async function keepKey(db: Kysely<DB>, handshake: Handshake): Promise<boolean> {
  const { clientId, publicKey, address } = handshake
  const { rows } = await sql<{ accepted: boolean }>`
    with mine as (
      insert into hub_keys (public_key, client_id, address)
      select ${publicKey}, ${clientId}, ${address}
      where not exists (select from hub_phones
        where client_id = ${clientId} and revoked_at is not null)
      on conflict (public_key) do nothing returning public_key)
    select exists (select from mine) or exists (
      select from hub_keys k left join hub_phones p on p.client_id = k.client_id
      where k.public_key = ${publicKey} and k.client_id = ${clientId} and ${isFresh('k')}
        and p.revoked_at is null) as accepted`.execute(db)
  await makeRoom(db, address)
  return rows[0]!.accepted
}

async function makeRoom(db: Kysely<DB>, address: string) {
  await sql`delete from hub_keys where phone_id is null and public_key in (
    select public_key from hub_keys where phone_id is null and address = ${address}
    order by made_at desc offset ${STRANGERS_OF_ADDRESS})`.execute(db)
  await sql`delete from hub_keys where phone_id is null and public_key in (
    select public_key from hub_keys where phone_id is null
    order by made_at desc offset ${STRANGERS})`.execute(db)
}

const isFresh = (table: string) =>
  sql`(${sql.ref(`${table}.made_at`)} > clock_timestamp() - make_interval(hours => ${KEY_HOURS})
    and has_happened(${sql.ref(`${table}.made_at`)}))`

export type HubKey = { publicKey: Buffer; phoneId: string | null; isRevoked: boolean }

/**
 * The keys with which a message of this client can be sealed, the likeliest first. A handshake that someone else makes
 * in the name of a phone does not displace the phone's own: it comes from another address.
 */
export async function keysOf(db: Kysely<DB>, clientId: string, address: string): Promise<HubKey[]> {
  const { rows } = await sql<HubKey>`
    select k.public_key as "publicKey", k.phone_id as "phoneId",
      p.revoked_at is not null as "isRevoked"
    from hub_keys k left join hub_phones p on p.client_id = k.client_id
    where k.client_id = ${clientId} and ${isFresh('k')}
    order by k.address = ${address} desc, k.made_at desc limit ${TRIED}`.execute(db)
  return rows
}

/** Notes a message as received. False if it was before, or if its key has been used too often. */
export async function isFirst(db: Kysely<DB>, key: HubKey, nonce: Buffer): Promise<boolean> {
  const most = key.phoneId ? MESSAGES : MESSAGES_OF_STRANGER
  const { numAffectedRows } = await sql`
    insert into hub_nonces (public_key, nonce)
    select ${key.publicKey}, ${nonce}
    where (select count(*) from hub_nonces where public_key = ${key.publicKey}) < ${most}
    on conflict do nothing`.execute(db)
  return numAffectedRows === 1n
}

type SignedIn = {
  clientId: string
  publicKey: Buffer
  address: string
  session: Session
  isCommand: boolean
}

/**
 * The phone that sent a message with a valid token, and from now on its key as one of this phone. The time is written
 * once a minute.
 */
export async function phoneOf(db: Kysely<DB>, signedIn: SignedIn): Promise<string> {
  const { clientId, publicKey, address, session, isCommand } = signedIn
  const { rows } = await sql<{ id: string }>`
    with stored as (
      select id, user_id, app_password_id, public_key, last_seen_at, last_address
      from hub_phones where client_id = ${clientId}),
    saved as (
      insert into hub_phones (client_id, user_id, app_password_id, public_key, last_address)
      select ${clientId}, ${session.actor.userId}, ${session.appPasswordId}::uuid,
        ${publicKey}::bytea, ${address}
      where not exists (select from stored
        where user_id = ${session.actor.userId} and public_key = ${publicKey}
          and app_password_id is not distinct from ${session.appPasswordId}::uuid
          and last_address = ${address}
          and last_seen_at > clock_timestamp() - interval '1 minute')
      on conflict (client_id) do update set user_id = excluded.user_id,
        app_password_id = excluded.app_password_id, public_key = excluded.public_key,
        last_address = excluded.last_address, last_seen_at = clock_timestamp()
      returning id)
    select id from saved union all select id from stored limit 1`.execute(db)
  const { id } = rows[0]!
  await sql`update hub_keys set phone_id = ${id}, wrote = wrote or ${isCommand}
    where public_key = ${publicKey}
      and (phone_id is distinct from ${id} or (${isCommand} and not wrote))`.execute(db)
  return id
}

/** Whether a phone with this id has signed in and was not revoked: then its messages may be long. */
export async function isKnown(db: Kysely<DB>, clientId: string): Promise<boolean> {
  const phone = await db
    .selectFrom('hub_phones')
    .select('id')
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return phone !== undefined
}

/** What no message can be opened with any more. */
export async function forgetHubKeys(db: Kysely<DB>): Promise<void> {
  await sql`delete from hub_keys where not (${isFresh('hub_keys')}) and
    (not wrote or made_at < clock_timestamp() - make_interval(days => ${COMMAND_DAYS}))`.execute(db)
  await sql`delete from hub_nonces n using hub_keys k
    where k.public_key = n.public_key and not (${isFresh('k')})`.execute(db)
}
