import { createHash } from 'node:crypto'
import type pg from 'pg'
import { openConnection } from './connect'
import { Refusal } from './refusal'

/** File path or name -> SQL. */
export type Migrations = Record<string, string>

export const bundledMigrations: Migrations = import.meta.glob('./migrations/*.sql', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** Any number that nothing else in the database uses; two processes that start together take turns by it. */
const advisoryLock = 7_262_023

type Step = { name: string; checksum: string; sql: string }

/** Applies what is missing, each file in its own transaction. Returns the names it applied. */
export async function migrate(
  url: string,
  migrations: Migrations = bundledMigrations,
): Promise<string[]> {
  const client = await openConnection(url, { statementTimeout: 0 })
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLock])
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key,
         checksum text not null,
         applied_at timestamptz not null default now()
       )`,
    )
    const pending = await pendingMigrations(client, migrations)
    for (const step of pending) await apply(client, step)
    return pending.map((step) => step.name)
  } finally {
    await client.end()
  }
}

type Queryable = { query<R extends pg.QueryResultRow>(text: string): Promise<pg.QueryResult<R>> }

/** What the database still lacks, in order. Throws a Refusal when the database is not one that this version knows. */
export async function pendingMigrations(
  client: Queryable,
  migrations: Migrations = bundledMigrations,
): Promise<Step[]> {
  const steps = inOrder(migrations)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  const known = new Map(steps.map((step) => [step.name, step]))
  for (const row of rows) {
    const step = known.get(row.name)
    if (!step) {
      throw new Refusal(
        `The database was used by a newer version of Sanad (it has the migration "${row.name}"): install that version or a later one.`,
      )
    }
    if (step.checksum !== row.checksum) {
      throw new Refusal(
        `The migration "${row.name}" was changed after it had been applied to this database: restore the file as it was, and make the change in a new migration.`,
      )
    }
  }
  const applied = new Set(rows.map((row) => row.name))
  return steps.filter((step) => !applied.has(step.name))
}

async function apply(client: pg.Client, { name, checksum, sql }: Step) {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      name,
      checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`The migration "${name}" failed: ${(error as Error).message}`, { cause: error })
  }
}

function inOrder(migrations: Migrations): Step[] {
  return Object.entries(migrations)
    .map(([path, text]) => {
      const sql = text.replaceAll('\r\n', '\n') // a checkout on Windows is the same migration
      const name = path.replace(/^.*\//, '').replace(/\.sql$/, '')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
