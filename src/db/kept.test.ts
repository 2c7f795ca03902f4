import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import { kept, oneOf } from './kept'

test('a marked statement keeps its plan in the connection, and one about many rows does not', async ({
  db,
}) => {
  const few = [crypto.randomUUID(), crypto.randomUUID()]
  const named = (ids: string[]) =>
    db
      .selectFrom('clinics')
      .modifyFront(kept(ids.length))
      .select('name')
      .where(oneOf('id', ids))
      .execute()
  const of = async (text: string) => {
    const { rows } = await sql<{ runs: number }>`
      select generic_plans + custom_plans as runs from pg_prepared_statements
      where name like 'kept%' and statement like ${`${text}%`}`.execute(db)
    return rows.map(({ runs }) => runs)
  }
  for (const ids of [few, few.slice(1), []]) await named(ids)
  await named(Array.from({ length: 101 }, () => crypto.randomUUID()))
  expect(await of('select /* kept */ "name" from "clinics" where "id" = any(')).toEqual([3])
  await sql`${kept()} select 'as sql'`.execute(db)
  expect(await of("/* kept */ select 'as sql'")).toEqual([1])
})
