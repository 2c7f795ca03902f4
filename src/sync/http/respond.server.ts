import * as z from 'zod'
import { setBrowserCookie } from '~/features/office/sessions/passwords/known-browser.server'
import { signInRefused } from '~/features/office/sessions/respond.server'
import { SignIn } from '~/features/office/sessions/session'
import { signIn } from '~/features/office/sessions/sessions.server'
import { loadUser } from '~/features/office/sessions/viewer.server'
import { keepingRefusals } from '~/server/access-log'
import { readJsonBody } from '~/server/body'
import { requestContext } from '~/server/serve.server'
import { findSpooledBody } from '~/server/spooled-bodies.server'
import { answerPhone } from './answering.server'
import { authenticatePhone } from './caller.server'
import { turnForRequest } from './signed-in.server'
import { pull } from '../pull/pull.server'
import { sourceOfBytes, sourceOfFile } from '../push/change-source.server'
import { push } from '../push/push.server'
import { allTables, type TableName } from '../schema/tables'

const names = new Set<string>(allTables.map(([name]) => name))
const uncached = { 'cache-control': 'no-store' }
const json = { ...uncached, 'content-type': 'application/json' }

/**
 * `POST /api/login`: the person's fields and a token, flat. The app takes a body with a key
 * `message` for a failure. The phone keeps the cookie that makes it a known one.
 */
export const respondLogin = (request: Request): Promise<Response> =>
  answerPhone(request, async () => {
    const ctx = await requestContext(request, 'phone')
    const body = SignIn.safeParse(await readJsonBody(request))
    if (!body.success) return signInRefused()
    const outcome = await signIn(ctx, body.data)
    if (!outcome.ok || !outcome.userId) return signInRefused(outcome)
    const browser = setBrowserCookie(request, outcome.userId)
    return Response.json(
      { ...(await loadUser(ctx.db, outcome.userId)), token: outcome.token },
      { headers: { ...uncached, 'set-cookie': browser } },
    )
  })

/** `GET /api/v2/sync`. The pull itself takes a turn of its own kind, which may be long. */
export const respondPull = (request: Request): Promise<Response> =>
  answerPhone(request, async () => {
    const turn = await turnForRequest(request)
    const ctx = await turn(() => authenticatePhone(request))
    const spool = await pull(ctx, readQuery(request), request.signal)
    return new Response(spool.body(), { headers: json })
  })

/** `POST /api/v2/sync`. The phone reads nothing of the answer but that it is one. */
export const respondPush = (request: Request): Promise<Response> =>
  answerPhone(request, async () => {
    const turn = await turnForRequest(request)
    return turn(async () => {
      const ctx = await authenticatePhone(request)
      const spooled = findSpooledBody(request)
      const source = await (spooled
        ? sourceOfFile(spooled)
        : sourceOfBytes(Buffer.from(await request.arrayBuffer())))
      await keepingRefusals(ctx, 'sync.push', null, () =>
        push(ctx, readQuery(request).lastPulledAt, source),
      )
      return Response.json({ success: true }, { headers: uncached })
    })
  })

/**
 * `{"from": 8, "tables": ["t"], "columns": [{"table": "t", "columns": ["c"]}]}`, right after an
 * upgrade of the app.
 */
const Migration = z.object({
  tables: z.array(z.string()).catch([]),
  columns: z.array(z.object({ table: z.string() })).catch([]),
})

function readQuery(request: Request) {
  const { searchParams } = new URL(request.url)
  const number = (name: string) => {
    const value = Number(searchParams.get(name) ?? 0)
    return Number.isSafeInteger(value) && value > 0 ? value : 0
  }
  return {
    lastPulledAt: number('last_pulled_at'),
    schemaVersion: Math.min(number('schema_version'), 1_000_000) || null,
    upgraded: upgradedTables(searchParams.get('migration')),
  }
}

function upgradedTables(sent: unknown): TableName[] {
  const migration = Migration.safeParse(typeof sent === 'string' ? parsed(sent) : sent)
  if (!migration.success) return []
  const named = [...migration.data.tables, ...migration.data.columns.map(({ table }) => table)]
  return [...new Set(named)].filter((name): name is TableName => names.has(name))
}
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
