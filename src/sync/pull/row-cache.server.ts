import { availableParallelism } from 'node:os'
import pg from 'pg'
import { onConnection, openConnection } from '~/db/connect'
import { dropConstraints, dropIndexes } from '~/db/indexes.server'
import { log } from '~/server/log'
import { isOfPatient, isRecorded, patientIdColumn } from '../schema/scope'
import { allTables, type TableName, tableNamed, wireText } from '../schema/tables'
import { rowCacheTable } from './row-cache'

/** Any number unused elsewhere in the database; processes that start together take turns. */
const advisoryLock = 7_262_024

type Options = {
  /** No other process uses the database, so no request reads the earlier rows. Several tables are rebuilt at a time. */
  isOffline?: boolean
  /** A connection to use instead of a new one. */
  owner?: pg.Client
}

/**
 * Rebuilds the row cache of each table whose columns in `tables.ts` have changed, before devices
 * are served. Writers of such a table wait; readers see the earlier cache. Returns the rebuilt
 * tables.
 */
export const keepRowCaches = (
  url: string,
  { isOffline = false, owner }: Options = {},
): Promise<TableName[]> =>
  onConnection(owner ?? url, { statementTimeout: 0 }, async (client) => {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLock])
    const { rows } = await client.query<{ name: string; body: string }>(
      "select proname as name, prosrc as body from pg_proc where proname like 'write\\_down\\_%'",
    )
    const bodies = new Map(rows.map(({ name, body }) => [name, body]))
    const stale = allTables
      .map(([name]) => name)
      .filter((name) => bodies.get(cacheFunctionName(name)) !== triggerBody(name))
    if (stale.length > 0 && (await client.query('select from patients limit 1')).rowCount)
      log.info(
        { tables: stale },
        'rebuilding the rows cached for phones: about a minute for each hundred thousand patients',
      )
    if (isOffline && stale.length > 0) await rebuildAtOnce(url, await largestFirst(client, stale))
    // not truncated: a running pull continues to read the earlier rows
    else for (const name of stale) await rebuild(client, name, `delete from ${rowCacheTable(name)}`)
    await client.query('commit')
    // the earlier rows: pulls would read through them until autovacuum runs
    if (!isOffline)
      for (const name of stale) await client.query(`vacuum (analyze) ${rowCacheTable(name)}`)
    return stale
  })

async function largestFirst(client: pg.Client, tables: readonly TableName[]) {
  const { rows } = await client.query<{ name: TableName }>(
    'select name from unnest($1::text[]) name order by pg_table_size(quote_ident(name)) desc',
    [tables],
  )
  return rows.map(({ name }) => name)
}

/** Each table in a transaction of its own, as many at a time as the machine has processors. */
async function rebuildAtOnce(url: string, tables: readonly TableName[]) {
  const waiting = [...tables]
  const work = async () => {
    const client = await openConnection(url, { statementTimeout: 0, name: 'sanad restore' })
    try {
      for (let name = waiting.shift(); name; name = waiting.shift()) {
        await client.query('begin')
        // PostgreSQL writes no log for rows of a table that this transaction has emptied, if wal_level is minimal
        const cache = { table: rowCacheTable(name) }
        const keys = await dropConstraints(client, ['p', 'u'], cache)
        const indexes = await dropIndexes(client, cache)
        await rebuild(client, name, `truncate ${rowCacheTable(name)}`)
        for (const statement of [...keys, ...indexes]) await client.query(statement)
        await client.query(`analyze ${rowCacheTable(name)}`)
        await client.query('commit')
      }
    } finally {
      await client.end()
    }
  }
  await Promise.all(
    Array.from({ length: Math.min(4, availableParallelism(), tables.length) }, work),
  )
}

const cacheFunctionName = (name: TableName) => `write_down_${name}`

/** SQL that inserts the live rows `t` that meet a condition into the row cache. */
function insertSql(name: TableName, which = 'true'): string {
  const table = tableNamed(name)
  const patient = isOfPatient(table) ? patientIdColumn(name) : 'null::uuid'
  const [column, clinic] = isRecorded(table)
    ? [', recorded_clinic_id', ', t.recorded_clinic_id']
    : ['', '']
  return `insert into ${rowCacheTable(name)} as w (row_id, patient_id, text${column})
    select t.id, ${patient}, ${wireText(table)}${clinic} from ${name} t
      where ${which} and not t.is_deleted`
}

const UNLESS_EQUAL = 'where w.text <> excluded.text'

/**
 * The body of the trigger function that keeps the row cache. Any change of this text, even of a
 * comment in it, makes the next start rebuild all caches.
 */
const triggerBody = (name: TableName) => `
begin
  if tg_op = 'UPDATE' then
    delete from ${rowCacheTable(name)}
      where row_id = any(array(select id from new_rows where is_deleted));
  end if;
  -- the rows as they are by now: another trigger of the same statement may have changed them since
  ${insertSql(name, 't.id = any(array(select id from new_rows))')}
    on conflict (row_id) do update set patient_id = excluded.patient_id, text = excluded.text ${UNLESS_EQUAL};
  return null;
end `

async function rebuild(client: pg.Client, name: TableName, empty: string) {
  // Devices receive ISO dates, whatever the session's setting. A connection keeps the plans that it made for a few
  // rows of small tables: each row is looked up by its id, or 20,000 would be compared each with each.
  await client.query(`set local datestyle = 'ISO, YMD'; lock table ${name} in share mode`)
  await client.query(
    `create or replace function ${cacheFunctionName(name)}() returns trigger language plpgsql
     set datestyle = 'ISO, YMD' set enable_seqscan = off as ${pg.escapeLiteral(triggerBody(name))}`,
  )
  await client.query(empty)
  await client.query(insertSql(name))
}
