import { perProcess } from '~/db/per-process'
import { networkAddress } from './http-client.server'
import { queues } from './limited'

/** Refusals that one source gets at once, and the number per second after that. */
const AT_ONCE = 30
const PER_SECOND = 20
/** Milliseconds. */
const EACH = 1000 / PER_SECOND
const LONGEST = 30_000

/** Every status that says "not now" or "too large"; a wrong guess is marked by `holdBack`, as its status varies. */
const HELD_STATUSES = new Set([408, 413, 429])

/** Ids of requests whose answer is a refusal of a guess. */
const guesses = () => perProcess('refused guesses', () => new Set<string>())

/** The answer to this request refuses a guess: it is held back if its source gets many refusals. */
export const holdBack = (requestId: string) => guesses().add(requestId)

/**
 * Milliseconds for which refusals are held back, so that a program that repeats a refused request as
 * fast as it is answered costs little. Answers that are no refusals are never held back.
 * `now` is in milliseconds.
 */
export function refusalPace(now: () => number = () => performance.now()) {
  // by source: the moment of its latest refusal as scheduled; the least recent source is first
  const scheduled = new Map<string, number>()
  return (source: string): number => {
    const at = now()
    const earliest = at - AT_ONCE * EACH
    for (const [old, moment] of scheduled) {
      if (moment > earliest) break
      scheduled.delete(old)
    }
    const last = Math.max(scheduled.get(source) ?? earliest, earliest)
    const moment = Math.min(last + EACH, at + LONGEST)
    scheduled.delete(source)
    scheduled.set(source, moment)
    return Math.max(0, moment - at)
  }
}

/** Counts of refusals held back, for the metrics. */
const held = () =>
  perProcess('held refusals', () => {
    const counts = { begun: 0, waiting: 0 }
    queues().set('refusals', {
      begun: () => counts.begun,
      running: () => 0,
      waiting: () => counts.waiting,
    })
    return { counts, waitOf: refusalPace() }
  })

type Refusable = { requestId: string; address: string; status: number; left: AbortSignal }

/** Resolves when the answer may go out: at once unless it is one of many refusals of its source, or the client left. */
export async function inRefusalPace({ requestId, address, status, left }: Refusable) {
  const isGuess = guesses().delete(requestId)
  if (!isGuess && !HELD_STATUSES.has(status)) return
  const { counts, waitOf } = held()
  const wait = waitOf(networkAddress(address))
  if (wait === 0 || left.aborted) return
  counts.begun += 1
  counts.waiting += 1
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, wait)
    left.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  counts.waiting -= 1
}
