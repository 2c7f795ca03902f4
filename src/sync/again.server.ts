import { sql } from 'kysely'
import { type Incoming } from './incoming'
import { isSame, type Wire } from './kinds'
import type { Run } from './push.server'
import { comparable, type PushedName, pushedTables, tableNamed, wireColumns } from './tables'

type Named = { table: PushedName; id: string }
type Held = { id: string; is_deleted: boolean; xid: string | null; row: Record<string, Wire> }

/**
 * Compares what the phone holds now with what the database does. Where they are equal, the next pull leaves the row out;
 * where they are not, it carries it, whoever changed it and when: what lost a conflict, what was refused, what the
 * database worked out otherwise. A refused new row stays on its phone until somebody settles it.
 */
export async function tellAgain(run: Run, rows: readonly Incoming[], deleted: readonly Named[]) {
  const { db } = run.ctx
  const { chainId, pullId } = run.base
  if (!chainId) return
  await sql`delete from sync_echoes where chain_id = ${chainId}`.execute(db)
  await sql`delete from sync_again a using sync_pulls p
    where a.chain_id = ${chainId} and p.id = ${pullId} and pg_visible_in_snapshot(a.xid, p.snapshot)`.execute(db)
  const again: Named[] = [...run.replaced]
  const echoes: (Named & { xid: string })[] = []
  for (const [table] of pushedTables) {
    const sent = rows.filter((row) => row.table === table)
    const gone = deleted.filter((row) => row.table === table)
    if (sent.length + gone.length === 0) continue
    const held = await readHeld(
      run,
      table,
      [...sent, ...gone].map(({ id }) => id),
    )
    for (const row of sent) {
      const there = held.get(row.id)
      if (!there) continue
      if (there.xid && !there.is_deleted && holdsSame(row, there.row))
        echoes.push({ table, id: row.id, xid: there.xid })
      else again.push({ table, id: row.id })
    }
    for (const { id } of gone) if (held.get(id)?.is_deleted === false) again.push({ table, id })
  }
  await sql`insert into sync_again (chain_id, table_name, row_id)
    select distinct ${chainId}::uuid, r.table, r.id from jsonb_to_recordset(${JSON.stringify(again)}::jsonb) as r ("table" text, id uuid)
    on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid`.execute(db)
  await sql`insert into sync_echoes (chain_id, table_name, row_id, xid)
    select distinct on (r.table, r.id) ${chainId}::uuid, r.table, r.id, r.xid::xid8
    from jsonb_to_recordset(${JSON.stringify(echoes)}::jsonb) as r ("table" text, id uuid, xid text)`.execute(db)
}

async function readHeld({ ctx: { db } }: Run, table: PushedName, ids: string[]): Promise<Map<string, Held>> {
  const { rows } = await sql<Held>`select t.id, t.is_deleted, s.xid::text as xid,
      (select row_to_json(w) from (select ${sql.raw(wireColumns(tableNamed(table)))}) w) as row
    from ${sql.table(table)} t left join sync_rows s on s.table_name = ${table} and s.row_id = t.id
    where t.id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

const holdsSame = ({ table, values, isAltered }: Incoming, row: Held['row']) =>
  !isAltered &&
  comparable(tableNamed(table)).every(
    (column) =>
      values[column] !== undefined && isSame(tableNamed(table).columns[column]!, values[column], row[column] ?? null),
  )
