import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { ListPhones, QuarantinedRowId } from '~/features/office/devices/device'
import { audit } from '~/server/audit'
import { mutation, NoInput, query, signedIn } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { containing } from '~/server/scope'
import { type Actor, clinicsWhere, isAdmin, mayAnywhere } from '~/shared/actor'
import { LOG_BYTES_PER_DAY, QUARANTINE_BYTES, QUARANTINE_ROWS } from '~/sync/push/quotas.server'
import { maySettle } from '~/sync/push/settle.server'
import { conflict, notFound } from '~/shared/errors'
import { mayManage } from '../users/reach'
import { findPeople, lockBoth } from '../users/reach.server'

/**
 * Devices that have synced, the latest first: user, times, row counts, and what waits to be
 * settled.
 */
export const listPhones = query('devices.list', {
  reads: ['hub_phones', 'sync_chains', 'sync_conflicts', 'sync_quarantine'],
  looksUp: ['clinics', 'user_clinic_permissions', 'users'],
  input: ListPhones,
  allow: ({ actor }) => mayAnywhere(actor, 'is_clinic_admin'),
  async run({ db, actor }, { page, search }) {
    const clinics = clinicsWhere(actor, 'is_clinic_admin')
    const phones = db
      .selectFrom((eb) =>
        eb
          .selectFrom('sync_chains')
          .selectAll()
          // one that never pulled shows only while its upload is refused
          .where(sql<boolean>`(last_pull_at is not null or refused_at is not null)`)
          .as('c'),
      )
      // a phone that works online through the hub has not synced
      .fullJoin('hub_phones as hub', 'hub.id', 'c.hub_phone_id')
      .innerJoin('users', (join) => join.on(sql<boolean>`users.id = ${userOf}`))
      .leftJoin('app_passwords as password', (join) =>
        join.on(sql<boolean>`password.id = coalesce(c.app_password_id, hub.app_password_id)`),
      )
      .$if(clinics !== 'all', (q) =>
        q.where(
          sql<boolean>`exists (select from user_clinic_permissions p where p.user_id = users.id and not p.is_deleted
            and p.clinic_id = any(${clinics as string[]}::uuid[]))`,
        ),
      )
      .$if(!!search, (q) => q.where('users.name', 'ilike', containing(search!)))
    const { rows, pagination } = await loadListPage(
      phones
        .select([
          sql<string>`coalesce(c.id, hub.id)`.as('id'),
          'users.id as user_id',
          'users.name',
          'users.role',
          // as its user calls the phone
          'password.name as phone_name',
          'c.number',
          'c.schema_version',
          'c.user_agent',
          'c.last_pull_at',
          'c.last_push_at',
          'hub.id as hub_phone_id',
          'hub.revoked_at as hub_revoked_at',
          sql<string>`coalesce(c.address, hub.last_address)`.as('address'),
          sql<Date>`coalesce(c.opened_at, hub.first_seen_at)`.as('opened_at'),
          sql<string | null>`encode(hub.public_key, 'hex')`.as('hub_key'),
        ])
        .select((eb) => [
          eb.fn.coalesce('c.rows_pulled', eb.val(0)).as('rows_pulled'),
          eb.fn.coalesce('c.rows_pushed', eb.val(0)).as('rows_pushed'),
        ])
        .select(['c.refused_bytes', 'c.refused_at'])
        .select(
          sql<'waits' | 'given' | null>`case when ${isHeldBack} then
            case when c.given_state_at is null then 'waits' else 'given' end end`.as(
            'since_restore',
          ),
        )
        .select([
          sql<number>`(select count(*) from sync_quarantine q where q.chain_id = c.id and q.settled_at is null)`.as(
            'refused',
          ),
          sql<number>`(select count(*) from sync_conflicts q where q.chain_id = c.id and q.settled_at is null)`.as(
            'conflicts',
          ),
        ])
        .select([
          sql<number>`coalesce((select sum(octet_length(q.row)) from sync_quarantine q
            where q.user_id = users.id and q.settled_at is null), 0)::float8`.as(
            'quarantine_bytes',
          ),
          sql<number>`(select count(*) from sync_quarantine q
            where q.user_id = users.id and q.settled_at is null)::int`.as('quarantine_rows'),
          sql<number>`coalesce((select s.log_bytes from sync_storage s
            where s.user_id = users.id and s.day = current_date), 0)::float8`.as('log_bytes'),
          sql<number>`coalesce((select s.logs_dropped from sync_storage s
            where s.user_id = users.id), 0)::float8`.as('logs_dropped'),
        ])
        .orderBy(sql`coalesce(c.last_pull_at, c.refused_at)`, (order) => order.desc().nullsLast())
        .orderBy(sql`coalesce(c.id, hub.id)`),
      phones,
      page,
    )
    const managed = await loadManagement(db, actor, rows)
    return { rows: rows.map((row) => withQuotas({ ...row, ...managed(row) })), pagination }
  },
})

