import pg from 'pg'
import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { openConnection } from '~/db/connect'
import { isLegacy, legacyMigrations } from '~/db/legacy.server'
import { bundledMigrations, createMigrationsTable, migrate } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import releasedSchema from '~/db/released-schema.json'
import { bundledSchema, createSchemaTable, markRestored } from '~/db/schema.server'
import { checksumOf, inOrder, type Step } from '~/db/sql-files'
import { type BackupPhase, copyIn, copyOut, SAME_TEXT } from './backup.server'
import { type DatabaseFacts, type EndFacts, type Part, readBackup } from './backup-contents'
import { damaged } from './backup-tar'
import { bytesOfKey, fingerprintOfText, ownFingerprint } from './instance-key.server'
import { sessionSettings } from './session-settings'
import type { Storage } from './storage.server'

export type RestoreOptions = {
  passphrase?: string
  /** Fingerprint of one more key that may have signed the backup, beside this machine's own. */
  trust?: string
  /** Whether current records may be replaced. */
  replace?: boolean
  /** Compares each table with the manifest before anything is upgraded. */
  compare?: boolean
  onProgress?: (phase: BackupPhase | 'load', done: number, total: number) => void
}

type Restored = {
  madeAt: string
  tables: number
  rows: number
  files: number
  migrations: string[]
  /** False for a backup of format 1 without a passphrase: anyone may have written it. */
  isAuthentic: boolean
}

/**
 * Restores the database and the files of a backup, then runs the newer migrations. The whole file is
 * checked first, and the database changes in one transaction. Needs the database's owner, not a
 * superuser.
 */
export async function restoreBackup(
  url: string,
  storage: Storage,
  file: string,
  { passphrase, trust, replace = false, compare, onProgress = () => {} }: RestoreOptions = {},
): Promise<Restored> {
  const own = ownFingerprint()
  const reading = (phase: 'check' | 'load') => ({
    passphrase,
    trusted: [...(own ? [own] : []), ...(trust ? [asFingerprint(trust)] : [])],
    onProgress: (done: number, total: number) => onProgress(phase, done, total),
  })
  await readBackup(file, reading('check'), refuseUnknown)
  const restored = await inOneTransaction(url, async (client) => {
    if (!replace && (await isInUse(client)))
      throw new Refusal(
        'There are records here already, and a restore would replace them all: add --replace if that is meant.',
      )
    return readBackup(file, reading('load'), (parts) => load(client, storage, parts, compare))
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
    // for indexes and foreign keys
    await client.query(`set local maintenance_work_mem = '256MB'`)
    const result = await work(client)
    await client.query('commit')
    return result
  } finally {
    await client.end()
  }
}

/** As a user types it. */
const asFingerprint = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\da-f]/g, '')
    .replaceAll(/.{4}(?=.)/g, '$&-')

/**
 * Refuses migrations that this version does not know, and a key that this machine cannot use. A backup
 * of format 1 holds the SQL of its tables. None of it runs, but a file with SQL that is of no release was
 * changed.
 */
async function refuseUnknown(parts: AsyncGenerator<Part>) {
  let steps: Step[] = []
  for await (const part of parts) {
    if (part.is === 'key') refuseOtherSecret(part.text)
    if (part.is === 'database') steps = stepsOf(part.facts)
    if (part.is !== 'migration' && part.is !== 'schema') continue
    const isKnown =
      part.is === 'migration'
        ? steps.some(({ name, sql }) => name === part.name && sql === part.sql)
        : knownSchema().has(checksumOf(part.sql))
    if (!isKnown) throw unknownSql(part)
  }
}

const knownSchema = () =>
  new Set([...releasedSchema, ...inOrder(bundledSchema).map(({ checksum }) => checksum)])

const unknownSql = ({ is, name }: { is: string; name: string }) =>
  new Refusal(
    `The backup holds SQL that is of no release of Sanad (the ${is} "${name}"), ` +
      'so it is not restored.',
  )

/** The second factors of the backup open with its key only. */
function refuseOtherSecret(text: string) {
  const { secret } = sessionSettings()
  if (secret && !bytesOfKey(secret).equals(bytesOfKey(text)))
    throw new Refusal(
      `The backup holds the instance key ${fingerprintOfText(text)}, and SANAD_SECRET is another: ` +
        'restore without SANAD_SECRET, or with that of the machine that made the backup.',
    )
}

