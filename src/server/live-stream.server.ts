import { type Kysely, sql } from 'kysely'
import { db } from '~/db/db.server'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import { onChange, onSessionsEnded } from './live.server'
import { acceptance, findRequestSession } from './session.server'

const BEAT_MS = 25_000
/** More than the open tabs of an account that a whole clinic shares. */
const MOST_STREAMS = 60
/** Names of tables that wait for a client which does not read. */
const MOST_UNREAD = 1_000

/**
 * Changes for an open screen, as server-sent events: `data: <table>` when rows of one of these tables changed ("all":
 * of any table), "*" after an interruption. Names of tables only: the screen then reads again what it shows, with its
 * own rights. The stream ends with its session.
 */
export async function streamTableChanges(
  request: Request,
  tables: ReadonlySet<string> | 'all',
): Promise<Response> {
  const session = await findRequestSession(db, request.headers, 'web')
  const accepted = session ? acceptance(session, 'web') : 'closed'
  if (accepted === 'mustReplacePassword') return new Response(null, { status: 403 })
  if (!session || accepted === 'closed') return new Response(null, { status: 401 })
  const { userId } = session.actor
  const open = perProcess('streams', () => new Map<string, number>())
  if ((open.get(userId) ?? 0) >= MOST_STREAMS)
    return new Response(null, { status: 429, headers: { 'retry-after': '30' } })
  open.set(userId, (open.get(userId) ?? 0) + 1)

  let end = () => {}
  const stream = new ReadableStream<string>({
    start(controller) {
      const send = (text: string) => {
        if ((controller.desiredSize ?? 0) < -MOST_UNREAD) return close()
        controller.enqueue(text)
      }
      const close = () => {
        end()
        controller.close()
      }
      const closeIfEnded = async () => {
        if (!(await isOpen(db, session.id)) && !isEnded) close()
      }
      const beat = setInterval(() => {
        send(': still here\n\n')
        closeIfEnded().catch(() => undefined)
      }, BEAT_MS)
      const unsubscribe = onChange((table) => {
        if (tables === 'all' || tables.has(table) || table === '*') send(`data: ${table}\n\n`)
      })
      const unsubscribeEnds = onSessionsEnded((ended) => {
        if (ended === userId) closeIfEnded().catch(() => undefined)
      })
      let isEnded = false
      end = () => {
        if (isEnded) return
        isEnded = true
        clearInterval(beat)
        unsubscribe()
        unsubscribeEnds()
        const left = open.get(userId)! - 1
        if (left) open.set(userId, left)
        else open.delete(userId)
      }
      request.signal.addEventListener('abort', end)
      send('retry: 3000\n\n')
    },
    cancel: () => end(),
  })
  return new Response(stream.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}

/** Without noting that it is in use: an open screen without a user must still lock. */
async function isOpen(connection: Kysely<DB>, id: string): Promise<boolean> {
  const session = await connection
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .where(sql<boolean>`has_happened(created_at)`)
    .executeTakeFirst()
  return session !== undefined
}
