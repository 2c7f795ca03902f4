import { type Expression, type SqlBool, sql } from 'kysely'
import { drugsLike, likest } from '~/features/medicines/drugs/drugs.server'
import { hasNoExpiry } from '~/records/no-expiry'
import { titleColumns } from '~/records/strength'
import { inClinic } from '~/policy/on.server'
import { workAt } from '~/policy/rules'
import { type Context, query } from '~/server/operation'
import { byName, inPermittedClinics } from '~/server/scope'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import { isUsable } from './usable.server'
import { Attention, ClinicStock, EXPIRING_DAYS, ListInventory } from './inventory'
import { type InventoryView } from './stock-search'

/**
 * The stock of each medicine in each clinic. `usable`: neither expired nor quarantined; `quantity`:
 * what of that is not reserved.
 */
function stockByDrug({ db }: Context, clinics: Expression<SqlBool>, days: number) {
  const today = sql`${clinicToday()}::date`
  const there = sql`i.quantity_available > 0`
  return db
    .selectFrom('clinic_inventory as i')
    .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
    .where('i.is_deleted', '=', false)
    .where(clinics)
    .groupBy(['i.clinic_id', 'i.drug_id'])
    .select(['i.clinic_id', 'i.drug_id'])
    .select([
      sql<number>`sum(i.quantity_available)`.as('on_hand'),
      sql<number>`sum(i.reserved_quantity)`.as('reserved'),
      sql<number>`coalesce(sum(i.quantity_available) filter (where ${isUsable('b', today)}), 0)`.as(
        'usable',
      ),
      sql<number>`coalesce(sum(greatest(i.quantity_available - i.reserved_quantity, 0))
        filter (where ${isUsable('b', today)}), 0)`.as('quantity'),
      sql<number>`count(*) filter (where ${there})`.as('batches'),
      sql<
        string | null
      >`min(b.expiry_date) filter (where ${there} and b.expiry_date >= ${today})`.as('next_expiry'),
      sql<number>`coalesce(sum(i.quantity_available) filter (where b.expiry_date >= ${today}
        and b.expiry_date < ${today} + ${days}::int), 0)`.as('expiring'),
      sql<number>`coalesce(sum(i.quantity_available) filter (where b.expiry_date < ${today}), 0)`.as(
        'expired',
      ),
      sql<number>`coalesce(sum(i.quantity_available) filter (where b.is_quarantined), 0)`.as(
        'quarantined',
      ),
      sql<Date | null>`max(i.last_counted_at)`.as('last_counted_at'),
    ])
}

const only: Record<InventoryView, Expression<SqlBool>> = {
  low: sql`s.usable < d.min_stock_level`,
  expiring: sql`s.expiring > 0`,
  expired: sql`s.expired > 0`,
  quarantined: sql`s.quarantined > 0`,
}

/**
 * The stock of a clinic, a row for each medicine it holds or held: the shape of pickers (`quantity`
 * is what is available now) and of the stock screen.
 */
export const listInventory = query('inventory.list', {
  reads: ['clinic_inventory', 'drug_batches', 'drug_catalogue'],
  input: ListInventory,
  on: inClinic(workAt),
  async run(ctx, { clinicId, searchQuery, only: view, limit, offset }) {
    const rows = await ctx.db
      .selectFrom('drug_catalogue as d')
      .innerJoin(
        stockByDrug(ctx, sql<boolean>`i.clinic_id = ${clinicId}`, EXPIRING_DAYS).as('s'),
        's.drug_id',
        'd.id',
      )
      .where('d.is_deleted', '=', false)
      .$if(!!searchQuery, (q) => q.where(drugsLike(searchQuery!)))
      .$if(!!view, (q) => q.where(only[view!]))
      .select(['d.id as drug_id', ...titleColumns('d'), 'd.form'])
      .select([
        'd.route',
        'd.ingredients',
        'd.min_stock_level',
        'd.max_stock_level',
        'd.is_controlled',
      ])
      .select([
        'd.requires_refrigeration',
        'd.is_active',
        's.quantity',
        's.on_hand',
        's.reserved',
        's.usable',
      ])
      .select([
        's.batches',
        's.next_expiry',
        's.expiring',
        's.expired',
        's.quarantined',
        's.last_counted_at',
      ])
      .$if(!!searchQuery, (q) => q.orderBy(likest(searchQuery!)))
      .orderBy(byName('d.generic_name'))
      .orderBy('d.dosage_quantity')
      .orderBy('d.id')
      .limit(limit + 1)
      .offset(offset)
      .execute()
    const items = rows.slice(0, limit).map((row) => ({
      ...row,
      id: row.drug_id,
      is_low: row.usable < row.min_stock_level,
    }))
    return { items, hasMore: rows.length > limit }
  },
})
export type InventoryItem = Awaited<ReturnType<typeof listInventory>>['items'][number]

