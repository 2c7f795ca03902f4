import { Logger, type Runner, run, runMigrations } from 'graphile-worker'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { createPool } from '~/db/connect'
import type { DB } from '~/db/types'
import { log } from './log'

/** Work that no request waits for. It may run twice (a process can die half-way), so doing it again must do no harm. */
type Job = {
  /** When, as five fields of cron in UTC; none: only when requested. */
  schedule?: string
  /** A process that starts does it at once, because one that was killed may have left it half-done. */
  atStart?: true
  run: (db: Kysely<DB>, payload: unknown, signal: AbortSignal) => Promise<void>
}
export type Jobs = Record<string, Job>

const logger = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning')
    log[level === 'error' ? 'error' : 'warn']({ jobs: message }, 'jobs')
})

/** Makes and updates the tables of the queue, which needs the owner of the database. */
export async function prepareJobs(ownerUrl: string): Promise<void> {
  const pgPool = createPool(ownerUrl, { max: 1, statementTimeout: 0, name: 'sanad start' })
  try {
    await runMigrations({ pgPool, logger })
  } finally {
    await pgPool.end()
  }
}

/**
 * PostgreSQL is the queue: any number of processes take from it, each job is done by one of them, tried again when that
 * one dies, and a schedule fires once however many are running.
 */
export async function startJobs(
  pgPool: pg.Pool,
  db: Kysely<DB>,
  jobs: Jobs,
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController()
  const voiding = await voidFuture(db)
  // before the workers look for the first time: they look again half a minute later
  for (const [name, { atStart }] of Object.entries(jobs)) if (atStart) await askFor(db, name)
  const runner: Runner = await run({
    pgPool,
    logger,
    // an import of an hour must not keep the night's backup waiting
    concurrency: 3,
    // seconds do not matter here, and an idle clinic's machine should sleep; new jobs are announced anyway
    pollInterval: 30_000,
    noHandleSignals: true,
    noPreparedStatements: true,
    taskList: Object.fromEntries(
      Object.entries(jobs).map(([name, job]) => [
        name,
        oneAtATime((payload: unknown) => job.run(db, payload, stopping.signal)),
      ]),
    ),
    crontab: Object.entries(jobs)
      .filter(([, { schedule }]) => schedule)
      .map(([name, { schedule }]) => `${schedule} ${name.replaceAll('.', '_')}`)
      .join('\n'),
  })
  return {
    /** Asks what is under way to stop, and waits for it; the next process takes up what it leaves. */
    async stop() {
      clearInterval(voiding)
      stopping.abort()
      await runner.stop()
    },
  }
}

/** Milliseconds: a clock that is put right is noticed while the server runs, too. */
const VOIDED_EACH = 10 * 60_000

/**
 * Voids times of a clock that was ahead, now and from now on: a schedule would not fire again before its last run, a
 * retry would wait, and a job that a killed process held would stay locked.
 */
async function voidFuture(db: Kysely<DB>): Promise<NodeJS.Timeout> {
  await voidFutureJobs(db)
  return setInterval(() => {
    voidFutureJobs(db).catch((error: unknown) => log.warn({ err: error }, 'jobs'))
  }, VOIDED_EACH).unref()
}

export async function voidFutureJobs(db: Kysely<DB>): Promise<void> {
  await sql`update graphile_worker._private_known_crontabs
    set last_execution = case when has_happened(last_execution) then last_execution end,
      known_since = least(known_since, clock_timestamp())
    where not has_happened(last_execution) or not has_happened(known_since)`.execute(db)
  // retries wait for some hours at most
  await sql`update graphile_worker._private_jobs
    set run_at = least(run_at, clock_timestamp()),
      locked_at = case when has_happened(locked_at) then locked_at end,
      locked_by = case when has_happened(locked_at) then locked_by end
    where run_at > clock_timestamp() + interval '1 day' or not has_happened(locked_at)`.execute(db)
}

/**
 * Runs a job once at a time in this process. A schedule requests it each minute, however long it takes: its further
 * runs would keep all other jobs waiting. What is requested while it runs is done by one more run after it.
 */
function oneAtATime<P>(work: (payload: P) => Promise<void>): (payload: P) => Promise<void> {
  let isRunning = false
  let next: { payload: P } | undefined
  return async (payload) => {
    next = { payload }
    if (isRunning) return
    isRunning = true
    try {
      while (next) {
        const { payload: current }: { payload: P } = next
        next = undefined
        await work(current)
      }
    } finally {
      isRunning = false
      next = undefined
    }
  }
}

/** Has the job done soon, by whichever process is free. Where no server has run yet, its schedule does it later. */
export async function askFor(db: Kysely<DB>, job: string) {
  const { rows } = await sql<{
    there: boolean
  }>`select to_regnamespace('graphile_worker') is not null as there`.execute(db)
  if (rows[0]?.there)
    await sql`select graphile_worker.add_job(${job}, job_key => ${job})`.execute(db)
}

/**
 * Runs `work` unless another process runs it: it holds a lock of this name. The lock belongs to a transaction of its
 * own, which holds no snapshot: a pooler lends each statement outside a transaction another connection.
 */
export async function whileAlone(db: Kysely<DB>, name: string, work: () => Promise<void>) {
  await db.transaction().execute(async (own) => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(hashtext(${name})) as free,
        set_config('idle_in_transaction_session_timeout', '0', true)`.execute(own)
    if (rows[0]?.free) await work()
  })
}
