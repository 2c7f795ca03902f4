import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { BASE_COLUMNS, patientSqlTypes } from '~/records/patient'
import { isWordForNothing } from '~/fields/damaged-cells'
import { isFemaleMale } from '~/fields/sex'
import { storedAnswer } from '~/forms/answer'
import { isAge } from '~/fields/birth'
import type { OpenContext } from '~/server/operation'
import { fromCell } from '~/shared/csv'
import { bringBatches, type Watch } from '../batches.server'
import type { Csv, CsvRow } from '../csv.server'
import { requireTargets } from '../reader/headings.server'
import { neededTargets, patientFieldTargets } from './mapping'
import { patientReader, type PatientsFile } from './patients-file'
import { stableId } from '../stable-id'
import { recordPatients } from '../undo/changes.server'
import { type Fate, imported, repeated, type Tally } from '../tally'
import type { Compare } from './compare.server'
import { knownPatients, restoreUndone } from './known-patients.server'
import { updatePatients } from './update-patients.server'
import {
  committing,
  type ImportedRecord,
  insertNew,
  rehearse,
  type Steps,
  type TargetTable,
} from '../write.server'

const patients: TargetTable = {
  table: 'patients',
  columns: {
    ...patientSqlTypes([...BASE_COLUMNS, 'metadata', 'primary_clinic_id', 'language']),
    created_at: 'timestamptz(3)',
    updated_at: 'timestamptz(3)',
  },
  // a paper may have set the language since
  incomparable: ['metadata', 'primary_clinic_id', 'created_at', 'updated_at', 'language'],
}

const attributes: TargetTable = {
  table: 'patient_additional_attributes',
  columns: {
    patient_id: 'uuid',
    attribute_id: 'text',
    attribute: 'text',
    number_value: 'numeric',
    string_value: 'text',
    date_value: 'timestamptz(3)',
    boolean_value: 'boolean',
    metadata: 'jsonb',
  },
}

const ACTION = 'imports.patients'

/**
 * Registers the patients of a file in a clinic. It can run again at any time, also after an
 * interruption: existing patients do not change. A dry run does the same and rolls it back. Adds to
 * the tally as it proceeds.
 */
export async function importPatients(
  ctx: OpenContext,
  csv: Csv,
  file: PatientsFile,
  tally: Tally,
  { isDryRun, compare, ...watch }: Watch & { isDryRun?: boolean; compare?: Compare } = {},
) {
  requireMapping(csv, file)
  const read = patientReader({
    ...file,
    isFemaleMale: isFemaleMale(await readColumnCells(csv, file.mapping, 'sex')),
  })
  const now = new Date().toISOString()
  const work = (steps: Steps) =>
    bringBatches(csv, tally, steps, watch, (db, rows) =>
      bring(db, rows, { read, now, file, ...(compare && { compare }) }),
    )
  await (isDryRun ? rehearse(ctx, ACTION, work) : work(committing(ctx, ACTION)))
}

/**
 * Rows read to recognize formats of dates and numbers and the letters for sex: more than a clinic registers in
 * years.
 */
export const GUESSED_ROWS = 20_000

/** The cells of the column that is mapped to a field, in the order of the rows. */
async function readColumnCells(
  { headers, rows }: Csv,
  mapping: PatientsFile['mapping'],
  name: string,
) {
  const at = headers.findIndex((header) => mapping[header] === name)
  const cells: string[] = []
  if (at >= 0)
    for await (const { values } of rows()) if (cells.push(values[at] ?? '') >= GUESSED_ROWS) break
  return cells
}

/** Whether a row has an age and no day on which it was right. */
export async function hasAgesOfNoDay({ headers, rows }: Csv, mapping: PatientsFile['mapping']) {
  const of = (name: string) => headers.findIndex((header) => mapping[header] === name)
  const [birth, registered] = [of('date_of_birth'), of('created_at')]
  let count = 0
  if (birth >= 0)
    for await (const { values } of rows()) {
      const day = fromCell(values[registered] ?? '').trim()
      if (isAge(values[birth] ?? '') && (!day || isWordForNothing(day, false))) return true
      if ((count += 1) >= GUESSED_ROWS) break
    }
  return false
}

