import { createServerFn } from '@tanstack/react-start'
import type * as z from 'zod'
import { callNamed } from '~/rpc/call.server'
import type { OperationNames, Operations, QueryName } from '~/rpc/operations.gen'
import { READ_BY_POST, READS } from '~/rpc/reads.gen'
import { otherUserName } from '~/shared/errors'
import { announceOtherUser } from '~/shared/page-user'
import { losesCharacters } from '~/shared/typed-text'
import { announceRemovedCharacters } from './removed-characters'
import type { Complete, OpenContext, OperationFacts } from '~/server/operation'

export type { QueryName }

type OperationName = keyof Operations
type Facts<N extends OperationName> = Operations[N] extends { facts: infer F } ? F : never

/** What a screen passes to the operation of this name, and what the operation answers. */
export type Input<N extends OperationName> =
  Facts<N> extends OperationFacts<infer S extends z.ZodType, string> ? Complete<S> : never
export type OperationResult<N extends OperationName> = Operations[N] extends (
  ctx: OpenContext,
  raw: never,
) => Promise<infer R>
  ? R
  : never

type How = { signal?: AbortSignal }
type Call<N extends OperationName> =
  undefined extends Input<N>
    ? (input?: Input<N>, how?: How) => Promise<OperationResult<N>>
    : (input: Input<N>, how?: How) => Promise<OperationResult<N>>

type CallsOf<Names> = {
  [V in keyof Names]: Names[V] extends OperationName ? Call<Names[V]> : never
}
type Api = { [Noun in keyof OperationNames]: CallsOf<OperationNames[Noun]> }

type Named = { name: string; input: unknown }
const read = createServerFn({ strict: false })
  .validator((named: Named) => named)
  .handler(callNamed('GET'))
const write = createServerFn({ method: 'POST', strict: false })
  .validator((named: Named) => named)
  .handler(callNamed('POST'))

const saved = (input: unknown) => {
  if (losesCharacters(input)) announceRemovedCharacters()
}
const refused = (error: unknown) => {
  const other = otherUserName(error)
  if (other !== null) announceOtherUser(other)
}

export function callOperation<N extends OperationName>(name: N, input: Input<N>, how?: How) {
  const isRead = name in READS || name.slice(name.indexOf('.') + 1) in READS
  const byGet = isRead && !READ_BY_POST.includes(name)
  const answer: Promise<unknown> = (byGet ? read : write)({ data: { name, input }, ...how })
  if (!isRead && typeof window !== 'undefined') answer.then(() => saved(input), refused)
  return answer as Promise<OperationResult<N>>
}

const operationsProxy = (noun: string) =>
  new Proxy(
    {},
    {
      get: (_, verb) => (input: never, how?: How) =>
        callOperation(`${noun}.${String(verb)}` as OperationName, input, how),
    },
  )

/**
 * Every operation that a screen may call: `api.patients.list({ … })`. Reads go by GET with the input in the query
 * string (but for those of READ_BY_POST), writes by POST.
 */
export const api = new Proxy({} as Api, { get: (_, noun) => operationsProxy(String(noun)) })
