import { type Kysely, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { kept } from '~/db/kept'
import { type Cell, textArray } from '~/db/text-array'
import type { DB } from '~/db/types'
import { bisect } from '~/server/bisect'
import { log } from '~/server/log'
import { AppError } from '~/shared/errors'
import { entryColumns, entryRuleOf, formColumns, neverShown } from '../schema/column-rules'
import { type EntryChange, withOwnEntries } from '../schema/entries'
import type { Wire } from '../schema/kinds'
import { isRecorded } from '../schema/scope'
import {
  comparable,
  type PushedName,
  pushedTables,
  tableNamed,
  wireColumns,
  writable,
} from '../schema/tables'
import { authorColumns } from './authors'
import type { Base } from './cursor.server'
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
  }>`${kept(rows.length)} ${sql.join(parts, sql` union all `)}`.execute(db)
  return new Set(found.rows.map(({ id }) => id))
}

/**
 * The stored rows with what changed in them since the base snapshot, locked in the order of their
 * ids.
 */
export async function readExisting(
  db: Kysely<DB>,
  name: PushedName,
  ids: readonly string[],
  base: Base,
): Promise<Map<string, Existing>> {
  if (ids.length === 0) return new Map()
  const later = laterBase(base)
  const { rows } = await sql<{
    id: string
    is_deleted: boolean
    recorded_clinic_id: string | null
    row: Existing['values']
    unseen: string[]
    unseen_later: string[]
    newer: string[]
    is_concurrent: boolean
    is_concurrent_later: boolean
    is_resent: boolean
    hidden: string[]
    bases: Bases
    bases_later: Bases
  }>`
    select t.id, t.is_deleted,
      ${sql.raw(isRecorded(tableNamed(name)) ? 't.recorded_clinic_id' : 'null::uuid')} as recorded_clinic_id,
      (select row_to_json(w) from (select ${sql.raw(wireColumns(tableNamed(name)))}) w) as row,
      array(select key from jsonb_each_text(s.columns) c (key, xid)
        where (${isUnseen('c.xid::xid8', base)} and not ${isFromFormerSql(name, base)}
            and not ${isChangedBackSql(name, base)})
          or ${isUnsentSql(base)}) as unseen,
      ${unseenLaterSql(name, base)} as unseen_later,
      ${newerSql(base)} as newer,
      ${isConcurrentSql(base)} as is_concurrent,
      ${later ? isConcurrentSql(later) : sql`false`} as is_concurrent_later,
      ${isResentSql(name, base)} as is_resent,
      ${hiddenSql(name, base.form)} as hidden,
      ${basesSql(name, base)} as bases,
      ${later ? basesSql(name, later) : sql`null::json`} as bases_later
    from ${sql.table(name)} t
      left join sync_rows s on s.table_name = ${name} and s.row_id = t.id
    where t.id = any(${ids}::uuid[]) order by t.id for update of t`.execute(db)
  return new Map(
    rows.map((found) => {
      // what a repeated push did not contain was typed after the pull that it had followed
      const isLater = later !== null && Object.keys(base.delivered.row(name, found.id)).length === 0
      const existing: Existing = {
        isDeleted: found.is_deleted,
        recordedClinicId: found.recorded_clinic_id,
        values: found.row,
        unseen: new Set(found.unseen),
        unseenLater: base.repeatedSnapshot === null ? null : new Set(found.unseen_later),
        newer: new Set(found.newer),
        isConcurrent: isLater ? found.is_concurrent_later : found.is_concurrent,
        isResent: found.is_resent,
        emptiedByApp: new Set(base.form === 'none' ? [] : [...neverShown(name), ...found.hidden]),
        bases: seenIn(name, isLater ? found.bases_later : found.bases),
      }
      return [found.id, existing] as const
    }),
  )
}

/** The base of what was typed after the pull that a repeated push had followed; null if it is that of the push. */
const laterBase = (base: Base): Base | null =>
  base.repeatedSnapshot === null
    ? null
    : { ...base, snapshot: base.repeatedSnapshot, olderSnapshot: base.snapshot }

