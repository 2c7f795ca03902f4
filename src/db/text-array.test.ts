import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import { type ColumnValue, textArray } from './text-array'

test('values of every kind reach PostgreSQL as they are', async ({ db }) => {
  const read = async (values: readonly ColumnValue[]) => {
    const { rows } = await sql<{ value: string | null }>`
      select value from unnest(${textArray(values)}::text[]) with ordinality as sent (value, place)
      order by place`.execute(db)
    return rows.map(({ value }) => value)
  }
  const texts = [
    '',
    ' ',
    'NULL',
    '{a,b}',
    'say "no"',
    String.raw`\x41 \\`,
    'line\nline',
    'سعاد',
    '👩‍⚕️',
  ]
  expect(await read(texts)).toEqual(texts)
  expect(await read([null, undefined, 1.5, -0.1, true, false, { a: ['ب'] }, ['x']])).toEqual([
    null,
    null,
    '1.5',
    '-0.1',
    'true',
    'false',
    '{"a":["ب"]}',
    '["x"]',
  ])
  expect(await read([])).toEqual([])
})
