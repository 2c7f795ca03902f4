// All operations on an import, from the upload to its deletion: each changes the status that the others check.
import { sql, type Updateable } from 'kysely'
import type { DB } from '~/db/types'
import { requireClinic } from '~/policy/require.server'
import { audit } from '~/server/audit'
import { askFor } from '~/server/jobs.server'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { patientsOfList } from '~/server/shown'
import { isAdmin } from '~/shared/actor'
import { AppError, conflict, invalid, notFound } from '~/shared/errors'
import type { DateFormat } from './patients-file/date-format'
import {
  AddPart,
  CreateImport,
  Delimited,
  DELIMITER_NAMES,
  DELIMITERS,
  DOUBTFUL_SHOWN,
  Encoded,
  ImportId,
  type ImportState,
  ListImports,
  ListRejected,
  PART_SIZE,
  ImportPlacement,
  RunImport,
  WAITING_RUN,
} from './import'
import type { CsvRow } from './csv.server'
import { type ColumnMapping, needsClinic } from './lists'
import { fileList } from './lists.server'
import { clinicToday } from '~/shared/zone'
import { formatsShown, NO_FORMATS, readFormats } from './reader/column-formats.server'
import { CONTENT_ROWS } from './reader/content.server'
import { REJECTED_COLUMNS } from './rejected-rows'
import { countChanges } from './undo/undo.server'
import { uploadedTable } from './uploaded.server'

const allow = ({ actor }: Context) => isAdmin(actor)
const missing = () => notFound('imports.notFound')
const SAMPLE_ROWS = 5
const REJECTED_AT_ONCE = 1_000

const listed = (ctx: Context) =>
  ctx.db
    .selectFrom('imports')
    .leftJoin('clinics', 'clinics.id', 'imports.clinic_id')
    .leftJoin('users', 'users.id', 'imports.requested_by')
    .select([
      'imports.id',
      'list',
      'file_name',
      'file_size',
      'imports.clinic_id',
      'clinics.name as clinic',
      'status',
      'task',
      'is_stopping',
    ])
    .select([
      'bytes_done',
      'tally',
      'failure',
      'imports.created_at',
      'started_at',
      'finished_at',
      'users.name as requested_by',
    ])

export type Import = Awaited<ReturnType<ReturnType<typeof listed>['execute']>>[number]

function matchedByContent(
  list: Awaited<ReturnType<typeof fileList>>,
  headers: readonly string[],
  mapping: ColumnMapping,
) {
  const named = list.guess(headers)
  return Object.keys(mapping).filter((header) => named[header] !== mapping[header])
}

/** Newest first. */
export const listImports = query('imports.list', {
  reads: ['imports'],
  looksUp: ['clinics', 'users'],
  input: ListImports,
  allow,
  async run(ctx, { page }) {
    return loadListPage(
      listed(ctx).orderBy('imports.created_at', 'desc').orderBy('imports.id'),
      ctx.db.selectFrom('imports'),
      page,
    )
  },
})

/**
 * One import and, after the upload, its columns with their targets, the first rows and the possible
 * targets. `problem` says why the file cannot be read.
 */
export const getImport = query('imports.get', {
  reads: ['imports'],
  looksUp: ['clinics', 'registration_forms', 'users'],
  input: ImportId,
  allow,
  async run(ctx, { id }) {
    const row = await listed(ctx)
      .select([
        'mapping',
        'key_column',
        'date_format',
        'formats',
        'ages_on',
        'encoding',
        'delimiter',
        'updates',
        'allows_missing',
      ])
      .select(['sheet', 'heading_line'])
      .where('imports.id', '=', id)
      .executeTakeFirst()
    if (!row) throw missing()
    const {
      mapping,
      key_column,
      date_format,
      formats,
      ages_on,
      encoding,
      updates,
      allows_missing,
      ...read
    } = row
    const { delimiter: _delimiter, sheet: _sheet, heading_line: _line, ...rest } = read
    const list = await fileList(ctx.db, row.list)
    const changes = row.status === 'uploading' ? 0 : await countChanges(ctx.db, id)
    const common = {
      import: rest,
      /** What the import wrote and an undo can take back. */
      changes,
      encoding,
      targets: list.targets.map(({ name, label, required, holds }) => ({
        name,
        label,
        required,
        holds: holds ?? null,
      })),
    }
    if (row.status === 'uploading') return { ...common, file: null, problem: null }
    try {
      const csv = await uploadedTable(ctx.db, row, list.headings)
      const first: CsvRow[] = []
      for await (const eachRow of csv.rows())
        if (eachRow.values.length && first.push(eachRow) === CONTENT_ROWS) break
      const known = mapping ?? list.guess(csv.headers, first)
      const sample = first.slice(0, SAMPLE_ROWS)
      // what a user chooses with: a running import is not read again for each step of its progress
      const isRunning = row.status === 'waiting' || row.status === 'running'
      const chosen = { date_format: date_format as DateFormat | null, formats: formats ?? {} }
      const columns = isRunning ? NO_FORMATS : await formatsShown(csv, known, list, chosen)
      const headers = csv.headers.filter(
        (header) => !REJECTED_COLUMNS.some((rejected) => rejected === header),
      )
      const file = {
        /** The one chosen, else the guessed one. */
        delimiter: DELIMITER_NAMES.find((name) => DELIMITERS[name] === csv.delimiter) ?? null,
        sheets: csv.sheets,
        sheet: csv.sheet,
        /** Several sheets have rows: the user chooses one before anything is imported. */
        asksSheet: csv.sheets.length > 1 && row.sheet === null,
        heading_line: csv.headingLine,
        headers,
        sample: sample.map(({ values }) => values),
        mapping: known,
        /** The first rows as the import reads them, of lists whose texts are taken apart. */
        preview: isRunning
          ? []
          : await list.preview(csv, { mapping: known, formats: columns.formats }, sample),
        /** Columns that their cells matched, not their headings. */
        byContent: mapping ? [] : matchedByContent(list, csv.headers, known),
        /** Nothing was checked or imported with this mapping. */
        isGuessed: mapping === null,
        key_column,
        updates,
        allows_missing,
        ...columns,
        ages_on,
        /** Rows have ages and no day of registration: the user says when the ages were right. */
        asksAgesOn: !isRunning && (await list.asksAgesOn(csv, known)),
      }
      return { ...common, file, problem: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...common, file: null, problem: error.text }
    }
  },
})
export type OneImport = Awaited<ReturnType<typeof getImport>>

