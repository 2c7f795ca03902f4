import { sql } from 'kysely'
import { ListPhones } from '~/features/office/devices/device'
import { Nothing, query, signedIn } from '~/server/operation'
import { paged } from '~/server/paged'
import { containing } from '~/server/scope'
import { clinicsWhere, isAdmin, mayAnywhere } from '~/shared/actor'
import { maySettle } from '~/sync/push/settle.server'

/**
 * Devices that have synced, the latest first: user, times, row counts, and what waits to be
 * settled.
 */
export const listPhones = query('devices.list', {
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
        .orderBy('c.last_pull_at', (order) => order.desc().nullsLast())
        .orderBy('c.id'),
      phones,
      page,
    )
    return { rows, pagination }
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
