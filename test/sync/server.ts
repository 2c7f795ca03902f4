import { cloneTemplate, urlsOf } from '../harness'

/** Sanad's own HTTP server with the phones' routes, on a database of its own. */
export async function startServer() {
  const name = `sync_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  const db = await cloneTemplate(name)
  process.env['DATABASE_URL'] = urlsOf(name).appUrl
  // only now: the pool is made for the database that the environment names
  const [
    { listen },
    { readEnv },
    respond,
    rpc,
    trpc,
    { withLimitedBody },
    { verifiedSender },
    live,
    { respondSignIn },
    { requestContext: contextOf },
    { recordRefusedPush },
  ] = await Promise.all([
    import('~/server/http.server'),
    import('~/server/env'),
    import('~/sync/http/respond.server'),
    import('~/sync/http/rpc.server'),
    import('~/rpc/respond.server'),
    import('~/server/body-limit.server'),
    import('~/sync/http/signed-in.server'),
    import('~/rpc/live.server'),
    import('~/features/office/sessions/respond.server'),
    import('~/server/serve.server'),
    import('~/sync/http/refused-push.server'),
  ])
  const answers: Record<string, (request: Request) => Promise<Response>> = {
    'POST /api/login': respond.respondLogin,
    'POST /api/auth/sign-in': async (request) =>
      respondSignIn(await contextOf(request, 'phone'), request),
    'GET /api/live': live.followChanges,
    'GET /api/v2/sync': respond.respondPull,
    'POST /api/v2/sync': respond.respondPush,
    'POST /rpc/query': (request) => rpc.respondRpc(request, 'query'),
    'POST /rpc/command': (request) => rpc.respondRpc(request, 'command'),
  }
  const answer = async (request: Request) => {
    const { pathname } = new URL(request.url)
    const phone = answers[`${request.method} ${pathname}`]
    if (phone) return phone(request)
    if (/^\/api\/trpc\/\w+\.\w+$/.test(pathname)) return trpc.respondTrpc(request)
    // of the other ways in, a test only asks how much of a body reaches them
    return Response.json({ read: (await request.arrayBuffer()).byteLength })
  }
  const server = await listen({ ...readEnv({}), port: 0 }, [
    (request) => withLimitedBody(request, verifiedSender, answer, recordRefusedPush),
  ])
  return {
    db,
    name,
    origin: server.url,
    async stop() {
      await server.drain(2_000)
      const { pool } = await import('~/db/db.server')
      await pool().end()
      await db.destroy()
    },
  }
}
