import type pg from 'pg'
import type { Transaction } from './connect'
import { sqlChecksum, toSqlSteps, type SqlFiles, type SqlStep, type SqlVersion } from './sql-files'

/** Functions, triggers and views in force, by subject. */
export const bundledSchema: SqlFiles = import.meta.glob('./schema/*.sql', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** In the order in which they are applied: tables.sql calls functions of the other files. */
const schemaSteps = (files: SqlFiles = bundledSchema): SqlStep[] =>
  toSqlSteps(files).toSorted((a, b) => Number(a.name === 'tables') - Number(b.name === 'tables'))

/**
 * Of the migrations, too: the audit functions name every column of their tables, so a new column
 * rebuilds them.
 */
export const schemaChecksum = ({ migrations, schema }: SqlVersion) =>
  sqlChecksum(
    [...toSqlSteps(migrations), ...schemaSteps(schema)].map(({ checksum }) => checksum).join(),
  )

/** One row: what is in force, and the statements that drop it. */
export const createSchemaTable = `
  create table if not exists schema_in_force (
    is_only boolean primary key default true check (is_only),
    checksum text not null,
    drops text[] not null,
    applied_at timestamptz not null default now()
  )`

/**
 * Replaces all functions, triggers and views of db/schema if they are not those of this version:
 * drops what was in force, so that nothing outlives its file, and applies the files, in one
 * transaction.
 */
export async function applySchema(
  client: pg.Client,
  version: SqlVersion,
  transaction: Transaction,
): Promise<void> {
  const checksum = schemaChecksum(version)
  if ((await checksumInForce(client)) === checksum) return
  await transaction(client, async () => {
    const { rows } = await client.query<{ drops: string[] }>('select drops from schema_in_force')
    await client.query((rows[0]?.drops ?? []).join(';\n'))
    const others = new Set((await createdObjects(client)).map(({ drop }) => drop))
    await runSchema(client, schemaSteps(version.schema))
    const drops = (await createdObjects(client)).map(({ drop }) => drop)
    await recordSchema(
      client,
      checksum,
      drops.filter((drop) => !others.has(drop)),
    )
  })
}

export async function checksumInForce(client: Pick<pg.Client, 'query'>) {
  const { rows } = await client.query<{ checksum: string }>('select checksum from schema_in_force')
  return rows[0]?.checksum
}

/** Runs the files in the present transaction. */
async function runSchema(client: pg.Client, steps: readonly Pick<SqlStep, 'name' | 'sql'>[]) {
  // functions may call functions of later files; a test checks every body
  await client.query('set local check_function_bodies = off')
  // functions that keep this path (security definer) find a temporary table of the caller last
  await client.query(
    `select set_config('search_path', current_setting('search_path') || ', pg_temp', true)`,
  )
  // loads the extension's library: before that, only a superuser may name its settings (search.sql)
  const { rowCount } = await client.query(`select from pg_extension where extname = 'pg_trgm'`)
  if (rowCount) await client.query(`select similarity('', '')`)
  for (const { name, sql } of steps) {
    await client.query(sql).catch((error: Error) => {
      throw new Error(`The migration "schema/${name}" failed: ${error.message}`, { cause: error })
    })
  }
}

const recordSchema = (client: pg.Client, checksum: string, drops: string[]) =>
  client.query(
    `insert into schema_in_force (checksum, drops) values ($1, $2)
     on conflict (is_only) do update
       set checksum = excluded.checksum, drops = excluded.drops, applied_at = now()`,
    [checksum, drops],
  )

type Created = { kind: 'trigger' | 'view' | 'function'; name: string; drop: string }

/**
 * The triggers (with the name of their function), views and functions of the current schema, in an
 * order in which they can be dropped. Without those of extensions, and without the functions that
 * fill the row caches: they depend on `sync/schema/tables.ts` and not on db/schema, and dropping
 * one would empty its cache.
 */
export async function createdObjects(client: pg.Client): Promise<Created[]> {
  const { rows } = await client.query<Created>(
    `select 1 as turn, 'trigger' as kind, p.proname as name,
       format('drop trigger if exists %I on %s', t.tgname, t.tgrelid::regclass) as drop
     from pg_trigger t
       join pg_class c on c.oid = t.tgrelid
       join pg_proc p on p.oid = t.tgfoid
     -- those of partitions are dropped with that of their table
     where not t.tgisinternal and t.tgparentid = 0
       and c.relnamespace = current_schema()::regnamespace
     union all
     select 2, 'view', relname, format('drop view if exists %s', oid::regclass)
     from pg_class where relkind = 'v' and relnamespace = current_schema()::regnamespace
     union all
     select 3, 'function', proname, format('drop function if exists %s', oid::regprocedure)
     from pg_proc
     where pronamespace = current_schema()::regnamespace and proname not like 'write\\_down\\_%'
       and not exists (
         select from pg_depend d
         where d.classid = 'pg_proc'::regclass and d.objid = pg_proc.oid and d.deptype = 'e')
     order by turn, drop`,
  )
  return rows
}
