import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { entryColumns, columnEntryRule, formColumns, neverShown } from '../schema/column-rules'
import { type EntryChange, withOwnEntries } from '../schema/entries'
import { isRecorded } from '../schema/scope'
import { type PushedName, tableNamed, wireColumns } from '../schema/tables'
import type { Base } from './cursor.server'
import type { Existing } from './merge'

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
        perhapsEmptied: new Set(
          name === 'patients' && base.withheldSnapshot !== null ? formColumns : [],
        ),
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
      seen === null ? seen : withOwnEntries(columnEntryRule(name, column)!, seen, own ?? []),
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
  const stated = (known: Exclude<typeof form, string>) =>
    'snapshot' in known
      ? sql`${known.snapshot}::pg_snapshot`
      : sql`(select snapshot from sync_pulls where chain_id = ${known.chainId} order by ordinal limit 1)`
  const since = form === 'unknown' ? sql`null` : stated(form)
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

/**
 * SQL for "others changed the column `c`, and its value is again the one that the device's user had": what the device
 * wrote last since the base snapshot, else what that snapshot contains.
 */
function isChangedBackSql(name: PushedName, base: Base) {
  if (base.snapshot === null) return sql`false`
  const ofColumn = sql`from audit_log a
    where a.table_name = ${name} and a.record_id = t.id and a.changes ? c.key
      and a.epoch = (select max(epoch) from audit_epochs)`
  return sql`coalesce(not coalesce(${isUnseen('s.born', base)}, false) and coalesce(
      (select a.changes -> c.key -> 1 ${ofColumn} and ${isOwnSince('a.xid', base)} order by a.id desc limit 1),
      (select a.changes -> c.key -> 0 ${ofColumn} and ${isUnseen('a.xid', base)} order by a.id limit 1)
    ) = to_jsonb(t) -> c.key, false)`
}

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
