import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenContext } from '~/server/operation'
import { isDamagedIdentity, shortened } from '~/fields/damaged-cells'
import { addAll } from '~/shared/any-length'
import { AppError } from '~/shared/errors'
import { withCleanTexts } from '~/shared/typed-text'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { bringBatches, type Watch } from '../batches.server'
import { type Csv, type CsvRow, fileSource, openCsv, type FileSource } from '../csv.server'
import type { Delimiter } from '../import'
import {
  type DateFormat,
  type DateOrder,
  detectDateFormat,
  dateFormatForOrder,
  isoIn,
} from '../patients-file/date-format'
import { bringObservations } from './observations.server'
import { insertOfPatients } from './parents.server'
import {
  conditionsFile,
  encounters,
  isMoment,
  laterFiles,
  type NamesById,
  patientsFile,
  type SyntheaFile,
  type SyntheaRow,
} from './synthea'
import { bringMedications } from './medications.server'
import { allergiesFile, MEDICATION_COLUMNS } from './synthea-medicines'
import { type Fate, left, newTally, type Tally } from '../tally'
import { committing, insertNew, type Steps } from '../write.server'

/** The files of an export, by their names; of those, what is there. */
export async function syntheaFiles(folder: string): Promise<FileSource[]> {
  const names = await readdir(folder).catch(() => [])
  const wanted = names.filter((name) => /\.csv$/i.test(name)).toSorted()
  if (!wanted.some((name) => name.toLowerCase() === 'patients.csv'))
    throw new AppError('invalid', { key: 'imports.synthea.noExport', values: { folder } })
  return Promise.all(wanted.map((name) => fileSource(join(folder, name), name.toLowerCase())))
}

/**
 * Imports an export of Synthea into a clinic. It can run again at any time: existing records do not
 * change, so an interrupted import continues and a finished one changes nothing. Adds to `tallies`
 * as it proceeds, so that they are right after an interruption.
 */
export async function importSynthea(
  ctx: OpenContext,
  { clinicId, files, dates, delimiter, onDates }: Export,
  tallies: Tally[],
  watch: Watch = {},
) {
  const work = async (db: Kysely<DB>) => {
    const steps = committing({ ...ctx, db }, 'imports.synthea')
    // checks every file before anything is written
    const csvs = await openAll(files, delimiter)
    const format = await detectSyntheaDateFormat(csvs, dates)
    if (format) onDates?.(format)
    const names = new Map([
      ...(await namesIn(csvs, 'organizations.csv')),
      ...(await namesIn(csvs, 'providers.csv')),
    ])
    for (const name of ORDER) {
      const csv = csvs.get(name)
      if (!csv) continue
      const tally = newTally(name)
      tallies.push(tally)
      const rowOf = rowsBy(csv, format)
      if (name === 'observations.csv')
        await bringObservations({ db, csv, rowOf }, tally, steps, watch)
      else if (name === 'medications.csv')
        await bringMedications({ csv, rowOf, clinicId }, tally, steps, watch)
      else
        await bringRecords(recordFiles[name], { csv, rowOf, names, clinicId }, tally, steps, watch)
    }
    for (const [name, csv] of csvs) {
      if (isBrought(name)) continue
      const tally = newTally(name)
      tallies.push(tally)
      await countOnly(csv, tally, left(laterFiles[name] ?? 'imports.later.other'), watch)
    }
  }
  // on one connection, because the temporary table of measurements belongs to it
  await (ctx.db.isTransaction ? work(ctx.db) : ctx.db.connection().execute(work))
}

/** Files in the order in which they refer to each other. */
const ORDER = [
  'patients.csv',
  'encounters.csv',
  'observations.csv',
  'conditions.csv',
  'allergies.csv',
  'medications.csv',
] as const
const recordFiles = {
  'patients.csv': patientsFile,
  'encounters.csv': encounters,
  'conditions.csv': conditionsFile,
  'allergies.csv': allergiesFile,
}
const needs: Record<(typeof ORDER)[number], readonly string[]> = {
  'patients.csv': patientsFile.needs,
  'encounters.csv': encounters.needs,
  'observations.csv': ['DATE', 'PATIENT', 'CODE', 'VALUE'],
  'conditions.csv': conditionsFile.needs,
  'allergies.csv': allergiesFile.needs,
  'medications.csv': MEDICATION_COLUMNS,
}
const IDENTITIES = new Set(['ID', 'PATIENT', 'ENCOUNTER', 'CODE', 'SSN', 'DRIVERS', 'PASSPORT'])
/** The same rows; one whose identity a spreadsheet has shortened has a `problem`. */
function withWholeIdentities(csv: Csv): Csv {
  const columns = csv.headers.flatMap((column, at) =>
    IDENTITIES.has(column.toUpperCase()) ? [{ column, at }] : [],
  )
  return {
    ...csv,
    async *rows() {
      for await (const row of csv.rows()) {
        const damaged = columns.find(({ at }) => isDamagedIdentity(row.values[at] ?? ''))
        if (!damaged || row.problem) yield row
        else yield { ...row, problem: shortened(row.values[damaged.at]!, damaged.column) }
      }
    },
  }
}
const isBrought = (name: string): name is keyof typeof needs => Object.hasOwn(needs, name)

