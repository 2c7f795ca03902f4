import pairs from './duplicate-pairs.json'

/** Given name, surname, birth, sex, phone, government id and hometown; "" if unknown. */
type PairRecord = [string, string, string, string, string, string, string]
export type DuplicatePair = { what: string; isSame: boolean; a: PairRecord; b: PairRecord }

type Stored = (typeof pairs.unseen)[number]
const toPair = ({ what, same, a, b }: Stored): DuplicatePair => ({
  what,
  isSame: same,
  a: a as PairRecord,
  b: b as PairRecord,
})

/** The pairs that the weights of the search were fitted to. */
export const PAIRS = pairs.fitted.flatMap((group) => group.pairs).map(toPair)
/** Pairs written after the last change of the weights, and never used to change them. */
export const UNSEEN = pairs.unseen.map(toPair)
