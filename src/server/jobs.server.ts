import { Logger, type Runner, run, runMigrations } from 'graphile-worker'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { DB } from '~/db/types'
import { log } from './log'

/** Work that no request waits for. It may run twice (a process can die half-way), so doing it again must do no harm. */
type Job = {
  /** When, as five fields of cron in UTC; none: only when requested. */
  schedule?: string
  run: (db: Kysely<DB>, payload: unknown, signal: AbortSignal) => Promise<void>
}
export type Jobs = Record<string, Job>

const logger = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning')
    log[level === 'error' ? 'error' : 'warn']({ jobs: message }, 'jobs')
})

/** Makes and updates the tables of the queue, which needs the owner of the database. */
export const prepareJobs = (ownerUrl: string) =>
  runMigrations({ connectionString: ownerUrl, logger, maxPoolSize: 1 })

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
        (payload: unknown) => job.run(db, payload, stopping.signal),
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
      stopping.abort()
      await runner.stop()
    },
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
