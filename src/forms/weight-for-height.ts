import type { Sex } from '~/fields/sex'
import { between, type Lms, zOfWeight } from '~/shared/lms'
import standard from './weight-for-height.json' with { type: 'json' }

/** How a child's height was taken: lying down ("length") or standing up. */
export const HEIGHT_POSITIONS = ['lying', 'standing'] as const
export type HeightPosition = (typeof HEIGHT_POSITIONS)[number]

/** The first day of standing height, and the last of the standards below 5 years. */
export const TWO_YEARS = 731
export const LAST_OF_STANDARDS = 1856
/** WHO: lying down a child is 0.7 cm longer than standing up. */
const LYING_LONGER_CM = 0.7

/** Height as the table of that age means it: length below two years, standing height from then on. */
export function heightForTable(cm: number, position: HeightPosition | null, day: number): number {
  if (day < TWO_YEARS) return position === 'standing' ? cm + LYING_LONGER_CM : cm
  return position === 'lying' ? cm - LYING_LONGER_CM : cm
}

type Entry = { cm: number; lms: Lms }
const parsed = new Map<string, Entry[]>()
function parseHeightTable(sex: Sex, position: HeightPosition): Entry[] {
  const name = `${sex} ${position}`
  let table = parsed.get(name)
  if (!table) {
    table = standard.tables[sex][position]
      .join(';')
      .split(';')
      .map((entry) => {
        const [cm = 0, m = 0, s = 0] = entry.split(' ').map(Number)
        return { cm, lms: { l: standard.l[sex], m, s } }
      })
    parsed.set(name, table)
  }
  return table
}

export const lmsAtHeight = (sex: Sex, position: HeightPosition, cm: number): Lms | undefined => {
  const table = parseHeightTable(sex, position)
  const next = table.findIndex((entry) => entry.cm >= cm)
  const [low, high] = [table[Math.max(next - 1, 0)], table[next]]
  if (!low || !high || cm < low.cm) return undefined
  return high.cm === low.cm
    ? high.lms
    : between(low.lms, high.lms, (cm - low.cm) / (high.cm - low.cm))
}

/** The heights that have an entry, from the smallest to the largest. */
export const tabulatedHeights = (sex: Sex, position: HeightPosition) =>
  parseHeightTable(sex, position).map(({ cm }) => cm)

/** What WHO takes for a mistake of the scale or the tape rather than for a child. */
const FLAG = 5

type Measured = {
  weight_kg: number
  height_cm: number
  position: HeightPosition | null
  /** The age in days. */
  day: number
}

/** Weight for length below two years, for height up to five; undefined at any other age or outside of the tables. */
export function weightForHeight(
  { weight_kg, height_cm, position, day }: Measured,
  sex: Sex,
): { cm: number; z: number; isImplausible: boolean } | undefined {
  if (day < 0 || day > LAST_OF_STANDARDS || weight_kg <= 0) return undefined
  const cm = heightForTable(height_cm, position, day)
  const lms = lmsAtHeight(sex, day < TWO_YEARS ? 'lying' : 'standing', cm)
  if (!lms) return undefined
  const z = zOfWeight(lms, weight_kg)
  return { cm, z, isImplausible: Math.abs(z) > FLAG }
}
