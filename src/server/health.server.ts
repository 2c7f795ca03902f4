import { pool } from '~/db/db.server'
import { pendingMigrations } from '~/db/migrate.server'
import { perProcess } from '~/db/per-process'

/** Set by the command that serves, when it is asked to stop. */
export const serving = perProcess('serving', () => ({ draining: false }))

type Health = {
  live: true
  ready: boolean
  database: 'ok' | 'unreachable' | 'other version'
  draining: boolean
}

/**
 * Live: the process answers. Ready: it may be sent requests; the database answers and is at this
 * version's migrations.
 */
export async function health(): Promise<Health> {
  const database = await databaseState()
  return {
    live: true,
    ready: database === 'ok' && !serving.draining,
    database,
    draining: serving.draining,
  }
}

export const respondReady = async () => answerOf(await health())

/** `more`: details that only some users see. */
export function answerOf(state: Health, more: Record<string, unknown> = {}): Response {
  return Response.json(
    { ...state, ...more },
    {
      status: state.ready ? 200 : 503,
      headers: { 'cache-control': 'no-store' },
    },
  )
}

async function databaseState(): Promise<Health['database']> {
  try {
    const pending = await within(3_000, pendingMigrations(pool()))
    return pending.length ? 'other version' : 'ok'
  } catch (error) {
    return (error as Error).name === 'Refusal' ? 'other version' : 'unreachable'
  }
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database does not answer')), milliseconds)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
