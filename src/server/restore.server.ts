import type pg from 'pg'
import { finished } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { openConnection } from '~/db/connect'
import { legacyChecksums } from '~/db/legacy.server'
import { bundledMigrations, createMigrationsTable, migrate } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import { createSchemaTable, markRestored } from '~/db/schema.server'
import { checksumOf, inOrder } from '~/db/sql-files'
import { type BackupPhase, copyIn } from './backup.server'
import { type DatabaseFacts, type EndFacts, type Part, readBackup } from './backup-contents'
import { damaged } from './backup-tar'
import type { Storage } from './storage.server'

type RestoreOptions = {
  passphrase?: string
  /** Whether current records may be replaced. */
  replace?: boolean
  onProgress?: (phase: BackupPhase | 'load', done: number, total: number) => void
}

type Restored = { madeAt: string; rows: number; files: number; migrations: string[] }

/**
 * Restores the database and the files of a backup, then runs the newer migrations. The whole file is
 * checked first, and the database changes in one transaction. Needs the database's owner, not a
 * superuser.
 */
export async function restoreBackup(
  url: string,
  storage: Storage,
  file: string,
  { passphrase, replace = false, onProgress = () => {} }: RestoreOptions = {},
): Promise<Restored> {
  const reading = (phase: 'check' | 'load') => ({
    passphrase,
    onProgress: (done: number, total: number) => onProgress(phase, done, total),
  })
  await readBackup(file, reading('check'), refuseUnknownSql)
  const restored = await inOneTransaction(url, async (client) => {
    if (!replace && (await isInUse(client)))
      throw new Refusal(
        'There are records here already, and a restore would replace them all: add --replace if that is meant.',
      )
    return readBackup(file, reading('load'), (parts) => load(client, storage, parts))
  })
  for await (const name of storage.list()) if (!restored.files.has(name)) await storage.remove(name)
  const migrations = await migrate(url)
  await analyze(url)
  return { ...restored, files: restored.files.size, migrations }
}

async function inOneTransaction<R>(
  url: string,
  work: (client: pg.Client) => Promise<R>,
): Promise<R> {
  const client = await openConnection(url, { statementTimeout: 0, name: 'sanad restore' })
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } finally {
    await client.end()
  }
}

/**
 * A backup holds the SQL that created its tables. The author of the file may have put any SQL there, so
 * only migrations of a release run. Its functions and triggers never run: `migrate` applies those of
 * this version.
 */
async function refuseUnknownSql(parts: AsyncGenerator<Part>) {
  const known = new Map(inOrder(bundledMigrations).map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of Object.entries(legacyChecksums)) known.set(name, checksum)
  for await (const part of parts) {
    const unknown =
      part.is === 'database' && part.facts.migrations.find(({ name }) => !known.has(name))
    if (unknown)
      throw new Refusal(
        `The backup was made by a newer version of Sanad (it has the migration "${unknown.name}"): ` +
          'install that version or a later one.',
      )
    if (part.is === 'migration' && known.get(part.name) !== checksumOf(part.sql))
      throw new Refusal(
        `The backup holds SQL that is of no release of Sanad (the migration "${part.name}"), ` +
          'so it is not restored.',
      )
  }
}

