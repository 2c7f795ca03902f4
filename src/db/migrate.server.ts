import type pg from 'pg'
import { errorCode } from './error-code'
import { inClientTransaction, onConnection, openConnection, type Transaction } from './connect'
import { Refusal } from './refusal'
import {
  applySchema,
  bundledSchema,
  checksumInForce,
  createSchemaTable,
  schemaChecksum,
} from './schema.server'
import { toSqlSteps, type SqlFiles, type SqlStep, type SqlVersion } from './sql-files'

/** Tables and data. Functions, triggers and views are in db/schema. */
export const bundledMigrations: SqlFiles = import.meta.glob('./migrations/*.sql', {
  query: '?raw',
  eager: true,
  import: 'default',
})

export const thisVersion: SqlVersion = { migrations: bundledMigrations, schema: bundledSchema }

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
export const migrate = (
  url: string,
  version: SqlVersion = thisVersion,
  options: MigrateOptions = {},
): Promise<string[]> =>
  inTurn(url, { ...usualPatience, ...options }, () =>
    onConnection(url, { statementTimeout: 0, name: 'sanad start' }, async (client) => {
      const pending = options.beforeUpgrade && (await pendingUpgrade(client, version))
      if (pending) await options.beforeUpgrade?.(client, pending)
      await client.query(`${createMigrationsTable}; ${createSchemaTable}`)
      return upgrade(client, version, inClientTransaction)
    }),
  )

type MigrateOptions = Partial<Patience> & {
  /**
   * Called before the first change of a database that another version of Sanad has used, by one process at a time. If
   * it throws, nothing is changed.
   */
  beforeUpgrade?: (client: pg.Client, upgrade: PendingUpgrade) => Promise<void>
}

export type PendingUpgrade = {
  /** The migrations that the database has. */
  applied: string[]
  /** Checksum of the functions, triggers and views in force: the last thing that an upgrade changes. */
  inForce: string | null
  /** What this version applies. */
  pending: string[]
}

/** Undefined for a new database, and for one of this version. */
async function pendingUpgrade(
  client: pg.Client,
  version: SqlVersion,
): Promise<PendingUpgrade | undefined> {
  const { rows } = await client.query<{ isUsed: boolean; hasSchema: boolean }>(
    `select to_regclass('schema_migrations') is not null as "isUsed",
       to_regclass('schema_in_force') is not null as "hasSchema"`,
  )
  if (!rows[0]!.isUsed) return undefined
  const applied = [...(await appliedMigrations(client)).keys()]
  if (applied.length === 0) return undefined
  const pending = await pendingMigrations(client, version)
  if (pending.length === 0) return undefined
  const inForce = rows[0]!.hasSchema ? await checksumInForce(client) : undefined
  return { applied, inForce: inForce ?? null, pending }
}

type Patience = {
  /** Milliseconds to wait for the process whose turn it is: an upgrade of a large database takes minutes. */
  most: number
  /** Called when the wait begins to be noticed. */
  onWait: () => void
}

const usualPatience: Patience = {
  most: 600_000,
  onWait: () =>
    process.stderr.write('Waiting for another Sanad that is upgrading this database…\n'),
}
const NOTICED_MS = 3_000

/**
 * Runs `work` while no other process upgrades the database. The lock belongs to a transaction, which has a connection
 * of its own and holds no snapshot: the lock of a session would stay behind on a connection of a pooler.
 */
