import { type Kysely, sql } from 'kysely'
import sharp from 'sharp'
import type { DB } from '~/db/types'
import { historyRow, namedVisit } from '~/policy/on.server'
import { openVisit, readHistory } from '~/policy/rules'
import { mutation, query } from '~/server/operation'
import { storage } from '~/server/storage.server'
import { invalid, notFound } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { MOST_FILE_BYTES, MOST_FILE_MB, SaveEventFile } from './event'

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'application/pdf': 'pdf',
}
const eventFilePath = (id: string, type: string) => `event-files/${id}.${EXTENSIONS[type]}`

/** The name for a download. Its end says what the file is: a PDF may have been sent as .jpg, a WebP became a JPEG. */
export function nameFor(name: string, type: string): string {
  const extension = EXTENSIONS[type] ?? ''
  const named = name.toLowerCase()
  const isRight =
    named.endsWith(`.${extension}`) || (extension === 'jpg' && named.endsWith('.jpeg'))
  return isRight ? name : `${name.replace(/\.(pdf|png|jpe?g|webp)$/i, '')}.${extension}`
}

/**
 * Takes a file for an answer, before the form itself is saved. Its content decides its kind, not its name. A picture is
 * encoded again, without the place, time and camera of the original.
 */
export const saveEventFile = mutation('eventFiles.save', {
  on: namedVisit(openVisit),
  input: SaveEventFile,
  async run(ctx, { id, event_id, visit_id, field_id, name, content }, { visit }) {
    await requireEventVisit(ctx.db, event_id, visit_id)
    return keepEventFile(ctx.db, {
      id,
      event_id,
      visit_id,
      field_id,
      name,
      patient_id: visit.patient_id,
      sent_by_user_id: ctx.actor.userId,
      content: Buffer.from(content, 'base64'),
    })
  },
})

type Kept = Record<'id' | 'event_id' | 'visit_id' | 'patient_id' | 'field_id' | 'name', string> & {
  sent_by_user_id: string | null
  content: Buffer
}

/** Stores a file of an event. Throws `invalid` for one that is too large or of another kind. */
export async function keepEventFile(
  db: Kysely<DB>,
  { content: bytes, sent_by_user_id, ...facts }: Kept,
) {
  if (bytes.length > MOST_FILE_BYTES) {
    throw invalid({ content: { key: 'answers.fileTooLarge', values: { size: MOST_FILE_MB } } })
  }
  const file = await cleaned(bytes)
  const kept = { ...facts, mime_type: file.type, size: file.bytes.length }
  const made = await db
    .insertInto('event_files')
    .values({ ...kept, sent_by_user_id })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  // a repeated request: the file is stored already
  if (made) await storage().put(eventFilePath(kept.id, file.type), file.bytes)
  else await requireSame(db, kept)
  return { id: kept.id, name: kept.name, mime_type: file.type, size: file.bytes.length }
}

/** The file in base64. */
export const getEventFile = query('eventFiles.get', {
  access: 'events',
  on: historyRow('event_files', readHistory),
  input: RecordId,
  async run(_ctx, { id }, { existing: { name, mime_type } }) {
    const bytes = await storage().get(eventFilePath(id, mime_type))
    if (!bytes) throw notFound('events.noFile')
    return { name, mime_type, content: Buffer.from(bytes).toString('base64') }
  },
})

/** No form holds more. */
const MANY = 500

export const filesOfEvent = (db: Kysely<DB>, eventId: string) =>
  db
    .selectFrom('event_files')
    .select(['id', 'field_id', 'name', 'mime_type', 'size'])
    .where('event_id', '=', eventId)
    .where('is_deleted', '=', false)
    .limit(MANY)
    .execute()

/** A form that is saved already takes files only for its own visit: the rights were checked there. */
async function requireEventVisit(db: Kysely<DB>, eventId: string, visitId: string) {
  const event = await db
    .selectFrom('events')
    .select('visit_id')
    .where('id', '=', eventId)
    .executeTakeFirst()
  if (event && event.visit_id !== visitId) throw notFound('events.notFound')
}

async function requireSame(
  db: Kysely<DB>,
  {
    id,
    event_id,
    field_id,
    size,
  }: Record<'id' | 'event_id' | 'field_id', string> & { size: number },
) {
  const there = await db
    .selectFrom('event_files')
    .select('id')
    .where('id', '=', id)
    .where('event_id', '=', event_id)
    .where('field_id', '=', field_id)
    .where('size', '=', size)
    .executeTakeFirst()
  if (!there) throw notFound('events.noFile')
}

/** A form that was never saved leaves its files; a draft is kept for a day, so older files belong to no form. */
export async function removeStrays(db: Kysely<DB>) {
  const strays = await db
    .deleteFrom('event_files')
    .where('created_at', '<', sql<Date>`now() - interval '7 days'`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('events').select('id').whereRef('events.id', '=', 'event_files.event_id'),
        ),
      ),
    )
    .returning(['id', 'mime_type'])
    .execute()
  for (const { id, mime_type } of strays) await storage().remove(eventFilePath(id, mime_type))
}

/** A page that was photographed stays readable; more than that only costs. */
const LONGEST_SIDE = 2400
/** A small file that unpacks to gigabytes is refused before it is unpacked. */
const MOST_PIXELS = 60_000_000

/**
 * The header may come after a byte order mark and white space, within the first 1,024 bytes (ISO 32000-1, Annex H,
 * implementation note 13).
 */
const isPdf = (bytes: Buffer) =>
  /^(?:\u00EF\u00BB\u00BF)?[\0\t\n\f\r ]*%PDF-/.test(bytes.subarray(0, 1024 + 5).toString('latin1'))

async function cleaned(bytes: Buffer): Promise<{ type: string; bytes: Uint8Array }> {
  if (isPdf(bytes)) return { type: 'application/pdf', bytes }
  const refused = () => invalid({ content: { key: 'answers.notAFile' } })
  const picture = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', animated: false })
  const format = await picture.metadata().then(
    (facts) => facts.format,
    () => undefined,
  )
  if (format === 'heif') throw invalid({ content: { key: 'answers.heicFile' } })
  if (format !== 'jpeg' && format !== 'png' && format !== 'webp') throw refused()
  const upright = picture
    .autoOrient()
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
  const drawn = format === 'png' ? upright.png() : upright.jpeg({ quality: 85 })
  const redrawn = await drawn.toBuffer().catch(() => {
    throw refused()
  })
  return { type: format === 'png' ? 'image/png' : 'image/jpeg', bytes: redrawn }
}
