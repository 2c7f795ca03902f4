import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { type EmbeddedPostgres, startEmbedded } from '~/db/embedded.server'
import { createMigrationsTable, LAST_BEFORE_RELEASES, migrate } from '~/db/migrate.server'
import { createdObjects } from '~/db/schema.server'
import type { SqlFiles } from '~/db/sql-files'

let folder: string
let server: EmbeddedPostgres
let client: pg.Client

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sanad-migrate-'))
  server = await startEmbedded(openDataDirectory(join(folder, 'data')))
  client = new pg.Client(server.ownerUrl)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A version without db/schema. */
const only = (migrations: SqlFiles) => ({ migrations, schema: {} })
const first = { './migrations/0001_first.sql': 'create table notes (id int primary key)' }
const second = { ...first, './migrations/0002_second.sql': 'insert into notes values (1)' }

test('migrations run once and in order, even when two processes start together', async () => {
  const applied = await Promise.all([
    migrate(server.ownerUrl, only(first)),
    migrate(server.ownerUrl, only(first)),
  ])
  expect(applied.flat()).toEqual(['0001_first'])
  expect(await migrate(server.ownerUrl, only(second))).toEqual(['0002_second'])
  expect(await migrate(server.ownerUrl, only(second))).toEqual([])
  expect((await client.query('select id from notes')).rows).toEqual([{ id: 1 }])
})

test('a migration that fails leaves nothing behind', async () => {
  const third = {
    ...second,
    './migrations/0003_third.sql': 'create table half (id int); select nonsense',
  }
  await expect(migrate(server.ownerUrl, only(third))).rejects.toThrow(
    /^The migration "0003_third" failed: /,
  )
  expect((await client.query(`select to_regclass('half') as half`)).rows).toEqual([{ half: null }])
})

test('a changed migration and one of a newer version are refused', async () => {
  const changed = {
    ...second,
    './migrations/0001_first.sql': 'create table notes (id bigint primary key)',
  }
  await expect(migrate(server.ownerUrl, only(changed))).rejects.toThrow(
    /"0001_first" was changed after it had been applied/,
  )
  await expect(migrate(server.ownerUrl, only(first))).rejects.toThrow(
    /newer version of Sanad \(it has the migration "0002_second"\)/,
  )
})

test('of 0121, both texts are known: their statements are the same', async () => {
  const name = '0121_reports_and_follow_up'
  const third = { ...second, [`./migrations/${name}.sql`]: 'insert into notes values (2)' }
  const withChecksum = async (checksum: string) => {
    await client.query('update schema_migrations set checksum = $1 where name = $2', [
      checksum,
      name,
    ])
    return migrate(server.ownerUrl, only(third))
  }
  expect(await migrate(server.ownerUrl, only(third))).toEqual([name])
  const other = '07f6c6d0f9dce328505a80afb04d9d52fbbf0a17647adc35f07429936350e31f'
  await expect(withChecksum(other)).resolves.toEqual([])
  await expect(withChecksum('x')).rejects.toThrow(/was changed after it had been applied/)
  await client.query('delete from schema_migrations where name = $1', [name])
})

test('line ends of another system are no change', async () => {
  const text = { './migrations/0001_first.sql': Object.values(first)[0]! }
  await expect(migrate(server.ownerUrl, only({ ...second, ...text }))).resolves.toEqual([])
})

test('numbers and dates arrive as numbers and as dates without a time', async () => {
  const db = connect(server.ownerUrl)
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

test('db/schema is applied when it has changed, and what left its files is dropped', async () => {
  const database = await emptyDatabase()
  const tables = { '0001_notes': 'create table notes (id int primary key, text text)' }
  const before = {
    count:
      'create function count_notes() returns bigint language sql as $$ select count(*) from notes $$',
    refuse:
      'create function refuse() returns trigger language plpgsql as $$ begin return null; end $$',
    tables: 'create trigger refused before insert on notes for each row execute function refuse()',
  }
  const names = async () =>
    (await onDatabase(database, createdObjects)).map(({ kind, name }) => `${kind} ${name}`)
  await migrate(database, { migrations: tables, schema: before })
  expect(await names()).toEqual(['trigger refuse', 'function count_notes', 'function refuse'])

  const [appliedAt] = await rowsOf(database, 'select applied_at from schema_in_force')
  await migrate(database, { migrations: tables, schema: before })
  expect(await rowsOf(database, 'select applied_at from schema_in_force')).toEqual([appliedAt])

  // another owner's view stays
  await rowsOf(database, 'create view of_the_owner as select id from notes')
  const after = { count: before.count.replace('count(*)', 'count(text)') }
  await migrate(database, { migrations: tables, schema: after })
  expect(await names()).toEqual(['view of_the_owner', 'function count_notes'])
  await rowsOf(database, `insert into notes values (1, null)`)
  expect(await rowsOf(database, 'select count_notes() as n')).toEqual([{ n: '0' }])

  const wrong = { ...after, tables: 'create trigger nothing on nowhere' }
  await expect(migrate(database, { migrations: tables, schema: wrong })).rejects.toThrow(
    /^The migration "schema\/tables" failed: /,
  )
  expect(await names()).toEqual(['view of_the_owner', 'function count_notes'])
})

test('a database of before the first release is refused with the commit that upgrades it', async () => {
  const old = await emptyDatabase()
  await rowsOf(
    old,
    `${createMigrationsTable}; insert into schema_migrations values ('0001_kernel', 'x')`,
  )
  await expect(migrate(old)).rejects.toThrow(
    `The last commit that does is ${LAST_BEFORE_RELEASES}: start that once, then this one.`,
  )
})

async function emptyDatabase() {
  const name = `db_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Client(server.adminUrl)
  await admin.connect()
  const owner = new URL(server.ownerUrl).username
  await admin.query(`create database ${name} owner ${owner}`)
  await admin.end()
  const url = new URL(server.ownerUrl)
  url.pathname = `/${name}`
  return url.href
}

async function onDatabase<R>(url: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const connection = new pg.Client(url)
  await connection.connect()
  try {
    return await work(connection)
  } finally {
    await connection.end()
  }
}

const rowsOf = (url: string, statement: string) =>
  onDatabase(url, async (c) => (await c.query<Record<string, unknown>>(statement)).rows)
