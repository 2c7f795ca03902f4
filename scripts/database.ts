import type { Kysely } from 'kysely'
import { connect, createPool } from '~/db/connect'
import {
  alreadyRunning,
  openDataDirectory,
  takeDataDirectory,
  waitForDataDirectory,
} from '~/db/embedded-directory.server'
import { runningEmbedded, startEmbedded } from '~/db/embedded.server'
import { checkExternalDatabase } from '~/db/external.server'
import { migrate, pendingMigrations } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import type { DB } from '~/db/types'
import { openTrail } from '~/db/trail.server'
import { env } from '~/server/env'
import { adoptInstanceKey } from '~/server/instance-key.server'
import { readSettings } from '~/server/settings.server'
import { keepRowCaches } from '~/sync/pull/row-cache.server'

/** Brings the tables up to this version, and what is written down in them for phones. */
export async function prepare(url: string, { replacesKey = false } = {}) {
  await migrate(url)
  await openTrail(url)
  await adoptInstanceKey(url, { replace: replacesKey })
  await keepRowCaches(url)
}

/**
 * Runs a command's work on the migrated database: the external one, that of the server that runs now, or else the
 * embedded one, started for as long as the work takes.
 */
export async function withDatabase(
  work: (db: Kysely<DB>, url: string) => Promise<void>,
  options: { replacesKey?: boolean } = {},
): Promise<void> {
  const { databaseUrl, dataDir } = env()
  if (databaseUrl) {
    await checkExternalDatabase(databaseUrl)
    await prepare(databaseUrl, options)
    return using(databaseUrl, work)
  }
  const directory = openDataDirectory(dataDir)
  const me = { pid: process.pid, is: 'command' } as const
  const taken = takeDataDirectory(directory, me)
  const running = taken ? undefined : runningEmbedded(directory)
  if (running) {
    await refuseOtherVersion(running.url)
    return using(running.url, work)
  }
  const lock = taken ?? (await waitForDataDirectory(directory, me))
  if (!lock) throw alreadyRunning(directory)
  const postgres = await startEmbedded(directory)
  try {
    await prepare(postgres.url, options)
    await using(postgres.url, work)
  } finally {
    await postgres.stop()
    lock.release()
  }
}

async function using(url: string, work: (db: Kysely<DB>, url: string) => Promise<void>) {
  process.env.DATABASE_URL = url // for what reaches for the process-wide database
  const db = connect(url, { max: 2, statementTimeout: 0 })
  try {
    await readSettings(db)
    await work(db, url)
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
