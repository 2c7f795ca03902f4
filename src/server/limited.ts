/**
 * Runs at most `atOnce` pieces of work at a time. Up to `waiting` more take turns in the order in
 * which they came; beyond that `refuse` makes the error. `begun` counts the work that was started.
 */
export function limited(atOnce: number, waiting = Infinity) {
  let begun = 0
  let running = 0
  const queue: (() => void)[] = []
  async function run<R>(
    work: () => Promise<R>,
    refuse = () => new Error('The queue is full'),
  ): Promise<R> {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw refuse()
      // a task that ends hands over its place
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running += 1
    begun += 1
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
  return { run, begun: () => begun }
}
