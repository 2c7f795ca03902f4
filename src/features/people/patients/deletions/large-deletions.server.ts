import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { askFor } from '~/server/jobs.server'
import { type Context, mutation, query } from '~/server/operation'
import { RecordId } from '~/shared/record'
import { can, isAdmin } from '~/shared/actor'
import { conflict, notFound } from '~/shared/errors'
import { newId } from '~/shared/id'

/** More records than a request deletes while its user waits. */
export const LARGE = 2_000

export type Deleted = { id: string; label: string; deletionId: string }

/**
 * Has a background job delete the patients, in one transaction, if more than `LARGE` records hang on them; null if a
 * request can do it. What has been requested already is not requested again.
 */
export async function deleteAsJob(
  { db, actor }: Context,
  patients: readonly { id: string; label: string }[],
): Promise<{ job: string; deleted: Deleted[] } | null> {
  const ids = patients.map(({ id }) => id)
  const total = await countRecords(db, ids)
  if (total <= LARGE) return null
  // two requests at a time do not both find none; neither waits for a job that runs
  await sql`select pg_advisory_xact_lock(hashtext('sanad.large_deletions'))`.execute(db)
  const { rows: open } = await sql<{ id: string; patients: Deleted[] }>`
    select id, patients from large_deletions
    where status in ('waiting', 'running')
      and array(select (jsonb_array_elements(patients) ->> 'id')::uuid) && ${ids}::uuid[]`.execute(
    db,
  )
  const same = open.find((one) => ids.every((id) => one.patients.some((each) => each.id === id)))
  if (same) return { job: same.id, deleted: same.patients.filter(({ id }) => ids.includes(id)) }
  if (open.length > 0) throw conflict('patients.beingDeleted')
  const live = await db
    .selectFrom('patients')
    .select('id')
    .where('id', 'in', ids)
    .where('is_deleted', '=', false)
    .execute()
  if (live.length < ids.length) throw notFound('patients.notFound')
  const job = newId()
  const deleted = patients.map(({ id, label }) => ({ id, label, deletionId: newId() }))
  await db
    .insertInto('large_deletions')
    .values({ id: job, requested_by: actor.userId, patients: JSON.stringify(deleted), total })
    .execute()
  await askFor(db, 'large_deletions')
  return { job, deleted }
}

/** The records that hang on the patients; what hangs on those is not counted. */
async function countRecords(db: Kysely<DB>, ids: readonly string[]): Promise<number> {
  const rules = await loadDeletionRules(db)
  const { rows } = await sql<{ records: number }>`
    select sum(n)::integer as records from (${sql.join(
      rules.map(
        ({ child, child_column }) => sql`select count(*) as n from ${sql.table(child)}
          where ${sql.ref(child_column)} = any(${ids}::uuid[]) and not is_deleted`,
      ),
      sql` union all `,
    )}) counted`.execute(db)
  return rows[0]!.records
}

/** What is deleted with a patient; a leaf has nothing that is deleted or unlinked with it. */
export async function loadDeletionRules(db: Kysely<DB>) {
  const { rows } = await sql<{ child: string; child_column: string; isLeaf: boolean }>`
    select child, child_column,
      not exists (select from cascade_rules below where below.parent = rule.child) as "isLeaf"
    from cascade_rules rule where parent = 'patients' and effect = 'delete'
    order by child, child_column`.execute(db)
  return rows
}

const own = ({ db, actor }: Context, id: string) =>
  db
    .selectFrom('large_deletions')
    .where('id', '=', id)
    .$if(!isAdmin(actor), (q) => q.where('requested_by', '=', actor.userId))

/** How far a deletion is that a job runs; `done` of about `total` records. */
export const largeDeletion = query('patients.deletionProgress', {
  input: RecordId,
  allow: ({ actor }) => can(actor, 'delete_patient'),
  async run(ctx, { id }) {
    const row = await own(ctx, id).select(['status', 'total', 'done', 'failure']).executeTakeFirst()
    if (!row) throw notFound('trash.notFound')
    return row
  },
})

/** Asks a deletion that a job runs to stop: then nothing is deleted. One that is over stays as it is. */
export const stopLargeDeletion = mutation('patients.stopDeletion', {
  input: RecordId,
  allow: ({ actor }) => can(actor, 'delete_patient'),
  async run(ctx, { id }) {
    const row = await own(ctx, id).select('id').executeTakeFirst()
    if (!row) throw notFound('trash.notFound')
    await ctx.db
      .updateTable('large_deletions')
      .set({ is_stopping: true })
      .where('id', '=', id)
      .where('status', 'in', ['waiting', 'running'])
      .execute()
    return { id }
  },
})
