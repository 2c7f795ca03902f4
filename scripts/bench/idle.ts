import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Refusal } from '~/db/refusal'
import { askFor } from '~/server/jobs.server'
import { connectToDataDir } from './database'

/** Milliseconds between two looks. */
const INTERVAL = 200
/** A check that makes no progress for so long has failed, and would disturb every measure. */
const STUCK_AFTER = 60_000

/**
 * Waits until the server works only for the one who measures: no medicine waits for its check and
 * no job runs or is due. Returns how many rows waited for their check. A check in the background
 * takes a processor from what is measured.
 */
export async function waitUntilIdle(dataDir: string, signal: AbortSignal): Promise<number> {
  const db = connectToDataDir(dataDir)
  try {
    let least = Number.POSITIVE_INFINITY
    let progressAt = performance.now()
    let waited = 0
    // its schedule would begin it within a minute
    await askFor(db, 'check_medicines')
    for (;;) {
      signal.throwIfAborted()
      // polls at the interval
      const { rows } = await sql<{ unchecked: number; jobs: number }>`
        select (select count(*) from unchecked_medicines) as unchecked,
          (select count(*) from graphile_worker.jobs
           where locked_at is not null or (run_at <= now() and attempts < max_attempts)) as jobs`.execute(
        db,
      )
      const { unchecked, jobs } = rows[0]!
      if (unchecked === 0 && jobs === 0) return waited
      waited = Math.max(waited, unchecked)
      if (unchecked + jobs < least) {
        least = unchecked + jobs
        progressAt = performance.now()
      }
      if (performance.now() - progressAt > STUCK_AFTER)
        throw new Refusal(`${unchecked} unchecked medicines and ${jobs} jobs do not end.`)
      await sleep(INTERVAL)
    }
  } finally {
    await db.destroy()
  }
}
