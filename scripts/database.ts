import type { Kysely } from 'kysely'
import { connect, createPool, openConnection } from '~/db/connect'
import {
  alreadyRunning,
  openDataDirectory,
  takeDataDirectory,
  waitForDataDirectory,
} from '~/db/embedded-directory.server'
import { runningEmbedded, startEmbedded } from '~/db/embedded.server'
import { checkExternalDatabase } from '~/db/external.server'
import { migrate, pendingMigrations, thisVersion } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import { type DatabaseUrls, grantApplication } from '~/db/roles.server'
import type { DB } from '~/db/types'
import { openTrail } from '~/db/trail.server'
import {
  backUpBeforeUpgrade,
  listUpgradeBackups,
} from '~/features/office/backups/before-upgrade.server'
import { env } from '~/server/env'
import { adoptInstanceKey } from '~/server/instance-key.server'
import { prepareJobs } from '~/server/jobs.server'
import { readSettings } from '~/server/settings.server'
import { keepRowCaches } from '~/sync/pull/row-cache.server'
import { showPhase } from './backup/terminal'

/** The external database that the environment names. */
export function externalUrls(): DatabaseUrls | undefined {
  const { databaseUrl, databaseOwnerUrl, databaseDirectUrl: directUrl } = env()
  return databaseUrl
    ? { appUrl: databaseUrl, ownerUrl: databaseOwnerUrl ?? directUrl ?? databaseUrl, directUrl }
    : undefined
}

/** Refuses to serve, or prints a warning, where the application could rewrite the audit trail. */
export async function prepareToServe(urls: DatabaseUrls) {
  if (await prepare(urls)) return
  if (env().requiresRoles) throw new Refusal(`${UNPROTECTED} ${REMEDY}`)
  process.stderr.write(`${UNPROTECTED} ${REMEDY}\n`)
}

const UNPROTECTED = 'The audit trail is not protected from the database owner.'
const REMEDY =
  'Make a second user in PostgreSQL that owns nothing, name it in DATABASE_URL, and name the owner in ' +
  'DATABASE_OWNER_URL.'

/**
 * Brings the database up to this version, as its owner, after a backup of its records, and gives the application its
 * privileges. Returns whether the application cannot rewrite the audit trail.
 */
export async function prepare(urls: DatabaseUrls, { replacesKey = false } = {}): Promise<boolean> {
  await upgrade(urls.ownerUrl, replacesKey)
  const owner = await openConnection(urls.ownerUrl, { statementTimeout: 0, name: 'sanad start' })
  try {
    await openTrail(owner)
    await adoptInstanceKey(owner, { replace: replacesKey })
    await listUpgradeBackups(owner)
    // another server may use an external database
    await keepRowCaches(urls.ownerUrl, { isOffline: !externalUrls(), owner })
    await prepareJobs(urls.ownerUrl)
    return await grantApplication(urls, owner)
  } finally {
    await owner.end()
  }
}

async function upgrade(ownerUrl: string, replacesKey: boolean) {
  const { show: onProgress, end } = showPhase()
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  try {
    await migrate(ownerUrl, thisVersion, {
      beforeUpgrade: (client, pending) =>
        backUpBeforeUpgrade(ownerUrl, client, pending, { replacesKey, say, onProgress }),
    })
  } finally {
    end()
  }
}

/**
 * Runs a command's work on the migrated database: the external one, that of the server that runs now, or else the
 * embedded one, started for as long as the work takes. `db` is connected as the application.
 */
export async function withDatabase(
  work: (db: Kysely<DB>, ownerUrl: string) => Promise<void>,
  options: { replacesKey?: boolean } = {},
): Promise<void> {
  const { dataDir } = env()
  const external = externalUrls()
  if (external) {
    await checkExternalDatabase(external)
    await prepare(external, options)
    return using(external, work)
  }
  const directory = openDataDirectory(dataDir)
  const me = { pid: process.pid, is: 'command' } as const
  const taken = takeDataDirectory(directory, me)
  const running = taken ? undefined : runningEmbedded(directory)
  if (running) {
    await refuseOtherVersion(running.ownerUrl)
    return using(running, work)
  }
  const lock = taken ?? (await waitForDataDirectory(directory, me))
  if (!lock) throw alreadyRunning(directory)
  const postgres = await startEmbedded(directory)
  try {
    await prepare(postgres, options)
    await using(postgres, work)
  } finally {
    await postgres.stop()
    lock.release()
  }
}

async function using(
  { appUrl, ownerUrl, directUrl }: DatabaseUrls,
  work: (db: Kysely<DB>, ownerUrl: string) => Promise<void>,
) {
  process.env.DATABASE_URL = appUrl // for code that uses the process-wide database
  const db = connect(directUrl ?? appUrl, { max: 2, statementTimeout: 0 })
  try {
    await readSettings(db)
    await work(db, ownerUrl)
  } finally {
    await db.destroy()
  }
}

/** A server that still runs the version before an update must not find its tables changed. */
async function refuseOtherVersion(url: string) {
  const pool = createPool(url, { max: 1 })
  try {
    const pending = await pendingMigrations(pool).catch((error: { code?: string }) => {
      if (error instanceof Refusal) throw error
      throw new Refusal(
        'Sanad is starting or stopping on this data directory. Try again in a moment.',
      )
    })
    if (pending.length)
      throw new Refusal('The running Sanad is older than this command. Restart it first.')
  } finally {
    await pool.end()
  }
}
