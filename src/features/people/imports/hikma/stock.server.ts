import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { BATCH } from '../batches.server'
import { stableId } from '../stable-id'
import { newTable, type Run } from './run'
import { isId, momentIn, type SourceRow } from './reading'

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
    last_counted_at: momentIn(row['last_counted_at']) ?? null,
    is_deleted,
    created_at: momentIn(row['created_at']) ?? null,
  }
}

type Posted = { posted: number; moved: number }

/**
 * Posts the stock of the source to the ledger. The first run posts the whole quantity, a repeated run the difference to
 * what was posted. After any other movement of the batch at the clinic, Sanad's count is kept and a note is written.
 */
export async function postOpeningStock(run: Run): Promise<void> {
  const { source, report, watch, steps, number } = run
  if (!source.has('clinic_inventory')) return
  const tally = newTable('clinic_inventory')
  report.tables.push(tally)
  const total = await source.count('clinic_inventory')
  for await (const batch of source.batches({ from: 'clinic_inventory' }, BATCH)) {
    watch.signal?.throwIfAborted()
    const unplaced: { row: SourceRow; reason: string }[] = []
    const notes: { id: string; rule: string; value: unknown }[] = []
    await steps(async (db) => {
      const stocks = batch.flatMap(({ row }) => {
        const stock = stockIn(row)
        if (!stock) unplaced.push({ row, reason: 'no clinic, medicine or batch' })
        else if (Number(row['quantity_available']) < 0)
          notes.push({ id: stock.id, rule: 'negativeStock', value: row['quantity_available'] })
        return stock ? [{ row, stock }] : []
      })
      const known = await postedOf(
        db,
        stocks.map(({ stock }) => stock),
      )
      // archived clinics refuse new rows otherwise (`refuse_in_archived_clinic`)
      await sql`select set_config('sanad.merging', 'on', true)`.execute(db)
      for (const { row, stock } of stocks) {
        const before = known.get(stock.id)
        if (!before) {
          unplaced.push({ row, reason: 'no such clinic, or no such batch of this medicine' })
          continue
        }
        if (await post(db, stock, before, number, notes)) tally.inserted += 1
        else tally.unchanged += 1
      }
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
async function postedOf(db: Kysely<DB>, stocks: readonly Stock[]): Promise<Map<string, Known>> {
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

/** Returns whether anything was written. */
async function post(
  db: Kysely<DB>,
  stock: Stock,
  before: Known,
  run: number,
  notes: { id: string; rule: string; value: unknown }[],
): Promise<boolean> {
  const { id, clinic_id, drug_id, batch_id, quantity, last_counted_at, is_deleted } = stock
  let isWritten = false
  if (!before.has_row) {
    // the row keeps its id, which phones know
    await sql`
      insert into clinic_inventory (id, clinic_id, drug_id, batch_id, batch_number, batch_expiry_date,
        last_counted_at, metadata, is_deleted, created_at)
      select ${id}, ${clinic_id}, b.drug_id, b.id, b.batch_number, b.expiry_date, ${last_counted_at}::timestamptz,
        case when b.is_quarantined then '{"is_quarantined": true}' else '{}' end::jsonb, ${is_deleted},
        coalesce(${stock.created_at}::timestamptz, now())
      from drug_batches b where b.id = ${batch_id}`.execute(db)
    isWritten = true
  }
  const difference = quantity - before.posted
  if (difference === 0) return isWritten
  if (before.moved > 0) {
    notes.push({ id, rule: 'stockMovedHere', value: quantity })
    return isWritten
  }
  // the ledger takes each reference once: a difference is one of this run
  const reference = before.posted === 0 ? id : stableId('hikma.opening', id, String(run))
  await sql`select post_stock(${clinic_id}, ${drug_id}, ${batch_id}, 'adjustment', ${difference}::numeric,
    'opening', ${reference}, null, null, clinic_day(now()))`.execute(db)
  return true
}
