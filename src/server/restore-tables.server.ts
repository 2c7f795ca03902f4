import pg from 'pg'
import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { dropConstraints, dropIndexes } from '~/db/indexes.server'
import {
  bundledMigrations,
  checkDeferred,
  createMigrationsTable,
  isUnchanged,
  refuseBeforeReleases,
} from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import { createSchemaTable } from '~/db/schema.server'
import { toSqlSteps, type SqlStep } from '~/db/sql-files'
import { copyIn, copyOut } from './backup.server'
import type { DatabaseFacts, EndFacts } from './backup-contents'
import { damaged } from './backup-tar'

/* The tables of a restore: as the migrations of the backup make them, filled, and compared with the manifest. */

export type Tables = Awaited<ReturnType<typeof emptyTables>>

/** Rows that the restore writes by itself. */
const OF_THE_RESTORE = new Set(['schema_migrations', 'schema_in_force'])

/** The tables as the backup's migrations make them, empty and without foreign keys and triggers. */
export async function emptyTables(client: pg.Client, facts: DatabaseFacts) {
  await client.query(dropEverything)
  await client.query(`${createMigrationsTable}; ${createSchemaTable}`)
  const steps = backupMigrationSteps(facts)
  for (const { sql } of steps) {
    await client.query(sql)
    await checkDeferred(client)
  }
  const { rows: made } = await client.query<{
    name: string
    columns: string[]
    partitioned: boolean
  }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
       relkind = 'p' as partitioned
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
       and not relispartition and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not exists (
         select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     group by c.relname, relkind`,
  )
  refuseUnknownTables(facts, new Map(made.map(({ name, columns }) => [name, new Set(columns)])))
  const names = made.map(({ name }) => pg.escapeIdentifier(name))
  const foreignKeys = await dropConstraints(client, ['f'])
  const keys = await dropConstraints(client, ['p', 'u', 'x'])
  const indexes = await dropIndexes(client)
  // timestamps, audit rows and stock totals are in the backup: triggers would write them again, with today's date
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${names.join(', ')}`)
  for (const { name, checksum } of steps)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      name,
      checksum,
    ])

  const ours = facts.tables.filter(({ name }) => !OF_THE_RESTORE.has(name))
  const columnsByTable = new Map(ours.map(({ name, columns }) => [name, columns]))
  const loaded: Record<string, number> = {}
  const partitioned = new Set(made.filter((table) => table.partitioned).map(({ name }) => name))
  let current: { table: string; copy: ReturnType<typeof copyFrom> } | undefined

  async function closeCopy() {
    if (!current) return
    current.copy.end()
    await finished(current.copy)
    loaded[current.table] = current.copy.rowCount
    current = undefined
  }
  // frozen rows are never written again, but partitions do not take them
  const copyInto = (table: string, columns: string[]) =>
    copyIn(table, columns, { isFrozen: !partitioned.has(table) })
  return {
    columnsOf: columnsByTable,
    async add(table: string, bytes: Buffer) {
      if (OF_THE_RESTORE.has(table)) return
      if (current?.table !== table) {
        await closeCopy()
        const columns = columnsByTable.get(table)
        if (!columns) throw damaged()
        current = { table, copy: client.query(copyFrom(copyInto(table, columns))) }
      }
      const { copy } = current!
      await new Promise<void>((resolve, reject) =>
        copy.write(bytes, (error) => (error ? reject(error) : resolve())),
      )
    },
    /** After the last row. Returns the number of rows. */
    async close(end: EndFacts): Promise<number> {
      await closeCopy()
      const wrong = ours.find(({ name }) => (loaded[name] ?? 0) !== end.rows[name])
      if (wrong)
        throw damaged(
          new Error(`${wrong.name}: ${loaded[wrong.name]} of ${end.rows[wrong.name]} rows`),
        )
      return Object.values(loaded).reduce((sum, count) => sum + count, 0)
    },
    async finish(end: EndFacts) {
      await setSequences(client, end)
      for (const { name, columns } of made) await stampRows(client, name, columns)
      for (const name of names) await client.query(`alter table ${name} enable trigger user`)
      for (const statement of [...keys, ...indexes, ...foreignKeys]) await client.query(statement)
    },
  }
}

