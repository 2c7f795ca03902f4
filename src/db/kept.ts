import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'

/** The beginning of such a statement as text. */
export const MARK = '/* kept */'

/** Rows of a statement that a connection plans once. The plan is for few; for more, planning anew is worth its time. */
const FEW = 100
export const isFew = (count: number) => count <= FEW

/**
 * The beginning of a statement that a connection parses once and plans at most a few times, under a name: its text is
 * one of a few, and it is about `count` rows. Of a push of 30 rows, that is a quarter of PostgreSQL's time. A query of
 * Kysely's has it from `modifyFront`.
 */
export const asPrepared = (count = 1): RawBuilder<unknown> => (isFew(count) ? sql.raw(MARK) : sql``)

/** `column in (…)` as one parameter, so that the text is the same for any number of ids. */
export const columnInIds = (column: string, ids: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`

/** Each has its memory in each connection: the texts that come after so many stay without a name. */
const NAMES = 150
const names = new Map<string, string>()

function statementName(text: string, namesOfConnection: Map<string, string>): string | undefined {
  const known = namesOfConnection.get(text)
  if (known || namesOfConnection.size >= NAMES) return known
  const name = `kept_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
  namesOfConnection.set(text, name)
  return name
}

/** Gives the marked statements of this connection their names. No pooler may be in between: it would lose them. */
export function keepStatements(client: pg.ClientBase, known = names) {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [text, values] = args
    const name =
      typeof text === 'string' && text.includes(MARK) ? statementName(text, known) : undefined
    return name ? query({ name, text, values }) : query(...args)
  }) as typeof client.query
}
