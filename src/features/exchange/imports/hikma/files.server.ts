import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { sql } from 'kysely'
import { asObject } from '~/shared/object'
import { keepEventFile } from '~/features/forms/events/event-files.server'
import { savePhoto } from '~/features/people/patients/photos/photos.server'
import type { Context, OpenContext } from '~/server/operation'
import { AppError } from '~/shared/errors'
import { IMPORT_BATCH } from '../batches.server'
import { digestText } from './digest'
import { importedBefore, remember } from './place.server'
import { listIn, type SourceRow, sourceText } from './reading'
import { newTable, type HikmaRun } from './run'
import { isId } from '~/shared/id'

type File = { path: string; name: string }
/** The files of a folder and of the folders in it, by name and by name without its ending, in lower case. */
type Folder = (...names: string[]) => File | undefined

async function filesIn(folder: string): Promise<Folder> {
  const byName = new Map<string, File>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = { path: join(entry.parentPath, entry.name), name: entry.name }
    const name = entry.name.toLowerCase()
    byName.set(name, file)
    const bare = basename(name, extname(name))
    if (!byName.has(bare)) byName.set(bare, file)
  }
  return (...names) => {
    for (const name of names) {
      const file = byName.get(name.toLowerCase())
      if (file) return file
    }
    return undefined
  }
}

/** The last part of an address or a path. */
function nameIn(address: unknown): string {
  const path = sourceText(address ?? '').split(/[?#]/)[0]!
  const last = path.split(/[/\\]/).at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** The files that the answers of an event name: an id, or several. */
function filesOfAnswers(formData: unknown): { id: string; field: string }[] {
  return listIn(formData).flatMap((answer) => {
    const { fieldId, fieldType, value } = asObject(answer)
    if (fieldType !== 'file' || typeof fieldId !== 'string') return []
    return [value].flat().flatMap((one: unknown) => {
      const id = typeof one === 'object' && one !== null ? (one as { id?: unknown }).id : one
      return isId(id) ? [{ id: id.toLowerCase(), field: fieldId }] : []
    })
  })
}

/** A user who runs commands on the server may do everything there. */
const operator: Context['actor'] = {
  userId: '00000000-0000-0000-0000-000000000000',
  name: 'npm run import',
  role: 'super_admin',
  language: 'en',
  clinicId: null,
  grants: {},
}

/** Takes the photos of patients and the files of answers from a folder. Addresses are not fetched. */
export async function takeFiles(run: HikmaRun, ctx: OpenContext, folder: string): Promise<void> {
  const find = await filesIn(folder)
  await takePhotos(run, ctx, find)
  await takeAnswers(run, find)
}

async function takePhotos(run: HikmaRun, ctx: OpenContext, find: Folder) {
  const tally = newTable('photos')
  run.report.tables.push(tally)
  const selection = { from: 'patients', where: 'not coalesce(t.is_deleted, false)' }
  for await (const batch of run.source.batches(selection, IMPORT_BATCH)) {
    for (const { row } of batch) {
      run.watch.signal?.throwIfAborted()
      const id = String(row['id'])
      const file = find(nameIn(row['photo_url']), id)
      if (!file) continue
      await once(run, 'photos', id, file, async (db, bytes) => {
        const { rows } = await sql<{ updated_at: Date; last_modified_by: string | null }>`
          select updated_at, last_modified_by from patients where id = ${id}`.execute(db)
        await savePhoto({ ...ctx, db, actor: operator }, { id, image: bytes.toString('base64') })
        // the picture is no newer than the patient's record
        await db.updateTable('patients').set(rows[0]!).where('id', '=', id).execute()
      })
    }
  }
}

async function takeAnswers(run: HikmaRun, find: Folder) {
  const tally = newTable('event_files')
  run.report.tables.push(tally)
  const selection = {
    from: 'events',
    where: `not coalesce(t.is_deleted, false) and t.form_data::text like '%"file"%'`,
  }
  for await (const batch of run.source.batches(selection, IMPORT_BATCH)) {
    for (const { row } of batch) await takeOfEvent(run, find, row)
  }
}

async function takeOfEvent(run: HikmaRun, find: Folder, row: SourceRow) {
  for (const { id, field } of filesOfAnswers(row['form_data'])) {
    run.watch.signal?.throwIfAborted()
    const [resource] = run.source.has('resources')
      ? await run.source.query<{ uri: string; description: string | null }>(
          'select uri, description from resources where id = $1',
          [id],
        )
      : []
    const file = find(nameIn(resource?.uri), id)
    if (!file) {
      await run.watch.onNote?.('events', String(row['id']), { rule: 'fileNotFound', value: id })
      continue
    }
    await once(run, 'event_files', id, file, async (db, content) => {
      const event = await db
        .selectFrom('events')
        .select(['patient_id', 'visit_id'])
        .where('id', '=', String(row['id']))
        .executeTakeFirst()
      if (!event?.visit_id) throw new AppError('not_found', { key: 'events.notFound' })
      await keepEventFile(db, {
        id,
        event_id: String(row['id']),
        visit_id: event.visit_id,
        patient_id: event.patient_id,
        field_id: field,
        name: (resource?.description || file.name).slice(0, 200),
        sent_by_user_id: null,
        content,
      })
    })
  }
}

/** Takes a file once, and again if it has changed. One that Sanad refuses is listed. */
async function once(
  { steps, number, report, watch }: HikmaRun,
  table: 'photos' | 'event_files',
  id: string,
  { path, name }: File,
  take: (db: Context['db'], bytes: Buffer) => Promise<void>,
) {
  const tally = report.tables.find((one) => one.table === table)!
  tally.rows += 1
  const { size, mtimeMs } = await stat(path)
  const columns = digestText(`${name} ${size} ${mtimeMs}`)
  try {
    const isTaken = await steps(async (db) => {
      const before = (await importedBefore(db, table, [id])).get(id)
      if (before?.equals(columns)) return false
      await take(db, await readFile(path))
      await remember(db, table, [{ id, columns }], number)
      return true
    })
    if (isTaken) {
      tally.inserted += 1
      report.hasNews = true
    } else tally.unchanged += 1
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    tally.unplaced += 1
    await watch.onNote?.(table, id, { rule: 'fileRefused', value: name })
  }
}
