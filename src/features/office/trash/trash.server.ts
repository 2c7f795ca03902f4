import { sql } from 'kysely'
import { followRestored } from '~/features/rules/transitions/day.server'
import { countTakenOf } from '~/features/rules/transitions/taken.server'
import { mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { containing, countSubquery } from '~/server/scope'
import { patientsOfRows } from '~/server/shown'
import { isAdmin } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { DeletionId, ListTrash } from './trash'

/**
 * Deletions that were not undone, newest first: record, user, and the number of included records.
 */
export const listTrash = query('trash.list', {
  access: 'reviews',
  reads: ['deletions'],
  looksUp: ['users'],
  input: ListTrash,
  allow: ({ actor }) => isAdmin(actor),
  async run({ db }, { search, table, page }) {
    const deletions = db
      .selectFrom('deletions')
      .where('restored_at', 'is', null)
      .$if(!!search, (q) => q.where('label', 'ilike', containing(search!)))
      .$if(!!table, (q) => q.where('table_name', '=', table!))
    return loadListPage(
      deletions
        .leftJoin('users', 'users.id', 'deletions.deleted_by')
        .select(({ selectFrom }) => [
          'deletions.id',
          'table_name',
          'label',
          'deletions.deleted_at',
          'deletions.patient_id',
          'users.name as deleted_by',
          countSubquery(
            selectFrom('deletion_items')
              .whereRef('deletion_id', '=', 'deletions.id')
              .where('unlinked_column', 'is', null),
          ).as('records'),
        ])
        .orderBy('deletions.deleted_at', 'desc')
        .orderBy('deletions.id'),
      deletions,
      page,
    )
  },
  shows: patientsOfRows,
})

/**
 * Restores exactly what the deletion included, but for what was taken over from the same document again since: for
 * administrators, and for the user who deleted it, within the hour.
 */
export const restoreDeletion = mutation('trash.restore', {
  input: DeletionId,
  async allow({ db, actor }, { id }) {
    if (isAdmin(actor)) return true
    const own = await db
      .selectFrom('deletions')
      .select('id')
      .where('id', '=', id)
      .where('deleted_by', '=', actor.userId)
      .where('deleted_at', '>', sql<Date>`now() - interval '1 hour'`)
      .executeTakeFirst()
    return own !== undefined
  },
  async run(ctx, { id }) {
    const { db, actor } = ctx
    const { rows } = await sql<{
      done: boolean
    }>`select undo_deletion(${id}, ${actor.userId}) as done`.execute(db)
    if (!rows[0]?.done) throw notFound('trash.notFound')
    const closed = await followRestored(ctx, id)
    const taken = await countTakenOf(db, id)
    const { rows: again } =
      await sql`select taken_again(array[id]) from deletions where id = ${id} and table_name <> 'patients'`.execute(
        db,
      )
    // `left`: what was taken over from the same document again since
    // `closed`: visits that are closed, because another one has been opened since
    // `taken`: appointments to come whose time has another one by now
    return { id, left: again.length, closed, taken }
  },
})
