import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { type EmbeddedPostgres, startEmbedded } from '~/db/embedded.server'
import { migrate } from '~/db/migrate.server'

let folder: string
let server: EmbeddedPostgres
let client: pg.Client

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sanad-migrate-'))
  server = await startEmbedded(openDataDirectory(join(folder, 'data')))
  client = new pg.Client(server.url)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const first = { './migrations/0001_first.sql': 'create table notes (id int primary key)' }
const second = { ...first, './migrations/0002_second.sql': 'insert into notes values (1)' }

test('migrations run once and in order, even when two processes start together', async () => {
  const applied = await Promise.all([migrate(server.url, first), migrate(server.url, first)])
  expect(applied.flat()).toEqual(['0001_first'])
  expect(await migrate(server.url, second)).toEqual(['0002_second'])
  expect(await migrate(server.url, second)).toEqual([])
  expect((await client.query('select id from notes')).rows).toEqual([{ id: 1 }])
})

test('a migration that fails leaves nothing behind', async () => {
  const third = {
    ...second,
    './migrations/0003_third.sql': 'create table half (id int); select nonsense',
  }
  await expect(migrate(server.url, third)).rejects.toThrow(/^The migration "0003_third" failed: /)
  expect((await client.query(`select to_regclass('half') as half`)).rows).toEqual([{ half: null }])
})

test('a changed migration and one of a newer version are refused', async () => {
  const changed = {
    ...second,
    './migrations/0001_first.sql': 'create table notes (id bigint primary key)',
  }
  await expect(migrate(server.url, changed)).rejects.toThrow(
    /"0001_first" was changed after it had been applied/,
  )
  await expect(migrate(server.url, first)).rejects.toThrow(
    /newer version of Sanad \(it has the migration "0002_second"\)/,
  )
})

test('line ends of another system are no change', async () => {
  const text = { './migrations/0001_first.sql': Object.values(first)[0]! }
  await expect(migrate(server.url, { ...second, ...text })).resolves.toEqual([])
})

test('numbers and dates arrive as numbers and as dates without a time', async () => {
  const db = connect(server.url)
  const { rows } = await sql`
    select 12::bigint as big, 1.5::numeric as exact, date '2026-02-28' as day,
           array[1, null]::bigint[] as bigs, array[date '2026-02-28'] as days`.execute(db)
  await db.destroy()
  expect(rows).toEqual([
    { big: 12, exact: 1.5, day: '2026-02-28', bigs: [1, null], days: ['2026-02-28'] },
  ])
})

test('the passwords are for their owner alone, and the log holds no statement', async () => {
  await client.query(`select 'Amal Haddad' / 0`).catch(() => {})
  expect(readFileSync(join(folder, 'data', 'run', 'postgres.log'), 'utf8')).not.toContain('Amal')
  const { rows } = await client.query<{ super: boolean }>(
    'select rolsuper as super from pg_roles where rolname = current_user',
  )
  expect(rows).toEqual([{ super: false }])
})
