/** Milliseconds. */
export type Figure = { name: string; times: number; p50: number; p95: number; max: number }

/** Milliseconds as the tables have them. */
export const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0)

export function summarizeTimes(name: string, taken: number[]): Figure {
  const sorted = taken.toSorted((a, b) => a - b)
  // the nearest rank: of ten, the 95th percentile is the tenth
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!
  return { name, times: sorted.length, p50: at(0.5), p95: at(0.95), max: sorted.at(-1)! }
}
