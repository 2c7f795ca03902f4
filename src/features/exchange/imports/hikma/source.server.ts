import type pg from 'pg'
import { openConnection } from '~/db/connect'
import { Refusal } from '~/db/refusal'
import { digestText } from './digest'
import type { SourceRow } from './reading'
import { HIKMA, NEEDED } from './schema'

/** Rows that are read at a time, and the characters of a batch: answers can hold pictures. */
const FETCHED = 100
const LARGEST = 1_000_000

type Selection = {
  from: string
  extra?: Record<string, string>
  join?: string
  where?: string
  /** Columns that are never read. */
  without?: readonly string[]
}

/** A row, and eight bytes by which a repeated run recognizes it. */
export type Sourced = { row: SourceRow; digest: Buffer }

/** The database of the old server, in one transaction that reads: it is the same from the first row to the last. */
export type HikmaSource = {
  has: (table: string, column?: string) => boolean
  /** What the published schema has and this database lacks: `table` or `table.column`. */
  missing: readonly string[]
  count: (table: string, where?: string) => Promise<number>
  /** Batches in the order of the id: of `size` rows, or fewer long ones. */
  batches: (selection: Selection, size: number) => AsyncGenerator<Sourced[]>
  query: <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>
  end: () => Promise<void>
}

export async function openHikma(url: string): Promise<HikmaSource> {
  const place = databaseAddress(url)
  const client = await openConnection(url, { statementTimeout: 0, name: 'sanad import' }).catch(
    (error: unknown) => {
      throw new Refusal(
        `The Hikma database (${place}) cannot be reached: ${connectionFailure(error)}.`,
        {
          cause: error,
        },
      )
    },
  )
  // a connection that ends between two statements
  client.on('error', () => {})
  const query = async <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => {
    try {
      return (await client.query<R>(text, values)).rows
    } catch (error) {
      throw asRefusal(error, place)
    }
  }
  try {
    await query('begin isolation level repeatable read, read only')
    await query("set local timezone = 'UTC'; set local idle_in_transaction_session_timeout = 0")
    await query("set local extra_float_digits = 1; set local datestyle = 'ISO'")
    // cursors are read to their end
    await query("set local cursor_tuple_fraction = 1; set local work_mem = '64MB'")
    const tables = await loadTables(query)
    if (tables.has('sync_rows') && tables.has('schema_in_force'))
      throw new Refusal(`The database ${place} is one of Sanad, not of a Hikma server.`)
    const absent = NEEDED.filter((table) => !tables.has(table))
    if (absent.length > 0)
      throw new Refusal(
        `The database ${place} is not one of a Hikma server: it has no table ${absent.join(', ')}. ` +
          'Check the name of the database at the end of the address.',
      )
    return buildSource(client, query, tables)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

type Query = HikmaSource['query']
type Tables = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Columns and their types by table, of the tables that a query without a schema finds. */
async function loadTables(query: Query): Promise<Tables> {
  const rows = await query<{ table: string; column: string; type: string }>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p', 'v') and pg_table_is_visible(c.oid) and a.attnum > 0
       and not a.attisdropped and c.relnamespace <> 'pg_catalog'::regnamespace
       and c.relnamespace <> 'information_schema'::regnamespace`,
  )
  const tables = new Map<string, Map<string, string>>()
  for (const { table, column, type } of rows)
    tables.set(table, (tables.get(table) ?? new Map<string, string>()).set(column, type))
  return tables
}

function buildSource(client: pg.Client, query: Query, tables: Tables): HikmaSource {
  const has = (table: string, column?: string) =>
    column === undefined ? tables.has(table) : Boolean(tables.get(table)?.has(column))
  return {
    has,
    missing: Object.entries(HIKMA).flatMap(([table, columns]) =>
      has(table)
        ? columns.filter((column) => !has(table, column)).map((column) => `${table}.${column}`)
        : [table],
    ),
    query,
    async count(table, where = 'true') {
      if (!has(table)) return 0
      const [row] = await query<{ n: number }>(
        `select count(*)::int8 as n from ${quoted(table)} t where ${where}`,
      )
      return row!.n
    },
    async *batches({ from, extra = {}, join = '', where = 'true', without = [] }, size) {
      const columns = tables.get(from)
      if (!columns) return
      const own = [...columns].filter(([column]) => !without.includes(column))
      const selected = [
        // JSON stays text: it may hold what PostgreSQL itself cannot convert
        ...own.map(([column, type]) => {
          if (/^jsonb?$/.test(type)) return `t.${quoted(column)}::text as ${quoted(column)}`
          if (type === 'bytea') return `null as ${quoted(column)}`
          return `t.${quoted(column)}`
        }),
        ...Object.entries(extra).map(([name, sql]) => `${sql} as ${quoted(name)}`),
      ]
      const order = ['id', 'patient_id', 'attribute_id', 'user_id', 'clinic_id', 'key']
        .filter((column) => columns.has(column) && !without.includes(column))
        .map((column) => quoted(column))
      await query(
        `declare hikma_rows no scroll cursor for select row_to_json(r)::text as row from (
           select ${selected.join(', ')} from ${quoted(from)} t ${join} where ${where}
         ) r ${order.length > 0 ? `order by ${order.join(', ')}` : ''}`,
      )
      try {
        let batch: Sourced[] = []
        let characters = 0
        for (;;) {
          const rows = await query<{ row: string }>(`fetch ${FETCHED} from hikma_rows`)
          for (const { row } of rows) {
            batch.push({ row: JSON.parse(row) as SourceRow, digest: digestText(row) })
            characters += row.length
            if (batch.length < size && characters < LARGEST) continue
            yield batch
            batch = []
            characters = 0
          }
          if (rows.length < FETCHED) break
        }
        if (batch.length > 0) yield batch
      } finally {
        await query('close hikma_rows').catch(() => {})
      }
    },
    end: () => client.end().catch(() => {}),
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Host, port and database: never the password. */
function databaseAddress(url: string) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw new Refusal(
      'The address of the Hikma database looks like postgres://user:password@host:5432/database.',
    )
  return `${parsed.host || parsed.searchParams.get('host') || 'localhost'}${parsed.pathname}`
}

function connectionFailure(error: unknown) {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === 'ECONNREFUSED') return 'nothing answers there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is not known'
  if (/timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i.test(code + message))
    return 'its host cannot be reached'
  if (code === '28P01' || code === '28000') return 'it refuses the user name or the password'
  if (code === '3D000') return 'there is no database of that name'
  return message.replace(/\.$/, '') || code || 'the connection failed'
}

/** Classes of PostgreSQL's errors: the connection, the operator, and the system under it. */
function asRefusal(error: unknown, place: string) {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (/^(08|57P0)|ECONN|EPIPE/.test(code) || /connection|socket|not queryable/i.test(message))
    return new Refusal(
      `The connection to the Hikma database (${place}) was lost. Imported rows are kept; ` +
        'run the same command again to continue.',
      { cause: error },
    )
  if (code === '42501')
    return new Refusal(
      `The user of the Hikma database (${place}) may not read every table: ${message}. ` +
        'Use the user that the Hikma server itself uses.',
      { cause: error },
    )
  return error
}
