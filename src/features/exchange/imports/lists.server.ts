import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { DRUG_COLUMNS } from '~/features/medicines/drugs/catalogue-file'
import { type DrugRow, ListedDrug } from '~/features/medicines/drugs/drug'
import { decideDrugs } from '~/features/medicines/drugs/catalogue-file.server'
import type { CodeSystem } from '~/records/problem'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import type { Context } from '~/server/operation'
import { AppError } from '~/shared/errors'
import type { Watch } from './batches.server'
import { appointmentsFile } from './care-files/appointments-file.server'
import { visitsFile } from './care-files/visits-file.server'
import { vitalsFile } from './care-files/vitals-file.server'
import type { Csv, CsvRow } from './csv.server'
import { type ColumnFormats, recognized, type Recognized } from './reader/formats'
import {
  cellsByTarget,
  type KnownHeadings,
  mappingByHeadings,
  requireTargets,
  writtenCells,
} from './reader/headings.server'
import type { ListName, ColumnMapping, PreviewRow, ImportTarget } from './lists'
import {
  guessMedicines,
  medicineHeadings,
  medicineTargets,
} from './medicines-file/medicine-columns.server'
import {
  firstProblem,
  importMedicines,
  medicineReader,
} from './medicines-file/medicines-file.server'
import { comparer, type Doubt } from './patients-file/compare.server'
import type { DateFormat } from './patients-file/date-format'
import {
  guessMapping,
  neededTargets,
  registrationHeadings,
  patientFieldTargets,
} from './patients-file/mapping'
import { GUESSED_ROWS, hasAgesOfNoDay, importPatients } from './patients-file/patients-file.server'
import { clinicsFile } from './record-files/clinics-file.server'
import { codeHeadings, codeTargets, importCodesFile } from './record-files/codes-file.server'
import { departmentsFile } from './record-files/departments-file.server'
import { importRecords, type ImportedList } from './record-files/record-file.server'
import { usersFile } from './record-files/users-file.server'
import { guessStock, stockHeadingsKnown, stockTargets } from './stock-file/stock-columns.server'
import { importStock, previewStock } from './stock-file/stock-file.server'
import type { Tally } from './tally'

/** The settings of an import that a user chose. */
export type ImportSettings = {
  /** What the import writes is recorded under it, for its undo. */
  importId?: string
  /** When the import began. */
  since: Date
  clinicId: string | null
  mapping: ColumnMapping
  dateFormat?: DateFormat
  formats: ColumnFormats
  agesOn?: string
  keyColumn?: string
  updates: boolean
  /** Of codes whose row names none. */
  codeSystem?: CodeSystem
  /** Patients are registered without what the form requires, except a name. */
  allowsMissing?: boolean
}

type Run = Watch & { isDryRun: boolean; doubtful: (doubt: Doubt) => Promise<void> }

/** What the reader, the screen and the job need to know of a list. */
type FileList = {
  targets: readonly ImportTarget[]
  headings: KnownHeadings
  /** By the headings, and by the cells of the first rows where the headings leave it open. */
  guess: (headers: readonly string[], rows?: readonly CsvRow[]) => ColumnMapping
  /** Throws `invalid` for settings with which nothing could be imported. */
  require: (
    csv: Pick<Csv, 'headers'>,
    settings: Pick<ImportSettings, 'mapping' | 'keyColumn' | 'codeSystem' | 'allowsMissing'>,
  ) => void
  /** Whether the user has to say when the ages of the list were right. */
  asksAgesOn: (csv: Csv, mapping: ColumnMapping) => Promise<boolean>
  preview: (
    csv: Csv,
    settings: { mapping: ColumnMapping; formats: ColumnFormats },
    rows: readonly CsvRow[],
  ) => Promise<PreviewRow[]>
  run: (ctx: Context, csv: Csv, settings: ImportSettings, tally: Tally, run: Run) => Promise<void>
}

async function patientsList(db: Kysely<DB>): Promise<FileList> {
  const { fields: form } = await firstForm(db)
  const targets = patientFieldTargets(form)
  return {
    targets,
    headings: registrationHeadings(form),
    guess: (headers, rows) => guessMapping(headers, form, rows),
    require: (csv, settings) =>
      requireTargets(csv, neededTargets(targets, settings.allowsMissing), {
        ...settings,
        rule: 'required',
      }),
    asksAgesOn: hasAgesOfNoDay,
    preview: () => Promise.resolve([]),
    run: (ctx, csv, { clinicId, ...settings }, tally, { doubtful, ...run }) =>
      importPatients(
        ctx,
        csv,
        { headers: csv.headers, form, clinicId: clinicId!, ...settings },
        tally,
        { ...run, compare: run.isDryRun ? comparer(ctx, tally, doubtful) : undefined },
      ),
  }
}

