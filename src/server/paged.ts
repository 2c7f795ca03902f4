import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import { perProcess } from '~/db/per-process'
import type { DB as Tables } from '~/db/types'
import type { Context } from './operation'
import { PAGE_SIZE, type PagedRows } from '~/shared/record'

/** Rows beyond this number are not counted: a list of many would take longer the more there are. */
const COUNT_UP_TO = 10_000

/** How many rows of a list are counted so that a page of it can say whether another one follows. */
const countLimit = (page: number, pageSize = PAGE_SIZE) => Math.max(COUNT_UP_TO, page * pageSize)

/** `total` as a page says it: `isMore` if there are more than were counted. */
export const pagination = (found: number, page: number, pageSize = PAGE_SIZE) => {
  const most = countLimit(page, pageSize)
  return found > most
    ? { page, pageSize, total: most, isMore: true as const }
    : { page, pageSize, total: found }
}

/** A list that may be long: the same name and filter of the same user has the same rows. */
type CountedList = { ctx: Pick<Context, 'db' | 'actor'>; name: string; filter: object }

/** Milliseconds in which a list that had more rows than are counted is taken to have them still. */
const LONG_LIST_MS = 60_000
/** Largest number of remembered lists. */
const MAX_REMEMBERED_LISTS = 1_000
const remembered = () =>
  perProcess('long lists', () => new WeakMap<Kysely<Tables>, Map<string, number>>())

/** Whether a list was counted a moment ago and had more than `most` rows, and a way to say that it has. */
function recallLongList({ ctx, name, filter }: CountedList, most: number) {
  const lists = remembered().get(ctx.db) ?? new Map<string, number>()
  const key = JSON.stringify([name, ctx.actor.userId, most, filter])
  return {
    isKnown: (lists.get(key) ?? 0) > performance.now(),
    remember() {
      lists.delete(key)
      lists.set(key, performance.now() + LONG_LIST_MS)
      const [oldest] = lists.keys()
      if (lists.size > MAX_REMEMBERED_LISTS) lists.delete(oldest!)
      remembered().set(ctx.db, lists)
    },
  }
}

/** How many rows `select`, the rows of `list`, has: with one more than a page needs, the count ends. */
export async function countUpTo(
  list: CountedList,
  select: RawBuilder<unknown>,
  page: number,
): Promise<number> {
  const most = countLimit(page)
  const long = recallLongList(list, most)
  if (long.isKnown) return most + 1
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (${select} limit ${most + 1}) counted`.execute(list.ctx.db)
  const { total } = rows[0]!
  if (total > most) long.remember()
  return total
}

type Paging = {
  pageSize?: number
  /** For a list that may be long: it is not counted again while it is known to be. */
  list?: CountedList
  /** For a list of one patient, whose plan does not depend on the patient: it is kept. */
  ofPatient?: boolean
}

/**
 * One page of a list, and how many rows it has, up to `COUNT_UP_TO` or the end of the page, in one statement; past the
 * end of the list all are counted. `counted`: the same rows, without the joins that only a page shows.
 */
export async function loadListPage<
  RowDB,
  RowTB extends keyof RowDB,
  Row,
  DB,
  TB extends keyof DB,
  O,
>(
  rows: SelectQueryBuilder<RowDB, RowTB, Row>,
  counted: SelectQueryBuilder<DB, TB, O>,
  page: number,
  { pageSize = PAGE_SIZE, list, ofPatient }: Paging = {},
) {
  const most = countLimit(page, pageSize)
  const long = list && recallLongList(list, most)
  const some = counted
    .clearSelect()
    .select(sql`1`.as('one'))
    .limit(most + 1)
  const count = long?.isKnown
    ? sql<number>`${most + 1}::integer`
    : sql<number>`(select count(*) from (${some}) counted)`
  const found = (await rows
    .$if(ofPatient === true, (query) => query.modifyFront(asPrepared()))
    .select(count.as('all_counted'))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()) as (Row & { all_counted: number })[]
  const [first] = found
  const isPastEnd = !first && page > 1
  const total = isPastEnd ? await countTotal(counted) : (first?.all_counted ?? 0)
  if (total > most) long?.remember()
  return {
    rows: found.map(({ all_counted: _, ...row }) => row as unknown as Row), // less the count
    pagination: pagination(total, page, pageSize),
  } satisfies PagedRows<unknown>
}

/** How many rows the query has. */
export async function countTotal<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
): Promise<number> {
  const row = await query
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  // Kysely cannot infer the row of a query whose tables are type parameters
  return (row as { total: number }).total
}
