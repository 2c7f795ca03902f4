import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { reserveStock } from '~/features/medicines/inventory/ledger/movements.server'
import { loadPrescriptionItems } from './items.server'
import { dueQuantity } from './prescription'

/**
 * Reserves what is due of every item. Medicines in one order for all transactions, so that two do
 * not deadlock.
 */
export async function holdFor(db: Kysely<DB>, prescriptionId: string, clinicId: string) {
  const items = (await loadPrescriptionItems(db, [prescriptionId])).get(prescriptionId) ?? []
  const missing: { itemId: string; generic_name: string; quantity: number }[] = []
  const now = new Date()
  for (const item of items.toSorted((a, b) => (a.drug_id < b.drug_id ? -1 : 1))) {
    const quantity = dueQuantity(item)
    if (quantity === 0) continue
    // a prescription has few items, and each takes its own locks
    const picking = await reserveStock(db, {
      referenceId: item.id,
      clinicId,
      drugId: item.drug_id,
      quantity,
      now,
    })
    if (picking.missing > 0)
      missing.push({ itemId: item.id, generic_name: item.generic_name, quantity: picking.missing })
  }
  return missing
}
