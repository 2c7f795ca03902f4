import { jsonOf } from '~/server/body'
import { invalid } from '~/shared/errors'
import { callerOf } from './caller.server'
import { commands, type Params, queries } from './online.server'
import { pull } from './pull.server'
import { push } from './push.server'
import { answering, respondLogin, upgradedTables } from './respond.server'

const uncached = { 'cache-control': 'no-store' }

/** `GET /rpc/heartbeat`: whether a server is there. */
export const respondHeartbeat = () => Response.json({ status: 'ok' }, { headers: uncached })

/** `POST /rpc/query` `{"query": name, …}` and `POST /rpc/command` `{"command": name, …}`, with a token or a password. */
export const respondRpc = (request: Request, kind: 'query' | 'command'): Promise<Response> =>
  answering(request, async () => {
    const body = await jsonOf(request)
    if (!isParams(body)) throw invalid({ '': { key: 'sync.notACall' } })
    const name = typeof body[kind] === 'string' ? body[kind] : ''
    if (name === 'login')
      return respondLogin(
        new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify(paramsOf(body)) }),
      )
    const ctx = await callerOf(request)
    const params = paramsOf(body)
    if (name === 'sync_pull') {
      const asked = {
        lastPulledAt: cursorOf(params),
        schemaVersion: Math.trunc(Number(params['schema_version'])) || null,
        upgraded: upgradedTables(params['migration']),
      }
      const spool = await pull(ctx, asked, request.signal)
      return new Response(spool.body(), { headers: { ...uncached, 'content-type': 'application/json' } })
    }
    if (name === 'sync_push') {
      const outcome = await push(ctx, cursorOf(params), params['changes'] ?? body['changes'])
      return Response.json({ success: true, ...outcome }, { headers: uncached })
    }
    // the app does not always tell the two apart
    const answer = Object.hasOwn(queries, name)
      ? queries[name]
      : Object.hasOwn(commands, name)
        ? commands[name]
        : undefined
    if (!answer) throw invalid({ [kind]: { key: 'sync.unknownCall' } })
    return Response.json(await answer(ctx, params), { headers: uncached })
  })

const isParams = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Beside the name, or one level below. */
function paramsOf(body: Params): Params {
  const inner = [body['params'], body['data'], body['payload']].filter(isParams)
  return Object.assign({ ...body }, ...inner) as Params
}

function cursorOf(params: Params): number {
  const value = Number(params['last_pulled_at'] ?? params['lastPulledAt'] ?? 0)
  return Number.isSafeInteger(value) && value > 0 ? value : 0
}
