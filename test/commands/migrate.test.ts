import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { type EmbeddedPostgres, startEmbedded } from '~/db/embedded.server'
import { fingerprint } from '~/db/fingerprint.server'
import { legacyMigrations } from '~/db/legacy.server'
import {
  bundledMigrations,
  createMigrationsTable,
  migrate,
  pendingMigrations,
  thisVersion,
} from '~/db/migrate.server'
import { createdObjects } from '~/db/schema.server'
import { inOrder, type SqlFiles } from '~/db/sql-files'
import { definitions } from './definitions'

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

describe('a database of before the migrations were squashed', () => {
  const newest = {
    ...bundledMigrations,
    '9998_notes': 'create table notes (id int primary key)',
    '9999_colours': 'alter table notes add column colour text',
  }

  test.for([
    ['as the last of its versions left it', 44, []],
    ['of an older version', 12, []],
    ['with newer migrations, too', 44, ['9998_notes']],
  ] as const)('%s becomes the same as a fresh one', async ([, count, newer]) => {
    const [old, fresh] = [await emptyDatabase(), await emptyDatabase()]
    await applyLegacy(old, count)
    for (const name of newer) await applyStep(old, { ...newest }, name)
    const version = newer.length ? { ...thisVersion, migrations: newest } : thisVersion
    expect(await onDatabase(old, (c) => pendingMigrations(c, version))).not.toEqual([])
    await migrate(old, version)
    await migrate(fresh, version)
    expect(await onDatabase(old, (c) => pendingMigrations(c, version))).toEqual([])

    expect(await onDatabase(old, fingerprint)).toEqual(await onDatabase(fresh, fingerprint))
    expect(await onDatabase(old, definitions)).toEqual(await onDatabase(fresh, definitions))
    for (const table of ['problem_codes', 'app_config', 'cascade_rules', 'schema_migrations'])
      expect({ [table]: await contentOf(old, table) }).toEqual({
        [table]: await contentOf(fresh, table),
      })
    expect(await rowsOf(old, `select fields from registration_forms`)).toEqual(
      await rowsOf(fresh, `select fields from registration_forms`),
    )
  })

  test('is refused with the differences if its tables were changed by hand, and keeps its names', async () => {
    const old = await emptyDatabase()
    await applyLegacy(old, 44)
    await rowsOf(
      old,
      `drop index patients_sex_idx; alter table clinics add column fax text; create table extra (id int)`,
    )
    await expect(migrate(old)).rejects.toThrow(
      /it lacks "index patients_sex_idx CREATE INDEX .*", has "column clinics\.fax text at 12"\. Undo these changes/,
    )
    expect(await rowsOf(old, 'select count(*)::int as n from schema_migrations')).toEqual([
      { n: 44 },
    ])
    expect(await rowsOf(old, `select to_regnamespace('sanad_adoption') as left`)).toEqual([
      { left: null },
    ])
    await rowsOf(
      old,
      `alter table clinics drop column fax;
       create index patients_sex_idx on patients (sex, created_at desc, id) where not is_deleted`,
    )
    // a table of the owner's own stays
    await migrate(old)
    expect(await rowsOf(old, 'select count(*)::int as n from extra')).toEqual([{ n: 0 }])
  })

  test('is refused if one of its migrations is not that of a release', async () => {
    const old = await emptyDatabase()
    await applyLegacy(old, 44)
    await rowsOf(old, `update schema_migrations set checksum = 'x' where name = '0005_patients'`)
    await expect(migrate(old)).rejects.toThrow(/"0005_patients" of this database is not the one/)
  })
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

async function applyLegacy(url: string, count: number) {
  const files = legacyMigrations()
  const names = Object.keys(files).toSorted().slice(0, count)
  await rowsOf(url, createMigrationsTable)
  for (const name of names) await applyStep(url, files, name)
}

const applyStep = (url: string, files: SqlFiles, name: string) =>
  onDatabase(url, async (c) => {
    const step = inOrder(files).find((one) => one.name === name)!
    await c.query(step.sql)
    await c.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      step.name,
      step.checksum,
    ])
  })

const contentOf = (url: string, table: string) =>
  rowsOf(
    url,
    `select to_jsonb(t) - array['applied_at', 'created_at', 'updated_at', 'last_modified', 'server_created_at'] as row
     from ${table} t order by 1`,
  )
