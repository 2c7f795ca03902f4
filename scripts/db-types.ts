import { readFileSync, writeFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { Refusal } from '~/db/refusal'
import type { DB } from '~/db/types'
import { command } from './command'
import { withDatabase } from './database'

const file = 'src/db/types.ts'

const head = `// Generated from the migrated database by \`npm run db:types\`. Do not edit.
import type { ColumnType } from 'kysely'

// Kysely's own Generated<> does not unwrap a ColumnType.
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>
type Json = ColumnType<unknown, string, string>
type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface DB {
`

/** As the parsers in src/db/connect.ts hand them over; everything else arrives as text. */
const types: Record<string, string> = {
  bool: 'boolean',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'number',
  bytea: 'Buffer',
  timestamp: 'Timestamp',
  timestamptz: 'Timestamp',
}

type Column = {
  table: string
  column: string
  type: string
  is_array: boolean
  nullable: boolean
  generated: boolean
}

/**
 * Tables of extensions are none of ours, and those of the wire are the triggers' own. A view's
 * columns may all be null, as far as PostgreSQL can tell.
 */
const columns = (db: Kysely<DB>) =>
  sql<Column>`
  select c.relname as table, a.attname as column,
         coalesce(element.typname, base.typname, t.typname) as type,
         element.oid is not null as is_array,
         not a.attnotnull as nullable,
         a.atthasdef or a.attidentity <> '' as generated
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_type base on base.oid = t.typbasetype
    left join pg_type element on element.oid = t.typelem and t.typcategory = 'A'
   where c.relnamespace = current_schema()::regnamespace
     and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and c.relname not like 'wire\\_%'
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
   order by c.relname collate "C", a.attname collate "C"`.execute(db)

async function typesOf(db: Kysely<DB>): Promise<string> {
  const { rows } = await columns(db)
  const tables = Map.groupBy(rows, (row) => row.table)
  const body = [...tables].map(([name, all]) => `  ${name}: {\n${all.map(line).join('')}  }\n`)
  return `${head}${body.join('')}}\n`
}

function line({ column, type, is_array, nullable, generated }: Column) {
  const one = types[type] ?? 'string'
  const value = `${one}${is_array ? '[]' : ''}${nullable ? ' | null' : ''}`
  // a column that may be null may be left out anyway
  return `    ${column}: ${generated && !nullable ? `Generated<${value}>` : value}\n`
}

await command({
  name: 'npm run db:types',
  summary: `Writes ${file} from the migrated database. With --check it only tells whether that is needed.`,
  options: { check: { type: 'boolean' } },
  async run({ check }) {
    await withDatabase(async (db) => {
      const wanted = await typesOf(db)
      if (wanted === readFileSync(file, 'utf8')) return
      if (check) throw new Refusal(`${file} is not what the migrations make: run npm run db:types.`)
      writeFileSync(file, wanted)
    })
  },
})
