import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import {
  decideDrugs,
  type TakenDrugs,
  writeDrugs,
} from '~/features/medicines/drugs/catalogue-file.server'
import { ListedDrug } from '~/features/medicines/drugs/drug'
import {
  type MedicineCells,
  readWrittenMedicine,
} from '~/features/medicines/drugs/written-medicine.server'
import { isWordForTotal } from '~/fields/damaged-cells'
import { bisect } from '~/server/bisect'
import type { OpenContext } from '~/server/operation'
import type { Message } from '~/shared/errors'
import { bringBatches, type Watch } from '../batches.server'
import { type ImportChange, recordChanges } from '../undo/changes.server'
import type { Csv, CsvRow } from '../csv.server'
import { readCells } from '../reader/cells'
import type { ColumnFormats } from '../reader/formats'
import { cellsByTarget } from '../reader/headings.server'
import type { ColumnMapping } from '../lists'
import { type Fate, imported, left, rejected, repeated, type Tally } from '../tally'
import { committing, isAboutValues, importRefusal, rehearse, type Steps } from '../write.server'

type MedicinesFile = {
  headers: readonly string[]
  mapping: ColumnMapping
  formats?: ColumnFormats
  /** Stored medicines get the values of the file; otherwise they stay as they are. */
  updates: boolean
  /** What the import writes is recorded under this id, for its undo. */
  importId?: string
}

const ACTION = 'imports.medicines'

/**
 * Brings the medicines of a list into the catalogue. It can run again at any time, also after an interruption. A dry
 * run does the same and rolls it back.
 */
export async function importMedicines(
  ctx: OpenContext,
  csv: Csv,
  file: MedicinesFile,
  tally: Tally,
  { isDryRun, ...watch }: Watch & { isDryRun?: boolean } = {},
) {
  const read = medicineReader(file)
  const taken: TakenDrugs = new Map()
  const work = (steps: Steps) =>
    bringBatches(csv, tally, steps, watch, (db, rows) => bring(db, rows, { file, read, taken }))
  await (isDryRun ? rehearse(ctx, ACTION, work) : work(committing(ctx, ACTION)))
}

type Read =
  | (ReturnType<typeof readWrittenMedicine> & { id?: string; emptied: Message[] })
  | { refused: Message }

const IDENTITIES = new Set(['id', 'barcode'])
const TEXTS = new Set(['notes'])

/** Reads rows of a list of medicines. */
export function medicineReader({
  headers,
  mapping,
  formats,
}: Pick<MedicinesFile, 'headers' | 'mapping' | 'formats'>) {
  const { columns, headings } = cellsByTarget(headers, mapping)
  return (row: CsvRow): Read => {
    const found = readCells(row, columns, { identities: IDENTITIES, texts: TEXTS, formats })
    if ('refused' in found) return found
    const { cells, emptied } = found
    if (!cells['generic_name'] && !cells['brand_name'])
      return {
        refused: {
          key: 'imports.reasons.missing',
          values: { column: headings['generic_name'] ?? 'generic_name' },
        },
      }
    if (isWordForTotal(cells['generic_name'] ?? cells['brand_name'] ?? ''))
      return { refused: { key: 'imports.reasons.totalLine' } }
    const { id, ...named } = cells
    const read = { ...readWrittenMedicine(named as MedicineCells, headings), emptied }
    return id ? { ...read, id: id.toLowerCase() } : read
  }
}

type Work = { file: MedicinesFile; read: ReturnType<typeof medicineReader>; taken: TakenDrugs }

async function bring(db: Kysely<DB>, rows: CsvRow[], { file, read, taken }: Work): Promise<Fate[]> {
  const readings = rows.map(read)
  const lines = readings.flatMap((reading) => ('given' in reading ? [reading] : []))
  const decided = await decideDrugs({ db }, lines, { schema: ListedDrug, taken })
  const written: ImportChange[] = []
  const { headings } = cellsByTarget(file.headers, file.mapping)
  const drugs = decided.flatMap((fate) =>
    fate.kind === 'new' || (fate.kind === 'changed' && file.updates)
      ? [{ id: fate.id, ...fate.values, before: fate.before }]
      : [],
  )
  const failures = await bisect(
    db,
    drugs,
    (some) =>
      writeDrugs(
        { db },
        some.map(({ before: _before, ...drug }) => drug),
      ),
    (error) => {
      if (!isAboutValues(error)) throw error
      return importRefusal(error)
    },
  )
  const refused = new Map(failures.map(({ item, failure }) => [item.id, failure]))
  for (const { id, before, ...after } of drugs)
    if (!refused.has(id)) written.push({ table: 'drug_catalogue', id, before, after })
  if (file.importId) await recordChanges(db, file.importId, written)
  let at = 0
  return readings.map((reading): Fate => {
    if ('refused' in reading) return rejected(reading.refused)
    const fate = decided[at++]!
    const notes = { emptied: reading.emptied, assumed: reading.notes }
    switch (fate.kind) {
      case 'rejected':
        return rejected(firstProblem(fate.problems, headings))
      case 'twice':
        return fate.isEqual ? repeated : rejected({ key: 'drugs.twiceInFile' })
      case 'same':
        return repeated
      case 'changed': {
        if (!file.updates) return left('imports.reasons.changedSince')
        const reason = refused.get(fate.id)
        return reason ? rejected(reason) : { outcome: 'changed', ...notes }
      }
      default: {
        const reason = refused.get(fate.id)
        return reason ? rejected(reason) : { ...imported, ...notes }
      }
    }
  })
}

/** The first error of a row with its column. */
export function firstProblem(
  problems: Readonly<Record<string, Message>>,
  headings: Readonly<Record<string, string>>,
): Message {
  const [[field, text] = ['', { key: 'imports.reasons.database' } as Message]] =
    Object.entries(problems)
  const column = headings[field] ?? field
  return text.key === 'validation.required'
    ? { key: 'imports.reasons.missing', values: { column } }
    : { key: text.key, values: { ...text.values, column } }
}
