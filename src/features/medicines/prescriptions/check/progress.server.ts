import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'

/** How far the check of arrived medicines has come; `isStuck`: a row has waited for long. */
export type ChecksProgress = { checked: number; waiting: number; isStuck: boolean }

/** Fewer rows are checked within a second or two. */
const FEW = 300
/** Minutes without progress after which a waiting row says that the check does not run, or cannot check it. */
const LONG = 10

/** SQL of a `ChecksProgress`; null while no row waits, or only what was just written. */
export const checksProgress = sql<ChecksProgress | null>`(
  select to_jsonb(progress) from (
    select count(*) as waiting, coalesce((select checked from medicine_checks), 0) as checked,
      coalesce(min(marked_at) < clock_timestamp() - make_interval(mins => ${LONG}::int)
        and not exists (select from medicine_checks
          where progressed_at >= clock_timestamp() - make_interval(mins => ${LONG}::int)), false) as "isStuck"
    from unchecked_medicines) progress
  where waiting > ${FEW}::int or "isStuck")`

/** Counts checked rows, as the last statement of the transaction that checked them, because it locks the count. */
export const countChecked = (db: Kysely<DB>, checked: number) =>
  sql`insert into medicine_checks (checked) values (${checked})
    on conflict (is_only) do update set checked = medicine_checks.checked + excluded.checked,
      progressed_at = clock_timestamp()`.execute(db)

/**
 * Ends the count once every row was looked at: rows that come later are counted anew. Without a count nothing is
 * written, because each write reloads the dashboards.
 */
export async function endOfChecks(db: Kysely<DB>) {
  const count = await db.selectFrom('medicine_checks').select('checked').executeTakeFirst()
  if (count) await db.deleteFrom('medicine_checks').execute()
}
