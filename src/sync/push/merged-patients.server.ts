import { sql } from 'kysely'
import { kept } from '~/db/kept'
import type { Incoming } from './incoming'
import type { PushState } from './push-state'

/**
 * Redirects rows of a patient whose record was merged into another to the remaining record: the
 * device may not know yet that the two became one.
 */
export async function redirectMerged(
  state: PushState,
  rows: readonly Incoming[],
): Promise<Incoming[]> {
  const remaining = await remainingPatients(state, rows)
  if (remaining.size === 0) return [...rows]
  return rows.map((row) => {
    if (row.table === 'patients') {
      const id = remaining.get(row.id)
      if (!id) return row
      state.replaced.push({ table: 'patients', id: row.id })
      return { ...row, id, sentAs: row.id, isAltered: true as const }
    }
    const patient_id = remaining.get(String(row.values['patient_id']))
    return patient_id
      ? { ...row, values: { ...row.values, patient_id }, isAltered: true as const }
      : row
  })
}

/** The remaining record of each merged patient in the rows, by the id of the merged one. */
async function remainingPatients({ ctx: { db } }: PushState, rows: readonly Incoming[]) {
  const patientIds = rows.map(({ table, id, values }) =>
    table === 'patients' ? id : values['patient_id'],
  )
  const ids = [...new Set(patientIds)].filter(Boolean)
  if (ids.length === 0) return new Map<string, string>()
  const { rows: merges } = await sql<{ merged: string; remaining: string }>`${kept(ids.length)}
    select loser_id as merged, living_patient(loser_id) as remaining from patient_merges
    where unmerged_at is null and loser_id = any(${ids}::uuid[])`.execute(db)
  return new Map(merges.map(({ merged, remaining }) => [merged, remaining]))
}
