import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'

const head = `// Generated from the migrated database by \`npm run db:types\`. Do not edit.
import type { ColumnType } from 'kysely'
import type { JsonColumns } from './json-columns'

// Kysely's own Generated<> does not unwrap a ColumnType.
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>
/** JSON as it is read: of the type that \`JsonColumns\` gives the column, or of none. It is written as its text. */
type Json<Column extends string> = ColumnType<
  Column extends keyof JsonColumns ? JsonColumns[Column] : unknown,
  string,
  string
>
/** A text that a CHECK lists. It is read as one of them, and written as any: the database refuses another. */
type Listed<T extends string> = ColumnType<T, string, string>
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
  checks: string[]
}

/**
 * Tables of extensions are none of ours, and those of the wire are the triggers' own. A view's
 * columns may all be null, as far as PostgreSQL can tell. `checks`: those of this column alone that hold for every row.
 */
const columns = (db: Kysely<DB>) =>
  sql<Column>`
  select c.relname as table, a.attname as column,
         coalesce(element.typname, base.typname, t.typname) as type,
         element.oid is not null as is_array,
         not a.attnotnull as nullable,
         a.atthasdef or a.attidentity <> '' as generated,
         array(select pg_get_constraintdef(k.oid) from pg_constraint k
                where k.conrelid = c.oid and k.contype = 'c' and k.convalidated and k.conkey = array[a.attnum]
                order by k.conname collate "C") as checks
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_type base on base.oid = t.typbasetype
    left join pg_type element on element.oid = t.typelem and t.typcategory = 'A'
   where c.relnamespace = current_schema()::regnamespace
     and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and c.relname not like 'wire\\_%'
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
   order by c.relname collate "C", a.attname collate "C"`.execute(db)

/** The text of src/db/types.ts for a migrated database. */
export async function tableTypes(db: Kysely<DB>): Promise<string> {
  const { rows } = await columns(db)
  const tables = Map.groupBy(rows, (row) => row.table)
  const body = [...tables].map(([name, all]) => `  ${name}: {\n${all.map(line).join('')}  }\n`)
  return `${head}${body.join('')}}\n`
}

function line(column: Column) {
  const { is_array, nullable, generated } = column
  const one = columnType(column)
  const value = `${one}${is_array ? '[]' : ''}${nullable ? ' | null' : ''}`
  // a column that may be null may be left out anyway
  return `    ${column.column}: ${generated && !nullable ? `Generated<${value}>` : value}\n`
}

function columnType({ table, column, type, checks }: Column): string {
  if (type === 'json' || type === 'jsonb') return `Json<'${table}.${column}'>`
  if (types[type]) return types[type]
  const values = checks.map(parseCheckValues).find((list) => list !== undefined)
  return values ? `Listed<${values.map((value) => `'${value}'`).join(' | ')}>` : 'string'
}

/**
 * The texts of `CHECK (column in ('a', 'b'))`, which PostgreSQL writes as `= ANY (ARRAY['a'::text, 'b'::text])`. A
 * check that says more is not read.
 */
function parseCheckValues(check: string): string[] | undefined {
  const list = /^CHECK \(\("?\w+"? = ANY \(ARRAY\[([^\]]*)\]\)\)\)$/.exec(check)?.[1]
  const values = list?.split(', ').map((value) => /^'(\w+)'::text$/.exec(value)?.[1])
  return values?.every((value) => value !== undefined) ? values : undefined
}
