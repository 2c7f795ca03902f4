import { type Kysely, sql } from 'kysely'
import { errorCode } from '~/db/error-code'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import { sealedLimit } from '../body-limit.server'
import { env } from '../env'
import { type Handler, type HttpServer, listen } from '../http.server'
import { onChange } from '../live.server'
import { log } from '../log'
import { runInTurn } from '../turns'

/** Why the listener that is switched on cannot be reached. */
type HubProblem = 'portTaken' | 'portForbidden' | 'noAddress' | 'failed'

const hub = perProcess('hub', () => ({
  server: undefined as HttpServer | undefined,
  problem: null as HubProblem | null,
}))

/** Whether this process listens, on which port, and why not if it should. */
export const hubListener = () => ({
  port: hub.server ? Number(new URL(hub.server.url).port) : null,
  problem: hub.problem,
})

/** How long answers under way may take when the hub is switched off. */
const PATIENCE = 2_000
/** A port that was taken may become free. */
const TRY_AGAIN = 30_000

/**
 * Opens and closes the listener as the table `hub` says, now and whenever it changes. A listener that cannot be opened
 * leaves the rest of the server as it is. Returns what closes it for good.
 */
export async function followHub(db: Kysely<DB>, handler: Handler): Promise<() => Promise<void>> {
  let hasEnded = false
  const follow = () =>
    runInTurn('hub', async () => {
      const before = JSON.stringify(hubListener())
      if (!hasEnded && (await isEnabled(db))) await open(handler)
      else await close()
      // screens read what the process found out after the switch was written
      if (before !== JSON.stringify(hubListener()) && !hasEnded)
        await sql`select pg_notify('sanad_changes', 'hub')`.execute(db)
    }).catch((error: unknown) => log.error({ err: error }, 'the hub could not be switched'))
  await follow()
  const stopFollowing = onChange((table) => {
    if (table === 'hub' || table === '*') void follow()
  })
  const again = setInterval(() => {
    if (hub.problem) void follow()
  }, TRY_AGAIN).unref()
  return async () => {
    hasEnded = true
    clearInterval(again)
    stopFollowing()
    await follow()
  }
}

async function isEnabled(db: Kysely<DB>): Promise<boolean> {
  const row = await db.selectFrom('hub').select('enabled').executeTakeFirst()
  return row?.enabled ?? false
}

async function open(handler: Handler) {
  if (hub.server) return
  const { hubHost: host, hubPort: port } = env()
  try {
    hub.server = await listen(
      {
        ...env(),
        host,
        port,
        tls: undefined,
        trustedProxies: [],
        // what is secret is sealed
        insecureHttp: true,
        bodyLimit: sealedLimit(),
        // the handler reads the beginning of a longer body, which names the phone
        pushLimit: Number.MAX_SAFE_INTEGER,
      },
      [handler],
    )
    hub.problem = null
    log.info({ url: hub.server.url }, 'the hub listens')
  } catch (error) {
    hub.problem = listenerProblem(error)
    log.warn({ host, port, problem: hub.problem }, 'the hub cannot listen')
  }
}

async function close() {
  const { server } = hub
  hub.server = undefined
  hub.problem = null
  await server?.drain(PATIENCE)
}

function listenerProblem(error: unknown): HubProblem {
  const code = errorCode(Object(error).cause ?? error)
  if (code === 'EADDRINUSE') return 'portTaken'
  if (code === 'EACCES') return 'portForbidden'
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    ? 'noAddress'
    : 'failed'
}
