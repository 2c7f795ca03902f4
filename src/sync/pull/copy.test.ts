import { sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import { database, test, urlsOf } from '../../../test/harness'
import { copyTexts } from './copy.server'

test('texts, their rows and patients are read however the answer is cut into pieces', async ({}) => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
    await database(),
  )
  const client = new pg.Client(urlsOf(rows[0]!.name).ownerUrl)
  await client.connect()
  const read = async (first: string) => {
    const patients = new Set<string>()
    let text = ''
    const count = await copyTexts(
      client,
      `select ${first}, repeat('x', i % 701) || ',' from generate_series(1, 20000) i`,
      patients,
      async (bytes) => void (text += bytes.toString()),
    )
    return { patients, text, count }
  }
  try {
    const mixed = await read(`case when i % 3 > 0 then md5((i % 500)::text)::uuid end`)
    const numbers = await read('i')
    const expected = Array.from({ length: 20_000 }, (_, at) => `${'x'.repeat((at + 1) % 701)},`)
    expect(mixed.text === expected.join('')).toBe(true)
    expect(numbers.text === mixed.text).toBe(true)
    expect([mixed.count, numbers.count]).toEqual([20_000, 200_010_000])
    const { rows: ids } = await client.query<{ id: string }>(
      'select md5(i::text)::uuid::text as id from generate_series(0, 499) i',
    )
    expect([...mixed.patients].toSorted()).toEqual(ids.map(({ id }) => id).toSorted())
    expect(numbers.patients.size).toBe(0)
  } finally {
    await client.end()
  }
})
