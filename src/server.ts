import {
  createServerEntry,
  createStartHandler,
  defaultStreamHandler,
  defineHandlerCallback,
  setResponseStatus,
} from '@tanstack/react-start/server'
import { type AnyRoute, type AnyRouter, createRouter } from '@tanstack/react-router'
import { getSsrStatus } from '@tanstack/react-router/ssr/server'
import { actionFor } from '~/features/office/sessions/sign-in/SignInPage'
import { respondFromMemory } from '~/features/office/sessions/sign-in/respond.server'
import { respondFhir } from '~/fhir/respond.server'
import { respondTrpc } from '~/rpc/respond.server'
import { withLimitedBody } from './server/body-limit.server'
import { headersOfData, setMissing } from './server/headers'
import { respondAlive, respondReady } from './server/health.server'
import { SERVER_FUNCTIONS } from './server/http-route'
import { env } from './server/env'
import { recent } from './server/recent'
import { respondHub } from '~/sync/http/hub.server'
import { recordRefusedPush } from './sync/http/refused-push.server'
import { respondPull, respondPush } from '~/sync/http/respond.server'
import { respondHeartbeat, respondRpc } from '~/sync/http/rpc.server'
import { callerBehind, verifiedSender } from '~/sync/http/signed-in.server'
import { isOfProgram, turnFor, withoutTurn } from './server/admission.server'
import { preferredLanguage } from './shared/language'
import { sentence } from './shared/sentence'
import { statusOfScreen } from './client/explain'

/**
 * A screen is answered with what became of it as a whole: 404, 403, … when it could not be loaded,
 * which the router calls 500; and 200 when only a part of it failed, whose operation has set a
 * status of its own.
 */
const screens = defineHandlerCallback((ctx) => {
  if (isOfProgram(ctx.request)) return nothingFor(ctx.request, handledMethods(ctx.router))
  const failed = ctx.router.state.matches.find(({ status }) => status === 'error')
  setResponseStatus((failed && statusOfScreen(failed.error)) ?? getSsrStatus(ctx.router))
  return defaultStreamHandler(ctx)
})

/** What the address that was asked for answers to, when it is one of those that draw no screen. */
function handledMethods({ state, routesById }: AnyRouter): string[] {
  const route = (routesById as Record<string, AnyRoute>)[String(state.matches.at(-1)?.routeId)]
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

type Answer = (request: Request) => Promise<Response> | Response
/** `turns: 'own'`: the calls of a request take turns, and not the request. */
type Call = { path: RegExp; answers: Record<string, Answer>; turns?: 'own' }

const all = (methods: readonly string[], answer: Answer): Record<string, Answer> =>
  Object.fromEntries(methods.map((method) => [method, answer]))

/**
 * The calls of programs and phones: `noun.verb` (docs/operations.md), FHIR R4 (docs/exchange.md) and sync
 * (docs/phone-sync.md). Nothing in them is drawn, and the framework would make a router of all screens for each.
 */
const calls: Call[] = [
  { path: /^\/api\/trpc\/./, answers: all(['GET', 'HEAD', 'POST'], respondTrpc), turns: 'own' },
  {
    path: /^\/api\/fhir(\/|$)/,
    answers: all(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], respondFhir),
  },
  { path: /^\/api\/v2\/sync\/?$/, answers: { GET: respondPull, POST: respondPush }, turns: 'own' },
  {
    path: /^\/rpc\/query\/?$/,
    answers: { POST: (request) => respondRpc(request, 'query') },
    turns: 'own',
  },
  {
    path: /^\/rpc\/command\/?$/,
    answers: { POST: (request) => respondRpc(request, 'command') },
    turns: 'own',
  },
]

/**
 * Answered outside of every queue: whether a server is there must not depend on what others ask of it. The app of the
 * phones gives `/rpc/heartbeat` five seconds.
 */
const fromMemory: Record<string, Answer> = {
  '/api/health/live': respondAlive,
  '/api/health/ready': respondReady,
  '/rpc/heartbeat': respondHeartbeat,
}

