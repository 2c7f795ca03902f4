import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import { test } from '../../test/harness'
import { keepStatements, asPrepared, columnInIds } from './kept'

test('a marked statement keeps its plan in the connection, and one about many rows does not', async ({
  db,
}) => {
  const client = new pg.Client(inject('roles').ownerUrl)
  await client.connect()
  onTestFinished(() => client.end())
  // names of its own: other tests of this process may have used up those of the server
  keepStatements(client, new Map())
  const few = [crypto.randomUUID(), crypto.randomUUID()]
  const asked = async (ids: string[]) => {
    const { sql: text, parameters } = db
      .selectFrom('clinics')
      .modifyFront(asPrepared(ids.length))
      .select('name')
      .where(columnInIds('id', ids))
      .compile()
    await client.query(text.replace('"clinics"', `(values (null::uuid, '')) clinics (id, name)`), [
      ...parameters,
    ])
  }
  const of = async (text: string) => {
    const { rows } = await client.query<{ runs: string }>(
      `select generic_plans + custom_plans as runs from pg_prepared_statements
      where name like 'kept%' and statement like $1`,
      [`${text}%`],
    )
    return rows.map(({ runs }) => Number(runs))
  }
  for (const ids of [few, few.slice(1), []]) await asked(ids)
  await asked(Array.from({ length: 101 }, () => crypto.randomUUID()))
  expect(await of('select /* kept */ "name" from (values')).toEqual([3])
  await client.query(sql`${asPrepared()} select 'as sql'`.compile(db).sql)
  expect(await of("/* kept */ select 'as sql'")).toEqual([1])
})
