import { sql } from 'kysely'
import { asObject } from '~/shared/object'
import {
  reportDispensed,
  returnStock,
} from '~/features/medicines/inventory/ledger/movements.server'
import type { Incoming } from './incoming'
import type { PushState } from './push-state'
import { type PlannedWrite, recordset } from './write.server'

const STOCK_COLUMNS = ['quantity_dispensed', 'drug_id', 'batch_id', 'clinic_id']

/**
 * Moves the stock for dispensing records: what was dispensed has left the shelf. An edited record
 * is reversed first.
 */
export async function postDispensed(state: PushState, written: readonly PlannedWrite[]) {
  for (const { id, values, before } of written) {
    if (before && !STOCK_COLUMNS.some((column) => column in values)) continue
    const record = { ...before?.values, ...values }
    if (before) await reverseDispensed(state, id, record)
    await postOne(state, id, record)
  }
}

/** Dispensing is append-only: a withdrawn record is countered in the stock and no longer counts. */
export async function withdrawDispensed({ ctx: { db } }: PushState, ids: readonly string[]) {
  await db
    .updateTable('dispensing_records')
    .set({ is_deleted: true })
    .where('id', 'in', ids)
    .execute()
  for (const referenceId of ids)
    await returnStock(db, {
      referenceId,
      now: new Date(),
      reason: 'sync.withdrawnRecord',
      isReported: true,
    })
}

type DispensingRecord = PlannedWrite['values']

const reverseDispensed = ({ ctx: { db } }: PushState, id: string, record: DispensingRecord) =>
  returnStock(db, {
    referenceId: id,
    now: dispensedAt(record),
    reason: 'sync.editedRecord',
    isReported: true,
  })

const postOne = ({ ctx: { db, actor } }: PushState, id: string, record: DispensingRecord) =>
  reportDispensed(db, {
    clinicId: String(record['clinic_id']),
    drugId: String(record['drug_id']),
    batchId: (record['batch_id'] as string | null) || null,
    quantity: Number(record['quantity_dispensed']),
    referenceId: id,
    by: (record['dispensed_by'] as string | null) || actor.userId,
    at: dispensedAt(record),
  })

const dispensedAt = (record: DispensingRecord) =>
  new Date(Number(record['dispensed_at'] ?? Date.now()))

// --- Counts without a record ---------------------------------------------------------------------

const COUNTED = ['quantity_dispensed', 'refills_used']

/**
 * Older apps and forced uploads count what was dispensed without a dispensing record. The count of
 * an item is the sum of its records, so that the device's higher one becomes a conflict: a user
 * records the dispensing. One whose record is in quarantine is settled with that record.
 */
export async function addUnrecorded(state: PushState, counted: readonly Incoming[]) {
  if (counted.length === 0) return
  const claims = counted.map((row) => ({ id: row.id, quantity: dispensedQuantity(row) }))
  const refusedOf = state.refused
    .filter(({ table }) => table === 'dispensing_records')
    .map(({ raw }) => String(asObject(raw)['prescription_item_id']))
  const { rows: higher } = await sql<{ id: string; quantity: number; stored: number }>`
    select i.id, r.quantity::float8 as quantity, i.quantity_dispensed::float8 as stored
    from ${recordset(claims, ['id uuid', 'quantity numeric'])}
      join prescription_items i on i.id = r.id
    where not i.is_deleted and r.quantity > i.quantity_dispensed
      and i.id::text <> all(${refusedOf}::text[])`.execute(state.ctx.db)
  const byId = new Map(counted.map((row) => [row.id, row]))
  for (const { id, quantity, stored } of higher)
    state.conflicts.push({
      column: 'quantity_dispensed',
      phone: quantity,
      server: stored,
      incoming: byId.get(id)!,
      isDeleted: false,
    })
}

/** Items of which the device counts something, to be compared when all records are saved. */
export const countedIn = (state: PushState, rows: readonly Incoming[]): Incoming[] =>
  rows.filter((row) => isCounted(row) && dispensedQuantity(row) > 0 && !isRepeated(state, row))

const dispensedQuantity = ({ values }: Incoming) =>
  Number(values['refills_used'] ?? 0) * Number(values['quantity_prescribed'] ?? 0) +
  Number(values['quantity_dispensed'] ?? 0)

/** The device says that the count changed, or does not say what did. */
function isCounted({ table, state, raw }: Incoming): boolean {
  if (table !== 'prescription_items') return false
  const changed = asObject(raw)['_changed']
  return (
    state !== 'edited' ||
    (typeof changed === 'string' && changed.split(',').some((column) => COUNTED.includes(column)))
  )
}

const isRepeated = ({ base }: PushState, { table, id, sentAs, values }: Incoming) =>
  base.delivered.row(table, sentAs ?? id)['updated_at'] === values['updated_at']
