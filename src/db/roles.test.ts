import { type Kysely, sql } from 'kysely'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { allTables } from '~/sync/schema/tables'
import { test } from '../../test/harness'
import { connect } from './connect'
import type { DB } from './types'

const APPEND_ONLY = [
  'access_log',
  'audit_blocks',
  'audit_log',
  'event_form_versions',
  'event_logs',
  'inventory_transactions',
]
const SYNCED: string[] = allTables.map(([name]) => name)

/** Settings that the application may try so that a statement passes. */
const SETTINGS = sql`select set_config('sanad.action', 'seed', true),
  set_config('sanad.via', 'system', true), set_config('sanad.merging', 'on', true),
  set_config('sanad.user_id', '', true)`

/** PostgreSQL's code of the error; null if the statement passes. */
async function codeOf(db: Kysely<DB>, statement: string): Promise<string | null> {
  await sql`savepoint attempt`.execute(db)
  try {
    await sql.raw(statement).execute(db)
    return null
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await sql`rollback to savepoint attempt`.execute(db)
  }
}

/** The statements that are not refused for lack of a privilege. */
async function accepted(db: Kysely<DB>, statements: readonly string[]) {
  const found: string[] = []
  for (const statement of statements) {
    const code = await codeOf(db, statement)
    if (code !== '42501') found.push(`${statement}: ${code}`)
  }
  return found
}