/** Creates an import; the bytes of its file follow in parts. */
export const createImport = mutation('imports.create', {
  input: CreateImport,
  allow,
  async run(ctx, values) {
    const clinicId = needsClinic(values.list) ? values.clinic_id! : null
    if (clinicId) await requireClinic(ctx.db, clinicId)
    const made = await ctx.db
      .insertInto('imports')
      .values({ ...values, clinic_id: clinicId, requested_by: ctx.actor.userId })
      .onConflict((on) => on.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (made)
      await audit(ctx, {
        action: 'imports.create',
        table: 'imports',
        recordId: values.id,
        ...(clinicId && { clinicId }),
      })
    return { id: values.id, partSize: PART_SIZE }
  },
})

/**
 * A part of the file in base64, counted from 0; repeating one changes nothing. After the last, the
 * file is ready.
 */
export const addPart = mutation('imports.addPart', {
  input: AddPart,
  allow,
  async run({ db }, { id, part, content }) {
    const row = await db
      .selectFrom('imports')
      .select(['file_size', 'status'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw missing()
    if (row.status !== 'uploading') return { status: row.status }
    const bytes = Buffer.from(content, 'base64')
    const expected = Math.min(PART_SIZE, row.file_size - part * PART_SIZE)
    if (bytes.length !== expected) throw new AppError('invalid', { key: 'imports.wrongPart' })
    await db
      .insertInto('import_parts')
      .values({ import_id: id, part, bytes })
      .onConflict((on) => on.columns(['import_id', 'part']).doNothing())
      .execute()
    const { parts } = await db
      .selectFrom('import_parts')
      .select(({ fn }) => fn.countAll<number>().as('parts'))
      .where('import_id', '=', id)
      .executeTakeFirstOrThrow()
    if (parts < Math.ceil(row.file_size / PART_SIZE)) return { status: 'uploading' as ImportState }
    await db.updateTable('imports').set({ status: 'ready' }).where('id', '=', id).execute()
    return { status: 'ready' as ImportState }
  },
})

/** Changes how the file is read, unless it is being run. The columns are then read again. */
async function changeReading(db: Context['db'], id: string, reading: Updateable<DB['imports']>) {
  const changed = await db
    .updateTable('imports')
    .set({ ...reading, mapping: null, formats: null })
    .where('id', '=', id)
    .where('status', 'not in', ['waiting', 'running'])
    .returning('id')
    .executeTakeFirst()
  if (!changed) throw missing()
  return changed
}
const NO_COLUMNS = { key_column: null, date_format: null }

/** Sets the encoding if it cannot be detected. */
export const setEncoding = mutation('imports.setEncoding', {
  input: Encoded,
  allow,
  run: ({ db }, { id, encoding }) => changeReading(db, id, { encoding: encoding ?? null }),
})

/** Sets the delimiter if the guess is wrong; null guesses again. */
export const setDelimiter = mutation('imports.setDelimiter', {
  input: Delimited,
  allow,
  run: ({ db }, { id, delimiter }) =>
    changeReading(db, id, { ...NO_COLUMNS, delimiter: delimiter ?? null }),
})

/** Sets the sheet and the line of the headings; null finds them. */
export const setPlace = mutation('imports.setPlace', {
  input: ImportPlacement,
  allow,
  run: ({ db }, { id, sheet, heading_line }) =>
    changeReading(db, id, {
      ...NO_COLUMNS,
      sheet: sheet ?? null,
      heading_line: heading_line ?? null,
    }),
})

/**
 * Requests a dry run or the import; a background job runs it. `imports.get` returns its progress.
 */
export const runImport = mutation('imports.run', {
  input: RunImport,
  allow,
  async run(ctx, { id, task, mapping, key_column, date_format, formats, ages_on, ...asked }) {
    const { db } = ctx
    const { updates = false, allows_missing = false } = asked
    const row = await db
      .selectFrom('imports')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw missing()
    if (row.status === 'uploading') throw conflict('imports.notHereYet')
    if (row.status === 'waiting' || row.status === 'running') throw conflict('imports.runsAlready')
    const list = await fileList(db, row.list)
    const csv = await uploadedTable(db, row, list.headings)
    if (csv.sheets.length > 1 && row.sheet === null)
      throw invalid({ sheet: { key: 'imports.sheetAsks' } })
    list.require(csv, {
      mapping,
      allowsMissing: allows_missing,
      ...(key_column && { keyColumn: key_column }),
    })
    const read = await readFormats(csv, mapping, list, { date_format, formats })
    if (ages_on && ages_on > clinicToday())
      throw invalid({ ages_on: { key: 'validation.inFuture' } })
    if (!ages_on && (await list.asksAgesOn(csv, mapping)))
      throw invalid({ ages_on: { key: 'imports.agesOnAsks' } })
    await db
      .updateTable('imports')
      .set({
        task,
        ...WAITING_RUN,
        mapping: JSON.stringify(mapping),
        key_column: key_column ?? null,
        date_format: date_format ?? null,
        formats: JSON.stringify(read),
        ages_on: ages_on ?? null,
        updates,
        allows_missing,
        requested_by: ctx.actor.userId,
      })
      .where('id', '=', id)
      .execute()
    await audit(ctx, {
      action: `imports.${task}`,
      table: 'imports',
      recordId: id,
      ...(row.clinic_id && { clinicId: row.clinic_id }),
    })
    await askFor(db, 'imports')
    return { id }
  },
})

/** Stops an import. Committed batches stay, and running it again continues from there. */
export const stopImport = mutation('imports.stop', {
  input: ImportId,
  allow,
  async run({ db }, { id }) {
    const row = await db
      .updateTable('imports')
      .set({
        is_stopping: true,
        status: sql<string>`case status when 'waiting' then 'stopped' else status end`,
      })
      .where('id', '=', id)
      .where('status', 'in', ['waiting', 'running'])
      .returning('id')
      .executeTakeFirst()
    if (!row) throw missing()
    return row
  },
})

/** The rejected rows with the columns of the file: at most 1,000 after the given line. */
export const listRejected = query('imports.rejected', {
  input: ListRejected,
  allow,
  async run({ db }, { id, after }) {
    return db
      .selectFrom('import_rejections')
      .select(['line', 'reason', 'cells'])
      .where('import_id', '=', id)
      .where('line', '>', after)
      .orderBy('line')
      .limit(REJECTED_AT_ONCE)
      .execute()
  },
})

/** The first hundred rows that may be registered patients, found by the dry run. */
export const listDoubtful = query('imports.doubtful', {
  access: 'duplicates',
  reads: [],
  looksUp: ['patients'],
  input: ImportId,
  allow,
  async run({ db }, { id }) {
    return db
      .selectFrom('import_duplicates as doubt')
      .innerJoin('patients', 'patients.id', 'doubt.patient_id')
      .select([
        'doubt.line',
        'doubt.name',
        'doubt.strength',
        'doubt.reasons',
        'doubt.patient_id',
        'given_name',
        'surname',
        'date_of_birth',
      ])
      .where('doubt.import_id', '=', id)
      .where('patients.is_deleted', '=', false)
      .orderBy('doubt.line')
      .limit(DOUBTFUL_SHOWN)
      .execute()
  },
  shows: patientsOfList,
})
export type Doubtful = Awaited<ReturnType<typeof listDoubtful>>[number]

/** Deletes the file and the list of its rejected rows. The imported patients stay. */
export const deleteImport = mutation('imports.delete', {
  input: ImportId,
  allow,
  async run(ctx, { id }) {
    const deleted = await ctx.db
      .deleteFrom('imports')
      .where('id', '=', id)
      .where('status', 'not in', ['waiting', 'running'])
      .returning(['id', 'clinic_id'])
      .executeTakeFirst()
    if (!deleted) throw missing()
    await audit(ctx, {
      action: 'imports.delete',
      table: 'imports',
      recordId: id,
      ...(deleted.clinic_id && { clinicId: deleted.clinic_id }),
    })
    return { id }
  },
})
