import { createHmac, randomBytes } from 'node:crypto'
import { perProcess } from '~/db/per-process'
import { AppError, httpStatus } from '~/shared/errors'
import { preferredLanguage } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { explainDatabaseError } from './constraints'
import { clientInfo, networkAddress } from './http-client.server'
import { isOfFhir, outcomeWith } from './http-refusal'
import { limited, queue, queues } from './limited'

/*
 * Every request that costs more than an answer from memory waits here for its turn, whichever way in it takes
 * (docs/decisions/0062-one-admission-layer.md). Numbers: docs/security/controls.md, "Turns".
 */

/** Requests that wait in each queue; beyond that, the caller with the most waiting gets 429. */
const WAITING = 200
/** Calls of users: of all, of one while nobody else is at work, and of one otherwise. */
const CALLS = { atOnce: 16, ofOne: 8, contended: 2 }
/** The same for requests without valid credentials, by address. */
const STRANGERS = { atOnce: 2, ofOne: 2, contended: 1 }
/** The same for finding out whose the credentials of a request are, by address. */
const CREDENTIALS = { atOnce: 4, ofOne: 4, contended: 2 }

const turns = (name: string, { atOnce, ofOne, contended }: typeof CALLS) =>
  queue(name, () => limited(atOnce, WAITING, ofOne, contended))

/**
 * Reads that keep a connection of the database until they end: pulls of phones, and files to
 * download. Of all, and of one user. Together they leave some of the connections to everything else.
 */
const LONG = { pulls: { atOnce: 4, ofOne: 2 }, files: { atOnce: 3, ofOne: 2 } }

/** Who is behind a request that carries valid credentials, or a valid link. */
export type Caller = {
  /** Whose calls take turns with one another: an id of a user, or of what a link opens. */
  place: string
  userId?: string
  appPasswordId?: string | null
}

/** Runs a piece of work of a request when it is its turn. Throws `too_many_requests` if too many wait. */
export type Turn = <R>(work: () => Promise<R>) => Promise<R>

export function turnFor(request: Request, caller: Caller | null): Turn {
  const left = request.signal
  return caller
    ? (work) => turns('calls', CALLS).run(work, { place: caller.place, refuse: busy, left })
    : (work) =>
        turns('strangers', STRANGERS).run(
          async () => {
            await letCallsGoFirst(callerNetwork(request))
            return work()
          },
          { place: callerNetwork(request), refuse: busy, left },
        )
}

/** Milliseconds without a call at work after which calls rest: meanwhile the last answer is compressed and sent. */
const REST = 10
/** The longest that other work waits for them, each time it asks. */
const CALLS_FIRST = 40

/**
 * What strangers ask, and each piece of a long read, waits here while users other than `place` have calls at work. A
 * call takes many steps, and between two of them the process would do a whole piece of such work. It waits no longer
 * than `CALLS_FIRST`, so that it goes on beside a clinic that never rests.
 */
export const letCallsGoFirst = (place: string): Promise<void> =>
  turns('calls', CALLS).lull(place, REST, CALLS_FIRST)

/** The turn of a long read of this user. */
export const longTurn =
  (kind: keyof typeof LONG, userId: string, left: AbortSignal): Turn =>
  (work) => {
    const { atOnce, ofOne } = LONG[kind]
    const reads = queue(kind, () => limited(atOnce, WAITING, ofOne))
    return reads.run(work, { place: userId, refuse: busy, left })
  }

/** Whether users' requests run or wait in this process: work in the background gives way to them. */
export const isServing = () =>
  [...queues()].some(
    ([name, { running, waiting }]) => SERVED.includes(name) && running() + waiting() > 0,
  )
const SERVED = ['calls', 'credentials', 'strangers', ...Object.keys(LONG)]

const callerNetwork = (request: Request) => networkAddress(clientInfo(request).address)

/** Seconds. A queue of 200 calls is over by then, unless they are long. */
const RETRY_AFTER = 2
const busy = () =>
  new AppError('too_many_requests', { key: 'errors.busy', values: { seconds: RETRY_AFTER } })

/** Milliseconds for which credentials are taken to be whose they were. */
const KNOWN_FOR = 10 * 60_000
const MOST_KNOWN = 10_000
type Known = { caller: Caller; until: number }
const known = () =>
  perProcess('known callers', () => ({ key: randomBytes(32), callers: new Map<string, Known>() }))

/**
 * Whose these credentials are, as `identify` finds out in its turn. The answer is remembered, so that a user's calls do
 * not wait behind requests with invalid credentials. It decides which queue a request waits in, and nothing else: each
 * operation reads the session again.
 */
export async function callerBy(
  request: Request,
  credentials: string,
  identify: () => Promise<Caller | null>,
): Promise<Caller | null> {
  const { key, callers } = known()
  const name = createHmac('sha256', key).update(credentials).digest('base64')
  const found = callers.get(name)
  if (found && found.until > performance.now()) return found.caller
  const caller = await openingTurn(request)(identify)
  callers.delete(name)
  if (!caller) return null
  callers.set(name, { caller, until: performance.now() + KNOWN_FOR })
  const [oldest] = callers.keys()
  if (callers.size > MOST_KNOWN) callers.delete(oldest!)
  return caller
}

/** The turn in which credentials are looked up, and sealed messages are opened. */
export const openingTurn =
  (request: Request): Turn =>
  (work) =>
    turns('credentials', CREDENTIALS).run(work, {
      place: callerNetwork(request),
      refuse: busy,
      left: request.signal,
    })

/** The answer to a request that got no turn, or that a full disk kept from its turn; throws anything else. */
export function withoutTurn(request: Request, thrown: unknown): Response {
  const error = explainDatabaseError(thrown)
  if (!(error instanceof AppError) || error.retryAfter === undefined) throw thrown
  const text = sentence(preferredLanguage(request.headers.get('accept-language')), error.text)
  const init = {
    status: httpStatus[error.code],
    headers: { 'retry-after': String(error.retryAfter), 'cache-control': 'no-store' },
  }
  if (isOfFhir(request.url))
    return outcomeWith(init.status, sentence('en', error.text), [
      ['retry-after', init.headers['retry-after']],
    ])
  return isOfProgram(request) ? Response.json({ error: text }, init) : new Response(text, init)
}

/** A program is never answered with a page, which it would take for a success. */
export const isOfProgram = ({ url }: Request) => /^\/(api|rpc)(\/|$)/.test(new URL(url).pathname)
