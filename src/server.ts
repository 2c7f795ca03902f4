import {
  createServerEntry,
  createStartHandler,
  defaultStreamHandler,
  defineHandlerCallback,
  setResponseStatus,
} from '@tanstack/react-start/server'
import type { AnyRoute, AnyRouter } from '@tanstack/react-router'
import { getSsrStatus } from '@tanstack/react-router/ssr/server'
import { respondFhir } from '~/fhir/respond.server'
import { respondTrpc } from '~/rpc/respond.server'
import { headersOfData, setMissing } from './server/headers'
import { withLimitedBody } from './server/body-limit.server'
import { respondHub } from '~/sync/http/hub.server'
import { recordRefusedPush } from './sync/http/refused-push.server'
import { senderOf } from '~/sync/http/signed-in.server'
import { statusOfScreen } from './client/explain'

/**
 * A screen is answered with what became of it as a whole: 404, 403, … when it could not be loaded,
 * which the router calls 500; and 200 when only a part of it failed, whose operation has set a
 * status of its own.
 */
const screens = defineHandlerCallback((ctx) => {
  const { pathname } = new URL(ctx.request.url)
  if (/^\/(api|rpc)(\/|$)/.test(pathname)) return nothingFor(ctx.request, methodsOf(ctx.router))
  const failed = ctx.router.state.matches.find(({ status }) => status === 'error')
  setResponseStatus((failed && statusOfScreen(failed.error)) ?? getSsrStatus(ctx.router))
  return defaultStreamHandler(ctx)
})

/** What the address that was asked for answers to, when it is one of those that draw no screen. */
function methodsOf({ state, routesById }: AnyRouter): string[] {
  const route = (routesById as Record<string, AnyRoute>)[state.matches.at(-1)?.routeId ?? '']
  return Object.keys(route?.options.server?.handlers ?? {})
}

/** A program is never answered with a screen, which it would take for a success. */
function nothingFor({ method }: Request, methods: string[]): Response {
  if (methods.length === 0)
    return Response.json({ error: 'There is no such address.' }, { status: 404 })
  const error = `${method} is not answered here.`
  return Response.json({ error }, { status: 405, headers: { allow: methods.join(', ') } })
}

const handle = createStartHandler(screens)

type Call = { path: RegExp; methods: string[]; answer: (request: Request) => Promise<Response> }

/**
 * The calls of programs: `noun.verb` (docs/operations.md) and FHIR R4 (docs/exchange.md). Nothing in them is drawn, and
 * the framework would make a router of all screens for each.
 */
const calls: Call[] = [
  { path: /^\/api\/trpc\/./, methods: ['GET', 'POST'], answer: respondTrpc },
  {
    path: /^\/api\/fhir(\/|$)/,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    answer: respondFhir,
  },
]

async function answerCall({ methods, answer }: Call, request: Request): Promise<Response> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const response = methods.includes(method) ? await answer(request) : nothingFor(request, methods)
  setMissing(response.headers, headersOfData)
  return response
}

const entry = createServerEntry({
  fetch: (request, options) =>
    withLimitedBody(
      request,
      senderOf,
      async (inner) => {
        const { pathname } = new URL(inner.url)
        const call = calls.find(({ path }) => path.test(pathname))
        return call ? answerCall(call, inner) : handle(inner, options)
      },
      recordRefusedPush,
    ),
})

/** `respondHub` answers on the hub's port. */
export default { ...entry, respondHub }
