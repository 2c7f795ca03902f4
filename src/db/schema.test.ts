import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import { bundledMigrations } from './migrate.server'
import { bundledSchema } from './schema.server'
import { toSqlSteps, type SqlFiles } from './sql-files'

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/--.*$/gm, '')
const textsOf = (files: SqlFiles) =>
  toSqlSteps(files).map(({ name, sql: text }) => ({ name, text: withoutComments(text) }))
/** Without those of `pg_temp`, which a migration makes and drops. */
const functionsIn = (text: string) =>
  [...text.matchAll(/create (?:or replace )?(?:function|view) +(?!pg_temp)(\w+)/gi)].map(
    ([, name]) => name!,
  )

const migrations = textsOf(bundledMigrations)
const schema = textsOf(bundledSchema)

test('a migration makes tables and data; triggers, views and their functions are in db/schema', async ({
  db,
}) => {
  const { rows } = await sql<{ name: string }>`
    select p.proname as name from pg_depend d join pg_proc p on p.oid = d.refobjid
    where d.refclassid = 'pg_proc'::regclass
      and d.classid in ('pg_class'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass)`.execute(
    db,
  )
  const text = migrations.map((one) => one.text).join('\n')
  // of an index, a generated column, a default or a CHECK, or called by such a function
  const used = new Set(rows.map(({ name }) => name))
  for (const name of ['search_text', 'fold_text']) used.add(name)
  expect(functionsIn(text).filter((name) => !used.has(name))).toEqual([])
  const others = migrations.filter((one) => /create (or replace )?(trigger|view)/i.test(one.text))
  expect(others.map(({ name }) => name)).toEqual([])
})

test('a migration calls no function of db/schema', () => {
  const ours = new Set(schema.flatMap(({ text }) => functionsIn(text)))
  const calls = migrations.flatMap(({ name, text }) =>
    [...text.matchAll(/\b(\w+) *\(/g)]
      .filter(([, called]) => ours.has(called!))
      .map(([, called]) => `${name} calls ${called}: add the call to src/db/schema/tables.sql`),
  )
  expect(calls).toEqual([])
})

test('each function and view is made once', () => {
  const names = [...migrations, ...schema].flatMap(({ text }) => functionsIn(text))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('an upgrade can drop all of db/schema, in the order in which it drops it', async ({
  owner: db,
}) => {
  const { drops } = await db.selectFrom('schema_in_force').select('drops').executeTakeFirstOrThrow()
  expect(drops.length).toBeGreaterThan(100)
  await sql.raw(drops.join(';\n')).execute(db)
})

// db/schema is applied without these checks, so that its files may refer to each other
test('the body of each function is valid', async ({ owner: db }) => {
  const { rows } = await sql<{ name: string; text: string }>`
    select oid::regprocedure::text as name, pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.deptype = 'e')`.execute(
    db,
  )
  expect(rows.length).toBeGreaterThan(100)
  // loads the library whose settings some of them name
  await sql`select similarity('', '')`.execute(db)
  for (const { name, text } of rows) {
    const valid = sql
      .raw(text)
      .execute(db)
      .then(
        () => 'valid',
        (error: Error) => error.message,
      )
    expect(`${name} is ${await valid}`).toBe(`${name} is valid`)
  }
})
