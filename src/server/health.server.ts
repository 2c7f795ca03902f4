import type pg from 'pg'
import { pool } from '~/db/db.server'
import { pendingMigrations } from '~/db/migrate.server'
import { perProcess } from '~/db/per-process'
import { type Disk, diskFullError, diskState, isDiskFull, isLow } from './disk.server'
import { recent } from './recent'

/** Set by the command that serves, when it is asked to stop. */
export const serving = perProcess('serving', () => ({ draining: false }))

type Health = {
  live: true
  ready: boolean
  database: 'ok' | 'unreachable' | 'other version' | 'read only'
  /** `low`: warn. `full`: what is stored can be read, and nothing can be saved. */
  disk: 'ok' | 'low' | 'full'
  draining: boolean
}

/**
 * Live: the process answers. Ready: it may be sent requests; the database answers, accepts writes, is
 * at this version's migrations, and has space.
 */
export const health = async (of: pg.Pool = pool()): Promise<Health> =>
  healthWith(await databaseState(of), await diskState())

function healthWith(database: Health['database'], disk: Disk): Health {
  const space = isLow(disk) ? 'low' : 'ok'
  return {
    live: true,
    ready: database === 'ok' && !isDiskFull(disk) && !serving.draining,
    database,
    disk: isDiskFull(disk) ? 'full' : space,
    draining: serving.draining,
  }
}

/** Milliseconds. However many ask, the database is asked once in that time. */
const FRESH = 1_000
const database = recent(() => databaseState(pool()), FRESH)

export const respondReady = async () =>
  healthResponse(healthWith(await database(), await diskState()))
export const respondAlive = () =>
  Response.json({ live: true }, { headers: { 'cache-control': 'no-store' } })

/** `more`: details that only some users see. */
export function healthResponse(state: Health, more: Record<string, unknown> = {}): Response {
  return Response.json(
    { ...state, ...more },
    {
      status: state.ready ? 200 : 503,
      headers: {
        'cache-control': 'no-store',
        ...(state.disk === 'full' && { 'retry-after': String(diskFullError().retryAfter) }),
      },
    },
  )
}

async function databaseState(connections: pg.Pool): Promise<Health['database']> {
  try {
    const [pending, isReadOnly] = await within(
      3_000,
      Promise.all([pendingMigrations(connections), readsOnly(connections)]),
    )
    if (pending.length) return 'other version'
    return isReadOnly ? 'read only' : 'ok'
  } catch (error) {
    return (error as Error).name === 'Refusal' ? 'other version' : 'unreachable'
  }
}

async function readsOnly(connections: pg.Pool): Promise<boolean> {
  const { rows } = await connections.query<{ is_read_only: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as is_read_only`,
  )
  return rows[0]!.is_read_only
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database does not answer')), milliseconds)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
