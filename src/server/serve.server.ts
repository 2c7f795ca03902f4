import type * as z from 'zod'
import { getRequest, setResponseHeader, setResponseStatus } from '@tanstack/react-start/server'
import { db } from '~/db/db.server'
import { AppError, httpStatus, Unexpected } from '~/shared/errors'
import { clientOf } from './http-client.server'
import { log } from './log'
import type { OpenContext, Operation, OperationFacts, Via } from './operation'
import { markServed } from './served'
import { actorOf } from './session.server'

/** Types a server function's input. It does not check anything: the operation does, for every caller. */
export const inputOf =
  <S extends z.ZodType>(_: { facts: OperationFacts<S> }) =>
  (data: Complete<S>) =>
    data

/**
 * The input of a save, with every field that the schema would otherwise fill with null or a default: a screen that left
 * one out would erase its stored value. Fields whose absence means "unchanged" may still be left out.
 */
type Complete<S extends z.ZodType> =
  z.output<S> extends { last_modified?: unknown }
    ? { [K in keyof z.output<S>]: K extends keyof z.input<S> ? z.input<S>[K] : never }
    : z.input<S>

/** Runs an operation as the signed-in user. What the operation says went wrong reaches the browser; a bug does not. */
export const serve =
  <I, R>(operation: Operation<I, R>) =>
  async ({ data }: { data: I }): Promise<R> => {
    const request = getRequest()
    markServed(request)
    try {
      return await operation(await contextOf(request, 'web'), data)
    } catch (error) {
      const shown = toShow(error, clientOf(request).requestId)
      setResponseStatus(shown instanceof AppError ? httpStatus[shown.code] : 500)
      if (shown instanceof AppError && shown.retryAfter)
        setResponseHeader('Retry-After', String(shown.retryAfter))
      throw shown
    }
  }

/** What an operation needs to know of a request: who asks, from where, by which way in. */
export async function contextOf(request: Request, via: Via): Promise<OpenContext> {
  const { requestId, address } = clientOf(request)
  return {
    db,
    actor: await actorOf(db, request, via),
    request: { id: requestId, via, address, headers: request.headers },
  }
}

/** An AppError as it is. Anything else is a bug: it goes to the log, and only the request id to the person. */
export function toShow(error: unknown, requestId: string): AppError | Unexpected {
  if (error instanceof AppError) return error
  log.error({ err: error, requestId }, 'unexpected error')
  return new Unexpected(requestId)
}
