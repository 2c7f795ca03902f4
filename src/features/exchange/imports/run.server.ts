import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { explainDatabaseError } from '~/server/constraints'
import { isLostConnection } from '~/server/disk.server'
import { whileAlone } from '~/server/jobs.server'
import { log } from '~/server/log'
import { contextOfRequester } from '~/server/requester.server'
import { AppError, type Message } from '~/shared/errors'
import type { ImportCounts } from './batches.server'
import type { Doubt } from './patients-file/compare.server'
import type { DateFormat } from './patients-file/date-format'
import { fileList, type ImportSettings } from './lists.server'
import { newTally, type Tally } from './tally'
import { runImportUndo } from './undo/undo.server'
import { uploadedTable } from './uploaded.server'

/** Milliseconds between two checks for a stop request, and between two updates of screens. */
const TELL_MS = 500
/** So often an import begins or goes on without getting further. */
const MOST_TRIES = 3

/**
 * Runs the requested imports one after the other. The worker of an import holds its lock, which
 * PostgreSQL releases if the worker dies, so that the next worker continues.
 */
export async function runImports(db: Kysely<DB>, signal?: AbortSignal): Promise<void> {
  const due = await db
    .selectFrom('imports')
    .select('id')
    .where('status', 'in', ['waiting', 'running'])
    .orderBy('created_at')
    .limit(100)
    .execute()
  const lost: unknown[] = []
  for (const { id } of due) {
    if (signal?.aborted) return
    try {
      await whileAlone(db, `sanad.imports ${id}`, () =>
        db.connection().execute((own) => runOne(db, own, id, signal)),
      )
    } catch (error) {
      // the others do not wait for one that ends PostgreSQL
      lost.push(error)
    }
  }
  // the job runs again
  if (lost.length > 0) throw lost[0]
}

async function runOne(db: Kysely<DB>, own: Kysely<DB>, id: string, signal?: AbortSignal) {
  const row = await db
    .updateTable('imports')
    .set({
      status: 'running',
      started_at: sql<Date>`coalesce(started_at, clock_timestamp())`,
      tries: sql<number>`tries + 1`,
    })
    .where('id', '=', id)
    .where('status', 'in', ['waiting', 'running'])
    .returningAll()
    .executeTakeFirst()
  if (!row) return
  const { task } = row
  // an interrupted import or undo goes on: what it has done so far is in the tally and the list
  const goesOn = task === 'undo' ? row.tally !== null : row.rows_done > 0
  if (!goesOn) {
    await db.deleteFrom('import_rejections').where('import_id', '=', id).execute()
    await db.deleteFrom('import_duplicates').where('import_id', '=', id).execute()
  }
  if (goesOn && !row.tally) throw new Error('An import that goes on has counted what it did')
  const tally = (goesOn && row.tally) || newTally(row.file_name)
  const stop = new AbortController()
  const report = reporter(db, id, tally, () => stop.abort())
  if (row.tries > MOST_TRIES) {
    log.error({ importId: id }, 'an import was interrupted each time before it got further')
    return report.end('failed', { key: 'imports.getsNoFurther' })
  }
  const either = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])])
  try {
    if (task === 'undo') {
      await runImportUndo(await contextOfRequester(own, row.requested_by), id, tally, {
        signal: either,
        onProgress: (share) => report.progress(Math.floor(share * row.file_size)),
      })
      return await report.end('finished')
    }
    const list = await fileList(db, row.list)
    const csv = await uploadedTable(db, row, list.headings)
    const settings: ImportSettings = {
      importId: id,
      since: row.started_at ?? new Date(),
      clinicId: row.clinic_id,
      mapping: row.mapping!,
      updates: row.updates,
      allowsMissing: row.allows_missing,
      ...(row.date_format && { dateFormat: row.date_format as DateFormat }),
      formats: row.formats ?? {},
      ...(row.ages_on && { agesOn: row.ages_on }),
      ...(row.key_column && { keyColumn: row.key_column }),
    }
    await list.run(await contextOfRequester(own, row.requested_by), csv, settings, tally, {
      ...(task === 'check'
        ? {
            isDryRun: true,
            onRejected: (_file, { line, values }, fate) =>
              report.rejected(line, fate.reason, values),
          }
        : {
            isDryRun: false,
            done: row.rows_done,
            keep: (inner, to) => keepCounted(inner, id, to),
          }),
      doubtful: report.doubtful,
      signal: either,
      onProgress: (_file, bytes) => report.progress(bytes),
    })
    await report.end('finished')
  } catch (thrown) {
    const error = explainDatabaseError(thrown)
    // the process shuts down: the next worker continues the import, which is to blame for nothing
    if (signal?.aborted) return isLostConnection(thrown) ? undefined : giveBackTry(db, id)
    if (stop.signal.aborted) return report.end('stopped')
    // PostgreSQL starts again: the job runs again, and continues the import
    if (!(error instanceof AppError) && isLostConnection(thrown)) throw thrown
    if (!(error instanceof AppError)) log.error({ err: error, importId: id }, 'an import failed')
    await report.end('failed', error instanceof AppError ? error.text : { key: 'imports.failed' })
  }
}

