import { sql } from 'kysely'
import { isFew, asPrepared } from '~/db/kept'
import type { Context } from '~/server/operation'
import { pushedTables } from '../schema/tables'
import { planDeletions } from './decide'
import { deleteRows } from './delete.server'
import { byTable, type Incoming, type RowId } from './incoming'
import type { PushState } from './push-state'
import { saveRows } from './save.server'
import { storedIds } from './write.server'

/**
 * One push of a user at a time, across processes. The low page cost makes the planner look rows up
 * by id; in small tables it would scan instead, once for each statement of a push. Statements about few
 * rows are not planned anew for their values: looking up rows by id is right for any of them.
 */
export const prepareTransaction = ({ db, actor }: Context, rows = Infinity) =>
  sql`${asPrepared()} select set_config('random_page_cost', '1.1', true),
    set_config('plan_cache_mode', ${isFew(rows) ? 'force_generic_plan' : 'auto'}, true),
    pg_advisory_xact_lock(hashtext('sanad.sync'), hashtext(${actor.userId}))`.execute(db)

/** Table by table, in the order of their references. */
export async function saveAll(state: PushState, rows: readonly Incoming[]) {
  // most rows are new: looking up all ids at once is faster than reading each table
  const stored = await storedIds(state.ctx.db, rows)
  const newIds = new Set(rows.map(({ id }) => id).filter((id) => !stored.has(id)))
  for (const [table, ofTable] of byTable(rows)) await saveRows(state, table, ofTable, newIds)
}

/** Children first, so that each is deleted by itself and not by a cascade. */
export async function deleteAll(
  state: PushState,
  named: readonly RowId[],
  rows: readonly Incoming[],
) {
  const deleted = planDeletions(state, named, rows)
  for (const [table] of pushedTables.toReversed()) {
    const ofTable = deleted.filter((row) => row.table === table)
    await deleteRows(
      state,
      table,
      ofTable.map(({ id }) => id),
    )
  }
}
