import pg from 'pg'
import { openConnection } from '~/db/connect'
import {
  alreadyRunning,
  openDataDirectory,
  takeDataDirectory,
} from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { dropConstraints, dropIndexes } from '~/db/indexes.server'
import { analyze, WITHOUT_LOG } from '~/server/restore.server'
import { allTables } from '~/sync/schema/tables'
import { keepRowCaches } from '~/sync/pull/row-cache.server'

type Copied = { table: string; columns: { name: string; isId: boolean }[] }

/** One digit of an id becomes another one, so that copies of different ids differ, too. */
const MOST = 16

/**
 * Makes `times` patients of each, with all their records, in a data directory that no server uses: rows without
 * triggers, then keys, indexes and the rows cached for phones. Trails and stock stay as they are. An interrupted
 * run leaves the directory unusable.
 */
export async function multiplyPatients(dataDir: string, times: number): Promise<void> {
  if (times > MOST) throw new RangeError(`At most ${MOST} copies of a patient.`)
  const directory = openDataDirectory(dataDir)
  const lock = takeDataDirectory(directory, { pid: process.pid, is: 'command' })
  if (!lock) throw alreadyRunning(directory)
  const postgres = await startEmbedded(directory, { settings: WITHOUT_LOG })
  try {
    const client = await openConnection(postgres.ownerUrl, { statementTimeout: 0 })
    try {
      await multiply(client, times)
    } finally {
      await client.end()
    }
    await Promise.all([
      analyze(postgres.ownerUrl),
      keepRowCaches(postgres.ownerUrl, { isOffline: true }),
    ])
    const vacuuming = await openConnection(postgres.ownerUrl, { statementTimeout: 0 })
    await vacuuming.query('vacuum')
    await vacuuming.end()
  } finally {
    await postgres.stop()
    lock.release()
  }
}

async function multiply(client: pg.Client, times: number) {
  await client.query(`set maintenance_work_mem = '512MB'`)
  await client.query(
    `create function pg_temp.copied(id uuid, copy integer) returns uuid language sql immutable as $$
       select (substr('0123456789abcdef', 1 + ((strpos('0123456789abcdef', left(id::text, 1)) - 1) # copy), 1)
         || substr(id::text, 2))::uuid $$`,
  )
  const tables = await tablesOfPatients(client)
  const foreignKeys = await dropConstraints(client, ['f'])
  for (const copied of tables) {
    process.stderr.write(`${copied.table}…\n`)
    await multiplyRows(client, copied, times, '')
  }
  const names = tables.map(({ table }) => pg.escapeLiteral(table))
  const state = { table: 'sync_rows', columns: await columnsOfState(client) }
  await multiplyRows(client, state, times, `where copy = 0 or table_name in (${names.join(', ')})`)
  for (const statement of foreignKeys) await client.query(statement)
  // another body makes the cache of the table stale
  for (const [name] of allTables)
    await client.query(
      `create or replace function write_down_${name}() returns trigger language plpgsql
       as 'begin return null; end'`,
    )
}

/**
 * Tables whose rows belong to a patient: those that refer to patients, directly or by another one. Their own id and
 * these references differ in each copy.
 */
async function tablesOfPatients(client: pg.Client): Promise<Copied[]> {
  const { rows } = await client.query<{ table: string; name: string; is_id: boolean }>(
    `with recursive keys as (
       select conrelid as child, child_column, confrelid as parent, parent_column
       from pg_constraint, unnest(conkey, confkey) as pairs (child_column, parent_column)
       where contype = 'f' and connamespace = current_schema()::regnamespace
     ), tables (oid) as (
       select 'patients'::regclass::oid
       union
       select child from keys join tables on oid = parent
     ), ids (oid, number) as (
       select oid, attnum from tables join pg_attribute on attrelid = oid
       where attname = 'id' and atttypid = 'uuid'::regtype
       union
       select child, child_column from keys join ids on parent = oid and parent_column = number
     )
     select t.oid::regclass::text as table, quote_ident(attname) as name,
       exists (select from ids where ids.oid = t.oid and number = attnum) as is_id
     from tables t join pg_attribute on attrelid = t.oid
     where attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
     order by 1`,
  )
  const tables = new Map<string, Copied>()
  for (const { table, name, is_id: isId } of rows) {
    if (!tables.has(table)) tables.set(table, { table, columns: [] })
    tables.get(table)!.columns.push({ name, isId })
  }
  return [...tables.values()]
}

/** The state of sync names rows without foreign keys. */
async function columnsOfState(client: pg.Client): Promise<Copied['columns']> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = 'sync_rows'::regclass and attnum > 0 and not attisdropped`,
  )
  return rows.map(({ name }) => ({ name: pg.escapeIdentifier(name), isId: name === 'row_id' }))
}

/** PostgreSQL writes no log for rows of a table that the same transaction has emptied. */
async function multiplyRows(
  client: pg.Client,
  { table, columns }: Copied,
  times: number,
  where: string,
) {
  await client.query('begin')
  const keys = await dropConstraints(client, ['p', 'u', 'x'], { table })
  const indexes = await dropIndexes(client, { table })
  await client.query(
    `alter table ${table} disable trigger user;
     create temporary table original on commit drop as table ${table};
     truncate ${table}`,
  )
  const values = columns.map(({ name, isId }) =>
    isId ? `case copy when 0 then ${name} else pg_temp.copied(${name}, copy) end` : name,
  )
  await client.query(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
     select ${values.join(', ')} from original, generate_series(0, $1::integer) copy ${where}`,
    [times - 1],
  )
  for (const statement of [...keys, ...indexes]) await client.query(statement)
  await client.query(`alter table ${table} enable trigger user`)
  await client.query('commit')
}
