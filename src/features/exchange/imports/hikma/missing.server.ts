import { sql } from 'kysely'
import { bisect } from '~/server/bisect'
import type { HikmaRun, TableTally } from './run'
import { isUntouched, mappingName, refusalIn, SOURCE } from './place.server'
import type { TableMapping } from './mapping'

const AT_ONCE = 10_000

/** Deletes imported rows that the source no longer has, if nothing has changed them here since. */
export async function deleteMissing(
  { source, steps, watch, report }: HikmaRun,
  mapping: TableMapping,
  tally: TableTally,
  seen: { known: number; derived: ReadonlySet<string> },
): Promise<void> {
  const table = mappingName(mapping)
  const total = await steps(async (db) => {
    const { rows } = await sql<{ n: number }>`select count(*)::int8 as n from import_rows
      where source = ${SOURCE} and table_name = ${table}`.execute(db)
    return rows[0]!.n
  })
  if (total <= seen.known - tally.unplaced) return
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    watch.signal?.throwIfAborted()
    const after = last
    const { rows } = await steps((db) =>
      sql<{ id: string }>`select row_id as id from import_rows
        where source = ${SOURCE} and table_name = ${table} and row_id > ${after}
        order by row_id limit ${AT_ONCE}`.execute(db),
    )
    if (rows.length === 0) return
    last = rows.at(-1)!.id
    const ids = rows.map(({ id }) => id)
    const there = new Set(
      (
        await source.query<{ id: string }>(
          `select id::text from ${mapping.from} where id = any($1::uuid[])`,
          [ids],
        )
      ).map(({ id }) => id),
    )
    for (const id of ids.filter((one) => !there.has(one) && !seen.derived.has(one))) {
      const isDeleted = await steps(async (db) => {
        const { rows: stored } = await sql<{ row: Record<string, unknown>; columns: Buffer }>`
          select to_jsonb(t) as row, i.columns
          from ${sql.table(mapping.to.table)} t join import_rows i
            on i.source = ${SOURCE} and i.table_name = ${table} and i.row_id = t.id
          where t.id = ${id} and not t.is_deleted`.execute(db)
        const [one] = stored
        if (!one || !isUntouched(mapping.to, one.columns, one.row)) return false
        const label = `${mapping.to.table} ${id.slice(0, 8)}`
        // a clinic that was archived since keeps none of its rows from a deletion
        await sql`select set_config('sanad.merging', 'on', true)`.execute(db)
        const refused = await bisect(
          db,
          [id],
          () =>
            sql`select soft_delete(${mapping.to.table}, ${id}::uuid, ${label}, null)`.execute(db),
          refusalIn,
        )
        await sql`select set_config('sanad.merging', '', true)`.execute(db)
        if (refused.length > 0) return false
        return true
      })
      if (isDeleted) {
        tally.deleted += 1
        report.hasNews = true
      }
    }
  }
}
