import { sql } from 'kysely'
import { entryRuleOf } from '../schema/column-rules'
import { type PushedName, QUIET } from '../schema/tables'
import type { PushState } from './push-state'
import { type PlannedWrite, recordset } from './write.server'

/**
 * Ends the conflicts about values that the same user has replaced on the same device: the newer value is stored, and
 * taking the older one would undo it. Of columns that are merged by their entries, other entries may still wait.
 */
export async function supersedeConflicts(
  { ctx: { db, actor }, base: { chainIds } }: PushState,
  table: PushedName,
  written: readonly PlannedWrite[],
) {
  const typed = written.filter(({ incoming }) => incoming.state === 'edited' && !incoming.waited)
  const cells = typed.flatMap(({ id, values }) =>
    Object.keys(values)
      .filter((column) => !QUIET.includes(column) && entryRuleOf(table, column) === null)
      .map((column) => ({ id, column })),
  )
  if (cells.length === 0 || chainIds.length === 0) return
  await sql`update sync_conflicts c
    set outcome = 'superseded', settled_by = ${actor.userId}, settled_at = clock_timestamp()
    from ${recordset(cells, ['id uuid', '"column" text'])}
    where c.settled_at is null and not c.is_deleted and c.chain_id = any(${chainIds}::uuid[])
      and c.user_id = ${actor.userId} and c.table_name = ${table}
      and c.row_id = r.id and c.column_name = r."column"`.execute(db)
}
