import * as z from 'zod'
import { db } from '~/db/db.server'
import { respondTrustPage } from '~/features/office/trust/trust-page.server'
import { parseJsonBody } from '~/server/body'
import { openingTurn, turnFor, withoutTurn } from '~/server/admission.server'
import { withSealedBody } from '~/server/body-limit.server'
import {
  sealedNonce,
  readPayload,
  readPublicKey,
  sealing,
  sharedKey,
  unsealed,
  type Word,
} from '~/server/hub/envelope'
import { hubIdentity } from '~/server/hub/hub.server'
import { sealedFile } from '~/server/hub/sealed-file.server'
import { membersIn, shortValue } from '~/server/json-lists.server'
import { clientInfo } from '~/server/http-client.server'
import { findOpenSession } from '~/server/session.server'
import { currentSettings } from '~/server/settings.server'
import type { SpooledBody } from '~/server/spooled-bodies.server'
import { AppError } from '~/shared/errors'
import { isParams } from './call'
import {
  type HubKey,
  isFirst,
  isKnown,
  keepKey,
  loadHubKeys,
  registerHubPhone,
} from './hub-phones.server'
import { recordRefusedSealed } from './refused-push.server'
import { answerPhone } from './answering.server'
import { answerCall, answerUpload, respondHeartbeat, tooLarge } from './rpc.server'
import { longUploadIn, type Upload, uploadIn } from './upload.server'

type Kind = 'query' | 'command'

// what is sealed cannot be compressed
const headers = { 'cache-control': 'no-store, no-transform', 'content-type': 'application/json' }

/** Everything that the hub's port answers (docs/phone-sync.md, "The clinic's own network"); the rest is 404. */
export async function respondHub(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const isHead = request.method === 'HEAD'
  const answer = answers.get(`${isHead ? 'GET' : request.method} ${pathname}`)
  const response = answer ? await whenItsTurn(request, answer) : refusal(404, 'not_found')
  return isHead ? new Response(null, response) : response
}

type Answer = (request: Request) => Response | Promise<Response>

async function whenItsTurn(request: Request, answer: Answer): Promise<Response> {
  try {
    return await answer(request)
  } catch (error) {
    const { status, headers: of } = withoutTurn(request, error)
    const refused = refusal(status, status === 429 ? 'busy' : 'unavailable')
    refused.headers.set('retry-after', of.get('retry-after')!)
    return refused
  }
}

/** For calls without a payload to open. */
const asStranger = (request: Request, answer: () => Promise<Response>) =>
  turnFor(request, null)(answer)

const answers = new Map<string, Answer>([
  ['GET /rpc/heartbeat', () => respondHeartbeat()],
  ['GET /trust', (request) => asStranger(request, async () => respondTrustPage(request))],
  [
    'POST /rpc/handshake',
    (request) => readBody(request, (body) => asStranger(request, () => shakeHands(request, body))),
  ],
  [
    'POST /rpc/command',
    (request) => readBody(request, (body) => respondMessage('command', request, body)),
  ],
  [
    'POST /rpc/query',
    (request) => readBody(request, (body) => respondMessage('query', request, body)),
  ],
])

/** Without a payload: there is no key that the phone has for sure. The app reads only the status. */
const refusal = (status: number, error: string) =>
  Response.json({ success: false, error, payload: null }, { status, headers })

const Handshake = z.object({ client_id: z.string().min(1).max(200), client_public_key: z.string() })
const Message = z.object({ client_id: z.string().min(1).max(200), payload: z.string() })

function readBody(
  request: Request,
  respond: (body: unknown) => Promise<Response>,
): Promise<Response> {
  const sender = {
    nameIn: clientIdIn,
    isKnown: (clientId: string) => isKnown(db, clientId),
    recordRefused: recordRefusedSealed,
  }
  return withSealedBody(
    request,
    sender,
    (body) => respond(parseJsonBody(body)),
    (body) => respondLargeUpload(request, body),
  )
}

