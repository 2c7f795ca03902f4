import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Session } from '~/server/session.server'
import { unauthenticated } from '~/shared/errors'

/** Hours in which the key of a handshake opens messages. The app shakes hands again before each use. */
const KEY_HOURS = 24
/** Days for which the key of a command is refused afterwards, so that a recorded handshake is of no use. */
const COMMAND_DAYS = 400
/** Handshakes that no sign-in has followed: of one address, and of all. The oldest make room. */
const STRANGERS_OF_ADDRESS = 50
const STRANGERS = 5_000
/**
 * Keys of one phone that are tried: of other addresses, and all of its own. A device behind the same router has the
 * address of the phone, and its handshakes in the phone's name must not displace the phone's key.
 */
const TRIED = 16
const TRIED_OF_ADDRESS = STRANGERS_OF_ADDRESS + TRIED
/** Messages with one key: of a phone, and before a sign-in. */
const MESSAGES = 20_000
const MESSAGES_OF_STRANGER = 50

type Handshake = { clientId: string; publicKey: Buffer; address: string }

/**
 * Whether the phone is revoked: the line of the user who signed in on it first. The line of another user who says the
 * same `client_id` ends that user's sign-ins only (`phoneOf`).
 */
const isRevoked = (clientId: string) => sql<boolean>`coalesce((select revoked_at is not null
  from hub_phones where client_id = ${clientId} order by first_seen_at, id limit 1), false)`

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
      where not ${isRevoked(clientId)}
      on conflict (public_key) do nothing returning public_key)
    select exists (select from mine) or exists (
      select from hub_keys k
      where k.public_key = ${publicKey} and k.client_id = ${clientId} and ${isFresh('k')}
        and not ${isRevoked(clientId)}) as accepted`.execute(db)
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
export async function loadHubKeys(
  db: Kysely<DB>,
  clientId: string,
  address: string,
): Promise<HubKey[]> {
  const { rows } = await sql<HubKey>`
    with fresh as (select public_key, phone_id, made_at, address = ${address} as is_own
      from hub_keys k where client_id = ${clientId} and ${isFresh('k')}),
    tried as (
      (select * from fresh where is_own order by made_at desc limit ${TRIED_OF_ADDRESS})
      union all (select * from fresh where not is_own order by made_at desc limit ${TRIED}))
    select public_key as "publicKey", phone_id as "phoneId", ${isRevoked(clientId)} as "isRevoked"
    from tried order by is_own desc, made_at desc`.execute(db)
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
 * The line of the user who sent a message with a valid token from this phone, and from now on its key as one of this
 * phone. The time is written once a minute. Throws `unauthenticated` if the line is revoked.
 */
export async function registerHubPhone(db: Kysely<DB>, signedIn: SignedIn): Promise<string> {
  const { clientId, publicKey, address, session, isCommand } = signedIn
  const { rows } = await sql<{ id: string; is_revoked: boolean }>`
    with stored as (
      select id, user_id, app_password_id, public_key, last_seen_at, last_address, revoked_at
      from hub_phones where client_id = ${clientId} and user_id = ${session.actor.userId}),
    saved as (
      insert into hub_phones (client_id, user_id, app_password_id, public_key, last_address)
      select ${clientId}, ${session.actor.userId}, ${session.appPasswordId}::uuid,
        ${publicKey}::bytea, ${address}
      where not exists (select from stored
        where public_key = ${publicKey}
          and app_password_id is not distinct from ${session.appPasswordId}::uuid
          and last_address = ${address}
          and last_seen_at > clock_timestamp() - interval '1 minute')
      on conflict (client_id, user_id) do update set
        app_password_id = excluded.app_password_id, public_key = excluded.public_key,
        last_address = excluded.last_address, last_seen_at = clock_timestamp()
        where hub_phones.revoked_at is null
      returning id)
    select id, false as is_revoked from saved
    union all select id, revoked_at is not null from stored limit 1`.execute(db)
  const { id, is_revoked } = rows[0]!
  if (is_revoked) throw unauthenticated()
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
    .where(sql<boolean>`not ${isRevoked(clientId)}`)
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
