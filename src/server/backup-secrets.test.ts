import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/harness'
import { LEFT_OUT, PUBLIC_COLUMNS, SECRET_COLUMNS, SECRET_TABLES, TELLING } from './backup-secrets'

test('each column with a telling name or with bytes is declared secret or public', async ({
  db,
}) => {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and a.attnum > 0 and not a.attisdropped
      and not c.relname like any(${[...LEFT_OUT, ...SECRET_TABLES]}::text[])`.execute(db)
  const suspects = rows
    .filter(({ column, type }) => TELLING.test(column) || type === 'bytea')
    .map(({ table, column }) => `${table}.${column}`)
  const secret = Object.entries(SECRET_COLUMNS).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  const declared = new Set([...secret, ...PUBLIC_COLUMNS])
  expect(suspects.filter((name) => !declared.has(name))).toEqual([])
  expect(secret.filter((name) => !suspects.includes(name))).toEqual([])
})