/** The rows of a backup go only into tables and columns that its migrations make. */
function refuseUnknownTables(facts: DatabaseFacts, made: ReadonlyMap<string, Set<string>>) {
  for (const { name, columns } of facts.tables) {
    const known = made.get(name)
    const unknown = known ? columns.find((column) => !known.has(column)) : undefined
    if (!known || unknown !== undefined || columns.length === 0)
      throw new Refusal(
        `The backup holds rows of ${known ? `a column "${unknown}" of the table` : 'a table'} "${name}", ` +
          'which the tables of its version do not have, so it is not restored.',
      )
  }
}

async function setSequences(client: pg.Client, { sequences }: EndFacts) {
  const { rows } = await client.query<{ name: string }>(
    'select sequencename as name from pg_sequences where schemaname = current_schema()',
  )
  const made = new Set(rows.map(({ name }) => name))
  for (const [name, value] of Object.entries(sequences)) {
    if (!made.has(name)) throw damaged(new Error(`no sequence ${name}`))
    await client.query('select setval(quote_ident($1)::regclass, $2)', [name, value])
  }
}

/** Throws a Refusal that names the tables whose rows are not those of the manifest. */
export async function compareTables(
  client: pg.Client,
  columnsOf: ReadonlyMap<string, string[]>,
  { rows, sums }: EndFacts,
) {
  const wrong: string[] = []
  for (const [table, columns] of columnsOf) {
    const hash = createHash('sha256')
    const copy = client.query(copyTo(copyOut(table, columns, true)))
    for await (const bytes of copy as AsyncIterable<Buffer>) hash.update(bytes)
    const isSame = sums[table] === hash.digest('hex')
    if (copy.rowCount !== rows[table])
      wrong.push(`${table} has ${copy.rowCount} rows instead of ${rows[table]}`)
    else if (!isSame) wrong.push(`the rows of ${table} differ`)
  }
  if (wrong.length)
    throw new Refusal(`The restored records are not those of the backup: ${wrong.join(', ')}.`)
}

/** What `begin_sync_epoch` writes into each row of two large tables. */
const STAMPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sync_rows: {
    xid: 'pg_current_xact_id()',
    born: 'case when born is not null then pg_current_xact_id() end',
    columns: `case when columns = '{}' then columns else regexp_replace(
      columns::text, '": \\d+', '": ' || pg_current_xact_id()::text, 'g')::jsonb end`,
  },
  patient_links: { changed_xid: 'pg_current_xact_id()' },
}

/**
 * Stamps the rows of a table with the present transaction by rewriting the table while it has no index: the
 * UPDATE of `begin_sync_epoch` takes ten times as long and doubles its size. That function stamps the
 * rows of a backup whose tables lack a column.
 */
async function stampRows(client: pg.Client, table: string, columns: readonly string[]) {
  const stamps = Object.entries(STAMPS[table] ?? {})
  if (stamps.length === 0 || !stamps.every(([column]) => columns.includes(column))) return
  const changes = stamps.map(
    ([column, value]) =>
      `alter column ${column} type ${column === 'columns' ? 'jsonb' : 'xid8'} using ${value}`,
  )
  await client.query(`alter table ${table} ${changes.join(', ')}`)
}

/** The migrations of this version that make the tables of a backup. */
export function backupMigrationSteps({ migrations }: DatabaseFacts): SqlStep[] {
  const names = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  refuseBeforeReleases(names.keys(), 'The backup')
  const steps = toSqlSteps(bundledMigrations).filter(({ name }) => names.has(name))
  const unknown = migrations.find(({ name }) => !steps.some((step) => step.name === name))
  if (unknown)
    throw new Refusal(
      `The backup was made by a newer version of Sanad (it has the migration "${unknown.name}"): ` +
        'install that version or a later one.',
    )
  const changed = steps.find((step) => !isUnchanged(step, names.get(step.name)))
  if (changed)
    throw new Refusal(
      `The backup's migration "${changed.name}" is of no release of Sanad, so it is not restored.`,
    )
  return steps
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
  -- collects all names before the first one is dropped
  select array_agg(format('drop %s if exists %s cascade', kind, name)) into statements from parts
  where not exists (
    select from pg_depend d
    where d.classid = class and d.objid = parts.oid and d.objsubid = 0 and d.deptype in ('e', 'i', 'a'));
  foreach statement in array coalesce(statements, '{}') loop
    execute statement;
  end loop;
end $$`
