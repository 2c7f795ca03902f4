export type Chance = ReturnType<typeof chance>

/** The same numbers for the same seed (mulberry32, public domain). */
export function chance(seed: number) {
  let state = Math.imul(seed, 2_654_435_761)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    below: (n: number) => Math.floor(next() * n),
    one: <T>(list: readonly T[]): T | undefined => list[Math.floor(next() * list.length)],
    /** Rather one of the first: where many work on the same, they meet. */
    early: <T>(list: readonly T[]): T | undefined =>
      list[Math.floor(next() * next() * list.length)],
    happens: (probability: number) => next() < probability,
  }
}
