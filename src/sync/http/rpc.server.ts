import { asObject } from '~/shared/object'
import { signIn } from '~/features/office/sessions/sessions.server'
import { loadUser } from '~/features/office/sessions/viewer.server'
import { parseJsonBody } from '~/server/body'
import { keepingRefusals, recordRead, recordRefusal } from '~/server/access-log'
import { turnFor } from '~/server/admission.server'
import { isAnythingIn } from '~/server/found'
import { alsoNaming, readQuestion } from '~/server/question'
import type { Context } from '~/server/operation'
import { requestContext } from '~/server/serve.server'
import { findSpooledBody } from '~/server/spooled-bodies.server'
import { findInputFlaw } from '~/server/flaw'
import { AppError, invalid, unauthenticated } from '~/shared/errors'
import { isParams, LoginOf, type Params, PullOf, PushOf, shaped, unknownCall } from './call'
import { authenticatePhone, withPhone } from './caller.server'
import { commands, type OnlineContext, queries } from './online.server'
import { FORCED_PULL, pull, pullMadeFrom } from '../pull/pull.server'
import { type ChangeSource, toChangeSource } from '../push/change-source.server'
import { push } from '../push/push.server'
import { answerPhone } from './answering.server'
import { turnForRequest } from './signed-in.server'
import { longUploadIn, type Upload, uploadIn } from './upload.server'

const uncached = { 'cache-control': 'no-store' }

/** `GET /rpc/heartbeat`: whether a server is there. */
export const respondHeartbeat = () => Response.json({ status: 'ok' }, { headers: uncached })

/**
 * `POST /rpc/query` `{"query": name, "params": {…}}` and `POST /rpc/command` `{"command": name,
 * "data": {…}}`, as the app sends them (docs/phone-sync.md, "Online mode and forced sync"). Answers
 * the bare value, and 404 to anything else.
 */
export const respondRpc = (request: Request, kind: 'query' | 'command'): Promise<Response> =>
  answerPhone(request, async () => {
    const spooled = findSpooledBody(request)
    if (spooled) {
      const upload = await uploadIn(spooled)
      return upload ? answerUpload(request, upload) : tooLarge()
    }
    const bytes = Buffer.from(await request.arrayBuffer())
    const upload = kind === 'command' ? await longUploadIn(bytes) : null
    return upload ? answerUpload(request, upload) : answerCall(request, kind, parseJsonBody(bytes))
  })

/** The same for a body that was read already; `hubPhoneId` is the phone of a sealed message. */
export async function answerCall(
  request: Request,
  kind: 'query' | 'command',
  body: unknown,
  hubPhoneId?: string,
): Promise<Response> {
  const { name, params } = callIn(body, kind)
  if (kind === 'command' && name === 'login') {
    // credentials in the headers are of an earlier sign-in
    const turn = turnFor(request, null)
    return turn(async () => Response.json(await login(request, params), { headers: uncached }))
  }
  const call = callNamed(kind, name)
  if (!call) throw unknownCall()
  const turn = await turnForRequest(request)
  const caller = async () => {
    const ctx = await authenticatePhone(request)
    return { ...ctx, request: { ...ctx.request, hubPhoneId } }
  }
  // a pull takes a turn of its own kind
  return call === forcedPull
    ? call(await turn(caller), params, request)
    : turn(async () => call(await caller(), params, request))
}

/** Only an upload may be that long. */
export const tooLarge = () => Response.json({ error: 'Content Too Large' }, { status: 413 })

/** The same for a forced upload, or a push through the hub, that is in a file. */
export async function answerUpload(
  request: Request,
  { lastPulledAt, changes }: Upload,
  hubPhoneId?: string,
): Promise<Response> {
  const turn = await turnForRequest(request)
  return turn(async () => {
    const ctx = await authenticatePhone(request)
    const inner = { ...ctx, request: { ...ctx.request, hubPhoneId } }
    return pushFrom(inner, lastPulledAt, await changes())
  })
}

