import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type pg from 'pg'
import { createPool, openConnection } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { runningEmbedded } from '~/db/embedded.server'
import type { DB } from '~/db/types'
import { operations } from '~/rpc/operations'
import { actorById } from '~/server/session.server'
import { newId } from '~/shared/id'

type Statement = { text: string; values: unknown[] }
/** What an operation asks of PostgreSQL. `pages` of eight kilobytes and `rows` are of its reading statements. */
type Floor = {
  statements: number
  pages: number
  rows: number
  /** Sends the statements again, through one connection, one after the other. */
  again: () => Promise<void>
}

/** Finds the SQL of operations by running them in this process, as the user of that address. */
export async function openFloor(dataDir: string, email: string) {
  const { appUrl } = runningEmbedded(openDataDirectory(dataDir))!
  const pool = createPool(appUrl, { max: 1, statementTimeout: 0 })
  let seen: Statement[] = []
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ level, query: { sql, parameters } }) => {
      if (level === 'query') seen.push({ text: sql, values: [...parameters] })
    },
  })
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const actor = (await actorById(db, id))!
  const raw = await openConnection(appUrl, { statementTimeout: 0 })

  /** The statements of one call. What it writes is rolled back. */
  async function recordStatements(name: string, input: unknown) {
    const request = { id: newId(), via: 'command' as const, address: '', headers: new Headers() }
    const call = (inner: Transaction<DB>) =>
      operations.get(name)!({ db: inner, actor, request, isInner: true }, input as never)
    await rolledBack(db, async (inner) => {
      seen = []
      await call(inner)
    })
    // the transaction around the call is ours
    return seen.filter(({ text }) => !/^(begin|commit|rollback)\b/.test(text))
  }

  return {
    async of(name: string, input: unknown): Promise<Floor> {
      const statements = await recordStatements(name, input)
      return {
        statements: statements.length,
        ...(await readBy(raw, statements)),
        again: () => sendAgain(raw, statements),
      }
    },
    async close() {
      await raw.end()
      await db.destroy()
    },
  }
}

class RolledBack extends Error {}

async function rolledBack(db: Kysely<DB>, work: (inner: Transaction<DB>) => Promise<void>) {
  try {
    await db.transaction().execute(async (inner) => {
      await work(inner)
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
}

async function sendAgain(raw: pg.Client, statements: readonly Statement[]) {
  const isWriting = statements.some(({ text }) => !isReading(text))
  if (isWriting) await raw.query('begin')
  for (const statement of statements) await raw.query(statement)
  if (isWriting) await raw.query('rollback')
}

const isReading = (text: string) => /^\s*select\b/i.test(text) && !text.includes('set_config')

type Plan = {
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

async function readBy(raw: pg.Client, statements: readonly Statement[]) {
  const read = { pages: 0, rows: 0 }
  for (const { text, values } of statements.filter((one) => isReading(one.text))) {
    const { rows } = await raw.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
      text: `explain (analyze, buffers, timing off, format json) ${text}`,
      values,
    })
    const plan = rows[0]!['QUERY PLAN'][0]!.Plan
    read.pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    read.rows += countScannedRows(plan)
  }
  return read
}

/** The rows that the plan's scans found. */
function countScannedRows({ Plans = [], ...plan }: Plan): number {
  if (Plans.length > 0) return Plans.reduce((sum, inner) => sum + countScannedRows(inner), 0)
  return plan['Actual Rows'] * plan['Actual Loops']
}