/** By column: what the device's user had seen, and what the device has written since. */
type Bases = Record<string, { seen: string | null; own: EntryChange[] | null }> | null

const seenIn = (name: PushedName, bases: Bases): Existing['bases'] =>
  Object.fromEntries(
    Object.entries(bases ?? {}).map(([column, { seen, own }]) => [
      column,
      seen === null ? seen : withOwnEntries(entryRuleOf(name, column)!, seen, own ?? []),
    ]),
  )

/** As `unseen`, since the pull that the repeated push had followed. */
const unseenLaterSql = (name: PushedName, base: Base) =>
  base.repeatedSnapshot === null
    ? sql`'{}'::text[]`
    : sql`array(select key from jsonb_each_text(s.columns) c (key, xid)
        where (${isUnseen('c.xid::xid8', { ...base, snapshot: base.repeatedSnapshot })}
            and not ${isFromFormerSql(name, base)})
          or ${isUnsentSql(base)})`

/** SQL for the columns of the row of `sync_rows` `s` that later pushes of the device wrote. */
const newerSql = ({ newer }: Base) =>
  newer.length === 0
    ? sql`'{}'::text[]`
    : sql`array(select key from jsonb_each_text(s.columns) c (key, xid)
        where c.xid::xid8 = any(${newer}::xid8[]))`

/** SQL for the columns of patients that the form on the device may hide, or the one in force; unknown: any form. */
function hiddenSql(name: PushedName, form: Base['form']) {
  if (name !== 'patients' || form === 'none') return sql`'{}'::text[]`
  const since =
    form === 'unknown'
      ? sql`null`
      : 'snapshot' in form
        ? sql`${form.snapshot}::pg_snapshot`
        : sql`(select snapshot from sync_pulls where chain_id = ${form.chainId} order by ordinal limit 1)`
  return sql`(select hidden_columns(${formColumns}::text[], ${since}))`
}

/** SQL for "the stored row `t` waits on the resend list, and the base snapshot does not contain that". */
const isResentSql = (name: PushedName, { chainId, snapshot }: Base) =>
  chainId === null || snapshot === null
    ? sql`false`
    : sql`exists (select from sync_again a
        where a.chain_id = ${chainId} and a.table_name = ${name} and a.row_id = t.id
          and not pg_visible_in_snapshot(a.xid, ${snapshot}::pg_snapshot))`

/**
 * SQL for the values that the device's user has seen of the JSON columns that others changed since, as text by column:
 * the audit trail has them. The values of its last push rest on the pull before the base, if the device was not sent
 * what became of them: where no one else has changed them since, the stored value is the device's own.
 */
function basesSql(name: PushedName, base: Base) {
  if (base.snapshot === null) return sql`null`
  const older = base.olderSnapshot
  const isResent = isResentSql(name, base)
  const since = (isIn: (xid: string, base: Base) => Sql) =>
    older
      ? sql`(${isIn('a.xid', base)} or (${isResent} and ${isIn('a.xid', { ...base, snapshot: older })}))`
      : isIn('a.xid', base)
  const ofColumn = sql`audit_log a
      where a.table_name = ${name} and a.record_id = t.id and a.changes ? c.key
        and a.epoch = (select max(epoch) from audit_epochs)`
  const own = older
    ? sql`case when not (${isUnseen('c.xid::xid8', base)}) then (to_jsonb(t) -> c.key)::text end`
    : sql`null`
  return sql`(select json_object_agg(c.key, json_build_object(
      'seen', coalesce((select (a.changes -> c.key -> 0)::text from ${ofColumn} and ${since(isUnseen)}
        order by a.id limit 1), ${own}),
      'own', (select json_agg(json_build_array((a.changes -> c.key -> 0)::text, (a.changes -> c.key -> 1)::text)
          order by a.id)
        from ${ofColumn} and ${since(isOwnSince)})))
    from jsonb_each_text(s.columns) c (key, xid)
    where c.key = any(${entryColumns(name)}::text[])
      and (${isUnseen('c.xid::xid8', base)} or ${isResent}))`
}

