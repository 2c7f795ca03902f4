import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { asPrepared } from '~/db/kept'
import { type ColumnValue, textArray } from '~/db/text-array'
import type { DB } from '~/db/types'
import { bisect } from '~/server/bisect'
import { log } from '~/server/log'
import { AppError } from '~/shared/errors'
import type { Wire } from '../schema/kinds'
import { isRecorded } from '../schema/scope'
import { comparable, type PushedName, pushedTables, tableNamed, writable } from '../schema/tables'
import { authorColumns } from './authors'
import type { Incoming, RefusalReason, RowId } from './incoming'
import type { Existing } from './merge'
import type { PushState } from './push-state'

/** The columns to write of one row. */
type Write = { id: string; values: Record<string, Wire> }

/** A write with the row that requested it. `before` is null for a new row. */
export type PlannedWrite = Write & { incoming: Incoming; before: Existing | null }

type Failure<R> = { row: R; reason: RefusalReason; detail?: string }

// --- Reading -------------------------------------------------------------------------------------

/** The ids of the rows that are stored, deleted rows included: one statement for all tables. */
export async function storedIds(
  db: Kysely<DB>,
  rows: readonly RowId[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  // every table, so that the text is always the same
  const parts = pushedTables.map(([name]) => {
    const ids = rows.filter(({ table }) => table === name).map(({ id }) => id)
    return sql`select id from ${sql.table(name)} where id = any(${ids}::uuid[])`
  })
  const found = await sql<{
    id: string
  }>`${asPrepared(rows.length)} ${sql.join(parts, sql` union all `)}`.execute(db)
  return new Set(found.rows.map(({ id }) => id))
}

// --- Writing -------------------------------------------------------------------------------------

/**
 * Inserts all rows in one statement; null and absent values become the column's empty value.
 * Returns the ids of rows that the database stores differently from what was sent: it computed a
 * value, or the device sent only part of the row. `isDeleted`: as tombstones.
 */
export async function insertRows(
  db: Kysely<DB>,
  name: PushedName,
  rows: readonly SentRow[],
  senderId: string,
  { isDeleted = false } = {},
): Promise<Set<string>> {
  const { columns } = tableNamed(name)
  const compared = comparable(tableNamed(name))
  const present = presentIn(name, rows)
  const written = present.map((column) => columns[column]!.write(`r.${column}`))
  // JSON is parsed once, for the insert and for the comparison
  const parsed = compared.map((column) =>
    columns[column]!.isJson
      ? `${columns[column]!.write(`r.${column}`)} as ${column}`
      : `r.${column}`,
  )
  const list = (...items: string[]) => sql.raw(items.join(', '))
  const known = knownFrom(name, present)
  const hasSender = authorColumns(name).length > 0
  const [senderColumn, sender] = hasSender
    ? [sql`, sent_by_user_id`, sql`, ${senderId}::uuid`]
    : [sql``, sql``]
  const [deletedColumn, deleted] = isDeleted ? [sql`, is_deleted`, sql`, true`] : [sql``, sql``]
  const { rows: different } = await sql<{ id: string }>`${asPrepared(rows.length)}
    with r as materialized (
        select ${list('r.id', 'r.is_whole', ...parsed)}
        from ${recordset(sentRows(name, rows), sentTypes(name))}),
      t as (
        insert into ${sql.table(name)} (${list('id', ...present, ...Object.keys(known))}${senderColumn}${deletedColumn})
        select ${list('r.id', ...written, ...Object.values(known))}${sender}${deleted} from r order by r.id
        returning ${list('id', ...compared)})
    select t.id from t join r on r.id = t.id where not (r.is_whole and ${isEqual(name)})`.execute(
    db,
  )
  return new Set(different.map(({ id }) => id))
}

/**
 * SQL for the columns that the insert takes from other tables as the triggers `recorded_clinic` and
 * `form_version` do for a row without them. Those ask once for each row, which takes three times as long.
 */
function knownFrom(name: PushedName, present: readonly string[]): Record<string, string> {
  const { columns } = tableNamed(name)
  const sent = (column: string) => columns[column]!.write(`r.${column}`)
  const known: Record<string, string> = {}
  if (isRecorded(tableNamed(name)) && present.includes('visit_id'))
    known['recorded_clinic_id'] = `(select clinic_id from visits where id = ${sent('visit_id')})`
  if (name === 'events' && present.includes('form_id'))
    known['form_version'] = `(select version from event_forms where id = ${sent('form_id')})`
  return known
}

/** Updates exactly the given columns of each row, in one statement. */
export async function updateRows(
  db: Kysely<DB>,
  name: PushedName,
  rows: readonly Write[],
  senderId: string,
) {
  const { columns } = tableNamed(name)
  const present = presentIn(name, rows)
  const sets = present.map((column) => {
    const sent = columns[column]!.write(`r.${column}`)
    return `${column} = case when r.written ? '${column}' then ${sent} else t.${column} end`
  })
  const sent = rows.map(({ id, values }) => ({ ...values, id, written: Object.keys(values) }))
  const types = ['id uuid', 'written jsonb', ...columnTypesSql(name, present)]
  const authors = authorColumns(name).filter((column) => present.includes(column))
  // who sent the row stays, unless this push says who recorded it
  const sender =
    authors.length > 0
      ? sql`, sent_by_user_id = case when r.written ?| ${authors}::text[] then ${senderId}::uuid
          else t.sent_by_user_id end`
      : sql``
  await sql`update ${sql.table(name)} t set ${sql.raw(sets.join(', '))}${sender}
    from ${recordset(sent, types)} where t.id = r.id`.execute(db)
}

/** Ends an attempt to write a push without savepoints: the database refused one of its rows. */
export class TrialFailed extends Error {}

/**
 * Writes the rows that the database accepts; returns the others with the reason. In a trial throws
 * `TrialFailed` instead.
 */
export async function writeAll<R>(
  { ctx: { db }, isTrial }: Pick<PushState, 'ctx' | 'isTrial'>,
  rows: readonly R[],
  write: (rows: readonly R[]) => Promise<unknown>,
): Promise<Failure<R>[]> {
  if (isTrial) {
    if (rows.length > 0) await write(rows).catch(endTrial)
    return []
  }
  const failures = await bisect(db, rows, write, refusalReason)
  return failures.map(({ item, failure }) => ({ row: item, ...failure }))
}

/** Without the error of the database, which may quote values of the row. */
function endTrial(error: unknown): never {
  const { reason, detail } = refusalReason(error)
  throw new TrialFailed([reason, detail].join(' '))
}

/**
 * Why the database refused a row. Rethrows what is not about the row: a deadlock, a lost
 * connection, a bug.
 */
function refusalReason(error: unknown): { reason: RefusalReason; detail?: string } {
  if (error instanceof AppError) return { reason: 'sync.reason_rule', detail: error.text.key }
  if (!(error instanceof pg.DatabaseError)) throw error
  const { code = '', constraint, detail } = error
  // https://www.postgresql.org/docs/15/errcodes-appendix.html
  if (code === '23503')
    return {
      reason: 'sync.reason_unknownReference',
      detail: /=\(([\da-f-]{36})/.exec(detail ?? '')?.[1],
    }
  if (constraint === 'clinics_archived') return { reason: 'sync.reason_archived' }
  if (code.startsWith('23')) return { reason: 'sync.reason_rule', detail: constraint }
  if (code.startsWith('22') || code.startsWith('54'))
    return { reason: 'sync.reason_wrongType', detail: constraint }
  if (code.startsWith('P0')) return { reason: 'sync.reason_rule', detail: constraint }
  log.debug({ err: error }, 'a push fails or is retried')
  throw error
}

// --- Rows as an SQL table ------------------------------------------------------------------------

type SentRow = Pick<Incoming, 'id' | 'values' | 'isAltered'>

/**
 * Rows to compare with the stored ones, for `recordset`. Of a row sent in part the device's other
 * values are unknown; a row that the device hides differs from a live one.
 */
export const sentRows = (name: PushedName, rows: readonly SentRow[]) => {
  const compared = comparable(tableNamed(name))
  return rows.map(({ id, values, isAltered }) => ({
    ...values,
    id,
    is_whole:
      !isAltered &&
      values['is_deleted'] !== true &&
      compared.every((column) => values[column] !== undefined),
  }))
}

export const sentTypes = (name: PushedName) => [
  'id uuid',
  'is_whole boolean',
  ...columnTypesSql(name, comparable(tableNamed(name))),
]

/** SQL for "the stored row `t` equals the sent row `r`". */
export const isEqual = (name: PushedName) =>
  sql.raw(
    comparable(tableNamed(name))
      .map((column) => {
        const { isJson, read, write } = tableNamed(name).columns[column]!
        const [stored, sent] = isJson
          ? [`t.${column}`, write(`r.${column}`)]
          : [read(`t.${column}`), `r.${column}`]
        return `${stored} is not distinct from ${sent}`
      })
      .join(' and '),
  )

/**
 * The rows as the SQL table `r`, of columns like `id uuid`: one parameter for each column. Arrays in
 * PostgreSQL's binary form are read five times as fast as JSON.
 */
export const recordset = (rows: readonly object[], columns: readonly string[]) => {
  const parts = columns.map((column) => {
    const [quoted = '', type = ''] = column.split(' ')
    return { quoted, type, name: quoted.replaceAll('"', '') }
  })
  const arrays = parts.map(({ name }) => {
    const values = rows.map((row) => (row as Record<string, ColumnValue>)[name])
    return sql`${textArray(values)}::text[]`
  })
  const casts = parts.map(({ quoted, type }) => `u.${quoted}::${type} as ${quoted}`)
  const names = parts.map(({ quoted }) => quoted)
  return sql`(select ${sql.raw(casts.join(', '))}
    from unnest(${sql.join(arrays)}) u (${sql.raw(names.join(', '))})) r`
}

/** The columns that at least one of the rows has. */
const presentIn = (name: PushedName, rows: readonly Pick<Write, 'values'>[]) =>
  writable(tableNamed(name)).filter((column) => rows.some(({ values }) => column in values))

const columnTypesSql = (name: PushedName, columns: readonly string[]) =>
  columns.map((column) => `${column} ${tableNamed(name).columns[column]!.sent}`)
