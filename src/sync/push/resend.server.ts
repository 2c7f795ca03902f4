import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '~/shared/actor'
import { type Incoming } from './incoming'
import type { PushState } from './push-state'
import { inScope, linked, scopeOf } from '../schema/scope'
import { type PushedName, pushedTables, tableNamed } from '../schema/tables'
import { isEqual, recordset, sentRows, sentTypes, writeAll } from './write.server'

type Named = { table: PushedName; id: string }

/**
 * Compares the rows that the device now holds with the stored ones. The next pull leaves equal rows out and sends the
 * others: values that lost a conflict, refused rows, values that the database computed. Rows that the author may write but
 * not see are deleted from the device. A refused new row stays on the device until it is settled.
 */
export async function queueResend(
  state: PushState,
  rows: readonly Incoming[],
  deleted: readonly Named[],
) {
  const { db } = state.ctx
  const { chainId, pullId } = state.base
  if (!chainId) return
  await sql`with forgotten as (delete from sync_echoes where chain_id = ${chainId})
    delete from sync_again a using sync_pulls p
    where a.chain_id = ${chainId} and p.id = ${pullId} and pg_visible_in_snapshot(a.xid, p.snapshot)`.execute(
    db,
  )
  // JSON that the database cannot read was refused, and stops the comparison as it stopped the writing
  const unreadable = await writeAll(db, rows, (some) => compare(state, some))
  await again(state, [...state.replaced, ...unreadable.map(({ row }) => row)])
  for (const [table, gone] of byTable(deleted)) {
    const ids = gone.map(({ id }) => id)
    const { rows: living } =
      await sql<Named>`select ${table}::text as table, id from ${sql.table(table)}
      where id = any(${ids}::uuid[]) and not is_deleted`.execute(db)
    await again(state, living)
  }
}

async function again({ ctx: { db }, base: { chainId } }: PushState, named: readonly Named[]) {
  if (named.length === 0) return
  const rows = named.map(({ table, id }) => ({ table, id }))
  await sql`insert into sync_again (chain_id, table_name, row_id)
    select distinct ${chainId}::uuid, r.table, r.id from ${recordset(rows, ['"table" text', 'id uuid'])}
    on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid`.execute(db)
}

/** In one statement for all tables: the rows that are there, by whether they are exactly as the phone has them. */
async function compare(state: PushState, rows: readonly Incoming[]) {
  const { ctx, base, exact } = state
  const { db, actor } = ctx
  const isSeen = await seenBy(state, rows)
  const parts = byTable(rows).flatMap(([table, ofTable]) => {
    const isMade = (row: Incoming) => exact.has(row) && isSeen(row)
    const [made, others] = [ofTable.filter(isMade), ofTable.filter((row) => !isMade(row))]
    return [
      ...(made.length > 0 ? [madeSql(table, made)] : []),
      ...(others.length > 0 ? [comparedSql(table, others, actor)] : []),
    ]
  })
  await sql`with each as (${sql.join(parts, sql` union all `)}),
      compared as (select name, id, xid, bool_and(is_same) as is_same from each group by name, id, xid),
      resent as (insert into sync_again (chain_id, table_name, row_id)
        select ${base.chainId}::uuid, name, id from compared where not is_same
        on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid)
    insert into sync_echoes as e (chain_id, table_name, xid, row_ids)
    select ${base.chainId}::uuid, name, xid, array_agg(id) from compared where is_same group by name, xid
    on conflict (chain_id, table_name, xid) do update set row_ids = e.row_ids || excluded.row_ids`.execute(
    db,
  )
}

/** Which rows that were inserted verbatim their author may see; one lookup for each patient, not for each row. */
async function seenBy(
  { ctx: { db, actor }, exact }: PushState,
  rows: readonly Incoming[],
): Promise<(row: Incoming) => boolean> {
  const scope = scopeOf(actor)
  if (scope.everything) return () => true
  const patients = [...new Set(rows.filter((row) => exact.has(row)).map(patientOf))]
  const linkedFor = async (kind: 'known' | 'history') => {
    const { rows: seen } = await sql<{
      patient_id: string
    }>`select patient_id from unnest(${patients}::uuid[]) t (patient_id)
      where ${sql.raw(linked({ scope: kind }, scope, 'l.until is null'))}`.execute(db)
    return new Set(seen.map(({ patient_id }) => patient_id))
  }
  const [known, history] = [await linkedFor('known'), await linkedFor('history')]
  return (row) => {
    const { scope: kind } = tableNamed(row.table)
    if (kind === 'person' || kind === 'known') return known.has(patientOf(row))
    if (kind === 'history') return history.has(patientOf(row))
    return kind === 'appointment' && scope.known.includes(String(row.values['clinic_id']))
  }
}

const patientOf = ({ table, id, values }: Incoming) =>
  table === 'patients' ? id : String(values['patient_id'])

/** Rows inserted verbatim in this transaction; detected by `sync_rows.xid`, without a lookup for each row. */
const madeSql = (name: PushedName, rows: readonly Incoming[]): RawBuilder<unknown> =>
  sql`select ${sql.lit(name)} as name, s.row_id as id, s.xid, s.born is not distinct from s.xid and s.columns = '{}' as is_same
    from sync_rows s where s.xid = pg_current_xact_id() and s.table_name = ${sql.lit(name)} and s.row_id = any(${rows.map(({ id }) => id)}::uuid[])`

const comparedSql = (
  name: PushedName,
  rows: readonly Incoming[],
  actor: Actor,
): RawBuilder<unknown> =>
  sql`select ${sql.lit(name)} as name, t.id, s.xid,
      s.xid is not null and not t.is_deleted and r.is_whole and ${isEqual(name)} and ${sql.raw(isSeen(name, actor))} as is_same
    from ${recordset(sentRows(name, rows), sentTypes(name))}
      join ${sql.table(name)} t on t.id = r.id left join sync_rows s on s.table_name = ${sql.lit(name)} and s.row_id = t.id`

const isSeen = (name: PushedName, actor: Actor) =>
  inScope(tableNamed(name), scopeOf(actor), actor.userId)

const byTable = <R extends { table: PushedName }>(rows: readonly R[]): [PushedName, R[]][] =>
  pushedTables
    .map(([name]): [PushedName, R[]] => [name, rows.filter(({ table }) => table === name)])
    .filter(([, ofTable]) => ofTable.length > 0)
