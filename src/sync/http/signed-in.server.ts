import { db } from '~/db/db.server'
import { findBoardToken, findBoardClinic } from '~/features/day/queue/board.server'
import { type Caller, callerBy, type Turn, turnFor, withoutTurn } from '~/server/admission.server'
import type { Via } from '~/server/operation'
import { requestContext } from '~/server/serve.server'
import { sessionToken } from '~/server/session.server'
import { authenticatePhone } from './caller.server'
import { answerPhone } from './answering.server'

/** Who sent a request, with what a refused push keeps of them. */
export type Sender = Caller & { userId: string }

/**
 * The user whose credentials a request carries for the way in that it takes: of phones Basic or a
 * token, elsewhere a session. A phone whose credentials are wrong gets its answer, so that the app
 * asks to sign in again. Credentials are remembered for some minutes: they may have ended since.
 */
async function findSender(request: Request): Promise<Sender | null | Response> {
  let refused: Response | undefined
  const way = wayInTo(new URL(request.url).pathname)
  const credentials =
    way === 'phone' ? request.headers.get('authorization') : sessionToken(request.headers, way)
  if (!credentials) return null
  const caller = await callerBy(request, `${way} ${credentials}`, async () => {
    const sender = await presentSender(request, way)
    if (!(sender instanceof Response)) return sender
    refused = sender
    return null
  })
  return refused ?? (caller as Sender | null)
}

/** The same, of credentials that are valid now: before a larger body is read. */
export async function verifiedSender(request: Request): Promise<Sender | null | Response> {
  const sender = await findSender(request)
  if (!sender || sender instanceof Response) return sender
  const way = wayInTo(new URL(request.url).pathname)
  return turnFor(request, sender)(() => presentSender(request, way))
}

async function presentSender(request: Request, way: Via): Promise<Sender | null | Response> {
  if (way !== 'phone') return senderFrom((await requestContext(request, way)).actor)
  let sender: Sender | null = null
  const answer = await answerPhone(request, async () => {
    const { actor, request: of } = await authenticatePhone(request)
    sender = senderFrom(actor, of.appPasswordId)
    return new Response(null, { status: 204 })
  })
  return sender ?? answer
}

const senderFrom = (actor: { userId: string } | null, appPasswordId?: string | null) =>
  actor && { place: actor.userId, userId: actor.userId, appPasswordId: appPasswordId ?? null }

const wayInTo = (pathname: string): Via => {
  if (pathname.startsWith('/rpc/') || pathname.startsWith('/api/v2/')) return 'phone'
  if (pathname.startsWith('/api/trpc/')) return 'trpc'
  return pathname.startsWith('/api/fhir') ? 'fhir' : 'web'
}

/** Who is behind a request: a user, or a screen in a waiting room with a valid link. Null for everyone else. */
export async function callerBehind(request: Request): Promise<Caller | null> {
  const sender = await findSender(request)
  if (sender instanceof Response) return null
  if (sender) return sender
  const token = findBoardToken(request)
  if (token === null) return null
  return callerBy(request, `board ${token}`, async () => {
    const clinicId = await findBoardClinic(db, token)
    return clinicId === null ? null : { place: `board ${clinicId}` }
  })
}

export const turnForRequest = async (request: Request): Promise<Turn> =>
  turnFor(request, await callerBehind(request))

/** Answers a request when it is its turn, or that too many wait. */
export async function admitted(
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await (
      await turnForRequest(request)
    )(answer)
  } catch (error) {
    return withoutTurn(request, error)
  }
}
