import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { DB } from '~/db/types'
import { bisect } from '~/server/bisect'
import { log } from '~/server/log'
import { AppError } from '~/shared/errors'
import type { Incoming, Reason } from './incoming'
import type { Wire } from '../schema/kinds'
import type { Existing } from './merge'
import type { Base } from './cursor.server'
import { comparable, type PushedName, tableNamed, wireColumns, writable } from '../schema/tables'

/** A row to be made, or columns of one to be changed. */
export type Write = { id: string; values: Record<string, Wire> }

export type Failure<R> = { row: R; reason: Reason; detail?: string }

/** Which of the rows are here, whatever has become of them. */
export async function idsHere(
  db: Kysely<DB>,
  name: PushedName,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{
    id: string
  }>`select id from ${sql.table(name)} where id = any(${ids}::uuid[])`.execute(db)
  return rows.map(({ id }) => id)
}

/** Rows as the server has them, locked in the order of their ids. */
export async function readExisting(
  db: Kysely<DB>,
  name: PushedName,
  ids: readonly string[],
  base: Base,
): Promise<Map<string, Existing>> {
  if (ids.length === 0) return new Map()
  const isUnseen = (xid: string) =>
    base.snapshot === null
      ? sql`${sql.raw(xid)} <> all(${base.own}::xid8[])`
      : sql`not pg_visible_in_snapshot(${sql.raw(xid)}, ${base.snapshot}::pg_snapshot) and ${sql.raw(xid)} <> all(${base.own}::xid8[])`
  const { rows } = await sql<{
    id: string
    is_deleted: boolean
    row: Existing['values']
    unseen: string[]
    news: boolean
  }>`
    select t.id, t.is_deleted, (select row_to_json(w) from (select ${sql.raw(wireColumns(tableNamed(name)))}) w) as row,
      array(select key from jsonb_each_text(s.columns) c (key, xid) where ${isUnseen('c.xid::xid8')}) as unseen,
      coalesce(${base.snapshot === null ? sql`false` : isUnseen('s.born')}, false) as news
    from ${sql.table(name)} t left join sync_rows s on s.table_name = ${name} and s.row_id = t.id
    where t.id = any(${ids}::uuid[]) order by t.id for update of t`.execute(db)
  return new Map(
    rows.map(({ id, is_deleted, row, unseen, news }) => [
      id,
      { isDeleted: is_deleted, values: row, unseen: new Set(unseen), isConcurrent: news },
    ]),
  )
}

/**
 * Makes all of the rows in one statement. What is null or absent becomes the column's empty value. Returns the ids of
 * those that the database then holds otherwise than they came: it worked something out, or something was not sent.
 */
export async function insertRows(
  db: Kysely<DB>,
  name: PushedName,
  rows: readonly Sent[],
): Promise<Set<string>> {
  const { columns } = tableNamed(name)
  const compared = comparable(tableNamed(name))
  const present = presentIn(name, rows)
  const written = present.map((column) => columns[column]!.write(`r.${column}`))
  // JSON is read once, for the row and for the comparison
  const read = compared.map((column) =>
    columns[column]!.isJson
      ? `${columns[column]!.write(`r.${column}`)} as ${column}`
      : `r.${column}`,
  )
  const all = sql.raw(['id', ...compared].join(', '))
  const { rows: different } = await sql<{ id: string }>`
    with r as materialized (select ${sql.raw(['r.id', 'r.is_whole', ...read].join(', '))} from ${recordset(sentRows(name, rows), sentTypes(name))}),
      t as (insert into ${sql.table(name)} (${sql.raw(['id', ...present].join(', '))})
        select ${sql.raw(['r.id', ...written].join(', '))} from r order by r.id returning ${all})
    select t.id from t join r on r.id = t.id where not (r.is_whole and ${isEqual(name)})`.execute(
    db,
  )
  return new Set(different.map(({ id }) => id))
}

/** SQL for "the row `t` here holds what the row `r` of a phone does". */
export const isEqual = (name: PushedName) =>
  sql.raw(
    comparable(tableNamed(name))
      .map((column) => {
        const { isJson, read, write } = tableNamed(name).columns[column]!
        const [ours, theirs] = isJson
          ? [`t.${column}`, write(`r.${column}`)]
          : [read(`t.${column}`), `r.${column}`]
        return `${ours} is not distinct from ${theirs}`
      })
      .join(' and '),
  )

type Sent = Pick<Incoming, 'id' | 'values' | 'isAltered'>

/** Rows to be compared with what is here, for `recordset`. Of what was not sent whole nobody knows what the phone has. */
export const sentRows = (name: PushedName, rows: readonly Sent[]) =>
  rows.map(({ id, values, isAltered }) => ({
    ...values,
    id,
    is_whole:
      !isAltered && comparable(tableNamed(name)).every((column) => values[column] !== undefined),
  }))
export const sentTypes = (name: PushedName) => [
  'id uuid',
  'is_whole boolean',
  ...typesOf(name, comparable(tableNamed(name))),
]

/** Changes of each row exactly the columns given, in one statement. */
export async function updateRows(db: Kysely<DB>, name: PushedName, rows: readonly Write[]) {
  const { columns } = tableNamed(name)
  const present = presentIn(name, rows)
  const sets = present.map(
    (column) =>
      `${column} = case when r.written ? '${column}' then ${columns[column]!.write(`r.${column}`)} else t.${column} end`,
  )
  const sent = rows.map(({ id, values }) => ({ ...values, id, written: Object.keys(values) }))
  await sql`update ${sql.table(name)} t set ${sql.raw(sets.join(', '))}
    from ${recordset(sent, ['id uuid', 'written jsonb', ...typesOf(name, present)])} where t.id = r.id`.execute(
    db,
  )
}

const presentIn = (name: PushedName, rows: readonly Pick<Write, 'values'>[]) =>
  writable(tableNamed(name)).filter((column) => rows.some(({ values }) => column in values))

/** The column definitions that `recordset` needs. */
const typesOf = (name: PushedName, columns: readonly string[]) =>
  columns.map((column) => `${column} ${tableNamed(name).columns[column]!.sent}`)

/** The rows as the SQL table `r`: one parameter, whatever their number. */
export const recordset = (rows: readonly object[], columns: readonly string[]) =>
  sql`json_to_recordset(${JSON.stringify(rows)}::json) as r (${sql.raw(columns.join(', '))})`

/** Writes the rows that the database accepts; the others come back with the reason. */
export async function writeAll<R>(
  db: Kysely<DB>,
  rows: readonly R[],
  write: (rows: readonly R[]) => Promise<unknown>,
): Promise<Failure<R>[]> {
  const failures = await bisect(db, rows, write, reasonOf)
  return failures.map(({ item, failure }) => ({ row: item, ...failure }))
}

/** Why the database refused. Rethrows what is not about the row: a deadlock, a lost connection, a bug. */
function reasonOf(error: unknown): { reason: Reason; detail?: string } {
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
  log.debug({ err: error }, 'a push is tried again or fails')
  throw error
}
