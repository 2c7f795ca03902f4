import {
  reportDispensed,
  returnStock,
} from '~/features/medicines/inventory/ledger/movements.server'
import type { PushState } from './push-state'
import type { PlannedWrite } from './write.server'

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
