import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { perProcess } from '~/db/per-process'

type Waiting = { place: string; begin: () => void; refuse: () => void }
type Options = { refuse?: () => Error; place?: string; left?: AbortSignal }

/** Starts after which a place without work is no longer taken to be at work. */
const RECENT = 64

/**
 * A place with so much waiting, while others are at work, runs one piece at a time: no screen asks for so much at once.
 */
const MANY = 8

/** Milliseconds after which a lull is looked for again. */
const LOOK = 2

/**
 * Runs at most `atOnce` pieces of work at a time, `perPlace` of one place; `contended` of one place, or one if eight
 * more of it wait, while others are at work: they run or wait for something, or began something among the last
 * starts. Up to `waiting` more take turns; beyond that `refuse` makes the error. The place with the
 * least work running is next, in the order in which its requests came.
 * When the queue is full, the place with the most waiting work gives one up, so that no single place fills the queue.
 * What waits leaves the queue when `left` aborts. `lull` lets others go first. `begun` counts the work that was
 * started, `running` what has not ended.
 */
export function limited(
  atOnce: number,
  waiting = Infinity,
  perPlace = atOnce,
  contended = perPlace,
) {
  let begun = 0
  const running = new Map<string, number>()
  // by place: the number of its latest start; the least recent place is first
  const latest = new Map<string, number>()
  let line: Waiting[] = []
  /** The latest end of a piece of work. */
  let ended = { place: '', at: -Infinity }

  async function run<R>(work: () => Promise<R>, options: Options = {}): Promise<R> {
    const { place = '', refuse = () => new Error('The queue is full'), left } = options
    left?.throwIfAborted()
    if (mayBegin(place)) begin(place)
    else await turn(place, refuse, left)
    try {
      return await work()
    } finally {
      add(running, place, -1)
      ended = { place, at: performance.now() }
      beginNext()
    }
  }

  /**
   * Waits until no work of places other than `place` has run for `rest` milliseconds, but no longer than `atMost`, and
   * always lets the process turn to what has arrived.
   */
  async function lull(place: string, rest: number, atMost: number): Promise<void> {
    const until = performance.now() + atMost
    const isAtRest = () =>
      sum(running) === load(place) &&
      (ended.place === place || performance.now() >= ended.at + rest)
    await nextTurn()
    while (!isAtRest() && performance.now() < until) await sleep(LOOK)
  }

  const load = (place: string) => running.get(place) ?? 0
  const isContended = (place: string) =>
    perPlace !== contended &&
    (isOtherIn(running, place) ||
      isOtherIn(latest, place) ||
      line.some((each) => each.place !== place))
  const hasMany = (place: string) => line.filter((each) => each.place === place).length >= MANY
  const share = (place: string) => {
    if (!isContended(place)) return perPlace
    return hasMany(place) ? 1 : contended
  }
  const mayBegin = (place: string) => sum(running) < atOnce && load(place) < share(place)

  function begin(place: string) {
    add(running, place, 1)
    begun += 1
    latest.delete(place)
    latest.set(place, begun)
    for (const [old, at] of latest) {
      if (begun - at < RECENT) break
      latest.delete(old)
    }
  }

  function turn(place: string, refuse: () => Error, left?: AbortSignal): Promise<void> {
    if (line.length >= waiting) makeRoom(place, refuse)
    return new Promise((resolve, reject) => {
      const leave = () => {
        line = line.filter((each) => each !== mine)
        reject(left!.reason as Error)
      }
      const settled = (settle: () => void) => () => {
        left?.removeEventListener('abort', leave)
        settle()
      }
      const mine: Waiting = {
        place,
        begin: settled(() => (begin(place), resolve())),
        refuse: settled(() => reject(refuse())),
      }
      left?.addEventListener('abort', leave, { once: true })
      line.push(mine)
    })
  }

  function makeRoom(place: string, refuse: () => Error) {
    const counts = new Map<string, number>()
    for (const each of line) add(counts, each.place, 1)
    const [busiest, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))
    if ((counts.get(place) ?? 0) + 1 >= most) throw refuse()
    const last = line.findLast((each) => each.place === busiest)!
    line = line.filter((each) => each !== last)
    last.refuse()
  }

  /** Begins all that may: after the last work of a busy place, another may begin more than one. */
  function beginNext() {
    for (;;) {
      const open = new Set([...new Set(line.map(({ place }) => place))].filter(mayBegin))
      const ready = line.filter(({ place }) => open.has(place))
      if (ready.length === 0) return
      const next = ready.reduce((a, b) => (load(b.place) < load(a.place) ? b : a))
      line = line.filter((each) => each !== next)
      next.begin()
    }
  }

  return {
    run,
    lull,
    begun: () => begun,
    running: () => sum(running),
    waiting: () => line.length,
  }
}

type Queue = ReturnType<typeof limited>

/** Counts of each queue of the process by its name, for the metrics. */
export const queues = () =>
  perProcess('queues', () => new Map<string, Pick<Queue, 'begun' | 'running' | 'waiting'>>())

/** One queue of the process, made when it is first used. */
export function queue(name: string, make: () => Queue): Queue {
  const made = perProcess(`queue ${name}`, make)
  queues().set(name, made)
  return made
}

function add(counts: Map<string, number>, place: string, by: number) {
  const count = (counts.get(place) ?? 0) + by
  if (count === 0) counts.delete(place)
  else counts.set(place, count)
}

const isOtherIn = (counts: Map<string, number>, place: string) =>
  counts.size > (counts.has(place) ? 1 : 0)

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((all, n) => all + n, 0)
