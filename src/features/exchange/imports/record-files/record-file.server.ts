import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Context, OpenContext } from '~/server/operation'
import { AppError, type Message } from '~/shared/errors'
import { bringBatches, type Watch } from '../batches.server'
import type { Csv, CsvRow } from '../csv.server'
import type { ColumnMapping, ImportTarget } from '../lists'
import { firstProblem } from '../medicines-file/medicines-file.server'
import { readCells } from '../reader/cells'
import type { ColumnFormats } from '../reader/formats'
import { cellsByTarget, type KnownHeadings } from '../reader/headings.server'
import { type Fate, imported, left, rejected, repeated, type Tally } from '../tally'
import { type ImportChange, inSavepoint, recordChanges } from '../undo/changes.server'
import { committing, rehearse, type Steps } from '../write.server'

export type RecordFile = {
  fileName: string
  headers: readonly string[]
  mapping: ColumnMapping
  formats: ColumnFormats
  clinicId: string | null
  /** Stored records get the values of the file; otherwise they stay as they are. */
  updates: boolean
  importId?: string
}

export type Cells = Readonly<Record<string, string>>
export type Headings = Readonly<Record<string, string>>
export type RecordValues = Record<string, unknown>

/** A stored record that a row recognizes, with the columns that the row may change. */
export type KnownRecord = {
  id: string
  last_modified: Date
  values: RecordValues
  /** The record is in the trash, by the undo of an import. */
  isUndone?: boolean
}

/**
 * A row with what it names looked up. `key`: what may be in a file only once; `notes`: what the import does otherwise
 * than the row says.
 */
export type ResolvedRow =
  | { refused: Message }
  | { values: RecordValues; key: string; known: KnownRecord | null; notes?: readonly Message[] }

/** A list whose rows are saved one by one, by the same operations as those of the screens. */
export type ImportedList = {
  table: ImportChange['table']
  targets: readonly ImportTarget[]
  headings: KnownHeadings
  /** Targets that identify a record, and targets that may hold any word. */
  identities: ReadonlySet<string>
  texts: ReadonlySet<string>
  /** The values that a row states. */
  read: (
    cells: Cells,
    about: { headings: Headings; file: RecordFile },
  ) => { values: RecordValues } | { refused: Message }
  /** Looks up what the rows of a batch name, in a few statements. */
  resolve: (
    db: Kysely<DB>,
    rows: readonly RecordValues[],
    file: RecordFile,
  ) => Promise<ResolvedRow[]>
  /** Saves by the operation of the product; `known` is the record that the values change. */
  save: (
    ctx: Context,
    values: RecordValues,
    known: KnownRecord | null,
  ) => Promise<{ id: string; last_modified: Date }>
  /** Targets whose cells become fields of other names, by these: a refusal names the column. */
  targetOf?: Readonly<Record<string, string>>
  /** What the import writes says from which file it came, beside its trail. */
  marksImport?: true
  /** Restores a record that an undo of an import deleted. Throws where the requester may not. */
  restore?: (ctx: Context, known: KnownRecord) => Promise<KnownRecord>
  /** What a change may alter beside the record, for the undo: read before and after it. */
  beside?: (db: Kysely<DB>, id: string) => Promise<object>
}

type ImportAction = `imports.${string}`

/** Each row is a savepoint of its own, so a batch takes longer than one of a single statement. */
const BATCH = 200

/**
 * Brings the records of a list in. Each row passes the checks of the operation that saves it on the screen. It can run
 * again at any time, also after an interruption: what is stored is recognized. A dry run does the same and rolls it
 * back.
 */
export async function importRecords(
  ctx: Context,
  csv: Csv,
  { list, file, action }: { list: ImportedList; file: RecordFile; action: ImportAction },
  tally: Tally,
  { isDryRun, ...watch }: Watch & { isDryRun?: boolean } = {},
) {
  const seen = new Map<string, string>()
  const work = (steps: Steps) =>
    bringBatches(csv, tally, steps, { ...watch, size: BATCH }, (db, rows) =>
      bring({ ...ctx, db, isInner: true, signedAs: action }, rows, { list, file, seen }),
    )
  const open: OpenContext = ctx
  await (isDryRun ? rehearse(open, action, work) : work(committing(open, action)))
}

type Work = { list: ImportedList; file: RecordFile; seen: Map<string, string> }

