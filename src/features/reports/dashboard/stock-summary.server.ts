import { isUsable } from '~/features/medicines/inventory/usable.server'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { NoInput, query } from '~/server/operation'
import { inPermittedClinics } from '~/server/scope'
import type { Actor } from '~/shared/actor'
import { PERMISSIONS } from '~/shared/permissions'
import { clinicToday } from '~/shared/zone'
import { DASHBOARD_EXPIRING_DAYS, seesStock, SHOWN } from './summary'

export type StockSummary = Awaited<ReturnType<typeof summaryStock>>

/** Low stock and expiring batches, in the clinics whose stock the user may see. */
export const summaryStock = query('summary.stock', {
  reads: ['clinic_inventory', 'drug_batches'],
  looksUp: ['clinics', 'drug_catalogue'],
  input: NoInput,
  allow: ({ actor }) => seesStock(actor),
  async run({ db, actor }) {
    const today = clinicToday()
    const [low, expiring] = [await runningLow(db, actor, today), await goingOff(db, actor, today)]
    return {
      lowCount: low[0]?.total ?? 0,
      low: low.map(({ total: _, ...row }) => row),
      expiringCount: expiring[0]?.total ?? 0,
      expiredCount: expiring[0]?.expired ?? 0,
      expiring: expiring.map(({ total: _, expired: __, ...row }) => row),
    }
  },
})

type Low = {
  drug_id: string
  drug: string
  clinic_id: string
  clinic: string
  usable: number
  least: number
  total: number
}

/**
 * A drug that a clinic keeps, and of which it has less than the least it should: expired and
 * quarantined batches do not count.
 */
async function runningLow(db: Kysely<DB>, actor: Actor, today: string): Promise<Low[]> {
  const { rows } = await sql<Low>`
    select held.*, d.generic_name as drug, c.name as clinic, d.min_stock_level as least, count(*) over () as total
    from (
      select i.clinic_id, i.drug_id,
        coalesce(sum(i.quantity_available) filter (
          where ${isUsable('b', sql`${today}::date`)}), 0) as usable
      from clinic_inventory i join drug_batches b on b.id = i.batch_id
      where not i.is_deleted and ${inPermittedClinics(actor, 'i.clinic_id', ...PERMISSIONS)}
      group by i.clinic_id, i.drug_id
    ) held
    join drug_catalogue d on d.id = held.drug_id and not d.is_deleted and d.is_active
    join clinics c on c.id = held.clinic_id and not c.is_deleted and not c.is_archived
    where held.usable < d.min_stock_level
    order by held.usable / d.min_stock_level, d.generic_name collate names
    limit ${SHOWN}`.execute(db)
  return rows
}

type Expiring = {
  id: string
  drug_id: string
  drug: string
  clinic_id: string
  clinic: string
  batch_number: string
  expiry_date: string
  quantity: number
  total: number
  expired: number
}

/** Batches on the shelf that expire soon or have: the first to go, first. */
async function goingOff(db: Kysely<DB>, actor: Actor, today: string): Promise<Expiring[]> {
  const { rows } = await sql<Expiring>`
    select i.id, i.drug_id, i.clinic_id, d.generic_name as drug, c.name as clinic, i.batch_number,
      i.batch_expiry_date as expiry_date, i.quantity_available as quantity, count(*) over () as total,
      count(*) filter (where i.batch_expiry_date < ${today}::date) over () as expired
    from clinic_inventory i
    join drug_catalogue d on d.id = i.drug_id and not d.is_deleted
    join clinics c on c.id = i.clinic_id and not c.is_deleted and not c.is_archived
    where not i.is_deleted and i.quantity_available > 0
      and i.batch_expiry_date <= ${today}::date + ${DASHBOARD_EXPIRING_DAYS}::integer
      and ${inPermittedClinics(actor, 'i.clinic_id', ...PERMISSIONS)}
    order by i.batch_expiry_date, d.generic_name collate names, i.id
    limit ${SHOWN}`.execute(db)
  return rows
}
