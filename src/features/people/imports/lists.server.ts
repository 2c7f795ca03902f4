import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { DRUG_COLUMNS } from '~/features/medicines/drugs/catalogue-file'
import { type DrugRow, ListedDrug } from '~/features/medicines/drugs/drug'
import { decideDrugs } from '~/features/medicines/drugs/catalogue-file.server'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import type { Context } from '~/server/operation'
import type { Watch } from './batches.server'
import type { Csv, CsvRow } from './csv.server'
import { cellsByTarget, type KnownHeadings, requireTargets } from './reader/headings.server'
import type { ListName, Mapping, PreviewRow, Target } from './lists'
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
import { type DateFormat, datesOf } from './patients-file/date-format'
import { guessMapping, patientHeadings, targetsOf } from './patients-file/mapping'
import { cellsOf, hasAgesOfNoDay, importPatients } from './patients-file/patients-file.server'
import { guessStock, stockHeadingsKnown, stockTargets } from './stock-file/stock-columns.server'
import { importStock } from './stock-file/stock-file.server'
import type { Tally } from './tally'

/** The settings of an import that a user chose. */
export type Settings = {
  importId: string
  /** When the import began. */
  since: Date
  clinicId: string | null
  mapping: Mapping
  dateFormat?: DateFormat
  agesOn?: string
  keyColumn?: string
  updates: boolean
}

type Run = Watch & { isDryRun: boolean; doubtful: (doubt: Doubt) => Promise<void> }

/** What the reader, the screen and the job need to know of a list. */
type FileList = {
  targets: readonly Target[]
  headings: KnownHeadings
  guess: (headers: readonly string[]) => Mapping
  /** Throws `invalid` for settings with which nothing could be imported. */
  require: (csv: Pick<Csv, 'headers'>, settings: Pick<Settings, 'mapping' | 'keyColumn'>) => void
  /** The targets whose cells decide the date format: the first column that leaves no doubt. */
  dates: readonly string[]
  /** Whether the user has to say when the ages of the list were right. */
  asksAgesOn: (csv: Csv, mapping: Mapping) => Promise<boolean>
  preview: (csv: Csv, mapping: Mapping, rows: readonly CsvRow[]) => Promise<PreviewRow[]>
  run: (ctx: Context, csv: Csv, settings: Settings, tally: Tally, run: Run) => Promise<void>
}

async function patientsList(db: Kysely<DB>): Promise<FileList> {
  const { fields: form } = await firstForm(db)
  const targets = targetsOf(form)
  return {
    targets,
    headings: patientHeadings(form),
    guess: (headers) => guessMapping(headers, form),
    require: (csv, settings) => requireTargets(csv, targets, { ...settings, rule: 'required' }),
    dates: ['date_of_birth', 'created_at'],
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
    dates: [],
    asksAgesOn: () => Promise.resolve(false),
    async preview({ headers }, mapping, rows) {
      const { headings } = cellsByTarget(headers, mapping)
      const read = medicineReader({ headers, mapping })
      const readings = rows.map(read)
      const lines = readings.flatMap((reading) => ('given' in reading ? [reading] : []))
      const fates = await decideDrugs({ db }, lines, { schema: ListedDrug, taken: new Map() })
      let at = 0
      return readings.map((reading, i): PreviewRow => {
        const { line } = rows[i]!
        if ('refused' in reading) return { line, values: null, problem: reading.refused }
        const fate = fates[at++]!
        if ('values' in fate) return { line, values: wholeOf(fate.values), problem: null }
        return {
          line,
          values: null,
          problem:
            fate.kind === 'rejected'
              ? firstProblem(fate.problems, headings)
              : { key: 'drugs.twiceInFile' },
        }
      })
    },
    run: (ctx, csv, { mapping, updates, importId }, tally, { doubtful: _doubtful, ...run }) =>
      importMedicines(ctx, csv, { headers: csv.headers, mapping, updates, importId }, tally, run),
  }
}

/** A column that the row does not state is null, not absent. */
const wholeOf = (values: DrugRow) =>
  Object.fromEntries(DRUG_COLUMNS.map((name) => [name, values[name] ?? null]))

function stockList(): FileList {
  const targets = stockTargets()
  return {
    targets,
    headings: stockHeadingsKnown(),
    guess: guessStock,
    require: (csv, { mapping }) => requireTargets(csv, targets, { mapping }),
    dates: ['expiry_date'],
    asksAgesOn: () => Promise.resolve(false),
    preview: () => Promise.resolve([]),
    run: (
      ctx,
      csv,
      { mapping, clinicId, dateFormat, importId },
      tally,
      { doubtful: _doubtful, ...run },
    ) =>
      importStock(
        ctx,
        csv,
        { headers: csv.headers, mapping, clinicId: clinicId!, dateFormat, importId },
        tally,
        run,
      ),
  }
}

export async function fileList(db: Kysely<DB>, list: string): Promise<FileList> {
  switch (list as ListName) {
    case 'medicines':
      return medicinesList(db)
    case 'stock':
      return stockList()
    default:
      return patientsList(db)
  }
}

/** The format of the dates of a list, guessed from all of them. */
export async function datesIn(csv: Csv, mapping: Mapping, { dates }: FileList) {
  let isAmbiguous = false
  for (const target of dates) {
    const read = datesOf(await cellsOf(csv, mapping, target))
    if (read.format) return read
    isAmbiguous ||= read.isAmbiguous
  }
  return { format: undefined, isAmbiguous }
}