/** Whether the database holds records. Throws a Refusal for a database that is not Sanad's. */
async function isInUse(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is_ours: boolean; tables: number }>(
    `select to_regclass('schema_migrations') is not null as is_ours, count(*) as tables from pg_class c
     where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
  )
  const { is_ours, tables } = rows[0]!
  if (!is_ours) {
    if (tables > 0)
      throw new Refusal(
        'The database holds tables that are not of Sanad: restore into one of its own.',
      )
    return false
  }
  const found = await client.query(
    '(select from users limit 1) union all (select from patients limit 1)',
  )
  return found.rowCount! > 0
}

/** Loads the parts of a backup, in their order, into the database and the storage. */
async function load(client: pg.Client, storage: Storage, parts: AsyncGenerator<Part>) {
  const files = new Set<string>()
  const migrations: NamedSql[] = []
  let madeAt = ''
  let tables: Tables | undefined
  let facts: DatabaseFacts | undefined
  let rows = 0
  for await (const part of parts) {
    if (part.is === 'start') madeAt = part.madeAt
    if (part.is === 'database') facts = part.facts
    if (part.is === 'migration') migrations.push(part)
    if (part.is === 'file') {
      await storage.put(part.name, part.bytes)
      files.add(part.name)
    }
    if (part.is === 'rows' || part.is === 'end') {
      if (!facts) throw damaged()
      tables ??= await emptyTables(client, facts, migrations, madeAt)
      if (part.is === 'rows') await tables.add(part.table, part.bytes)
      else rows = await tables.finish(part.facts)
    }
  }
  return { madeAt, rows, files }
}

type NamedSql = { name: string; sql: string }
type Tables = Awaited<ReturnType<typeof emptyTables>>

/**
 * The tables as the backup's migrations make them, empty and without foreign keys and, if their
 * migrations make some, triggers.
 */
async function emptyTables(
  client: pg.Client,
  facts: DatabaseFacts,
  migrations: NamedSql[],
  madeAt: string,
) {
  await client.query(dropEverything)
  await client.query(`${createMigrationsTable}; ${createSchemaTable}`)
  for (const { sql } of migrations) {
    await client.query(sql)
    // pending deferred checks would keep the next migration from altering the table
    await client.query('set constraints all immediate')
  }
  const { rows: tables } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class c
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
       and not relispartition and not exists (
         select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`,
  )
  const names = tables.map(({ name }) => name)
  const { rows: foreignKeys } = await client.query<{
    table: string
    name: string
    definition: string
  }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0`,
  )
  for (const { table, name } of foreignKeys)
    await client.query(`alter table ${table} drop constraint ${name}`)
  // timestamps, audit rows and stock totals are in the backup: triggers would write them again, with today's date
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${names.join(', ')}`)

  const columnsOf = new Map(facts.tables.map(({ name, columns }) => [name, columns]))
  const loaded: Record<string, number> = {}
  let current: { table: string; copy: ReturnType<typeof copyFrom> } | undefined

  async function close() {
    if (!current) return
    current.copy.end()
    await finished(current.copy)
    loaded[current.table] = current.copy.rowCount
    current = undefined
  }
  return {
    async add(table: string, bytes: Buffer) {
      if (current?.table !== table) {
        await close()
        const columns = columnsOf.get(table)
        if (!columns) throw damaged()
        current = {
          table,
          copy: client.query(copyFrom(copyIn(table, columns))),
        }
      }
      const { copy } = current!
      await new Promise<void>((resolve, reject) =>
        copy.write(bytes, (error) => (error ? reject(error) : resolve())),
      )
    },
    /** Returns the number of rows. */
    async finish(end: EndFacts): Promise<number> {
      await close()
      const wrong = facts.tables.find(({ name }) => (loaded[name] ?? 0) !== end.rows[name])
      if (wrong)
        throw damaged(
          new Error(`${wrong.name}: ${loaded[wrong.name]} of ${end.rows[wrong.name]} rows`),
        )
      for (const [name, value] of Object.entries(end.sequences))
        await client.query('select setval(quote_ident($1)::regclass, $2)', [name, value])
      for (const name of names) await client.query(`alter table ${name} enable trigger user`)
      for (const { table, name, definition } of foreignKeys)
        await client.query(`alter table ${table} add constraint ${name} ${definition}`)
      // the row of the file holds statements that drop functions: none is there, and none of the file's runs
      await markRestored(client, madeAt)
      return Object.values(loaded).reduce((sum, count) => sum + count, 0)
    },
  }
}

/** Everything of the schema but extensions, which may be a superuser's, and what goes with its table. */
const dropEverything = `do $$ declare statements text[]; statement text; begin
  with parts (kind, name, class, oid) as (
    select
      case relkind
        when 'v' then 'view'
        when 'm' then 'materialized view'
        when 'S' then 'sequence'
        else 'table'
      end,
      oid::regclass::text, 'pg_class'::regclass, oid
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
    union all
    select 'routine', oid::regprocedure::text, 'pg_proc', oid from pg_proc
    where pronamespace = current_schema()::regnamespace
    union all
    select 'type', oid::regtype::text, 'pg_type', oid from pg_type
    where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd')
    union all
    select 'collation', oid::regcollation::text, 'pg_collation', oid from pg_collation
    where collnamespace = current_schema()::regnamespace
  )
  -- all names before the first is gone
  select array_agg(format('drop %s if exists %s cascade', kind, name)) into statements from parts
  where not exists (
    select from pg_depend d
    where d.classid = class and d.objid = parts.oid and d.objsubid = 0 and d.deptype in ('e', 'i', 'a'));
  foreach statement in array coalesce(statements, '{}') loop
    execute statement;
  end loop;
end $$`

/** The planner's statistics. */
async function analyze(url: string) {
  const client = await openConnection(url, { statementTimeout: 0 })
  try {
    await client.query('analyze')
  } finally {
    await client.end()
  }
}