/** SQL for "the row of `sync_rows` `s` was inserted since the device was last sent such rows". */
function isConcurrentSql(base: Base) {
  const snapshot = base.snapshot ?? base.withheldSnapshot
  return snapshot === null
    ? sql`false`
    : sql`coalesce(${isUnseen('s.born', { ...base, snapshot })} and not ${hasWrittenSql(base)}, false)`
}

/** SQL for "the device has written into the row of `sync_rows` `s`, so it had been sent it as it was inserted". */
const hasWrittenSql = ({ snapshot, own }: Base) =>
  snapshot === null
    ? sql`false`
    : sql`exists (select from jsonb_each_text(s.columns) o (key, xid) where o.xid::xid8 = any(${own}::xid8[]))`

/** SQL for "others changed the column `c`, and its value is again the one that the base snapshot contains". */
const isChangedBackSql = (name: PushedName, base: Base) =>
  base.snapshot === null
    ? sql`false`
    : sql`coalesce(not coalesce(${isUnseen('s.born', base)}, false) and (
        select a.changes -> c.key -> 0 from audit_log a
        where a.table_name = ${name} and a.record_id = t.id and a.changes ? c.key
          and a.epoch = (select max(epoch) from audit_epochs)
          and not pg_visible_in_snapshot(a.xid, ${base.snapshot}::pg_snapshot)
        order by a.id limit 1) = to_jsonb(t) -> c.key, false)`

/**
 * SQL for "the column `c` has not changed since a restore, after which the row was deleted for a
 * time": the device was not sent that value.
 */
const isUnsentSql = (base: Base) =>
  base.restoreSnapshot === null
    ? sql`false`
    : sql`(pg_visible_in_snapshot(c.xid::xid8, ${base.restoreSnapshot}::pg_snapshot)
        and coalesce(${isUnseen("(s.columns ->> 'is_deleted')::xid8", base)}, false))`

/**
 * SQL for "the column `c` was changed by an import of what the device has from the former server".
 */
const isFromFormerSql = (name: PushedName, { formerAt }: Base) =>
  formerAt === null
    ? sql`false`
    : sql`(c.xid::xid8 in (select xid from import_transactions) and exists (
        select from import_rows i
        where i.source = 'hikma' and i.table_name = ${name} and i.row_id = t.id
          and i.source_at <= to_timestamp(${formerAt} / 1000.0)))`

type Sql = RawBuilder<unknown>

/** SQL for "someone else's transaction, which the base snapshot does not contain". */
const isUnseen = (xid: string, { snapshot, own }: Base): Sql => {
  const isOthers = sql`${sql.raw(xid)} <> all(${own}::xid8[])`
  return snapshot === null
    ? isOthers
    : sql`not pg_visible_in_snapshot(${sql.raw(xid)}, ${snapshot}::pg_snapshot) and ${isOthers}`
}

/** SQL for "a transaction of the device's own pushes, which the base snapshot does not contain". */
const isOwnSince = (xid: string, { snapshot, own }: Base) =>
  sql`(${sql.raw(xid)} = any(${own}::xid8[])
    and not pg_visible_in_snapshot(${sql.raw(xid)}, ${snapshot}::pg_snapshot))`

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
  const { rows: different } = await sql<{ id: string }>`${kept(rows.length)}
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
  const types = ['id uuid', 'written jsonb', ...typesOf(name, present)]
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
  const failures = await bisect(db, rows, write, reasonOf)
  return failures.map(({ item, failure }) => ({ row: item, ...failure }))
}

/** Without the error of the database, which may quote values of the row. */
function endTrial(error: unknown): never {
  const { reason, detail } = reasonOf(error)
  throw new TrialFailed([reason, detail].join(' '))
}

/**
 * Why the database refused a row. Rethrows what is not about the row: a deadlock, a lost
 * connection, a bug.
 */
function reasonOf(error: unknown): { reason: RefusalReason; detail?: string } {
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
  ...typesOf(name, comparable(tableNamed(name))),
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
    const values = rows.map((row) => (row as Record<string, Cell>)[name])
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

const typesOf = (name: PushedName, columns: readonly string[]) =>
  columns.map((column) => `${column} ${tableNamed(name).columns[column]!.sent}`)
