import type pg from 'pg'
import { openConnection } from './connect'
import { adopt, isLegacy, missingLegacy } from './legacy.server'
import { Refusal } from './refusal'
import {
  applySchema,
  bundledSchema,
  checksumInForce,
  createSchemaTable,
  schemaChecksum,
} from './schema.server'
import { inOrder, type SqlFiles, type Step, type Version } from './sql-files'

/** Tables and data. Functions, triggers and views are in db/schema. */
export const bundledMigrations: SqlFiles = import.meta.glob('./migrations/*.sql', {
  query: '?raw',
  eager: true,
  import: 'default',
})

export const thisVersion: Version = { migrations: bundledMigrations, schema: bundledSchema }

/**
 * Any number that nothing else in the database uses; two processes that start together take turns
 * by it.
 */
const advisoryLock = 7_262_023

export const createMigrationsTable = `
  create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`

/**
 * Applies the migrations that are missing, each in its own transaction, then db/schema if it has
 * changed. Returns the names of the migrations.
 */
export async function migrate(url: string, version: Version = thisVersion): Promise<string[]> {
  const client = await openConnection(url, { statementTimeout: 0 })
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLock])
    await client.query(`${createMigrationsTable}; ${createSchemaTable}`)
    const steps = inOrder(version.migrations)
    let applied = await appliedMigrations(client)
    const brought = await adoptLegacy(client, steps, applied)
    if (brought) applied = await appliedMigrations(client)
    const pending = missing(steps, applied)
    for (const step of pending) await apply(client, step)
    await applySchema(client, version)
    return [...(brought ?? []), ...pending.map(({ name }) => name)]
  } finally {
    await client.end()
  }
}

/**
 * Names of what this version would apply. Throws a Refusal for a database that this version does
 * not know.
 */
export async function pendingMigrations(
  client: Pick<pg.Client, 'query'>,
  version: Version = thisVersion,
): Promise<string[]> {
  const applied = await appliedMigrations(client)
  const legacy = [...applied.keys()].filter(isLegacy)
  if (legacy.length > 0) return legacy
  const names = missing(inOrder(version.migrations), applied).map(({ name }) => name)
  const isCurrent = (await checksumInForce(client)) === schemaChecksum(version)
  return isCurrent ? names : [...names, 'schema']
}

/**
 * Brings a database of an earlier version to the squashed migrations. Returns the legacy ones it
 * lacked.
 */
async function adoptLegacy(
  client: pg.Client,
  steps: Step[],
  applied: ReadonlyMap<string, string>,
): Promise<string[] | undefined> {
  if (![...applied.keys()].some(isLegacy)) return undefined
  const newer = new Set([...applied.keys()].filter((name) => !isLegacy(name)))
  refuseUnknown(steps, newer)
  const lacked = missingLegacy(applied)
  for (const step of lacked) await apply(client, step)
  await adopt(client, steps, newer)
  return lacked.map(({ name }) => name)
}

/** Name -> checksum. */
async function appliedMigrations(client: Pick<pg.Client, 'query'>): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

function missing(steps: Step[], applied: ReadonlyMap<string, string>): Step[] {
  refuseUnknown(steps, applied.keys())
  const changed = steps.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum)
  if (changed)
    throw new Refusal(
      `The migration "${changed.name}" was changed after it had been applied to this database: ` +
        'restore the file as it was, and make the change in a new migration.',
    )
  return steps.filter(({ name }) => !applied.has(name))
}

function refuseUnknown(steps: Step[], names: Iterable<string>) {
  const known = new Set(steps.map(({ name }) => name))
  for (const name of names) {
    if (!known.has(name))
      throw new Refusal(
        `The database was used by a newer version of Sanad (it has the migration "${name}"): ` +
          'install that version or a later one.',
      )
  }
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
