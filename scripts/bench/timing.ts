import { openFloor } from './floor'
import { type Figure, summarizeTimes } from './percentiles'
import type { Workbench } from './workbench'

export type Benchmark = {
  name: string
  /** How often, after as many that do not count, at most `WARM_UP` (default: `TIMES`). */
  times?: number
  /** The `i`th time; what it returns is not looked at. Throws when the answer is not the right one. */
  run: (bench: Workbench, i: number) => Promise<unknown>
  /** The operation that `run` calls as the administrator: its SQL is measured as well, and calls at once. */
  call?: (bench: Workbench, i: number) => [name: string, input: unknown]
  /** Measures calls at once although no operation stands for them. */
  isBusy?: boolean
}

/** `floor`: the same SQL raw; `perSecond`: answers with sixteen callers at once. */
export type Case = Figure & {
  floor?: { p50: number; statements: number; pages: number; rows: number }
  perSecond?: number
}

/**
 * A clinic's server runs for days: V8 compiles what is used often, and each connection to PostgreSQL keeps the plans of
 * its statements from the sixth time on.
 */
const WARM_UP = 20
/** A stall of the machine takes a few of them, and the p95 is still that of the others. */
const TIMES = 100
const AT_ONCE = 16
/** Of each caller at once, before those that count and with them. */
const EACH_BEFORE = 10
const EACH = 15

export async function timed(measure: Benchmark, bench: Workbench): Promise<Case> {
  const { name, run, call, isBusy = call !== undefined } = measure
  const times = Math.min(measure.times ?? TIMES, bench.most)
  const figure = summarizeTimes(name, await taken(times, (i) => run(bench, i)))
  if (!isBusy) return figure
  let asked = times + warmUpTimes(times)
  const atOnce = (each: number) =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let i = 0; i < each; i += 1) await run(bench, asked++)
      }),
    )
  await atOnce(Math.min(EACH_BEFORE, bench.most))
  const each = Math.min(EACH, bench.most)
  const started = performance.now()
  await atOnce(each)
  const perSecond = (AT_ONCE * each * 1_000) / (performance.now() - started)
  return { ...figure, perSecond, ...(call && { floor: await measureFloor(bench, times, call) }) }
}

async function measureFloor(bench: Workbench, times: number, call: Required<Benchmark>['call']) {
  const floor = await openFloor(bench.dataDir, bench.owner.email)
  try {
    const asked = await floor.of(...call(bench, 0))
    const { statements, pages, rows } = asked
    const { p50 } = summarizeTimes('floor', await taken(times, asked.again))
    return { p50, statements, pages, rows }
  } finally {
    await floor.close()
  }
}

const warmUpTimes = (times: number) => Math.min(WARM_UP, times)

/** Milliseconds of each time. */
async function taken(times: number, run: (i: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = []
  const warmUp = warmUpTimes(times)
  for (let i = 0; i < warmUp + times; i += 1) {
    const started = performance.now()
    await run(i)
    if (i >= warmUp) all.push(performance.now() - started)
  }
  return all
}
