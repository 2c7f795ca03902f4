import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { explainDatabaseError } from '~/server/constraints'
import { isLostConnection } from '~/server/disk.server'
import { whileAlone } from '~/server/jobs.server'
import { log } from '~/server/log'
import { inTransaction } from '~/server/operation'
import { contextOfRequester } from '~/server/requester.server'
import { AppError, type Message } from '~/shared/errors'
import { type Deleted, loadDeletionRules } from './large-deletions.server'

/** Records between two looks whether the user has stopped it. */
const AT_ONCE = 1_000

/**
 * Runs the requested deletions, each in one transaction: one that is stopped, fails or dies with its process has
 * deleted nothing, and one that died is begun again by the next worker.
 */
export async function runLargeDeletions(db: Kysely<DB>, signal?: AbortSignal): Promise<void> {
  await db
    .deleteFrom('large_deletions')
    .where('finished_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute()
  const due = await db
    .selectFrom('large_deletions')
    .select('id')
    .where('status', 'in', ['waiting', 'running'])
    .orderBy('requested_at')
    .limit(100)
    .execute()
  for (const { id } of due) {
    if (signal?.aborted) return
    await whileAlone(db, `sanad.large_deletions ${id}`, () =>
      db.connection().execute((own) => runOne(db, own, id, signal)),
    )
  }
}

async function runOne(
  db: Kysely<DB>,
  own: Kysely<DB>,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  const row = await db
    .updateTable('large_deletions')
    .set({ status: 'running', done: 0 })
    .where('id', '=', id)
    .where('status', 'in', ['waiting', 'running'])
    .returningAll()
    .executeTakeFirst()
  if (!row) return
  const stop = new AbortController()
  if (row.is_stopping) return end(db, id, 'stopped')
  // over another connection: nobody sees what the transaction has marked before it ends
  const progress = async (done: number) => {
    const now = await db
      .updateTable('large_deletions')
      .set({ done })
      .where('id', '=', id)
      .returning('is_stopping')
      .executeTakeFirst()
    if (!now || now.is_stopping) stop.abort()
    stop.signal.throwIfAborted()
    signal?.throwIfAborted()
  }
  try {
    const ctx = await contextOfRequester(own, row.requested_by)
    await inTransaction('patients.delete', ctx, async ({ db: inner }) => {
      await deleteAll(inner, row.requested_by, row.patients, progress)
      // with the deletion: nobody reads that it was stopped once all is deleted
      await end(inner, id, 'finished')
    })
  } catch (thrown) {
    const error = explainDatabaseError(thrown)
    // the process shuts down, or PostgreSQL starts again: the next worker begins anew
    if (signal?.aborted) return
    if (stop.signal.aborted) return end(db, id, 'stopped')
    if (!(error instanceof AppError) && isLostConnection(thrown)) throw thrown
    if (!(error instanceof AppError)) log.error({ err: error, id }, 'a large deletion failed')
    await end(db, id, 'failed', error instanceof AppError ? error.text : null)
  }
}

type Opened = { id: string; deletion: string }

/** As `soft_delete_all`, in slices of `AT_ONCE` rows. */
async function deleteAll(
  db: Kysely<DB>,
  by: string,
  patients: readonly Deleted[],
  progress: (done: number) => Promise<void>,
) {
  const rules = await loadDeletionRules(db)
  const { rows: opened } = await sql<Opened>`
    select record_id as id, deletion_id as deletion
    from open_deletions('patients', ${patients.map(({ id }) => id)}::uuid[],
      ${patients.map(({ label }) => label)}::text[], ${by},
      ${patients.map(({ deletionId }) => deletionId)}::uuid[])`.execute(db)
  let done = 0
  const below = new Map<string, Opened[]>()
  for (const { id, deletion } of opened)
    for (const { child, child_column, isLeaf } of rules)
      for (let count = AT_ONCE; count === AT_ONCE;) {
        const { rows } = await sql<{ marked: string[] }>`
          select delete_some(${deletion}, ${child}, ${child_column}, ${id}, ${AT_ONCE}) as marked`.execute(
          db,
        )
        const { marked } = rows[0]!
        count = marked.length
        done += count
        if (!isLeaf)
          below.set(child, [
            ...(below.get(child) ?? []),
            ...marked.map((row) => ({ id: row, deletion })),
          ])
        await progress(done)
      }
  // once all that hangs on the patients is marked: else it would be unlinked from each other first
  for (const [table, rows] of [...below, ['patients', opened] as const])
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = rows.slice(at, at + AT_ONCE)
      await sql`select cascade_deletions(${table}, ${some.map(({ id }) => id)}::uuid[],
        ${some.map(({ deletion }) => deletion)}::uuid[])`.execute(db)
      await progress(done)
    }
}

async function end(
  db: Kysely<DB>,
  id: string,
  status: 'finished' | 'stopped' | 'failed',
  failure: Message | null = null,
): Promise<void> {
  await db
    .updateTable('large_deletions')
    .set({
      status,
      failure: failure && JSON.stringify(failure),
      finished_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .execute()
}
