import { createServerFn } from '@tanstack/react-start'
import type * as z from 'zod'
import { callNamed } from '~/rpc/call.server'
import type { MutationName, OperationNames, Operations, QueryName } from '~/rpc/operations.gen'
import { READ_BY_POST } from '~/rpc/read-by-post'
import { otherUserOf } from '~/shared/errors'
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
export type Answer<N extends OperationName> = Operations[N] extends (
  ctx: OpenContext,
  raw: never,
) => Promise<infer R>
  ? R
  : never

type How = { signal?: AbortSignal }
type Call<N extends OperationName> =
  undefined extends Input<N>
    ? (input?: Input<N>, how?: How) => Promise<Answer<N>>
    : (input: Input<N>, how?: How) => Promise<Answer<N>>

type Verb<N extends string> = N extends `${string}.${infer V}` ? V : never
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

/** A verb of both kinds of operations: its reads are listed by their whole names. */
type OfBothKinds = Verb<QueryName> & Verb<MutationName>
/**
 * What reads; everything else writes. The browser does not have the operations, so it cannot ask them. The compiler
 * reports a verb that is missing or of the other kind.
 */
const reads: Record<
  Exclude<Verb<QueryName>, OfBothKinds> | Extract<QueryName, `${string}.${OfBothKinds}`>,
  true
> = {
  accesses: true,
  added: true,
  answered: true,
  attention: true,
  banner: true,
  board: true,
  boardLink: true,
  byDrug: true,
  byForm: true,
  byPatient: true,
  calendar: true,
  called: true,
  card: true,
  deletionProgress: true,
  paperLanguage: true,
  care: true,
  charts: true,
  check: true,
  checkMedicines: true,
  clinics: true,
  closedOn: true,
  clinicsWhere: true,
  'followups.count': true,
  current: true,
  currentId: true,
  dataSet: true,
  day: true,
  details: true,
  diff: true,
  doubtful: true,
  'drugs.export': true,
  drill: true,
  duplicates: true,
  file: true,
  find: true,
  get: true,
  greet: true,
  growth: true,
  hasCapability: true,
  hasRole: true,
  history: true,
  inClinic: true,
  'inventory.export': true,
  last: true,
  late: true,
  latest: true,
  list: true,
  listOf: true,
  listOpen: true,
  mergePreview: true,
  merges: true,
  month: true,
  names: true,
  new: true,
  newestSeal: true,
  newUsers: true,
  next: true,
  ofPatient: true,
  open: true,
  overlaps: true,
  overrides: true,
  passwordsToAsk: true,
  phoneCode: true,
  plan: true,
  prepare: true,
  preview: true,
  program: true,
  propose: true,
  queue: true,
  records: true,
  rejected: true,
  'reports.run': true,
  rights: true,
  rules: true,
  scan: true,
  search: true,
  searchCodes: true,
  showBoard: true,
  snapshots: true,
  starter: true,
  starterUpdate: true,
  starters: true,
  state: true,
  stats: true,
  stock: true,
  time: true,
  toCome: true,
  trend: true,
  trends: true,
  unseen: true,
  use: true,
  users: true,
  version: true,
  versions: true,
  waiting: true,
}

const saved = (input: unknown) => {
  if (losesCharacters(input)) announceRemovedCharacters()
}
const refused = (error: unknown) => {
  const other = otherUserOf(error)
  if (other !== null) announceOtherUser(other)
}

/** Calls an operation by its name. */
export function call<N extends OperationName>(name: N, input: Input<N>, how?: How) {
  const isRead = name in reads || name.slice(name.indexOf('.') + 1) in reads
  const byGet = isRead && !READ_BY_POST.includes(name)
  const answer: Promise<unknown> = (byGet ? read : write)({ data: { name, input }, ...how })
  if (!isRead && typeof window !== 'undefined') answer.then(() => saved(input), refused)
  return answer as Promise<Answer<N>>
}

const verbsOf = (noun: string) =>
  new Proxy(
    {},
    {
      get: (_, verb) => (input: never, how?: How) =>
        call(`${noun}.${String(verb)}` as OperationName, input, how),
    },
  )

/**
 * Every operation that a screen may call: `api.patients.list({ … })`. Reads go by GET with the input in the query
 * string (but for those of READ_BY_POST), writes by POST.
 */
export const api = new Proxy({} as Api, { get: (_, noun) => verbsOf(String(noun)) })
