import { type Kysely, sql } from 'kysely'
import { expect, vi } from 'vitest'
import { test } from '../../test/harness'
import type { DB } from '~/db/types'
import type { Context } from './operation'
import { loadListPage } from './paged'

/** The page of a list of so many rows. */
const pageOf = async (db: Kysely<DB>, count: number, page: number) => {
  const numbers = db.selectFrom(
    sql<{ n: number }>`(select n from generate_series(1, ${count}::integer) n)`.as('numbers'),
  )
  const { rows, pagination } = await loadListPage(
    numbers.select('numbers.n').orderBy('numbers.n'),
    numbers,
    page,
  )
  return { first: rows[0], ...pagination }
}

test('a list counts its rows up to ten thousand, and further where a page lies further', async ({
  db,
}) => {
  const page = { page: 1, pageSize: 50 }
  expect(await pageOf(db, 0, 1)).toEqual({ ...page, first: undefined, total: 0 })
  expect(await pageOf(db, 60, 2)).toEqual({ ...page, page: 2, first: { n: 51 }, total: 60 })
  expect(await pageOf(db, 60, 3)).toEqual({ ...page, page: 3, first: undefined, total: 60 })
  expect(await pageOf(db, 10_000, 1)).toEqual({ ...page, first: { n: 1 }, total: 10_000 })
  expect(await pageOf(db, 10_001, 1)).toEqual({
    ...page,
    first: { n: 1 },
    total: 10_000,
    isMore: true,
  })
  expect(await pageOf(db, 10_060, 201)).toMatchObject({ total: 10_050, isMore: true })
  expect(await pageOf(db, 10_060, 202)).toEqual({
    ...page,
    page: 202,
    first: { n: 10_051 },
    total: 10_060,
  })
})

test('a list that was longer than is counted is counted again by others, and after a minute', async ({
  db,
  as,
}) => {
  await sql`create temp table numbered as select n from generate_series(1, 10001) n`.execute(db)
  const numbers = db.selectFrom(sql<{ n: number }>`numbered`.as('numbers'))
  const listOf = (ctx: Context, filter = {}) =>
    loadListPage(numbers.select('numbers.n').orderBy('numbers.n'), numbers, 1, {
      list: { ctx, name: 'numbers', filter },
    })
  const more = { page: 1, pageSize: 50, total: 10_000, isMore: true }
  const user = as('admin')
  expect((await listOf(user)).pagination).toEqual(more)
  await sql`delete from numbered where n > 60`.execute(db)
  const { rows, pagination } = await listOf(user)
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
  expect(pagination).toEqual(more)
  const counted = { page: 1, pageSize: 50, total: 60 }
  expect((await listOf(user, { sex: 'female' })).pagination).toEqual(counted)
  const other = { ...user, actor: { ...user.actor, userId: crypto.randomUUID() } }
  expect((await listOf(other)).pagination).toEqual(counted)
  const now = performance.now()
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    vi.advanceTimersByTime(now + 61_000)
    expect((await listOf(user)).pagination).toEqual(counted)
  } finally {
    vi.useRealTimers()
  }
})