async function inTurn<R>(url: string, { most, onWait }: Patience, work: () => Promise<R>) {
  const lock = await openConnection(url, { statementTimeout: 0, name: 'sanad start' })
  try {
    await lock.query('begin')
    await lock.query(
      `select set_config('lock_timeout', $1, true),
         set_config('idle_in_transaction_session_timeout', '0', true)`,
      [`${most}`],
    )
    const noticed = setTimeout(onWait, NOTICED_MS)
    await lock
      .query('select pg_advisory_xact_lock($1)', [advisoryLock])
      .finally(() => clearTimeout(noticed))
    const result = await work()
    await lock.query('commit')
    return result
  } catch (error) {
    await lock.query('rollback').catch(() => {})
    throw errorCode(error) === LOCK_NOT_AVAILABLE
      ? new Refusal(
          `Another Sanad has been upgrading this database for ${Math.round(most / 60_000)} minutes: ` +
            'wait until it is ready, or stop it, then start again.',
        )
      : error
  } finally {
    await lock.end()
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

/** As `migrate`, for a database that a restore has filled: all in the transaction of the restore. */
export const migrateRestored = (client: pg.Client): Promise<string[]> =>
  upgrade(client, thisVersion, async (_, work) => {
    const result = await work()
    await checkDeferred(client)
    return result
  })

/** Pending deferred checks would keep the next migration from altering the table. */
export const checkDeferred = (client: pg.Client) => client.query('set constraints all immediate')

async function upgrade(client: pg.Client, version: SqlVersion, transaction: Transaction) {
  const steps = toSqlSteps(version.migrations)
  const pending = missing(steps, await appliedMigrations(client))
  for (const step of pending) await apply(client, step, transaction)
  await applySchema(client, version, transaction)
  return pending.map(({ name }) => name)
}

/**
 * Names of what this version would apply. Throws a Refusal for a database that this version does
 * not know.
 */
export async function pendingMigrations(
  client: Pick<pg.Client, 'query'>,
  version: SqlVersion = thisVersion,
): Promise<string[]> {
  const applied = await appliedMigrations(client)
  const names = missing(toSqlSteps(version.migrations), applied).map(({ name }) => name)
  const isCurrent = (await checksumInForce(client)) === schemaChecksum(version)
  return isCurrent ? names : [...names, 'schema']
}

/** Name -> checksum. */
async function appliedMigrations(client: Pick<pg.Client, 'query'>): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** Checksums of an earlier wording of a migration, with the same statements; some databases hold them. */
const SAME_STATEMENTS: Record<string, string> = {
  '0121_reports_and_follow_up': '07f6c6d0f9dce328505a80afb04d9d52fbbf0a17647adc35f07429936350e31f',
  '0162_inlined_folding': 'b87b412c4a65be6ae27cf9737f9eb93b46f3b44efa8f81d6e7ab04295f60bd83',
  '0167_patients_of_clinics': 'df3764e2ea1cea273325334f827ebb0260c441f3a02a0a30afe0fc16033f2865',
}

/** Whether a database or a backup holds this migration as it is, or its statements. */
export const isUnchanged = ({ name, checksum }: SqlStep, given: string | undefined) =>
  given === checksum || (given !== undefined && given === SAME_STATEMENTS[name])

function missing(steps: SqlStep[], applied: ReadonlyMap<string, string>): SqlStep[] {
  refuseUnknown(steps, applied.keys())
  const changed = steps.find(
    (step) => applied.has(step.name) && !isUnchanged(step, applied.get(step.name)),
  )
  if (changed)
    throw new Refusal(
      `The migration "${changed.name}" was changed after it had been applied to this database: ` +
        'restore the file as it was, and make the change in a new migration.',
    )
  return steps.filter(({ name }) => !applied.has(name))
}

/** The first migration of the versions before the 44 that were squashed (docs/decisions/0011); no release had it. */
const BEFORE_ANY_RELEASE = '0001_kernel'
/** The last commit that upgrades what is older than any release, and reads its backups. */
export const LAST_BEFORE_RELEASES = '63db679d394d'

/** `what`: the database or the backup. */
export function refuseBeforeReleases(names: Iterable<string>, what: string) {
  if (new Set(names).has(BEFORE_ANY_RELEASE))
    throw new Refusal(
      `${what} is of a version of Sanad before its first release, which this version does not upgrade. ` +
        `The last commit that does is ${LAST_BEFORE_RELEASES}: start that once, then this one.`,
    )
}

function refuseUnknown(steps: SqlStep[], names: Iterable<string>) {
  const given = [...names]
  refuseBeforeReleases(given, 'The database')
  const known = new Set(steps.map(({ name }) => name))
  for (const name of given) {
    if (!known.has(name))
      throw new Refusal(
        `The database was used by a newer version of Sanad (it has the migration "${name}"): ` +
          'install that version or a later one.',
      )
  }
}

async function apply(
  client: pg.Client,
  { name, checksum, sql }: SqlStep,
  transaction: Transaction,
) {
  try {
    await transaction(client, async () => {
      await client.query(sql)
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
        name,
        checksum,
      ])
    })
  } catch (error) {
    throw new Error(`The migration "${name}" failed: ${(error as Error).message}`, { cause: error })
  }
}