function medicinesList(db: Kysely<DB>): FileList {
  const targets = medicineTargets()
  return {
    targets,
    headings: medicineHeadings(),
    guess: guessMedicines,
    require: (csv, { mapping }) => requireTargets(csv, targets, { mapping }),
    asksAgesOn: () => Promise.resolve(false),
    async preview({ headers }, { mapping, formats }, rows) {
      const { headings } = cellsByTarget(headers, mapping)
      const read = medicineReader({ headers, mapping, formats })
      const readings = rows.map(read)
      const lines = readings.flatMap((reading) => ('given' in reading ? [reading] : []))
      const fates = await decideDrugs({ db }, lines, { schema: ListedDrug, taken: new Map() })
      let at = 0
      return readings.map((reading, i): PreviewRow => {
        const { line } = rows[i]!
        const written = writtenCells(rows[i]!, headers, mapping)
        if ('refused' in reading) return { line, values: null, problem: reading.refused, written }
        const fate = fates[at++]!
        if ('values' in fate) return { line, values: withMissingAsNull(fate.values), problem: null }
        return {
          line,
          values: null,
          written,
          problem:
            fate.kind === 'rejected'
              ? firstProblem(fate.problems, headings)
              : { key: 'drugs.twiceInFile' },
        }
      })
    },
    run: (
      ctx,
      csv,
      { mapping, formats, updates, importId },
      tally,
      { doubtful: _doubtful, ...run },
    ) =>
      importMedicines(
        ctx,
        csv,
        { headers: csv.headers, mapping, formats, updates, importId },
        tally,
        run,
      ),
  }
}

/** A column that the row does not state is null, not absent. */
const withMissingAsNull = (values: DrugRow) =>
  Object.fromEntries(DRUG_COLUMNS.map((name) => [name, values[name] ?? null]))

function stockList(db: Kysely<DB>): FileList {
  const targets = stockTargets()
  return {
    targets,
    headings: stockHeadingsKnown(),
    guess: guessStock,
    require: (csv, { mapping }) => requireTargets(csv, targets, { mapping }),
    asksAgesOn: () => Promise.resolve(false),
    preview: ({ headers }, { mapping, formats }, rows) =>
      previewStock(db, { headers, mapping, formats, clinicId: '' }, rows),
    run: (
      ctx,
      csv,
      { mapping, clinicId, dateFormat, formats, importId },
      tally,
      { doubtful: _doubtful, ...run },
    ) =>
      importStock(
        ctx,
        csv,
        { headers: csv.headers, mapping, clinicId: clinicId!, dateFormat, formats, importId },
        tally,
        run,
      ),
  }
}

function codesList(): FileList {
  const targets = codeTargets()
  const headings = codeHeadings()
  return {
    targets,
    headings,
    guess: (headers) => mappingByHeadings(headers, headings),
    require(csv, { mapping, codeSystem }) {
      requireTargets(csv, targets, { mapping })
      if (!codeSystem && !Object.values(mapping).includes('system'))
        throw new AppError('invalid', { key: 'imports.mapping.systemNeeded' })
    },
    asksAgesOn: () => Promise.resolve(false),
    preview: () => Promise.resolve([]),
    run: (ctx, csv, settings, tally, { doubtful: _doubtful, ...run }) => {
      const { mapping, updates, importId, codeSystem: system } = settings
      const file = { headers: csv.headers, mapping, updates, importId, system }
      return importCodesFile(ctx, csv, file, tally, run)
    },
  }
}

/** A list whose rows are saved one by one. */
function recordsList(name: ListName, list: ImportedList): FileList {
  const { targets, headings } = list
  return {
    targets,
    headings,
    guess: (headers) => mappingByHeadings(headers, headings),
    require: (csv, { mapping }) => requireTargets(csv, targets, { mapping }),
    asksAgesOn: () => Promise.resolve(false),
    preview: () => Promise.resolve([]),
    run: (ctx, csv, settings, tally, { doubtful: _doubtful, ...run }) => {
      const { mapping, formats, clinicId, updates, importId } = settings
      const { headers } = csv
      const fileName = tally.file
      const file = { fileName, headers, mapping, formats, clinicId, updates, importId }
      return importRecords(ctx, csv, { list, file, action: `imports.${name}` }, tally, run)
    },
  }
}

export async function fileList(db: Kysely<DB>, list: ListName): Promise<FileList> {
  switch (list) {
    case 'medicines':
      return medicinesList(db)
    case 'stock':
      return stockList(db)
    case 'clinics':
      return recordsList('clinics', clinicsFile())
    case 'departments':
      return recordsList('departments', departmentsFile())
    case 'users':
      return recordsList('users', usersFile())
    case 'appointments':
      return recordsList('appointments', appointmentsFile())
    case 'visits':
      return recordsList('visits', visitsFile())
    case 'vitals':
      return recordsList('vitals', vitalsFile())
    case 'codes':
      return codesList()
    default:
      return patientsList(db)
  }
}

/** How each column of dates or numbers writes them, recognized by its own cells in one pass over the file. */
export async function formatsIn(
  { headers, rows }: Csv,
  mapping: ColumnMapping,
  { targets }: Pick<FileList, 'targets'>,
): Promise<Record<string, Recognized>> {
  const columns = headers.flatMap((header, at) => {
    const holds = targets.find(({ name }) => name === mapping[header])?.holds
    return holds ? [{ header, at, holds, cells: [] as string[] }] : []
  })
  let count = 0
  if (columns.length > 0)
    for await (const { values } of rows()) {
      for (const { at, cells } of columns) cells.push(values[at] ?? '')
      if ((count += 1) >= GUESSED_ROWS) break
    }
  return Object.fromEntries(
    columns.map(({ header, holds, cells }) => [header, recognized(holds, cells)]),
  )
}
