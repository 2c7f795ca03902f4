import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import { asOwner, cloneTemplate, test } from '../../test/harness'
import type { DB } from './types'

const entry = { via: 'web', operation: 'patients.get', outcome: 'shown', request_id: 'r' }

/** Month of the partition -> number of entries. */
async function months(db: Kysely<DB>) {
  const { rows } = await sql<{ part: string; count: number }>`
    select tableoid::regclass::text as part, count(*) from access_log group by 1 order by 1`.execute(
    db,
  )
  return Object.fromEntries(rows.map(({ part, count }) => [part, count]))
}

test('an entry of the access log is in the partition of its month, and one of any other time is kept as well', async ({
  db,
}) => {
  const month = new Date().toISOString().slice(0, 7).replace('-', '_')
  await db.insertInto('access_log').values(entry).execute()
  expect(await months(db)).toEqual({ [`access_log_${month}`]: 1 })

  const times = ['1999-12-31T23:59:59.999Z', '2000-01-01T00:00:00Z', '2077-05-05T00:00:00Z']
  await db
    .insertInto('access_log')
    .values(times.map((at) => ({ ...entry, at })))
    .execute()
  expect(await months(db)).toMatchObject({ access_log_default: 3 })

  // of a restored backup, or of a wrong clock
  await sql`select keep_access_log_months()`.execute(db)
  expect(await months(db)).toEqual({
    access_log_1999_12: 1,
    access_log_2000_01: 1,
    access_log_2077_05: 1,
    [`access_log_${month}`]: 1,
  })
  await sql`select keep_access_log_months()`.execute(db)
  await db
    .insertInto('access_log')
    .values({ ...entry, at: '2000-01-31T00:00:00Z' })
    .execute()
  expect(await months(db)).toMatchObject({ access_log_2000_01: 2 })
})

test('the ids of the access log are UUIDs of version 7', async ({ db }) => {
  const before = Date.now()
  const { id } = await db
    .insertInto('access_log')
    .values(entry)
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)
  expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBeGreaterThanOrEqual(before - 1000)
})

test('no entry of the access log is changed or removed, in its table or in a partition', async () => {
  const name = `access_log_${process.pid}`
  await (await cloneTemplate(name)).destroy()
  // also for the owner, who has every privilege
  await asOwner(name, async (db) => {
    await db
      .insertInto('access_log')
      .values([entry, { ...entry, at: '2000-01-01T00:00:00Z' }])
      .execute()
    await sql`select keep_access_log_months()`.execute(db)
    for (const table of ['access_log', 'access_log_2000_01'])
      for (const change of ['update', 'delete from'])
        await expect(
          sql.raw(`${change} ${table} ${change === 'update' ? 'set count = 2' : ''}`).execute(db),
          `${change} ${table}`,
        ).rejects.toThrow('append-only')
    await expect(sql`truncate access_log`.execute(db)).rejects.toThrow('append-only')
  })
})
