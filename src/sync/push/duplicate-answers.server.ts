import { sql } from 'kysely'
import type { Incoming } from './incoming'
import { ANSWER_VALUES } from './merge'
import type { PushState } from './push-state'
import { insertRows } from './write.server'

/**
 * Two devices answered one question about a patient under two ids. The older row takes the values
 * of the younger one, so that a different answer becomes a conflict; the younger one is sent back
 * as deleted. The app makes an empty answer to each question that the form shows: one is never a conflict.
 */
export async function mergeDuplicateAnswers(
  state: PushState,
  rows: readonly Incoming[],
): Promise<Incoming[]> {
  const stored = await storedAnswers(state, rows)
  const firstInPush = new Map<string, Incoming>()
  const filled = new Set<string>()
  return rows.map((row) => {
    const question = `${row.values['patient_id']} ${row.values['attribute_id']}`
    const found = stored.get(row.id)
    const first = firstInPush.get(question)
    const older = found?.id ?? first?.id
    if (!older || older === row.id) {
      firstInPush.set(question, row)
      return row
    }
    // of several answers in one push the first one fills, and the others differ from it
    const isFree = found ? found.isFree : first !== undefined && isEmptyAnswer(first)
    const parts = emptyAnswerChanges(row, isFree && !filled.has(older))
    if (parts.isFilling) filled.add(older)
    state.replaced.push({ table: row.table, id: row.id })
    return {
      ...row,
      id: older,
      sentAs: row.id,
      isFolded: true as const,
      state: row.state === 'edited' ? row.state : ('copy' as const),
      ...parts,
    }
  })
}

/**
 * Rows of one answer, one after another: the row that makes it, the one that fills it, and the others. Each is compared
 * with what the one before has written.
 */
export function answersInTurn(rows: readonly Incoming[]): Incoming[][] {
  const turns: [Incoming[], Incoming[], Incoming[]] = [[], [], []]
  const seen = new Map<string, number>()
  for (const row of rows) {
    const writesNothing = row.state === 'edited' && row.isFolded && row.changed.length === 0
    const turn = writesNothing ? 2 : (seen.get(row.id) ?? 0)
    if (!writesNothing) seen.set(row.id, Math.min(turn + 1, 2))
    turns[turn]!.push(row)
  }
  return turns.filter((turn, at) => at === 0 || turn.length > 0)
}

const isEmptyAnswer = ({ values }: Incoming) =>
  ANSWER_VALUES.every((column) => (values[column] ?? '') === '')

/** Of an empty answer nothing is written, and an answer is written where the older row has none. */
function emptyAnswerChanges(
  row: Incoming,
  isFree: boolean,
): Partial<Pick<Incoming, 'state' | 'changed' | 'isFilling'>> {
  if (row.state === 'edited') return {}
  if (isEmptyAnswer(row)) return { state: 'edited', changed: [] }
  return isFree && !row.sentFor
    ? { state: 'edited', changed: [...ANSWER_VALUES], isFilling: true }
    : {}
}

/**
 * An answer that was folded into another because two patients are merged is kept as a tombstone, too: undoing the merge
 * gives it to its patient. The remaining record's phone may answer a question that only the other patient had answered.
 */
export async function keepFolded(state: PushState, folded: readonly Incoming[]) {
  const refused = new Set(state.refused.map(({ raw }) => raw))
  const answers = folded.flatMap((row) =>
    row.isFolded && row.sentAs && row.state !== 'edited' && !refused.has(row.raw)
      ? [{ ...row, id: row.sentAs, olderId: row.id }]
      : [],
  )
  for (const { id, olderId, sentFor, values } of answers) {
    const { db } = state.ctx
    const patientId = sentFor ?? values['patient_id']!
    const { rows } = await sql<{ isKept: boolean }>`
      select (${sentFor ?? null}::uuid is not null or is_of_merged(
          'patient_additional_attributes', ${olderId}, ${patientId})) and not exists (
        select from patient_additional_attributes where id = ${id} or (not is_deleted and id <> ${olderId}
          and patient_id = ${patientId} and attribute_id = ${values['attribute_id']})) as "isKept"`.execute(
      db,
    )
    if (!rows[0]!.isKept) continue
    const row = { id, values: { ...values, patient_id: patientId } }
    await insertRows(db, 'patient_additional_attributes', [row], state.senderId, {
      isDeleted: true,
    })
    await sql`insert into merged_arrivals (table_name, row_id, patient_id, is_aside)
      values ('patient_additional_attributes', ${id}, ${patientId}, true)`.execute(db)
  }
}

/**
 * The stored answer to the same question, by the id of the incoming row, if that is not stored
 * itself. `isFree`: it is empty, and did not come from a record that was merged.
 */
async function storedAnswers({ ctx: { db } }: PushState, rows: readonly Incoming[]) {
  const questions = rows.map(({ id, values }) => ({
    id,
    patient: values['patient_id'],
    attribute: values['attribute_id'],
  }))
  const { rows: found } = await sql<{ sent: string; id: string; isFree: boolean }>`
    select r.id as sent, a.id, a.number_value is null and coalesce(a.string_value, '') = ''
        and a.date_value is null and a.boolean_value is null
        and not is_of_merged('patient_additional_attributes', a.id, a.patient_id) as "isFree"
    from jsonb_to_recordset(${JSON.stringify(questions)}::jsonb)
        as r (id uuid, patient text, attribute text)
      join patient_additional_attributes a on a.patient_id = nullif(r.patient, '')::uuid
        and a.attribute_id = r.attribute
    where not a.is_deleted and a.id <> r.id
      and not exists (select from patient_additional_attributes self where self.id = r.id)
    `.execute(db)
  return new Map(found.map(({ sent, ...answer }) => [sent, answer]))
}