/** The existing tables of these names, with their partitions. */
async function withPartitions(db: Kysely<DB>, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relid::text as name from unnest(${names}::text[]) parent,
      pg_partition_tree(to_regclass(parent))
    union select to_regclass(parent)::text from unnest(${names}::text[]) parent
    where to_regclass(parent) is not null`.execute(db)
  return rows.map(({ name }) => name)
}

const ownerOnly = (table: string) => [
  `truncate ${table}`,
  `truncate ${table} cascade`,
  `drop table ${table}`,
  `alter table ${table} disable trigger all`,
  `alter table ${table} disable trigger user`,
  `alter table ${table} add column mark text`,
  `alter table ${table} owner to current_user`,
  `create trigger mine before insert on ${table} execute function suppress_redundant_updates_trigger()`,
  `create rule mine as on insert to ${table} do instead nothing`,
]

describe('the role that serves requests', () => {
  test('is not the owner, and the check at the start says that the trail is protected', async ({
    db,
    owner,
  }) => {
    const facts = sql<{ role: string; is_protected: boolean }>`
      select current_user as role, trail_is_protected() as is_protected`
    expect((await facts.execute(db)).rows).toEqual([{ role: 'sanad_app', is_protected: true }])
    expect((await facts.execute(owner)).rows).toEqual([{ role: 'sanad', is_protected: false }])
  })

  test('changes and removes no row of an append-only table, whatever it sets', async ({ db }) => {
    await SETTINGS.execute(db)
    const tables = await withPartitions(db, APPEND_ONLY)
    expect(tables).toEqual(expect.arrayContaining(['audit_log', 'event_logs']))
    const statements = tables.flatMap((table) => [
      `delete from ${table} where false`,
      `delete from ${table}`,
      `select * from ${table} for update`,
      ...ownerOnly(table),
    ])
    for (const table of tables) {
      const { rows } = await sql<{ column: string }>`select quote_ident(attname) as column
        from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
          and attidentity <> 'a'`.execute(db)
      for (const { column } of rows)
        statements.push(`update ${table} set ${column} = ${column} where false`)
    }
    expect(await accepted(db, statements)).toEqual([])
  })

  test('removes no row of a table that phones sync, whatever it sets', async ({ db }) => {
    await SETTINGS.execute(db)
    const statements = SYNCED.flatMap((table) => [
      `delete from ${table} where false`,
      `delete from ${table}`,
      ...ownerOnly(table),
    ])
    expect(await accepted(db, statements)).toEqual([])
    // an undo writes there
    for (const table of SYNCED)
      expect(await codeOf(db, `update ${table} set id = id where false`)).toBe(null)
  })

  test('reaches no protected row through a foreign key or a view', async ({ db }) => {
    const { rows } = await sql<{ name: string }>`
      select conrelid::regclass || ' by ' || confrelid::regclass as name from pg_constraint
      where contype = 'f' and connamespace = current_schema()::regnamespace
        and ((confdeltype <> 'a' and confdeltype <> 'r' and has_table_privilege(confrelid, 'delete')
          and not has_table_privilege(conrelid, case confdeltype when 'c' then 'delete' else 'update' end))
        or (confupdtype in ('c', 'n', 'd') and has_table_privilege(confrelid, 'update')
          and not has_table_privilege(conrelid, 'update')))
      union all
      select oid::regclass::text from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('v', 'm')
        and has_table_privilege(oid, 'insert, update, delete, truncate, trigger')`.execute(db)
    expect(rows).toEqual([])
  })

  test('creates nothing in the schema and cannot become another role', async ({ db }) => {
    const statements = [
      'set role sanad',
      'set role postgres',
      'set session authorization sanad',
      "set session_replication_role = 'replica'",
      'grant sanad to sanad_app',
      'alter role sanad_app superuser',
      'alter role sanad_app createrole',
      'create role mine',
      'create schema mine',
      'create table public.mine (id int)',
      'create view public.mine as select 1',
      `create function public.mine() returns int language sql as 'select 1'`,
      `create or replace function audit_change() returns trigger language plpgsql as 'begin return null; end'`,
      'drop function audit_change() cascade',
      'alter function audit_change() owner to sanad_app',
      'drop trigger audit_log_append_only on audit_log',
      'drop schema public cascade',
      'drop owned by sanad cascade',
      'reassign owned by sanad to sanad_app',
      'alter default privileges for role sanad grant all on tables to sanad_app',
      `copy audit_log to program 'true'`,
      `copy (select 1) to '/tmp/sanad-mine'`,
      `select pg_read_file('postgresql.conf')`,
      "update schema_migrations set checksum = ''",
      "update schema_in_force set checksum = ''",
      'delete from cascade_rules',
      "select setval('sync_pull_times', 1)",
      'select begin_sync_epoch()',
    ]
    expect(await accepted(db, statements)).toEqual([])
  })

  test('keeps no entry out of the trail with a temporary table of its name', async ({
    db,
    make,
  }) => {
    await sql`create temporary table audit_log (like public.audit_log including all) on commit drop`.execute(
      db,
    )
    const clinic = await make.clinic()
    await db.updateTable('clinics').set({ name: 'Changed' }).where('id', '=', clinic.id).execute()
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const { rows } = await sql<{ table_name: string }>`select distinct table_name
      from public.audit_log where record_id in (${clinic.id}, ${patient.id}) order by 1`.execute(db)
    expect(rows.map(({ table_name }) => table_name)).toEqual(['clinics', 'patients'])
    expect((await sql`select from pg_temp.audit_log`.execute(db)).rows).toEqual([])
  })
})

test('a function that runs as the owner looks for tables in a fixed path, temporary ones last', async ({
  db,
}) => {
  const { rows } = await sql<{ name: string; path: string | null }>`
    select p.oid::regprocedure::text as name,
      (select setting from unnest(proconfig) setting where setting like 'search\\_path=%') as path
    from pg_proc p
    where prosecdef and pronamespace = current_schema()::regnamespace
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`.execute(db)
  expect(rows.filter(({ path }) => !path?.endsWith(', pg_temp'))).toEqual([])
})

test('a new table gets its privileges at the next start, by what it is', async ({ owner }) => {
  await sql`create table plain_news (id uuid primary key)`.execute(owner)
  await sql`create table synced_news (id uuid primary key)`.execute(owner)
  await sql`create trigger sync_insert after insert on synced_news referencing new table as new_rows
    for each statement execute function follow_for_sync()`.execute(owner)
  await sql`create table kept_news (id uuid primary key)`.execute(owner)
  await sql`create trigger append_only before update or delete on kept_news
    for each statement execute function refuse_change()`.execute(owner)
  await sql`grant all on plain_news, kept_news to public`.execute(owner)
  await sql`select grant_application('sanad_app')`.execute(owner)
  const { rows } = await sql<{ name: string; held: string[] }>`
    select name, array(select p from unnest('{select,insert,update,delete,truncate,trigger}'::text[]) p
      where has_table_privilege('sanad_app', name, p)) as held
    from unnest('{kept_news,plain_news,synced_news}'::text[]) name`.execute(owner)
  expect(rows).toEqual([
    { name: 'kept_news', held: ['select', 'insert'] },
    { name: 'plain_news', held: ['select', 'insert', 'update', 'delete'] },
    { name: 'synced_news', held: ['select', 'insert', 'update'] },
  ])
})

test('privileges that are in force are not written again', async ({ owner }) => {
  const written = async () =>
    (
      await sql<{ written: string }>`select
        (select max(xmin::text::bigint) from pg_class where relnamespace = 'public'::regnamespace)
        as written`.execute(owner)
    ).rows
  const before = await written()
  await sql`select grant_application('sanad_app')`.execute(owner)
  expect(await written()).toEqual(before)
})

test('a role that can give itself more rights does not count as protected', async ({ db }) => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const { name } = rows[0]!
  const admin = connect(new URL(`/${name}`, inject('postgres')).href, { max: 1 })
  onTestFinished(() => admin.destroy())
  const protectedAfter = async (statement: string) => {
    const trx = await admin.startTransaction().execute()
    await sql.raw(`${statement}; set local session authorization sanad_app`).execute(trx)
    const found = await sql<{ is: boolean }>`select trail_is_protected() as is`.execute(trx)
    await trx.rollback().execute()
    return found.rows[0]!.is
  }
  expect(await protectedAfter('select 1')).toBe(true)
  for (const statement of [
    'grant sanad to sanad_app',
    'alter role sanad_app superuser',
    'alter role sanad_app createrole',
    `alter database ${name} owner to sanad_app`,
    'grant create on schema public to public',
    'grant delete on audit_log to public',
    'grant update (at) on audit_log to sanad_app',
    'grant pg_write_server_files to sanad_app',
  ])
    expect(`${statement}: ${await protectedAfter(statement)}`).toBe(`${statement}: false`)
})