async function bring(ctx: Context, rows: CsvRow[], { list, file, seen }: Work): Promise<Fate[]> {
  const { columns, headings } = cellsByTarget(file.headers, file.mapping)
  const { identities, texts } = list
  const readings = rows.map((row) => {
    const found = readCells(row, columns, { identities, texts, formats: file.formats })
    if ('refused' in found) return found
    const read = list.read(found.cells, { headings, file })
    return 'refused' in read ? read : { ...read, emptied: found.emptied }
  })
  const stated = readings.flatMap((one) => ('refused' in one ? [] : [one.values]))
  const resolved = await list.resolve(ctx.db, stated, file)
  const changes: ImportChange[] = []
  const fates: Fate[] = []
  let at = 0
  for (const reading of readings) {
    if ('refused' in reading) fates.push(rejected(reading.refused))
    else {
      const row = resolved[at++]!
      const { emptied } = reading
      const fate =
        'refused' in row
          ? rejected(row.refused)
          : await bringOne(ctx, row, { list, file, seen, headings, changes })
      fates.push('reason' in fate ? fate : { ...fate, emptied, assumed: notesIn(row) })
    }
  }
  if (list.marksImport) await markImported(ctx.db, list.table, changes, file)
  if (file.importId) await recordChanges(ctx.db, file.importId, changes)
  return fates
}

/** Says on the records from which import they came, and keeps when each was last changed for the undo. */
async function markImported(
  db: Kysely<DB>,
  table: ImportChange['table'],
  changes: readonly ImportChange[],
  { importId, fileName, clinicId: clinic }: RecordFile,
) {
  const mark = { import: { ...(importId && { id: importId }), file: fileName, clinic } }
  const { rows } = await sql<{ id: string; last_modified: Date }>`
    update ${sql.table(table)} set metadata = coalesce(metadata, '{}') || ${JSON.stringify(mark)}::jsonb
    where id = any(${changes.map(({ id }) => id)}::uuid[]) returning id, last_modified`.execute(db)
  const modified = new Map(rows.map((row) => [row.id, row.last_modified]))
  for (const change of changes) change.after = { last_modified: modified.get(change.id) }
}

const notesIn = (row: ResolvedRow) => ('refused' in row ? [] : (row.notes ?? []))

type One = Work & { headings: Headings; changes: ImportChange[] }

async function bringOne(
  ctx: Context,
  { values, key, known, notes: [note] = [] }: Exclude<ResolvedRow, { refused: Message }>,
  { list, file, seen, headings, changes }: One,
): Promise<Fate> {
  const stated = JSON.stringify(values)
  const earlier = seen.get(key)
  if (earlier !== undefined) return earlier === stated ? repeated : left('imports.reasons.sameId')
  seen.set(key, stated)
  const isBack = known?.isUndone ?? false
  const isSame = known !== null && isEqual(values, known.values)
  if (known && !isBack && isSame) return note ? left(note.key) : repeated
  if (known && !isBack && !file.updates) return left('imports.reasons.changedSince')
  try {
    changes.push(
      await inSavepoint(ctx.db, async () => {
        const stored = known && isBack ? await list.restore!(ctx, known) : known
        const isChange = stored !== null && !isBack
        const beside = isChange ? await list.beside?.(ctx.db, stored.id) : undefined
        const saved = stored && isSame ? stored : await list.save(ctx, values, stored)
        const besideNow = beside && (await list.beside!(ctx.db, saved.id))
        return {
          table: list.table,
          id: saved.id,
          before: isChange ? { ...stored.values, ...beside } : null,
          after: { last_modified: saved.last_modified, ...besideNow },
        }
      }),
    )
    return known && !isBack ? { outcome: 'changed' } : imported
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // a corrected row further down is the first one
    seen.delete(key)
    return rejected(refusalIn(error, headings, list.targetOf))
  }
}

/** The first error of a field with its column, if it has one, else the error itself. */
function refusalIn(
  { fields, text }: AppError,
  headings: Headings,
  targetOf: Readonly<Record<string, string>> = {},
): Message {
  const [first] = Object.entries(fields)
  if (!first) return text
  const [field, problem] = first
  const column = headings[field] ?? headings[targetOf[field] ?? '']
  return column === undefined && problem.key !== 'validation.required'
    ? problem
    : firstProblem({ [field]: problem }, column === undefined ? {} : { [field]: column })
}

const plain = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
const isEqual = (values: RecordValues, stored: RecordValues) =>
  Object.entries(values).every(
    ([name, value]) =>
      !(name in stored) || JSON.stringify(plain(value)) === JSON.stringify(plain(stored[name])),
  )
