import { createSerializationAdapter } from '@tanstack/react-router'
import { createCsrfMiddleware, createMiddleware, createStart } from '@tanstack/react-start'
import { AppError, type ErrorCode, type Message, Unexpected } from './shared/errors'
import { headersOfData, setMissing } from './server/headers'
import { headersOfPage, newNonce } from './server/page-headers'
import { holdsKnownTypes } from './server/known-types'
import { wasServed } from './server/served'
import { HttpFailure } from './shared/httpFailure'
import { withPageUser } from './shared/page-user'

type Wire = { code: ErrorCode; text: Message; fields: Record<string, Message> }

/** Without these two an error thrown by a server function reaches the browser as a bare message. */
const appErrors = createSerializationAdapter({
  key: 'AppError',
  test: (value): value is AppError => value instanceof AppError,
  toSerializable: ({ code, text, fields }): Wire => ({ code, text, fields: { ...fields } }),
  fromSerializable: ({ code, text, fields }: Wire) => new AppError(code, text, fields),
})
const bugs = createSerializationAdapter({
  key: 'Unexpected',
  test: (value): value is Unexpected => value instanceof Unexpected,
  toSerializable: ({ requestId }) => requestId,
  fromSerializable: (requestId: string) => new Unexpected(requestId),
})

/**
 * What is not an answer of ours (a proxy's page, a refused origin) becomes an error that says so and never shows the
 * body. What we wrote ourselves passes, to be read by the adapters above.
 */
async function fetchOrFail(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, headers: withPageUser(init?.headers) })
  const isOurs = (response.headers.get('content-type') ?? '').includes('json')
  if (response.status < 400 || isOurs) return response
  throw new HttpFailure(response.status, response.headers.get('x-request-id'))
}

const securityHeaders = createMiddleware().server(async ({ next }) => {
  const nonce = newNonce()
  const result = await next({ context: { nonce } })
  const { headers } = result.response
  const isData = headers.get('content-type')?.startsWith('application/json')
  setMissing(headers, isData ? headersOfData : headersOfPage(nonce))
  return result
})

const NOT_VALID = { error: 'The input of this call is not valid.' }

/** Before the framework decodes the input. */
const knownTypesOnly = createMiddleware().server(async ({ next, request, handlerType }) => {
  if (handlerType !== 'serverFn' || (await holdsKnownTypes(request))) return next()
  return Response.json(NOT_VALID, { status: 400 })
})

const NO_SUCH = { error: 'There is no such address.' }

/** A page of an older or newer version calls functions that this one does not have. */
async function nextOrUnknown<R>(next: () => R): Promise<Awaited<R>> {
  try {
    return await next()
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('Server function info not found'))
      throw error
    throw Response.json(NO_SUCH, { status: 404 })
  }
}

/**
 * A server function that cannot read its input fails before it calls its operation: that is the
 * caller's mistake, not a bug.
 */
const unreadableInput = createMiddleware().server(async ({ next, request, handlerType }) => {
  const result = await nextOrUnknown(next)
  const { response } = result
  const isOurs = handlerType !== 'serverFn' || wasServed(request)
  if (isOurs || response.status !== 500) return result
  return { ...result, response: Response.json(NOT_VALID, { status: 400 }) }
})

export const startInstance = createStart(() => ({
  serializationAdapters: [appErrors, bugs],
  requestMiddleware: [
    securityHeaders,
    unreadableInput,
    createCsrfMiddleware({ filter: (ctx) => ctx.handlerType === 'serverFn' }),
    knownTypesOnly,
  ],
  serverFns: { fetch: fetchOrFail },
}))
