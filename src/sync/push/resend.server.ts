import { type Kysely, type RawBuilder, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import { personScopeSql, linked, rowsOpen, personScope } from '../schema/scope'
import { type PushedName, type TableName, tableNamed } from '../schema/tables'
import { byTable, type ChangeSet, type Incoming, incomingPatientId, type RowId } from './incoming'
import type { PushState } from './push-state'
import { isEqual, recordset, sentRows, sentTypes, writeAll } from './write.server'

type Entry = { table: string; id: string; xid: string; is_done: boolean }

/**
 * What the pull before this push has delivered is no longer to be sent. The entry of a row that the
 * device should not hold stays until the next pull has sent its id.
 */
export async function beginResend(state: PushState) {
  const { db } = state.ctx
  const { chainId, pullId } = state.base
  if (!chainId) return
  // that pull has sent the ids of the rows whose entries the pull of an earlier push has seen
  const { rows } = await sql<Entry>`${asPrepared()}
    with forgotten as (delete from sync_echoes where chain_id = ${chainId})
    delete from sync_again a using sync_pulls p
    where a.chain_id = ${chainId} and p.id = ${pullId}
      and pg_visible_in_snapshot(a.xid, p.snapshot)
    returning a.table_name as table, a.row_id as id, a.xid::text as xid,
      coalesce(pg_visible_in_snapshot((
          select q.xid from sync_pushes q where q.chain_id = a.chain_id order by q.id desc limit 1),
          p.snapshot)
        and pg_visible_in_snapshot(a.xid, (
          select b.snapshot from sync_chains c
            join sync_pulls b on b.id = c.base_pull and b.chain_id = c.id
          where c.id = a.chain_id)), false) as is_done`.execute(db)
  await keepAbsent(
    state,
    rows.filter(({ is_done }) => !is_done),
  )
}

/** Keeps the entries of rows that are not live or that the author may not see. */
async function keepAbsent({ ctx: { db, actor }, base }: PushState, entries: readonly Entry[]) {
  if (entries.length === 0) return
  const scope = personScope(actor)
  const isLive = [...new Set(entries.map(({ table }) => table))].map((table) => {
    const isVisible = sql.raw(personScopeSql(tableNamed(table as TableName), scope, actor.userId))
    return sql`(r."table" = ${sql.lit(table)} and exists (
      select from ${sql.table(table)} t where t.id = r.id and not t.is_deleted and ${isVisible}))`
  })
  const rows = entries.map(({ table, id, xid }) => ({ table, id, xid }))
  await sql`insert into sync_again (chain_id, table_name, row_id, xid)
    select ${base.chainId}::uuid, r.table, r.id, r.xid::xid8
    from ${recordset(rows, ['"table" text', 'id uuid', 'xid text'])}
    where not (${sql.join(isLive, sql` or `)})`.execute(db)
}

/**
 * Compares the rows that the device now holds with the stored ones. The next pull leaves equal rows
 * out (`sync_echoes`) and sends the others (`sync_again`, the resend list): values that lost a
 * conflict, refused rows, values that the database computed. Rows that the author may write but not
 * see leave the device after another push. A refused new row stays on the device until a user resolves it.
 */
export async function queueResend(state: PushState, rows: readonly Incoming[]) {
  if (!state.base.chainId || rows.length === 0) return
  // rows with JSON that the database cannot parse were refused, and cannot be compared either
  const unreadable = await writeAll(state, rows, (some) => compare(state, some))
  await addToResendList(
    state,
    unreadable.map(({ row }) => row),
  )
}

/** Rows that were deleted or redirected, or that devices only read. */
export async function queueOthers(
  state: PushState,
  deleted: readonly RowId[],
  readOnly: ChangeSet['readOnly'],
) {
  if (!state.base.chainId) return
  await addToResendList(state, [
    ...state.replaced,
    ...(await compareDeleted(state, deleted)),
    ...readOnly,
  ])
}

/**
 * Returns the rows that the device has deleted, but the server has not. The next pull leaves the
 * others out: the device does not hold them.
 */
async function compareDeleted({ ctx: { db }, base }: PushState, deleted: readonly RowId[]) {
  if (deleted.length === 0) return []
  const parts = byTable(deleted).map(
    ([table, ofTable]) => sql`select ${sql.lit(table)} as name, t.id, t.is_deleted, s.xid
      from ${sql.table(table)} t
        left join sync_rows s on s.table_name = ${sql.lit(table)} and s.row_id = t.id
      where t.id = any(${ofTable.map(({ id }) => id)}::uuid[])`,
  )
  const { rows } = await sql<RowId>`
    with each as (${sql.join(parts, sql` union all `)}),
      echoes as (
        insert into sync_echoes as e (chain_id, table_name, xid, row_ids)
        select ${base.chainId}::uuid, name, xid, array_agg(id) from each
        where is_deleted and xid is not null group by name, xid
        on conflict (chain_id, table_name, xid)
          do update set row_ids = e.row_ids || excluded.row_ids)
    select name as table, id from each where not is_deleted`.execute(db)
  return rows
}

/**
 * Rows that were released from quarantine: the device that sent one may hold another version, none,
 * or one that its user may not see.
 */
export function queueReleased(
  { ctx: { db, actor }, refused }: PushState,
  released: readonly (Incoming & { chainId: string | null })[],
) {
  const stillRefused = new Set(refused.map(({ raw }) => raw))
  return queueForSenders(
    db,
    released
      .filter(({ raw }) => !stillRefused.has(raw))
      .map(({ chainId, table, id }) => ({ chainId, userId: actor.userId, table, id })),
  )
}

/**
 * For all devices of the user who sent a row: a version that two of them send is in quarantine once, and the
 * device of a forced upload may be unknown.
 */
export async function queueForSenders(
  db: Kysely<DB>,
  rows: readonly { chainId: string | null; userId: string; table: string; id: string }[],
) {
  if (rows.length === 0) return
  const types = ['"chainId" uuid', '"userId" uuid', '"table" text', 'id uuid']
  await sql`insert into sync_again (chain_id, table_name, row_id)
    select distinct c.id, r.table, r.id from ${recordset(rows, types)}
      join sync_chains c on c.id = r."chainId" or c.user_id = r."userId"
    on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid`.execute(db)
}

async function addToResendList(
  { ctx: { db }, base: { chainIds } }: PushState,
  named: readonly { table: string; id: string }[],
) {
  if (named.length === 0) return
  const rows = named.map(({ table, id }) => ({ table, id }))
  await sql`insert into sync_again (chain_id, table_name, row_id)
    select distinct chain, r.table, r.id
    from ${recordset(rows, ['"table" text', 'id uuid'])}
      cross join unnest(${chainIds}::uuid[]) chain
    on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid`.execute(db)
}

/** One statement for all tables. */
async function compare(state: PushState, rows: readonly Incoming[]) {
  const { ctx, base, verbatim } = state
  const { db, actor } = ctx
  const isVisible = await visibleTo(state, rows)
  const isKnownEqual = (row: Incoming) => verbatim.has(row) && isVisible(row)
  const equal = rows.filter(isKnownEqual)
  const others = rows.filter((row) => !isKnownEqual(row))
  const limits = visibilityCasesSql(equal, actor)
  const parts = [
    ...(equal.length > 0 ? [verbatimSql(equal, limits)] : []),
    ...byTable(others).map(([table, ofTable]) => comparedSql(table, ofTable, actor)),
  ]
  // the text is then the same for any tables
  const isPlain = others.length === 0 && limits.length === 0
  await sql`${isPlain ? asPrepared(rows.length) : sql``} with each as (${sql.join(parts, sql` union all `)}),
      compared as (
        select name, id, xid, bool_and(is_same) as is_same from each group by name, id, xid),
      resent as (
        insert into sync_again (chain_id, table_name, row_id)
        select chain, name, id from compared cross join unnest(${base.chainIds}::uuid[]) chain
        where not is_same
        on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid)
    insert into sync_echoes as e (chain_id, table_name, xid, row_ids)
    select ${base.chainId}::uuid, name, xid, array_agg(id) from compared
    where is_same group by name, xid
    on conflict (chain_id, table_name, xid)
      do update set row_ids = e.row_ids || excluded.row_ids`.execute(db)
}

/**
 * Whether the author may see a row that was inserted verbatim; one lookup for each patient, not for
 * each row.
 */
async function visibleTo(
  { ctx: { db, actor }, verbatim }: PushState,
  rows: readonly Incoming[],
): Promise<(row: Incoming) => boolean> {
  const scope = personScope(actor)
  if (scope.everything) return () => true
  const rowPatientId = (row: Incoming) => String(incomingPatientId(row))
  const patients = [...new Set(rows.filter((row) => verbatim.has(row)).map(rowPatientId))]
  const patientsWith = async (kind: 'known' | 'history') => {
    const isLinked = sql.raw(linked({ scope: kind }, scope, 'l.until is null'))
    const { rows: visible } = await sql<{ patient_id: string }>`
      select patient_id from unnest(${patients}::uuid[]) t (patient_id) where ${isLinked}`.execute(
      db,
    )
    return new Set(visible.map(({ patient_id }) => patient_id))
  }
  const known = await patientsWith('known')
  const history = await patientsWith('history')
  return (row) => {
    const { scope: kind } = tableNamed(row.table)
    if (kind === 'person' || kind === 'known') return known.has(rowPatientId(row))
    if (kind === 'history') return history.has(rowPatientId(row))
    return kind === 'appointment' && scope.known.includes(String(row.values['clinic_id']))
  }
}

/** SQL for each table of which the author may see some rows only, by the clinics that recorded them. */
const visibilityCasesSql = (rows: readonly Incoming[], actor: Actor): RawBuilder<unknown>[] =>
  byTable(rows).flatMap(([name]) => {
    const isOpen = rowsOpen(tableNamed(name), personScope(actor), 't')
    return isOpen === 'true'
      ? []
      : sql`when ${sql.lit(name)} then exists (
          select from ${sql.table(name)} t where t.id = s.row_id and ${sql.raw(isOpen)})`
  })

/**
 * Rows inserted verbatim are equal unless this transaction changed them again; `sync_rows` shows
 * that. The author may see the patient, and perhaps not what the clinic of the row records.
 */
const verbatimSql = (
  rows: readonly Incoming[],
  limits: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> => {
  const isVisible =
    limits.length === 0
      ? sql`true`
      : sql`case s.table_name ${sql.join(limits, sql` `)} else true end`
  return sql`select r.name, r.id, s.xid,
      s.born is not distinct from s.xid and s.columns = '{}' and ${isVisible} as is_same
    from unnest(${rows.map(({ table }) => table)}::text[], ${rows.map(({ id }) => id)}::uuid[])
        as r (name, id)
      join sync_rows s on s.table_name = r.name and s.row_id = r.id
    where s.xid = pg_current_xact_id()`
}

const comparedSql = (
  name: PushedName,
  rows: readonly Incoming[],
  actor: Actor,
): RawBuilder<unknown> => {
  const isVisible = sql.raw(personScopeSql(tableNamed(name), personScope(actor), actor.userId))
  return sql`select ${sql.lit(name)} as name, t.id, s.xid,
      s.xid is not null and not t.is_deleted and r.is_whole
        and ${isEqual(name)} and ${isVisible} as is_same
    from ${recordset(sentRows(name, rows), sentTypes(name))}
      join ${sql.table(name)} t on t.id = r.id
      left join sync_rows s on s.table_name = ${sql.lit(name)} and s.row_id = t.id`
}
