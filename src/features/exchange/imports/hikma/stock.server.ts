import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { IMPORT_BATCH } from '../batches.server'
import { stableId } from '../stable-id'
import type { Rule } from '../former-rules'
import { newTable, type HikmaRun } from './run'
import { parseTimestamp, type SourceRow } from './reading'
import { isId } from '~/shared/id'

type Stock = {
  id: string
  clinic_id: string
  drug_id: string
  batch_id: string
  quantity: number
  last_counted_at: string | null
  is_deleted: boolean
  created_at: string | null
}

/** A row of `clinic_inventory`; null if its clinic, medicine or batch is missing. */
export function stockIn(row: SourceRow): Stock | null {
  const { id, clinic_id, drug_id, batch_id, quantity_available } = row
  if (!isId(id) || !isId(clinic_id) || !isId(drug_id) || !isId(batch_id)) return null
  const quantity = typeof quantity_available === 'number' ? quantity_available : 0
  const is_deleted = row['is_deleted'] === true
  return {
    id,
    clinic_id,
    drug_id,
    batch_id,
    quantity: is_deleted ? 0 : Math.max(quantity, 0),
    last_counted_at: parseTimestamp(row['last_counted_at']) ?? null,
    is_deleted,
    created_at: parseTimestamp(row['created_at']) ?? null,
  }
}

type Posted = { posted: number; moved: number }

/**
 * Posts the stock of the source to the ledger. The first run posts the whole quantity, a repeated run the difference to
 * what was posted. After any other movement of the batch at the clinic, Sanad's count is kept and a note is written.
 */
export async function postOpeningStock(run: HikmaRun): Promise<void> {
  const { source, report, watch, steps, number } = run
  if (!source.has('clinic_inventory')) return
  const tally = newTable('clinic_inventory')
  report.tables.push(tally)
  const total = await source.count('clinic_inventory')
  for await (const batch of source.batches({ from: 'clinic_inventory' }, IMPORT_BATCH)) {
    watch.signal?.throwIfAborted()
    const unplaced: { row: SourceRow; reason: string }[] = []
    const notes: { id: string; rule: Rule; value: unknown }[] = []
    await steps(async (db) => {
      const stocks = batch.flatMap(({ row }) => {
        const stock = stockIn(row)
        if (!stock) unplaced.push({ row, reason: 'no clinic, medicine or batch' })
        else if (Number(row['quantity_available']) < 0)
          notes.push({ id: stock.id, rule: 'negativeStock', value: row['quantity_available'] })
        return stock ? [{ row, stock }] : []
      })
      const known = await loadPostedStock(
        db,
        stocks.map(({ stock }) => stock),
      )
      // archived clinics refuse new rows otherwise (`refuse_in_archived_clinic`)
      await sql`select set_config('sanad.merging', 'on', true)`.execute(db)
      const placed: Placed[] = []
      for (const { row, stock } of stocks) {
        const before = known.get(stock.id)
        if (before) placed.push({ ...stock, ...before })
        else unplaced.push({ row, reason: 'no such clinic, or no such batch of this medicine' })
      }
      for (const { id, quantity, posted, moved } of placed)
        if (quantity !== posted && moved > 0)
          notes.push({ id, rule: 'stockMovedHere', value: quantity })
      const written = await post(db, placed, number)
      tally.inserted += written
      tally.unchanged += placed.length - written
      await sql`select set_config('sanad.merging', '', true)`.execute(db)
    })
    tally.rows += batch.length
    for (const { row, reason } of unplaced) {
      tally.unplaced += 1
      await watch.onUnplaced?.('clinic_inventory', row, reason)
    }
    for (const { id, rule, value } of notes) {
      tally.notes[rule] = (tally.notes[rule] ?? 0) + 1
      await watch.onNote?.('clinic_inventory', id, { rule, value })
    }
    watch.onProgress?.('clinic_inventory', tally.rows, total)
  }
  if (tally.inserted > 0) report.hasNews = true
}

type Known = Posted & { has_row: boolean }

/**
 * The opening quantity posted so far, and the number of other movements. Stock without a clinic or
 * batch in Sanad is left out.
 */
async function loadPostedStock(
  db: Kysely<DB>,
  stocks: readonly Stock[],
): Promise<Map<string, Known>> {
  const { rows } = await sql<Known & { id: string }>`
    select given.id,
      exists (select from clinic_inventory i
        where i.clinic_id = given.clinic_id and i.batch_id = given.batch_id) as has_row,
      coalesce(sum(m.quantity) filter (where m.reference_type = 'opening'), 0) as posted,
      count(m.id) filter (where m.reference_type <> 'opening') as moved
    from jsonb_to_recordset(${JSON.stringify(stocks)}::jsonb)
      as given(id uuid, clinic_id uuid, drug_id uuid, batch_id uuid)
    join clinics c on c.id = given.clinic_id
    join drug_batches b on b.id = given.batch_id and b.drug_id = given.drug_id
    left join inventory_transactions m on m.batch_id = given.batch_id and m.clinic_id = given.clinic_id
    group by given.id, given.clinic_id, given.batch_id`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

type Placed = Stock & Known

const isMoving = ({ quantity, posted, moved }: Placed) => quantity !== posted && moved === 0

/** Returns how many rows it wrote. */
async function post(db: Kysely<DB>, placed: readonly Placed[], run: number): Promise<number> {
  const missing = placed.filter(({ has_row }) => !has_row)
  // the rows keep their ids, which phones know
  await sql`
    insert into clinic_inventory (id, clinic_id, drug_id, batch_id, batch_number, batch_expiry_date,
      last_counted_at, metadata, is_deleted, created_at)
    select given.id, given.clinic_id, b.drug_id, b.id, b.batch_number, b.expiry_date, given.last_counted_at,
      case when b.is_quarantined then '{"is_quarantined": true}' else '{}' end::jsonb, given.is_deleted,
      coalesce(given.created_at, now())
    from jsonb_to_recordset(${JSON.stringify(missing)}::jsonb) as given(id uuid, clinic_id uuid,
      batch_id uuid, last_counted_at timestamptz, is_deleted boolean, created_at timestamptz)
    join drug_batches b on b.id = given.batch_id
    on conflict do nothing`.execute(db)
  const moving = placed.filter(isMoving).map(({ id, quantity, posted, ...stock }) => ({
    ...stock,
    difference: quantity - posted,
    reference: posted === 0 ? id : stableId('hikma.opening', id, String(run)),
  }))
  await sql`
    select post_stock(clinic_id, drug_id, batch_id, 'adjustment', difference, 'opening', reference, null,
      null, clinic_day(now()))
    from jsonb_to_recordset(${JSON.stringify(moving)}::jsonb) as given(clinic_id uuid, drug_id uuid,
      batch_id uuid, difference numeric, reference uuid)`.execute(db)
  const written = new Set([...missing, ...placed.filter(isMoving)].map(({ id }) => id))
  return written.size
}