async function answerCall({ answers }: Call, request: Request): Promise<Response> {
  const own = Object.hasOwn(answers, request.method) ? answers[request.method] : undefined
  return data(own ? await own(request) : nothingFor(request, Object.keys(answers)))
}

function data(response: Response): Response {
  setMissing(response.headers, headersOfData)
  return response
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

async function remembered(request: Request): Promise<Response | undefined> {
  const { pathname } = new URL(request.url)
  if (pathname === '/' && isRead(request)) return respondFromMemory(request)
  const answer = Object.hasOwn(fromMemory, pathname) ? fromMemory[pathname] : undefined
  return answer && data(isRead(request) ? await answer(request) : nothingFor(request, ['GET']))
}

/** Imported when it is first needed, as the framework does: it loads all screens. */
const known = recent(async () => {
  const { routeTree } = await import('./routeTree.gen')
  return createRouter({ routeTree })
}, Infinity)

/** Whether there is a page or a call at this address. */
async function isRoute(pathname: string): Promise<boolean> {
  const [, params, route] = (await known()).getMatchedRoutes(pathname)
  // the router answers with the nearest route above, and the rest as `**`
  return route !== undefined && !Object.hasOwn(params, '**')
}

/** Ids are digests; the framework looks them up in an object, which has members of its own. */
const isNoFunction = (pathname: string) => {
  const [id = ''] = pathname.slice(SERVER_FUNCTIONS.length).split('/')
  return id === '' || id in {}
}

/**
 * What takes no page to say: that there is none at this address, or that the user must sign in. Nothing is rendered for
 * strangers who try addresses.
 */
async function plainAnswer(request: Request, isStranger: boolean): Promise<Response | undefined> {
  const { pathname, search } = new URL(request.url)
  if (pathname.startsWith(SERVER_FUNCTIONS))
    return isNoFunction(pathname) ? noPage(request) : undefined
  if (/^\/demo(\/|$)/.test(pathname) && !env().hasDemoPages) return noPage(request)
  const isForm = pathname === '/' && request.method === 'POST'
  if (!isRead(request) && !isForm && !isOfProgram(request))
    return data(nothingFor(request, pathname === '/' ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']))
  if (!isStranger) return undefined
  if (!(await isRoute(pathname))) return noPage(request)
  if (!/^\/app(\/|$)/.test(pathname) || !isRead(request)) return undefined
  const to = pathname === '/app' && !search ? '/' : actionFor(pathname + search)
  return new Response(null, { status: 307, headers: { location: to, 'cache-control': 'no-store' } })
}

function noPage(request: Request): Response {
  if (isOfProgram(request)) return data(nothingFor(request, []))
  const language = preferredLanguage(request.headers.get('accept-language'))
  const text = sentence(language, { key: 'errors.notFoundText' })
  return data(new Response(isHead(request) ? null : text, { status: 404 }))
}

const isHead = ({ method }: Request) => method === 'HEAD'

type Options = Parameters<typeof handle>[1]

/** Answers a request whose body was read, when it is its turn. */
async function admitted(request: Request, options: Options): Promise<Response> {
  const { pathname } = new URL(request.url)
  const call = calls.find(({ path }) => path.test(pathname))
  if (call?.turns === 'own') return answerCall(call, request)
  const caller = await callerBehind(request)
  const plain = call ? undefined : await plainAnswer(request, caller === null)
  const answer = async () => (call ? answerCall(call, request) : handle(request, options))
  return plain ?? turnFor(request, caller)(caller ? answer : async () => whole(await answer()))
}

/** What streams is drawn while the next one is, too: the turn of a stranger ends when the page is complete. */
async function whole(response: Response): Promise<Response> {
  return response.body ? new Response(await response.arrayBuffer(), response) : response
}

const entry = createServerEntry({
  fetch: async (request, options) => {
    try {
      const answer = await remembered(request)
      if (answer) return isHead(request) ? new Response(null, answer) : answer
      const respond = (inner: Request) => admitted(inner, options)
      return await withLimitedBody(request, verifiedSender, respond, recordRefusedPush)
    } catch (error) {
      return withoutTurn(request, error)
    }
  },
})

/** `respondHub` answers on the hub's port. */
export default { ...entry, respondHub }