/** Throws `invalid` for a mapping with which no patient could be registered. */
export const requireMapping = (csv: Pick<Csv, 'headers'>, file: PatientsFile) =>
  requireTargets(csv, neededTargets(patientFieldTargets(file.form), file.allowsMissing), {
    ...file,
    rule: 'required',
  })

async function bring(
  db: Kysely<DB>,
  rows: CsvRow[],
  { read, now, file, compare }: Work,
): Promise<Fate[]> {
  const readings = rows.map(read)
  const readable = readings.flatMap((reading) => ('record' in reading ? [reading] : []))
  const known = await knownPatients(
    db,
    readable.map(({ record }) => record),
    file.clinicId,
    file.since ?? new Date(now),
  )
  const ready = readable.map(({ record, answers: given, emptied, assumed }) => {
    // a row without its own registration date is registered today
    const values = { created_at: now, updated_at: now, ...record }
    const patient = { ...values, id: known.get(record.id) ?? record.id }
    return {
      record: patient,
      answers: given.map((one) => toAttribute(patient, one)),
      notes: { emptied, assumed },
    }
  })
  const restored = await restoreUndone(
    db,
    ready.map(({ record }) => record.id),
  )
  const fates = await insertNew(
    db,
    patients,
    ready.map(({ record }) => record),
  )
  await insertNew(
    db,
    attributes,
    ready.flatMap(({ answers }, i) => (fates[i]!.outcome === 'imported' ? answers : [])),
  )
  // two rows of the batch can be about one patient, who is changed and counted once
  const first = new Map(ready.map(({ record }, i) => [record.id, i] as const).toReversed())
  const isUpdated = ready.map(
    ({ record }, i) =>
      first.get(record.id) === i &&
      (file.updates || restored.has(record.id)) &&
      isStored(fates[i]!),
  )
  const before = await updatePatients(
    db,
    ready.filter((_, i) => isUpdated[i]),
    attributes,
  )
  const outcomes = ready.map(({ record, notes }, i): Fate => {
    const fate = fates[i]!
    if (restored.has(record.id) && isUpdated[i]) return { ...imported, ...notes }
    if (isUpdated[i]) return before.has(record.id) ? { outcome: 'changed', ...notes } : repeated
    return fate.outcome === 'imported' ? { ...fate, ...notes } : fate
  })
  if (file.importId)
    await recordPatients(
      db,
      file.importId,
      ready.flatMap(({ record: { id } }, i) => {
        const { outcome } = outcomes[i]!
        if (outcome === 'imported') return [{ id, before: null }]
        return outcome === 'changed' ? [{ id, before: before.get(id) ?? null }] : []
      }),
    )
  let at = 0
  const all = readings.map((reading): Fate =>
    'record' in reading ? outcomes[at++]! : reading.fate,
  )
  await compare?.(
    db,
    readings.flatMap((reading, i) =>
      'record' in reading && all[i]!.outcome === 'imported'
        ? [{ row: rows[i]!, record: reading.record }]
        : [],
    ),
  )
  return all
}

type Work = {
  read: ReturnType<typeof patientReader>
  now: string
  file: PatientsFile
  compare?: Compare
}

/** The patient is here, with the values of the row or with others. */
const isStored = (fate: Fate) =>
  fate.outcome === 'repeated' ||
  (fate.outcome === 'left' && fate.reason.key === 'imports.reasons.changedSince')

function toAttribute(
  { id }: ImportedRecord,
  {
    field,
    answer,
  }: {
    field: { id: string; column: string; fieldType: Parameters<typeof storedAnswer>[0] }
    answer: unknown
  },
): ImportedRecord {
  return {
    id: stableId('patients.answer', id, field.id),
    patient_id: id,
    attribute_id: field.id,
    attribute: field.column,
    ...storedAnswer(field.fieldType, answer as Exclude<Parameters<typeof storedAnswer>[1], null>),
  }
}