/** The app writes the client's id first. */
const clientIdIn = (start: Buffer) =>
  /^\s*\{\s*"client_id"\s*:\s*"([^"\\]{1,200})"/.exec(start.toString('utf8', 0, 1024))?.[1] ?? null

async function shakeHands(request: Request, body: unknown): Promise<Response> {
  const sent = Handshake.safeParse(body)
  const publicKey = sent.success && readPublicKey(sent.data.client_public_key)
  if (!publicKey || sent.data.client_id.includes('\0')) return refusal(400, 'invalid')
  const { id, keys } = await hubIdentity(db)
  const { organization } = await currentSettings(db)
  try {
    sharedKey(keys, publicKey)
  } catch {
    // a key of low order
    return refusal(400, 'invalid')
  }
  const { address } = clientInfo(request)
  if (!(await keepKey(db, { clientId: sent.data.client_id, publicKey, address })))
    return refusal(403, 'refused')
  const hub = {
    success: true,
    hub_id: id,
    hub_name: organization || 'Sanad',
    hub_public_key: keys.publicKey.toString('base64url'),
  }
  return Response.json(hub, { headers })
}

async function respondMessage(kind: Kind, request: Request, body: unknown): Promise<Response> {
  const sent = Message.safeParse(body)
  const sealed = sent.success && readPayload(sent.data.payload)
  if (!sealed) return refusal(400, 'invalid')
  return respondSealed(kind, request, {
    clientId: sent.data.client_id,
    nonce: sealedNonce(sealed),
    unsealed: async (key, word) => unsealed(key, word, sealed),
    async read(text) {
      const upload = kind === 'command' ? await longUploadIn(text) : null
      if (upload) return uploadCall(upload)
      const value = parseJsonBody(text)
      const call = isParams(value) ? value : {}
      return {
        token: call['token'],
        isLogin: kind === 'command' && call['command'] === 'login',
        answer: (inner, phoneId) => answerCall(inner, kind, call, phoneId),
      }
    },
  })
}

/** Keys that are tried on a file: each reads it whole, and the phone has just shaken hands. */
const KEYS_OF_FILE = 3

/** A message that is too long for memory: only an upload is. */
async function respondLargeUpload(request: Request, body: SpooledBody): Promise<Response> {
  const message = await largeMessage(body).catch(nullIfInvalid)
  if (!message) return refusal(400, 'invalid')
  return respondSealed('command', request, {
    ...message,
    keys: KEYS_OF_FILE,
    async read(text) {
      return uploadCall(await uploadIn(text))
    },
  })
}

const uploadCall = (upload: Upload | null): Call => ({
  token: upload?.token,
  isLogin: false,
  answer: async (inner, phoneId) => (upload ? answerUpload(inner, upload, phoneId) : tooLarge()),
})

async function largeMessage(body: SpooledBody) {
  const members = await membersIn(body)
  const clientId = await shortValue(body, members.get('client_id'))
  const payload = members.get('payload')
  if (typeof clientId !== 'string' || !payload) return null
  const { nonce, unsealed: open } = await sealedFile(body, payload)
  return nonce && { clientId, nonce, unsealed: open }
}

function nullIfInvalid(error: unknown) {
  if (error instanceof AppError) return null
  throw error
}

type Sealed<Text> = {
  clientId: string
  nonce: Buffer
  /** How many of the client's keys are tried, the likeliest first; all by default. */
  keys?: number
  /** Null if the key is another one. */
  unsealed: (key: Buffer, word: Word) => Promise<Text | null>
  read: (text: Text) => Promise<Call>
}
/** What a message asks. */
type Call = {
  token: unknown
  isLogin: boolean
  answer: (inner: Request, phoneId?: string) => Promise<Response>
}

