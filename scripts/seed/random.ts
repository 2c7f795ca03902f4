import { createHash } from 'node:crypto'

/** Numbers that look random and are the same for the same words, on every machine and in every version of Node. */
export type Random = ReturnType<typeof seededRandom>

export function seededRandom(...words: (string | number)[]) {
  const seed = createHash('sha256').update(JSON.stringify(words)).digest()
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => seed.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ]
  // sfc32, of the PractRand suite by Chris Doty-Humphrey (public domain)
  const next = () => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return (t >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + next() * (high - low)
  return {
    between,
    chance: (share: number) => next() < share,
    /** Whole, both ends included. */
    whole: (low: number, high: number) => Math.floor(between(low, high + 1)),
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)]!,
    digits: (count: number) =>
      Array.from({ length: count }, () => Math.floor(next() * 10)).join(''),
    /** Around a mean, as measured things are; never further than three deviations. */
    around: (mean: number, deviation: number) => {
      const bell = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
      return mean + deviation * Math.max(-3, Math.min(3, bell))
    },
  }
}