/** The migrations of this version that make the tables of a backup. */
function stepsOf({ migrations }: DatabaseFacts): Step[] {
  const names = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  const legacy = migrations.some(({ name }) => isLegacy(name)) ? legacyMigrations() : {}
  const known = [...inOrder(legacy), ...inOrder(bundledMigrations)]
  const steps = known.filter(({ name }) => names.has(name))
  const unknown = migrations.find(({ name }) => !steps.some((step) => step.name === name))
  if (unknown)
    throw new Refusal(
      `The backup was made by a newer version of Sanad (it has the migration "${unknown.name}"): ` +
        'install that version or a later one.',
    )
  const changed = steps.find(({ name, checksum }) => names.get(name) !== checksum)
  if (changed) throw unknownSql({ is: 'migration', name: changed.name })
  return steps
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
async function load(
  client: pg.Client,
  storage: Storage,
  parts: AsyncGenerator<Part>,
  compare = false,
) {
  const files = new Set<string>()
  let madeAt = ''
  let isSealed = false
  let isAuthentic = false
  let key: string | undefined
  let tables: Tables | undefined
  let rows = 0
  await client.query(SAME_TEXT)
  for await (const part of parts) {
    if (part.is === 'start') {
      const { format } = part.facts
      ;({ madeAt, isSealed } = part.facts)
      isAuthentic = isSealed || format > 1
    }
    if (part.is === 'key') key = part.text
    if (part.is === 'database') tables = await emptyTables(client, part.facts)
    if (part.is === 'file') {
      await storage.put(part.name, part.bytes)
      files.add(part.name)
    }
    if (part.is === 'rows' || part.is === 'end') {
      if (!tables) throw damaged()
      if (part.is === 'rows') await tables.add(part.table, part.bytes)
      else {
        rows = await tables.finish(part.facts)
        if (compare) await compareTables(client, tables.columnsOf, part.facts)
        const isWithoutSecrets = isAuthentic && !isSealed && tables.columnsOf.has('app_passwords')
        await settle(client, { madeAt, key, isWithoutSecrets })
      }
    }
  }
  return { madeAt, tables: tables!.columnsOf.size, rows, files, isAuthentic }
}

type Tables = Awaited<ReturnType<typeof emptyTables>>

/** Rows that the restore writes by itself; those of a backup of format 1 are not read. */
const OF_THE_RESTORE = new Set(['schema_migrations', 'schema_in_force'])

/** The tables as the backup's migrations make them, empty and without foreign keys and triggers. */
async function emptyTables(client: pg.Client, facts: DatabaseFacts) {
  await client.query(dropEverything)
  await client.query(`${createMigrationsTable}; ${createSchemaTable}`)
  const steps = stepsOf(facts)
  for (const { sql } of steps) {
    await client.query(sql)
    // pending deferred checks would keep the next migration from altering the table
    await client.query('set constraints all immediate')
  }
  const { rows: made } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
       and not relispartition and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not exists (
         select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     group by c.relname`,
  )
  refuseUnknownTables(facts, new Map(made.map(({ name, columns }) => [name, new Set(columns)])))
  const names = made.map(({ name }) => pg.escapeIdentifier(name))
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
  const columnsOf = new Map(ours.map(({ name, columns }) => [name, columns]))
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
    columnsOf,
    async add(table: string, bytes: Buffer) {
      if (OF_THE_RESTORE.has(table)) return
      if (current?.table !== table) {
        await close()
        const columns = columnsOf.get(table)
        if (!columns) throw damaged()
        current = { table, copy: client.query(copyFrom(copyIn(table, columns))) }
      }
      const { copy } = current!
      await new Promise<void>((resolve, reject) =>
        copy.write(bytes, (error) => (error ? reject(error) : resolve())),
      )
    },
    /** Returns the number of rows. */
    async finish(end: EndFacts): Promise<number> {
      await close()
      const wrong = ours.find(({ name }) => (loaded[name] ?? 0) !== end.rows[name])
      if (wrong)
        throw damaged(
          new Error(`${wrong.name}: ${loaded[wrong.name]} of ${end.rows[wrong.name]} rows`),
        )
      await setSequences(client, end)
      for (const name of names) await client.query(`alter table ${name} enable trigger user`)
      for (const definition of indexes) await client.query(definition)
      for (const { table, name, definition } of foreignKeys)
        await client.query(`alter table ${table} add constraint ${name} ${definition}`)
      return Object.values(loaded).reduce((sum, count) => sum + count, 0)
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
async function compareTables(
  client: pg.Client,
  columnsOf: ReadonlyMap<string, string[]>,
  { rows, sums }: EndFacts,
) {
  const wrong: string[] = []
  for (const [table, columns] of columnsOf) {
    const hash = createHash('sha256')
    const copy = client.query(copyTo(copyOut(table, columns, true)))
    for await (const bytes of copy as AsyncIterable<Buffer>) hash.update(bytes)
    // format 1 has no hashes
    const isSame = sums[table] === undefined || sums[table] === hash.digest('hex')
    if (copy.rowCount !== rows[table])
      wrong.push(`${table} has ${copy.rowCount} rows instead of ${rows[table]}`)
    else if (!isSame) wrong.push(`the rows of ${table} differ`)
  }
  if (wrong.length)
    throw new Refusal(`The restored records are not those of the backup: ${wrong.join(', ')}.`)
}

type Settling = {
  madeAt: string
  key: string | undefined
  isWithoutSecrets: boolean
}

/** What a restore writes beside the rows of the backup. */
async function settle(client: pg.Client, { madeAt, key, isWithoutSecrets }: Settling) {
  // the next `adoptInstanceKey` moves it into the file
  if (key)
    await client.query(`insert into instance_keys (name, value) values ('sessions', $1)`, [
      bytesOfKey(key),
    ])
  if (isWithoutSecrets)
    await client.query('update app_passwords set revoked_at = coalesce(revoked_at, now())')
  // not the row of the backup: it holds SQL that drops functions, and no SQL of a backup is run
  await markRestored(client, madeAt)
}

/**
 * Drops the indexes that no constraint owns: making them from all rows at once is faster than adding
 * each row. Returns the SQL that makes them again.
 */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index join pg_class c on c.oid = indrelid
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and not relispartition
       and not exists (select from pg_constraint where conindid = indexrelid)
     order by 1`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
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
