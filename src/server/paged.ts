import type { SelectQueryBuilder } from 'kysely'
import { PAGE_SIZE, type Page } from '~/shared/record'

/** One page of a list, and how many rows it has. `counted`: the same rows, without the joins that only a page shows. */
export async function paged<RowDB, RowTB extends keyof RowDB, Row, DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<RowDB, RowTB, Row>,
  counted: SelectQueryBuilder<DB, TB, O>,
  page: number,
  pageSize = PAGE_SIZE,
) {
  const found = await rows
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  const total = await totalOf(counted)
  return { rows: found, pagination: { page, pageSize, total } } satisfies Page<unknown>
}

/** How many rows the query has. */
export async function totalOf<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
): Promise<number> {
  const row = await query
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  // Kysely cannot infer the row of a query whose tables are type parameters
  return (row as { total: number }).total
}
