import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { DB as Tables } from '~/db/types'
import { PAGE_SIZE, type Page } from '~/shared/record'

/** Rows beyond this number are not counted: a list of many would take longer the more there are. */
const COUNT_UP_TO = 10_000

/** How many rows of a list are counted so that a page of it can say whether another one follows. */
const countedFor = (page: number, pageSize = PAGE_SIZE) => Math.max(COUNT_UP_TO, page * pageSize)

/** `total` as a page says it: `isMore` if there are more than were counted. */
export const pagination = (found: number, page: number, pageSize = PAGE_SIZE) => {
  const most = countedFor(page, pageSize)
  return found > most
    ? { page, pageSize, total: most, isMore: true as const }
    : { page, pageSize, total: found }
}

/** How many rows `select` has: with one more than a page needs, the count ends. */
export async function countUpTo(
  db: Kysely<Tables>,
  select: RawBuilder<unknown>,
  page: number,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (${select} limit ${countedFor(page) + 1}) counted`.execute(db)
  return rows[0]!.total
}

/**
 * One page of a list, and how many rows it has, up to `COUNT_UP_TO`, in one statement. `counted`: the
 * same rows, without the joins that only a page shows.
 */
export async function paged<RowDB, RowTB extends keyof RowDB, Row, DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<RowDB, RowTB, Row>,
  counted: SelectQueryBuilder<DB, TB, O>,
  page: number,
  pageSize = PAGE_SIZE,
) {
  const some = counted
    .clearSelect()
    .select(sql`1`.as('one'))
    .limit(countedFor(page, pageSize) + 1)
  const found = (await rows
    .select(sql<number>`(select count(*) from (${some}) counted)`.as('all_counted'))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()) as (Row & { all_counted: number })[]
  const [first] = found
  const isPastEnd = !first && page > 1
  const total = isPastEnd ? await totalOf(counted) : (first?.all_counted ?? 0)
  return {
    rows: found.map(({ all_counted: _, ...row }) => row as unknown as Row),
    pagination: pagination(total, page, pageSize),
  } satisfies Page<unknown>
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