/**
 * What needs attention each morning: medicines below their minimum, and batches that expire soon or
 * are expired.
 */
export const inventoryAttention = query('inventory.attention', {
  input: Attention,
  on: inClinic(workAt),
  async run(ctx, { clinicId, days, limit }) {
    const clinics = clinicId
      ? sql<boolean>`i.clinic_id = ${clinicId}`
      : inPermittedClinics(ctx.actor, 'i.clinic_id', ...workAt)
    const low = await ctx.db
      .selectFrom('drug_catalogue as d')
      .innerJoin(stockByDrug(ctx, clinics, days).as('s'), 's.drug_id', 'd.id')
      .innerJoin('clinics as c', 'c.id', 's.clinic_id')
      .where('d.is_deleted', '=', false)
      .where('d.is_active', '=', true)
      .where('c.is_archived', '=', false)
      .where(only.low)
      .select(['d.id as drug_id', ...titleColumns('d'), 'd.form'])
      .select(['c.id as clinic_id', 'c.name as clinic_name', 's.usable', 'd.min_stock_level'])
      .select(sql<number>`count(*) over ()`.as('total'))
      .orderBy(sql`s.usable / d.min_stock_level`)
      .orderBy(byName('d.generic_name'))
      .limit(limit)
      .execute()
    const expiring = await ctx.db
      .selectFrom('clinic_inventory as i')
      .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
      .innerJoin('drug_catalogue as d', 'd.id', 'i.drug_id')
      .innerJoin('clinics as c', 'c.id', 'i.clinic_id')
      .where('i.is_deleted', '=', false)
      .where('i.quantity_available', '>', 0)
      .where('c.is_archived', '=', false)
      .where(sql<boolean>`b.expiry_date < ${clinicToday()}::date + ${days}::int`)
      .where(clinics)
      .select(['d.id as drug_id', ...titleColumns('d'), 'd.form'])
      .select([
        'c.id as clinic_id',
        'c.name as clinic_name',
        'b.id as batch_id',
        'b.batch_number',
        'b.expiry_date',
      ])
      .select('i.quantity_available')
      .select(sql<boolean>`b.expiry_date < ${clinicToday()}::date`.as('is_expired'))
      .select(sql<number>`count(*) over ()`.as('total'))
      .orderBy('b.expiry_date')
      .orderBy('i.id')
      .limit(limit)
      .execute()
    return {
      low: { total: low[0]?.total ?? 0, rows: low },
      expiring: { total: expiring[0]?.total ?? 0, rows: expiring },
    }
  },
})

/** A clinic's stock for a file, a row for each batch: at most 20,000. */
export const exportInventory = query('inventory.export', {
  input: ClinicStock,
  on: inClinic(['can_download_patient_reports']),
  async run({ db }, { clinicId }) {
    const columns = [
      'generic_name',
      'brand_name',
      'form',
      'dosage_quantity',
      'dosage_units',
      'per_quantity',
      'per_unit',
      'ingredient_strengths',
      'barcode',
      'batch_number',
      'expiry_date',
      'quantity_available',
      'reserved_quantity',
      'is_quarantined',
      'last_counted_at',
    ] as const
    const rows = await db
      .selectFrom('clinic_inventory as i')
      .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
      .innerJoin('drug_catalogue as d', 'd.id', 'i.drug_id')
      .where('i.clinic_id', '=', clinicId)
      .where('i.is_deleted', '=', false)
      .where('i.quantity_available', '>', 0)
      .select([...titleColumns('d'), 'd.form', 'd.barcode'])
      .select([
        'b.batch_number',
        'b.expiry_date',
        'i.quantity_available',
        'i.reserved_quantity',
        'b.is_quarantined',
      ])
      .select('i.last_counted_at')
      .orderBy(byName('d.generic_name'))
      .orderBy('d.id')
      .orderBy('b.expiry_date')
      .limit(20_000)
      .execute()
    return {
      columns: [...columns],
      rows: rows.map(({ expiry_date, ...rest }) => {
        const row = { ...rest, expiry_date: hasNoExpiry(expiry_date) ? null : expiry_date }
        return columns.map((name) => cell(row[name]))
      }),
    }
  },
})

const cell = (value: string | number | boolean | Date | null) => {
  if (value === null) return ''
  return value instanceof Date ? dayIn(value, clinicTimeZone()) : String(value)
}
