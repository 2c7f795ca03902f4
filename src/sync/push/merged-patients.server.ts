import { sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import { patientRecord } from '~/records/patient'
import { BESIDE, type PushedName } from '../schema/tables'
import type { Incoming } from './incoming'
import type { PushState } from './push-state'
import type { PlannedWrite } from './write.server'

/**
 * Redirects rows of a patient whose record was merged into another to the remaining record: the
 * device may not know yet that the two became one.
 */
export async function redirectMerged<R extends Incoming>(
  state: PushState,
  rows: readonly R[],
): Promise<R[]> {
  const remaining = await remainingPatients(state, rows)
  if (remaining.size === 0) return [...rows]
  return rows.map((row) => {
    if (row.table === 'patients') {
      const id = remaining.get(row.id)
      if (!id) return row
      state.replaced.push({ table: 'patients', id: row.id })
      return { ...row, id, sentAs: row.id, sentFor: row.id, isAltered: true as const }
    }
    const sentFor = String(row.values['patient_id'])
    const patient_id = remaining.get(sentFor)
    return patient_id
      ? { ...row, values: { ...row.values, patient_id }, sentFor, isAltered: true as const }
      : row
  })
}

/** Keeps which new rows were sent for a merged patient: they go back when the merge is undone. */
export async function keepArrivals(
  { ctx: { db } }: Pick<PushState, 'ctx'>,
  table: PushedName,
  written: readonly PlannedWrite[],
) {
  const arrived = written.filter(({ before, incoming }) => !before && incoming.sentFor)
  if (arrived.length === 0) return
  await sql`insert into merged_arrivals (table_name, row_id, patient_id)
    select ${table}, id, patient_id
    from unnest(${arrived.map(({ id }) => id)}::uuid[],
      ${arrived.map(({ incoming }) => incoming.sentFor!)}::uuid[]) r (id, patient_id)
    on conflict do nothing`.execute(db)
}

/**
 * Writes edits of merged patients one by one, and keeps them for the time when the merge is undone. Two of one push may
 * be for the same remaining record.
 */
export async function writeMergedEdits(
  { ctx: { db } }: Pick<PushState, 'ctx'>,
  edits: readonly PlannedWrite[],
  write: (edit: PlannedWrite) => Promise<unknown>,
) {
  for (const edit of edits) {
    const columns = Object.keys(edit.values).filter(
      (column) => column in patientRecord.device || column === BESIDE,
    )
    const row = async () => {
      const { rows } = await sql<{ row: Record<string, unknown> }>`
        select to_jsonb(p) as row from patients p where id = ${edit.id}`.execute(db)
      return rows[0]!.row
    }
    const before = await row()
    await write(edit)
    const after = await row()
    const written = Object.fromEntries(columns.map((column) => [column, after[column]]))
    await sql`select keep_merged_edit(${edit.incoming.sentFor}, ${JSON.stringify(before)}::jsonb,
      ${JSON.stringify(written)}::jsonb)`.execute(db)
  }
}

/** The remaining record of each merged patient in the rows, by the id of the merged one. */
async function remainingPatients({ ctx: { db } }: PushState, rows: readonly Incoming[]) {
  const patientIds = rows.map(({ table, id, values }) =>
    table === 'patients' ? id : values['patient_id'],
  )
  const ids = [...new Set(patientIds)].filter(Boolean)
  if (ids.length === 0) return new Map<string, string>()
  const { rows: merges } = await sql<{
    merged: string
    remaining: string
  }>`${asPrepared(ids.length)}
    select loser_id as merged, living_patient(loser_id) as remaining from patient_merges
    where unmerged_at is null and loser_id = any(${ids}::uuid[])`.execute(db)
  return new Map(merges.map(({ merged, remaining }) => [merged, remaining]))
}
