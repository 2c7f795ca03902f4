import { sql } from 'kysely'
import type { Incoming } from './incoming'
import type { PushState } from './push-state'
import { recordset } from './write.server'

const COUNTED = ['quantity_dispensed', 'refills_used']

/**
 * Older apps and forced uploads count what was dispensed without a dispensing record. The count of
 * an item is the sum of its records, so that the device's higher one becomes a conflict: a user
 * records the dispensing. One whose record is in quarantine is settled with that record.
 */
export async function addUnrecorded(state: PushState, counted: readonly Incoming[]) {
  if (counted.length === 0) return
  const claims = counted.map((row) => ({ id: row.id, quantity: countOf(row) }))
  const refusedOf = state.refused
    .filter(({ table }) => table === 'dispensing_records')
    .map(({ raw }) => String((Object(raw) as Record<string, unknown>)['prescription_item_id']))
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
  rows.filter((row) => isCounted(row) && countOf(row) > 0 && !isRepeated(state, row))

const countOf = ({ values }: Incoming) =>
  Number(values['refills_used'] ?? 0) * Number(values['quantity_prescribed'] ?? 0) +
  Number(values['quantity_dispensed'] ?? 0)

/** The device says that the count changed, or does not say what did. */
function isCounted({ table, state, raw }: Incoming): boolean {
  if (table !== 'prescription_items') return false
  const changed = (raw as Record<string, unknown>)['_changed']
  return (
    state !== 'edited' ||
    (typeof changed === 'string' && changed.split(',').some((column) => COUNTED.includes(column)))
  )
}

const isRepeated = ({ base }: PushState, { table, id, sentAs, values }: Incoming) =>
  base.delivered.row(table, sentAs ?? id)['updated_at'] === values['updated_at']
