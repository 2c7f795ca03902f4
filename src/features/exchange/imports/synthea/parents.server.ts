import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { type Fate, left, rejected } from '../tally'
import { type ImportedRecord, insertNew, type TargetTable } from '../write.server'

/**
 * Inserts records of patients, and perhaps of visits, known only by id. A record is refused without
 * its patient; without its visit it belongs to the patient alone.
 */
export async function insertOfPatients(
  db: Kysely<DB>,
  target: TargetTable,
  records: readonly ImportedRecord[],
): Promise<Map<ImportedRecord, Fate>> {
  const ids = (column: string) =>
    [...new Set(records.map((record) => record[column]).filter(Boolean))] as string[]
  const patients = await db
    .selectFrom('patients')
    .select(['id', 'is_deleted'])
    .where('id', 'in', [...ids('patient_id'), NO_ID])
    .execute()
  const visits = await db
    .selectFrom('visits')
    .select(['id', 'patient_id'])
    .where('id', 'in', [...ids('visit_id'), NO_ID])
    .where('is_deleted', '=', false)
    .execute()
  const isDeleted = new Map(patients.map((patient) => [patient.id, patient.is_deleted]))
  const patientByVisit = new Map(visits.map((visit) => [visit.id, visit.patient_id]))
  const refused = (record: ImportedRecord): Fate | undefined => {
    const gone = isDeleted.get(record['patient_id'] as string)
    if (gone === undefined) return rejected({ key: 'imports.reasons.noPatient' })
    return gone ? left('imports.reasons.deletedHere') : undefined
  }
  const fates = new Map<ImportedRecord, Fate>()
  const ready: { record: ImportedRecord; placed: ImportedRecord }[] = []
  for (const record of records) {
    const refusal = refused(record)
    if (refusal) fates.set(record, refusal)
    else ready.push({ record, placed: withVisit(record, patientByVisit) })
  }
  const inserted = await insertNew(
    db,
    target,
    ready.map(({ placed }) => placed),
  )
  ready.forEach(({ record }, i) => fates.set(record, inserted[i]!))
  return fates
}

const NO_ID = '00000000-0000-0000-0000-000000000000'

const withVisit = (record: ImportedRecord, patientOf: ReadonlyMap<string, string>) =>
  'visit_id' in record && patientOf.get(record['visit_id'] as string) !== record['patient_id']
    ? { ...record, visit_id: null }
    : record