/** Opens a message, answers the call in it by the rules of `/rpc`, and seals the answer. */
async function respondSealed<Text>(
  kind: Kind,
  request: Request,
  sealed: Sealed<Text>,
): Promise<Response> {
  const { clientId, nonce } = sealed
  if (clientId.includes('\0')) return refusal(400, 'invalid')
  const opened = await openingTurn(request)(async () => {
    const found = await opener(sealed, request, kind)
    // the app signs in again, and shakes hands before that
    if (!found) return refusal(401, 'unknown_key')
    if (found.key.isRevoked) return refusal(403, 'revoked')
    return (await isFirst(db, found.key, nonce)) ? found : refusal(409, 'repeated')
  })
  if (opened instanceof Response) return opened
  const { key, shared, text } = opened
  const response = await answerPhone(request, async () =>
    answerAs({ clientId, key, kind }, request, await sealed.read(text)),
  )
  return sealedAnswer(shared, `${kind}_response`, response)
}

/** The key that opens a message and its text; null if none of the client's keys does. */
async function opener<Text>(
  { clientId, keys, unsealed: open }: Sealed<Text>,
  request: Request,
  word: Word,
) {
  const { keys: hubKeys } = await hubIdentity(db)
  const ofClient = await loadHubKeys(db, clientId, clientInfo(request).address)
  for (const key of ofClient.slice(0, keys)) {
    const shared = sharedKey(hubKeys, key.publicKey)
    const text = await open(shared, word)
    if (text) return { key, shared, text }
  }
  return null
}

type Sender = { clientId: string; key: HubKey; kind: Kind }

async function answerAs(
  sender: Sender,
  request: Request,
  { token, isLogin, answer }: Call,
): Promise<Response> {
  const inner = withToken(request, token)
  const phoneId = await openingTurn(request)(() => signedInPhone(sender, inner))
  const response = await answerPhone(inner, () => answer(inner, phoneId))
  if (isLogin && response.ok) {
    const signedIn = (await response.clone().json()) as { token: string }
    await signedInPhone(sender, withToken(request, signedIn.token))
  }
  return response
}

/** The request as `/rpc` gets it: with the message's token, and without what the sender wrote outside of it. */
function withToken(request: Request, token: unknown): Request {
  const inner = new Headers(request.headers)
  for (const name of ['authorization', 'cookie', 'content-length', 'transfer-encoding'])
    inner.delete(name)
  if (typeof token === 'string' && /^[\w.~+/=-]{1,500}$/.test(token))
    inner.set('authorization', `Bearer ${token}`)
  return new Request(request.url, {
    method: request.method,
    headers: inner,
    signal: request.signal,
  })
}

/** The phone that shows a valid token; undefined without one. */
async function signedInPhone({ clientId, key, kind }: Sender, request: Request) {
  const session = await findOpenSession(db, request, 'phone')
  if (!session) return undefined
  const { address } = clientInfo(request)
  const { publicKey } = key
  return registerHubPhone(db, {
    clientId,
    publicKey,
    address,
    session,
    isCommand: kind === 'command',
  })
}

/** `{payload, success, error}`, written while the answer is read: a first pull is long. */
function sealedAnswer(shared: Buffer, word: Word, response: Response): Response {
  const { status, ok } = response
  const sealer = sealing(shared, word)
  const end = { success: ok, error: ok ? null : `${status}` }
  const pieces = new TransformStream<Uint8Array, Uint8Array>({
    start: (out) => out.enqueue(Buffer.from('{"payload":"')),
    transform: (plain, out) => out.enqueue(Buffer.from(sealer.add(plain))),
    flush: (out) => out.enqueue(Buffer.from(`${sealer.end()}",${JSON.stringify(end).slice(1)}`)),
  })
  const retryAfter = response.headers.get('retry-after')
  return new Response((response.body ?? new Blob([]).stream()).pipeThrough(pieces), {
    status,
    headers: { ...headers, ...(retryAfter && { 'retry-after': retryAfter }) },
  })
}
