import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { BASE_COLUMNS, sqlTypesOf } from '~/records/patient'
import { isFemaleMale } from '~/fields/sex'
import { storedAnswer } from '~/forms/answer'
import type { OpenContext } from '~/server/operation'
import { bringBatches, type Watch } from '../batches.server'
import type { Csv, CsvRow } from '../csv.server'
import { requireTargets } from '../reader/headings.server'
import { targetsOf } from './mapping'
import { patientReader, type PatientsFile } from './patients-file'
import { stableId } from '../stable-id'
import type { Fate, Tally } from '../tally'
import {
  committing,
  type ImportedRecord,
  insertNew,
  rehearse,
  type Steps,
  type Target,
} from '../write.server'

const patients: Target = {
  table: 'patients',
  columns: {
    ...sqlTypesOf([...BASE_COLUMNS, 'metadata', 'primary_clinic_id', 'language']),
    created_at: 'timestamptz(3)',
    updated_at: 'timestamptz(3)',
  },
  // a paper may have set the language since
  incomparable: ['metadata', 'primary_clinic_id', 'created_at', 'updated_at', 'language'],
}

const attributes: Target = {
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
    isFemaleMale: isFemaleMale(await cellsOf(csv, file.mapping, 'sex')),
  })
  const now = new Date().toISOString()
  const work = (steps: Steps) =>
    bringBatches(csv, tally, steps, watch, (db, rows) => bring(db, rows, { read, now, compare }))
  await (isDryRun ? rehearse(ctx, ACTION, work) : work(committing(ctx, ACTION)))
}

/**
 * Rows read to guess the date format and the letters for sex: more than a clinic registers in
 * years.
 */
const GUESSED_ROWS = 20_000

/** The cells of the column that is mapped to a field, in the order of the rows. */
export async function cellsOf(
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

/** Called for each newly registered patient inside the transaction. */
type Compare = (db: Kysely<DB>, row: CsvRow, record: ImportedRecord) => Promise<void>

/** Throws `invalid` for a mapping with which no patient could be registered. */
export const requireMapping = (csv: Pick<Csv, 'headers'>, file: PatientsFile) =>
  requireTargets(csv, targetsOf(file.form), { ...file, rule: 'required' })

async function bring(
  db: Kysely<DB>,
  rows: CsvRow[],
  {
    read,
    now,
    compare,
  }: { read: ReturnType<typeof patientReader>; now: string; compare?: Compare },
): Promise<Fate[]> {
  const readings = rows.map(read)
  const ready = readings.flatMap((reading) => ('record' in reading ? [reading] : []))
  const fates = await insertNew(
    db,
    patients,
    // a row without its own registration date is registered today
    ready.map(({ record }) => ({ created_at: now, updated_at: now, ...record })),
  )
  const answers = ready.flatMap(({ record, answers: given }, i) =>
    fates[i]!.outcome === 'imported' ? given.map((one) => attributeOf(record, one)) : [],
  )
  await insertNew(db, attributes, answers)
  let at = 0
  const all = readings.map((reading): Fate => {
    if (!('record' in reading)) return reading.fate
    const fate = fates[at++]!
    return fate.outcome === 'imported' ? { ...fate, emptied: reading.emptied } : fate
  })
  if (compare)
    for (const [i, reading] of readings.entries())
      if ('record' in reading && all[i]!.outcome === 'imported')
        await compare(db, rows[i]!, reading.record)
  return all
}

function attributeOf(
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