async function openAll(
  files: readonly FileSource[],
  delimiter?: Delimiter,
): Promise<Map<string, Csv>> {
  const csvs = new Map<string, Csv>()
  for (const file of files) {
    // an empty file that we do not use must not stop the others
    if (!isBrought(file.name) && file.size === 0) continue
    const csv = withWholeIdentities(await openCsv(file, null, delimiter))
    if (isBrought(file.name)) requireColumns(file.name, csv, needs[file.name])
    csvs.set(file.name, csv)
  }
  return csvs
}

const countOnly = (csv: Csv, tally: Tally, reason: Fate, watch: Watch) =>
  bringBatches(csv, tally, noStep, watch, async (_db, rows) => rows.map(() => reason))
const noStep: Steps = (step) => step(undefined as never) // no step of a refused file reads its transaction

function requireColumns(file: string, { headers }: Csv, columns: readonly string[]) {
  const there = new Set(headers.map((header) => header.toUpperCase()))
  const missing = columns.filter((column) => !there.has(column))
  if (missing.length)
    throw new AppError('invalid', {
      key: 'imports.csv.columns',
      values: { file, columns: missing.join(', ') },
    })
}

type Export = {
  clinicId: string
  files: readonly FileSource[]
  /** The date order of the files if it cannot be detected. */
  dates?: DateOrder
  delimiter?: Delimiter
  /** Called if the dates are not in Synthea's format. */
  onDates?: (format: DateFormat) => void
}

const DATE_COLUMNS = ['BIRTHDATE', 'DEATHDATE', 'START', 'STOP', 'DATE'] as const
/** Rows of each file by which the date format is guessed. */
const GUESSED_ROWS = 20_000

/** The date format after a spreadsheet rewrote all files; undefined for Synthea's own format. */
async function detectSyntheaDateFormat(
  csvs: ReadonlyMap<string, Csv>,
  order?: DateOrder,
): Promise<DateFormat | undefined> {
  const cells: string[] = []
  for (const [name, csv] of csvs) {
    if (!isBrought(name)) continue
    const rowOf = rowsBy(csv)
    let rows = 0
    for await (const row of csv.rows()) {
      const cell = rowOf(row)
      addAll(
        cells,
        DATE_COLUMNS.map((column) => cell(column)).filter((value) => value && !isMoment(value)),
      )
      if ((rows += 1) >= GUESSED_ROWS) break
    }
  }
  if (cells.length === 0) return undefined
  if (order) return dateFormatForOrder(order, cells)
  const { format, isAmbiguous } = detectDateFormat(cells)
  if (isAmbiguous)
    throw new AppError('invalid', {
      key: 'imports.csv.datesAmbiguous',
      values: { value: cells[0]! },
    })
  return format
}

/**
 * Reads columns by name, whatever their order and capitals; "" for one that this version of Synthea
 * does not write.
 */
function rowsBy({ headers }: Csv, format?: DateFormat) {
  const year = new Date().getUTCFullYear()
  const isDate = (column: string) => (DATE_COLUMNS as readonly string[]).includes(column)
  const at = new Map(headers.map((header, i) => [header.toUpperCase(), i]))
  return ({ values }: CsvRow): SyntheaRow =>
    (column) => {
      const value = values[at.get(column) ?? -1]?.trim() ?? ''
      return format && isDate(column) && !isMoment(value) ? isoIn(format, value, year) : value
    }
}

/** Kept in memory: few rows, one per doctor and hospital. */
async function namesIn(csvs: ReadonlyMap<string, Csv>, file: string): Promise<Map<string, string>> {
  const csv = csvs.get(file)
  if (!csv) return new Map()
  const rowOf = rowsBy(csv)
  const names = new Map<string, string>()
  for await (const row of csv.rows()) {
    if (row.problem) continue
    const column = rowOf(row)
    names.set(column('ID'), column('NAME'))
  }
  return names
}

type Brought = { csv: Csv; rowOf: (row: CsvRow) => SyntheaRow; names: NamesById; clinicId: string }

async function bringRecords(
  { target, read }: SyntheaFile,
  { csv, rowOf, names, clinicId }: Brought,
  tally: Tally,
  steps: Steps,
  watch: Watch,
) {
  const clinicColumn = { patients: 'primary_clinic_id', visits: 'clinic_id' }[
    target.table as string
  ]
  await bringBatches(csv, tally, steps, watch, async (db, rows) => {
    const readings = rows.map(
      (row) => withCleanTexts(read(rowOf(row), names)) as ReturnType<typeof read>,
    )
    const records = readings.flatMap((reading) => ('record' in reading ? [reading.record] : []))
    if (clinicColumn) for (const record of records) record[clinicColumn] = clinicId
    const fates =
      target.table === 'patients'
        ? new Map((await insertNew(db, target, records)).map((fate, i) => [records[i]!, fate]))
        : await insertOfPatients(db, target, records)
    return readings.map((reading) =>
      'record' in reading ? fates.get(reading.record)! : reading.fate,
    )
  })
}