async function giveBackTry(db: Kysely<DB>, id: string) {
  await db
    .updateTable('imports')
    .set({ tries: sql<number>`greatest(tries - 1, 0)` })
    .where('id', '=', id)
    .execute()
}

/** Updates what screens show. Uses another connection, because a dry run is rolled back. */
function reporter(db: Kysely<DB>, id: string, tally: Tally, onStop: () => void) {
  let waiting: ReturnType<typeof rejection>[] = []
  let told = 0
  const flush = async () => {
    const rows = waiting
    waiting = []
    if (rows.length)
      await db
        .insertInto('import_rejections')
        .values(rows)
        .onConflict((on) => on.doNothing())
        .execute()
  }
  return {
    async rejected(line: number, reason: Message, cells: string[]) {
      waiting.push(rejection(id, line, reason, cells))
      if (waiting.length >= 500) await flush()
    },
    async doubtful({ line, name, patientId, strength, reasons }: Doubt) {
      // a patient of the same file is rolled back by the dry run, so nothing may refer to it
      await sql`insert into import_duplicates (import_id, line, name, patient_id, strength, reasons)
        select ${id}, ${line}, ${storable(name)}, id, ${strength}, ${reasons}::text[]
        from patients where id = ${patientId}
        on conflict do nothing`.execute(db)
    },
    async progress(bytes: number) {
      if (Date.now() - told < TELL_MS) return
      told = Date.now()
      await flush()
      const row = await db
        .updateTable('imports')
        .set({ bytes_done: bytes, tally: JSON.stringify(tally) })
        .where('id', '=', id)
        .returning('is_stopping')
        .executeTakeFirst()
      if (!row || row.is_stopping) onStop()
    },
    async end(status: 'finished' | 'stopped' | 'failed', failure: Message | null = null) {
      await flush()
      await db
        .updateTable('imports')
        .set({
          status,
          failure: failure && JSON.stringify(failure),
          tally: JSON.stringify(tally),
          finished_at: sql<Date>`clock_timestamp()`,
          ...(status === 'finished' && { bytes_done: sql<number>`file_size` }),
        })
        .where('id', '=', id)
        .execute()
    },
  }
}

const rejection = (id: string, line: number, reason: Message, cells: readonly string[]) => ({
  import_id: id,
  line,
  reason: JSON.stringify(reason),
  cells: cells.map(storable),
})

/** Keeps how far the import is in the transaction of its batch, so that an interrupted import goes on after it. */
async function keepCounted(db: Kysely<DB>, id: string, { tally, rows, rejected }: ImportCounts) {
  await db
    .updateTable('imports')
    .set({ tally: JSON.stringify(tally), rows_done: rows, tries: 0 })
    .where('id', '=', id)
    .execute()
  if (rejected.length === 0) return
  await db
    .insertInto('import_rejections')
    .values(
      rejected.map(({ row: { line, values }, fate }) => rejection(id, line, fate.reason, values)),
    )
    .onConflict((on) => on.doNothing())
    .execute()
}

/** A rejected row may contain characters that PostgreSQL cannot store. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed().slice(0, 10_000)

/**
 * Files and rejected rows hold personal data, so they are deleted when corrections are no longer
 * expected.
 */
export const forgetOldImports = (db: Kysely<DB>) =>
  db
    .deleteFrom('imports')
    .where('status', 'not in', ['waiting', 'running'])
    .where('created_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute()
