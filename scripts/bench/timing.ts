import { type Figure, figureOf } from './percentiles'
import type { Workbench } from './workbench'

export type Measure = {
  name: string
  /** How often, after two that warm up and do not count (default: 30). */
  times?: number
  /** The `i`th time; what it returns is not looked at. Throws when the answer is not the right one. */
  run: (bench: Workbench, i: number) => Promise<unknown>
}

const WARM_UP = 2

export async function timed({ name, times = 30, run }: Measure, bench: Workbench): Promise<Figure> {
  const taken: number[] = []
  for (let i = -WARM_UP; i < times; i += 1) {
    const started = performance.now()
    await run(bench, i + WARM_UP)
    if (i >= 0) taken.push(performance.now() - started)
  }
  return figureOf(name, taken)
}