type Call = (ctx: Context, params: Params, request: Request) => Promise<Response>

function callNamed(kind: 'query' | 'command', name: string): Call | undefined {
  if (kind === 'query' && name === 'sync_pull') return forcedPull
  if (kind === 'command' && name === 'sync_push') return forcedPush
  const calls = kind === 'query' ? queries : commands
  const answer = Object.hasOwn(calls, name) ? calls[name] : undefined
  return (
    answer &&
    (async (caller, params) => {
      const ctx = await withPhone(caller)
      const operation = `rpc.${name}`
      const shown = new Set<string>()
      const inner: OnlineContext = { ...ctx, shown }
      const value = await keepingRefusals(ctx, operation, params, () => answer(inner, params))
      if (inner.isNotFound) await recordRefusal(ctx, operation, params, 'not_found')
      else if (kind === 'query')
        await recordRead(ctx, {
          operation,
          clinicId: ctx.actor.clinicId,
          shown: [...shown],
          question: alsoNaming(readQuestion(params), { numbers: [typedIn(params)] }),
          isFound: isAnythingIn(value),
        })
      return Response.json(value, { headers: uncached })
    })
  )
}

/** The text of the app's search box, which it sends as a given name. */
function typedIn({ filters }: Params): string {
  const { given_name: typed } = asObject(filters)
  return typeof typed === 'string' ? typed : ''
}

function callIn(body: unknown, kind: 'query' | 'command'): { name: string; params: Params } {
  if (!isParams(body)) throw unknownCall()
  if (findInputFlaw(body) === 'size') throw invalid({ '': { key: 'validation.wrongType' } })
  const [name, params] = [body[kind], body[kind === 'query' ? 'params' : 'data']]
  if (typeof name !== 'string' || !isParams(params)) throw unknownCall()
  return { name, params }
}

async function login(request: Request, params: Params) {
  const outcome = await signIn(await requestContext(request, 'phone'), shaped(LoginOf, params))
  if (!outcome.ok && outcome.fields['password']?.key === 'sessions.passwordOver')
    throw new AppError('unauthenticated', outcome.fields['password'])
  if (!outcome.ok || !outcome.userId) throw unauthenticated()
  const { token, userId } = outcome
  const { clinic_id, role, name, email } = await loadUser(
    (await requestContext(request, 'phone')).db,
    userId,
  )
  return { token, user_id: userId, clinic_id, role, provider_name: name, email }
}

const forcedPull: Call = async (ctx, params, request) => {
  const { lastPulledAt } = shaped(PullOf, params)
  // through the hub, each sync pulls so
  const isSync = Boolean(ctx.request.hubPhoneId)
  const asked = {
    lastPulledAt: sentCursor(lastPulledAt),
    schemaVersion: null,
    upgraded: [],
    isForced: !isSync,
    namesFollowed: isSync,
  }
  const spool = await pull(ctx, asked, request.signal, FORCED_PULL)
  return new Response(spool.body(), {
    headers: { ...uncached, 'content-type': 'application/json' },
  })
}

const forcedPush: Call = (ctx, params) => {
  const { lastPulledAt, changes } = shaped(PushOf, params)
  return pushFrom(ctx, lastPulledAt, toChangeSource(changes))
}

async function pushFrom(
  ctx: Context,
  lastPulledAt: number | null | undefined,
  source: ChangeSource,
): Promise<Response> {
  const cursor = sentCursor(lastPulledAt)
  // the push of an ordinary sync through the hub
  const pullId = await pullMadeFrom(ctx, cursor)
  const outcome = await push(ctx, pullId ?? cursor, source, { isUpload: pullId === null })
  return Response.json({ success: true, ...outcome }, { headers: uncached })
}

const sentCursor = (sent: number | null | undefined) =>
  sent && Number.isSafeInteger(sent) && sent > 0 ? sent : 0
