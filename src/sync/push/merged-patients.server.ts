import { sql } from 'kysely'
import type { Incoming } from './incoming'
import type { PushState } from './push-state'

/** A phone that does not know yet that two records became one writes about the loser: the winner is meant. */
export async function redirectMerged(
  state: PushState,
  rows: readonly Incoming[],
): Promise<Incoming[]> {
  const named = rows.flatMap(({ table, id, values }) =>
    table === 'patients' ? [id] : [values['patient_id']],
  )
  const ids = [...new Set(named)].filter(Boolean)
  if (ids.length === 0) return [...rows]
  const { rows: merges } = await sql<{ loser: string; winner: string }>`
    select loser_id as loser, living_patient(loser_id) as winner from patient_merges
    where unmerged_at is null and loser_id = any(${ids}::uuid[])`.execute(state.ctx.db)
  const winners = new Map(merges.map(({ loser, winner }) => [loser, winner]))
  if (winners.size === 0) return [...rows]
  return rows.map((row) => {
    if (row.table === 'patients') {
      const winner = winners.get(row.id)
      if (!winner) return row
      state.replaced.push({ table: 'patients', id: row.id })
      return { ...row, id: winner, sentAs: row.id, isAltered: true as const }
    }
    const winner = winners.get(String(row.values['patient_id']))
    return winner
      ? { ...row, values: { ...row.values, patient_id: winner }, isAltered: true as const }
      : row
  })
}
