import { perProcess } from '~/db/per-process'

type Waiting = { place: string; begin: () => void; refuse: () => void }
type Options = { refuse?: () => Error; place?: string }

/**
 * Runs at most `atOnce` pieces of work at a time, `perPlace` of one place. Up to `waiting` more take turns; beyond that
 * `refuse` makes the error. The place with the least work running is next, in the order in which
 * its requests came. When the queue is full, the place with the most waiting work gives one up, so
 * that no single place fills the queue. `begun` counts the work that was started.
 */
export function limited(atOnce: number, waiting = Infinity, perPlace = atOnce) {
  let begun = 0
  const running = new Map<string, number>()
  let queue: Waiting[] = []

  async function run<R>(work: () => Promise<R>, options: Options = {}): Promise<R> {
    const { place = '', refuse = () => new Error('The queue is full') } = options
    if (!mayBegin(place)) await turn(place, refuse)
    else add(running, place, 1)
    begun += 1
    try {
      return await work()
    } finally {
      add(running, place, -1)
      beginNext()
    }
  }

  const load = (place: string) => running.get(place) ?? 0
  const mayBegin = (place: string) => sum(running) < atOnce && load(place) < perPlace

  function turn(place: string, refuse: () => Error): Promise<void> {
    if (queue.length >= waiting) makeRoom(place, refuse)
    return new Promise((resolve, reject) => {
      const begin = () => {
        add(running, place, 1)
        resolve()
      }
      queue.push({ place, begin, refuse: () => reject(refuse()) })
    })
  }

  function makeRoom(place: string, refuse: () => Error) {
    const counts = new Map<string, number>()
    for (const each of queue) add(counts, each.place, 1)
    const [busiest, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))
    if ((counts.get(place) ?? 0) + 1 >= most) throw refuse()
    const last = queue.findLast((each) => each.place === busiest)!
    queue = queue.filter((each) => each !== last)
    last.refuse()
  }

  function beginNext() {
    const ready = queue.filter(({ place }) => mayBegin(place))
    if (ready.length === 0) return
    const next = ready.reduce((a, b) => (load(b.place) < load(a.place) ? b : a))
    queue = queue.filter((each) => each !== next)
    next.begin()
  }

  return { run, begun: () => begun, waiting: () => queue.length }
}

type Queue = ReturnType<typeof limited>

/** Counts of each queue of the process by its name, for the metrics. */
export const queues = () =>
  perProcess('queues', () => new Map<string, Pick<Queue, 'begun' | 'waiting'>>())

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

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((all, n) => all + n, 0)
