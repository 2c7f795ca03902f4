import { sql } from 'kysely'
import { ListPhones } from '~/features/office/devices/device'
import { Nothing, query, signedIn } from '~/server/operation'
import { paged } from '~/server/paged'
import { containing } from '~/server/scope'
import { clinicsWhere, isAdmin, mayAnywhere } from '~/shared/actor'
import { LOG_BYTES_PER_DAY, QUARANTINE_BYTES, QUARANTINE_ROWS } from '~/sync/push/quotas.server'
import { maySettle } from '~/sync/push/settle.server'

/**
 * Devices that have synced, the latest first: user, times, row counts, and what waits to be
 * settled.
 */
export const listPhones = query('devices.list', {
  reads: ['sync_chains', 'sync_conflicts', 'sync_quarantine'],
  looksUp: ['user_clinic_permissions', 'users'],
  input: ListPhones,
  allow: ({ actor }) => mayAnywhere(actor, 'is_clinic_admin'),
  async run({ db, actor }, { page, search }) {
    const clinics = clinicsWhere(actor, 'is_clinic_admin')
    const phones = db
      .selectFrom('sync_chains as c')
      .innerJoin('users', 'users.id', 'c.user_id')
      .leftJoin('app_passwords as password', 'password.id', 'c.app_password_id')
      .$if(clinics !== 'all', (q) =>
        q.where(
          sql<boolean>`exists (select from user_clinic_permissions p where p.user_id = c.user_id and not p.is_deleted
            and p.clinic_id = any(${clinics as string[]}::uuid[]))`,
        ),
      )
      .$if(!!search, (q) => q.where('users.name', 'ilike', containing(search!)))
    const { rows, pagination } = await paged(
      phones
        .select([
          'c.id',
          'users.name',
          'users.role',
          // as its user calls the phone
          'password.name as phone_name',
          'c.schema_version',
          'c.user_agent',
          'c.address',
          'c.opened_at',
        ])
        .select(['c.last_pull_at', 'c.last_push_at', 'c.rows_pulled', 'c.rows_pushed'])
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
            where q.user_id = c.user_id and q.settled_at is null), 0)::float8`.as(
            'quarantine_bytes',
          ),
          sql<number>`(select count(*) from sync_quarantine q
            where q.user_id = c.user_id and q.settled_at is null)::int`.as('quarantine_rows'),
          sql<number>`coalesce((select s.log_bytes from sync_storage s
            where s.user_id = c.user_id and s.day = current_date), 0)::float8`.as('log_bytes'),
          sql<number>`coalesce((select s.logs_dropped from sync_storage s
            where s.user_id = c.user_id), 0)::float8`.as('logs_dropped'),
        ])
        .orderBy('c.last_pull_at', (order) => order.desc().nullsLast())
        .orderBy('c.id'),
      phones,
      page,
    )
    return { rows: rows.map(withQuotas), pagination }
  },
})

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
  input: Nothing,
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
