import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { readBirthPrecision, withBirthPrecision } from '~/features/people/patients/patient'
import { BASE_COLUMNS } from '~/records/patient'
import { type PatientBefore, setValues } from '../undo/changes.server'
import { type ImportedRecord, insertNew, type TargetTable } from '../write.server'

const GIVEN_COLUMNS = [...BASE_COLUMNS, 'language'] as const
export const UPDATED_PATIENT_COLUMNS = [...GIVEN_COLUMNS, 'metadata'] as const
export const ANSWER_COLUMNS = [
  'number_value',
  'string_value',
  'date_value',
  'boolean_value',
] as const

type Given = { record: ImportedRecord; answers: readonly ImportedRecord[] }
type Stored = {
  id: string
  row: Record<string, unknown>
  answers: Record<string, unknown>[] | null
}

/**
 * Gives stored patients the values of a file; what the file leaves empty stays. Returns what each changed patient had
 * before.
 */
export async function updatePatients(
  db: Kysely<DB>,
  given: readonly Given[],
  attributes: TargetTable,
): Promise<ReadonlyMap<string, PatientBefore>> {
  if (given.length === 0) return new Map()
  const { rows } = await sql<Stored>`
    select p.id, to_jsonb(p) as row, (
      select jsonb_agg(to_jsonb(a)) from patient_additional_attributes a
      where a.patient_id = p.id and not a.is_deleted) as answers
    from patients p where p.id = any(${given.map(({ record }) => record.id)}::uuid[]) and not p.is_deleted
    for update of p`.execute(db)
  const stored = new Map(rows.map((row) => [row.id, row]))
  const before = new Map<string, PatientBefore>()
  const columns: { id: string; values: object }[] = []
  const answers: { id: string; values: object }[] = []
  const made: ImportedRecord[] = []
  for (const { record, answers: said } of given) {
    const one = stored.get(record.id)
    if (!one) continue
    const changes = changedColumns(record, one.row)
    const old: PatientBefore = { columns: pickValues(one.row, Object.keys(changes)), answers: [] }
    if (Object.keys(changes).length > 0) columns.push({ id: record.id, values: changes })
    for (const answer of said) {
      const known = one.answers?.find((row) => row['attribute_id'] === answer['attribute_id'])
      if (known && ANSWER_COLUMNS.every((name) => isEqual(known[name], answer[name]))) continue
      const id = known ? String(known['id']) : answer.id
      old.answers.push({ id, values: known ? pickValues(known, ANSWER_COLUMNS) : null })
      if (known)
        answers.push({
          id,
          values: Object.fromEntries(ANSWER_COLUMNS.map((name) => [name, answer[name] ?? null])),
        })
      else made.push(answer)
    }
    if (Object.keys(changes).length + old.answers.length > 0) before.set(record.id, old)
  }
  await setValues(db, 'patients', UPDATED_PATIENT_COLUMNS, columns)
  await setValues(db, 'patient_additional_attributes', ANSWER_COLUMNS, answers)
  await insertNew(db, attributes, made)
  return before
}

function changedColumns(record: ImportedRecord, row: Record<string, unknown>) {
  const changes: Record<string, unknown> = {}
  for (const name of GIVEN_COLUMNS) {
    const value = record[name]
    if (value !== null && value !== undefined && value !== '' && !isEqual(row[name], value))
      changes[name] = value
  }
  const precision = readBirthPrecision(record['metadata'])
  const isBirthGiven = record['date_of_birth'] !== null && record['date_of_birth'] !== undefined
  if (isBirthGiven && precision !== readBirthPrecision(row['metadata']))
    changes['metadata'] = withBirthPrecision(row['metadata'], precision)
  return changes
}

const pickValues = (row: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]))

/** A moment is equal however it is written. */
const isEqual = (a: unknown, b: unknown) =>
  (a ?? null) === (b ?? null) ||
  (typeof a === 'string' &&
    typeof b === 'string' &&
    /^\d{4}-\d{2}-\d{2}T/.test(a) &&
    Date.parse(a) === Date.parse(b))
