import type * as z from 'zod'
import { getRequest, setResponseHeader, setResponseStatus } from '@tanstack/react-start/server'
import { db } from '~/db/db.server'
import { AppError, httpStatus, Unexpected } from '~/shared/errors'
import { explainDatabaseError } from './constraints'
import { clientInfo } from './http-client.server'
import { OPERATION_HEADER, SERVER_FUNCTIONS } from './http-route'
import { log } from './log'
import type {
  Complete,
  OpenContext,
  Operation,
  OperationFacts,
  RequestFacts,
  Via,
} from './operation'
import { markServed } from './served'
import { contextFor, findRequestSession } from './session.server'

/** Types a server function's input. It does not check anything: the operation does, for every caller. */
export const typedInput =
  <S extends z.ZodType>(_: { facts: OperationFacts<S> }) =>
  (data: Complete<S>) =>
    data

/** Runs an operation as the signed-in user. What the operation says went wrong reaches the browser; a bug does not. */
export const serve =
  <I, R>(operation: Operation<I, R>) =>
  async ({ data }: { data: I }): Promise<R> =>
    serveOperation(() => [operation, data])

/**
 * Runs the operation that `choose` returns for the user of the present request. The answer of a server function has the
 * operation's name in a header, for the log and the metrics.
 */
export async function serveOperation<I, R>(choose: () => [Operation<I, R>, I]): Promise<R> {
  const request = getRequest()
  const isServerFunction = new URL(request.url).pathname.startsWith(SERVER_FUNCTIONS)
  markServed(request)
  try {
    const [operation, input] = choose()
    if (isServerFunction) setResponseHeader(OPERATION_HEADER, operation.facts.name)
    const isPage = !isServerFunction
    return await operation(await requestContext(request, 'web', { isPage }), input)
  } catch (error) {
    const shown = toShow(error, clientInfo(request).requestId)
    setResponseStatus(shown instanceof AppError ? httpStatus[shown.code] : 500)
    if (shown instanceof AppError && shown.retryAfter)
      setResponseHeader('Retry-After', String(shown.retryAfter))
    throw shown
  }
}

const contexts = new WeakMap<Request, Map<Via, Promise<OpenContext>>>()

/**
 * The context of a request's operations: actor, address, channel. Read once for each request: a screen
 * that the server renders calls up to fifteen operations.
 */
export function requestContext(
  request: Request,
  via: Via,
  more: Pick<RequestFacts, 'isPage'> = {},
): Promise<OpenContext> {
  const known = contexts.get(request) ?? new Map<Via, Promise<OpenContext>>()
  contexts.set(request, known)
  const context = known.get(via) ?? readContext(request, via, more)
  known.set(via, context)
  return context
}

async function readContext(
  request: Request,
  via: Via,
  more: Pick<RequestFacts, 'isPage'>,
): Promise<OpenContext> {
  const { requestId, address } = clientInfo(request)
  const facts = { id: requestId, via, address, headers: request.headers, ...more }
  return contextFor(db, facts, await findRequestSession(db, request.headers, via))
}

/** An AppError as it is. Anything else is a bug: it goes to the log, and only the request id to the person. */
export function toShow(thrown: unknown, requestId: string): AppError | Unexpected {
  const error = explainDatabaseError(thrown)
  if (error instanceof AppError) return error
  log.error({ err: error, requestId }, 'unexpected error')
  return new Unexpected(requestId)
}
