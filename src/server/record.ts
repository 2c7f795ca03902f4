import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { AppError, type Message, notFound } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { missingIn, type NamedTable } from '~/shared/nouns'
import type { Saved } from '~/shared/record'
import type { Context } from './operation'

/** Tables with the columns that `keep_record` of db/schema keeps. */
type RecordTable = {
  [T in keyof DB & NamedTable]: DB[T] extends {
    id: unknown
    is_deleted: unknown
    last_modified: unknown
  }
    ? T
    : never
}[keyof DB & NamedTable]

/**
 * Records that are one row, which programs send back as they read them. A row that stands for others, such as the
 * medicines of a prescription, gets a new version at each save: it is what two users' changes are compared by.
 */
const ONE_ROW: ReadonlySet<RecordTable> = new Set([
  'appointments',
  'patient_allergies',
  'patient_problems',
  'visits',
])

/**
 * Creates the record, or updates the version that the caller read. An undefined value leaves the
 * column as it is. A repeated request writes nothing, nor do values that a record of one row has already: phones and
 * programs would fetch a new version. A stale one is refused (`conflict`) with the user who changed each field, and
 * its new value.
 */
export async function saveRecord(
  { db, actor }: Context,
  table: RecordTable,
  { id, last_modified, ...values }: z.output<typeof Saved> & Record<string, unknown>,
  missing: MessageKey = missingIn(table),
): Promise<{ id: string; last_modified: Date }> {
  const rows = db as unknown as Kysely<Record<string, Record<string, unknown>>> // of any table
  const returned = ['id', 'last_modified'] as const
  const written = last_modified
    ? await rows
        .updateTable(table)
        .set({ ...values, updated_at: new Date() })
        .where('id', '=', id)
        .where('last_modified', '=', last_modified)
        .where('is_deleted', '=', false)
        .$if(ONE_ROW.has(table), (update) => update.where(differs(values)))
        .returning(returned)
        .executeTakeFirst()
    : await rows
        .insertInto(table)
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning(returned)
        .executeTakeFirst()
  if (written) return written as { id: string; last_modified: Date }

  const current = await rows
    .selectFrom(table)
    .selectAll()
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (!current) throw notFound(missing)
  if (ONE_ROW.has(table) && isSameMoment(current['last_modified'], last_modified))
    return { id, last_modified: current['last_modified'] as Date }
  const isRepeat = Object.entries(values).every(
    ([name, value]) =>
      value === undefined || isDeepStrictEqual(asJson(current[name]), asJson(value)),
  )
  if (isRepeat) return { id, last_modified: current['last_modified'] as Date }
  throw (await stale(db, table, id, last_modified, actor.userId)) ?? notFound(missing)
}

/** Whether a row has another value in one of the columns. */
function differs(values: Record<string, unknown>) {
  const columns = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : sql`${sql.ref(name)} is distinct from ${value}`,
  )
  return columns.length > 0 ? sql<boolean>`(${sql.join(columns, sql` or `)})` : sql<boolean>`false`
}
const isSameMoment = (current: unknown, read: Date | null | undefined) =>
  current instanceof Date && current.getTime() === read?.getTime()

/** As it went over the wire: a Date is its text, and the order of keys, which jsonb changes, does not count. */
const asJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value))

/**
 * Who changed the record since, and what each changed field says now. Null for a user who neither
 * read nor wrote it: the chosen id belongs to a record that this user may not know of.
 */
async function stale(
  db: Kysely<DB>,
  table: string,
  id: string,
  read: Date | null | undefined,
  self: string,
) {
  const changes = await db
    .selectFrom('audit_log')
    .leftJoin('users', 'users.id', 'audit_log.user_id')
    .select(['audit_log.user_id', 'users.name', 'changes'])
    .where('table_name', '=', table)
    .where('record_id', '=', id)
    .where('at', '>', read ?? new Date(0))
    .orderBy('audit_log.id')
    .execute()
  if (!read && !changes.some(({ user_id }) => user_id === self)) return null
  const fields: Record<string, Message> = {}
  for (const change of changes) {
    for (const [name, [, after]] of Object.entries(
      change.changes as Record<string, [unknown, unknown]>,
    )) {
      fields[name] = {
        key: 'errors.changedTo',
        values: { value: inWords(after) },
      }
    }
  }
  const last = changes.at(-1)
  if (!last?.name) return new AppError('conflict', { key: 'errors.staleByOther' }, fields)
  const key = last.user_id === self ? 'errors.staleByYou' : 'errors.stale'
  return new AppError('conflict', { key, values: { who: last.name } }, fields)
}

/** Signs that need no translation, as the message is put into the reader's language elsewhere. */
function inWords(value: unknown): string {
  if (value === null || value === '') return '—'
  if (typeof value === 'boolean') return value ? '✓' : '✗'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Puts a live record, with what hangs on it, into the trash under a name that people know it by. */
export async function deleteRecord(
  { db, actor }: Context,
  table: RecordTable,
  id: string,
  label: string,
  missing: MessageKey = missingIn(table),
) {
  const result = await sql<{ deletion: string | null }>`
    select soft_delete(${table}, ${id}, ${label}, ${actor.userId}) as deletion`.execute(db)
  const deletion = result.rows[0]?.deletion
  if (!deletion) throw notFound(missing)
  return { deletionId: deletion }
}