/** SQL for "since a restore, the device `c` has not been sent what it may hold in a later version". */
const isHeldBack = sql<boolean>`(
  'upload' = (select p.withheld from sync_pulls p where p.chain_id = c.id order by p.ordinal desc limit 1)
  and not exists (select from sync_pushes q
    where q.is_upload and q.user_id = c.user_id and coalesce(q.chain_id, c.id) = c.id
      and q.at > (select max(began_at) from sync_epochs)))`

/**
 * Lets the server's values replace those of a phone that waits after a restore: with its next sync it receives every
 * record. For actors who manage its user.
 */
export const giveState = mutation('devices.giveState', {
  input: QuarantinedRowId,
  allow: ({ actor }) => mayAnywhere(actor, 'is_clinic_admin'),
  async run(ctx, { id }) {
    const { rows } = await sql<{ user_id: string; waits: boolean }>`
      select c.user_id, ${isHeldBack} and c.given_state_at is null as waits
      from sync_chains c where c.id = ${id} for update`.execute(ctx.db)
    const [phone] = rows
    const people = phone && (await lockBoth(ctx, phone.user_id))
    const isManaged =
      phone?.user_id === ctx.actor.userId || (people?.them && mayManage(people.me, people.them))
    if (!phone || !isManaged) throw notFound('devices.notFound')
    if (!phone.waits) throw conflict('devices.notWaiting')
    const given = await ctx.db
      .updateTable('sync_chains')
      .set({ given_state_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .returning('given_state_at')
      .executeTakeFirstOrThrow()
    await audit(ctx, {
      action: 'devices.giveState',
      table: 'users',
      recordId: phone.user_id,
      changes: { given_state_at: [null, given.given_state_at] },
    })
    return { id }
  },
})

const userOf = sql`coalesce(c.user_id, hub.user_id)`

/** What the actor may do with a phone: the actor manages its user, or is its user. */
async function loadManagement(
  db: Kysely<DB>,
  actor: Actor,
  rows: readonly { user_id: string; hub_phone_id: string | null; since_restore: string | null }[],
) {
  const ids = rows
    .filter((row) => row.hub_phone_id || row.since_restore === 'waits')
    .map(({ user_id }) => user_id)
  const people = await findPeople(db, [...new Set(ids)])
  return ({ user_id, hub_phone_id }: (typeof rows)[number]) => {
    const person = people.find(({ userId }) => userId === user_id)
    const isManaged = user_id === actor.userId || (person && mayManage(actor, person))
    return { may_revoke: Boolean(hub_phone_id && isManaged), may_give: Boolean(isManaged) }
  }
}

type Stored = {
  quarantine_bytes: number
  quarantine_rows: number
  log_bytes: number
  logs_dropped: number
}

/** Shares of the quotas that all phones of the user have together. */
const withQuotas = <P extends Stored>({
  quarantine_bytes,
  quarantine_rows,
  log_bytes,
  logs_dropped,
  ...phone
}: P) => ({
  ...phone,
  quotas: {
    quarantine: Math.max(quarantine_bytes / QUARANTINE_BYTES, quarantine_rows / QUARANTINE_ROWS),
    logs: log_bytes / LOG_BYTES_PER_DAY,
    logsDropped: logs_dropped,
  },
})

/** How much waits for the actor to settle: for the dashboard. */
export const countWaiting = query('devices.waiting', {
  input: NoInput,
  allow: signedIn,
  async run({ db, actor }) {
    if (!isAdmin(actor) && !mayAnywhere(actor, 'is_clinic_admin'))
      return { refused: 0, conflicts: 0 }
    const { rows } = await sql<{ refused: number; conflicts: number }>`select
      (select count(*) from sync_quarantine where settled_at is null
        and ${maySettle(actor, 'sync_quarantine')}) as refused,
      (select count(*) from sync_conflicts where settled_at is null
        and ${maySettle(actor, 'sync_conflicts')}) as conflicts`.execute(db)
    return rows[0]!
  },
})
