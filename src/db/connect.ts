import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { following } from './hosts'
import { keepStatements } from './kept'
import { parseStored } from './stored-json'
import type { DB } from './types'

type ConnectionOptions = {
  /** Connections at most. */
  max?: number
  /** Milliseconds after which PostgreSQL ends a statement; 0 for never (commands that move much data). */
  statementTimeout?: number
  /** A pooler is there, which rejects timeouts as startup parameters: the role has them (`roles.server.ts`). */
  isPooled?: boolean
  /** What PostgreSQL's list of connections calls it: begins with "sanad". */
  name?: string
}

const asNumber = Number
const asText = (text: string) => text
/**
 * pg hands over int8 and numeric as text; ours fit in a number. A date has no time zone, so it must
 * not become a Date. JSON may be nested deeper than its readers bear.
 */
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: asNumber,
  [pg.types.builtins.NUMERIC]: asNumber,
  [pg.types.builtins.DATE]: asText,
  [pg.types.builtins.JSON]: parseStored,
  [pg.types.builtins.JSONB]: parseStored,
  // arrays of these: pg's own parsers for them ignore the ones above
  1016: (text) => textArray(text).map(asNumberOrNull),
  1231: (text) => textArray(text).map(asNumberOrNull),
  1182: (text) => textArray(text),
  // json[] and jsonb[]
  199: (text) => textArray(text).map(parseStoredOrNull),
  3807: (text) => textArray(text).map(parseStoredOrNull),
}
const textArray = (text: string) => parserOf(1009)(text) as (string | null)[]
const parseStoredOrNull = (text: string | null) => (text === null ? null : parseStored(text))
const asNumberOrNull = (text: string | null) => (text === null ? null : Number(text))

// pg's types know only the oids that it has names for
const parserOf = pg.types.getTypeParser as (
  oid: number,
  format?: string,
) => (text: string) => unknown

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers[oid]) || parserOf(oid, format)) as never, // pg types a signature for each format
}

/** Milliseconds that a statement may take. */
export const STATEMENT_TIMEOUT = 30_000
/** A transaction whose owner is stuck must not hold its locks for ever. */
export const IDLE_TIMEOUT = 60_000

/** Settings of every connection of ours, pooled or single. */
export function connectionConfig(url: string, options: ConnectionOptions = {}): pg.ClientConfig {
  const statementTimeout = options.statementTimeout ?? STATEMENT_TIMEOUT
  return {
    connectionString: url,
    ...following(url),
    types,
    application_name: options.name ?? 'sanad',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...(!options.isPooled && {
      statement_timeout: statementTimeout,
      idle_in_transaction_session_timeout: statementTimeout && IDLE_TIMEOUT,
    }),
  }
}

/**
 * Connections that stay open without work. A new one knows neither tables nor plans: its first push takes PostgreSQL
 * three times as long.
 */
const KEPT_OPEN = 2

export function createPool(url: string, options: ConnectionOptions = {}): pg.Pool {
  const max = options.max ?? (Number(process.env.SANAD_DB_POOL) || 10)
  const pool = new pg.Pool({
    ...connectionConfig(url, options),
    max,
    min: Math.min(KEPT_OPEN, max),
    idleTimeoutMillis: 60_000,
  })
  // An idle connection that PostgreSQL ends is replaced on next use.
  pool.on('error', () => {})
  pool.on('connect', outlive)
  if (!options.isPooled) pool.on('connect', keepStatements)
  return pool
}

/** One connection outside the pool; the caller ends it. */
export async function openConnection(url: string, options?: ConnectionOptions): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(url, options))
  outlive(client)
  await client.connect()
  return client
}

/** How statements are grouped: `inClientTransaction`, or as part of the transaction of a caller. */
export type Transaction = <R>(client: pg.Client, work: () => Promise<R>) => Promise<R>

/** Runs `work` in a transaction of its own. */
export const inClientTransaction: Transaction = async (client, work) => {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * Runs work on a connection, which is opened for it unless one is given. The caller ends a given one, also after an
 * error: a transaction or a lock may be open then.
 */
export async function onConnection<R>(
  target: string | pg.Client,
  options: ConnectionOptions,
  work: (client: pg.Client) => Promise<R>,
): Promise<R> {
  if (typeof target !== 'string') return work(target)
  const client = await openConnection(target, options)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * When a connection breaks, the statement under way reports it. It is an event as well, and one without a listener
 * would end the process.
 */
function outlive(client: pg.ClientBase) {
  client.on('error', () => {})
}

export function connect(url: string, options: ConnectionOptions = {}): Kysely<DB> {
  return connectPool(() => createPool(url, options))
}

/** `makePool` is called at the first query. */
export function connectPool(makePool: () => pg.Pool): Kysely<DB> {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: async () => makePool() }) })
}
