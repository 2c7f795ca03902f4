import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import type { DB } from '~/db/types'
import { paged } from './paged'

/** The page of a list of so many rows. */
const pageOf = async (db: Kysely<DB>, count: number, page: number) => {
  const numbers = db.selectFrom(
    sql<{ n: number }>`(select n from generate_series(1, ${count}::integer) n)`.as('numbers'),
  )
  const { rows, pagination } = await paged(
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
