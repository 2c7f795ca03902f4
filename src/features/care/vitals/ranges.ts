import type { Sex } from '~/fields/sex'
import type { MessageKey } from '~/shared/language'
import table from './ranges.json'
import type { Measure } from './vital'

type Level = 'abnormal' | 'critical'
type ReasonIn<Key> = Key extends `vitals.reason.${infer Reason}` ? Reason : never

/** Marks values below `under`, or from `from` on, for one group of patients. */
export type VitalRange = {
  measures: readonly Measure[]
  level: Level
  reason: ReasonIn<MessageKey>
  source: string
  under?: number | ((years: number) => number)
  from?: number
  /** From the first up to but not including the second. */
  months?: readonly [from: number, before: number]
  /** The same, for newborns. */
  days?: readonly [from: number, before: number]
  sex?: Sex
  /** Only in pregnancy and until six weeks after it. */
  inPregnancy?: boolean
}

/** From the first up to but not including the second; without a second, to the end of life. */
type Span = readonly [from: number, before?: number]
type RangeRow = Pick<VitalRange, 'level' | 'from' | 'sex' | 'inPregnancy'> & {
  under?: number | { base: number; perYear: number }
  years?: Span
  months?: Span
  days?: Span
}
type RangeTable = {
  version: string
  date: string
  about: string
  sources: Record<string, { text: string; url?: string; note?: string }>
  groups: readonly (Pick<VitalRange, 'measures' | 'reason' | 'source'> & {
    rows: readonly RangeRow[]
  })[]
}

// the inferred type of JSON knows no tuples; ranges.test.ts checks the shape
export const TABLE = table as unknown as RangeTable

/** Reference ranges by age and sex. Of one measure the first that fits counts. */
export const RANGES: readonly VitalRange[] = TABLE.groups.flatMap(({ rows, source, ...group }) =>
  rows.map((row) => ({ ...group, source: TABLE.sources[source]!.text, ...toRange(row) })),
)

function toRange({ under, years, months, days, ...row }: RangeRow) {
  const span = months ? toSpan(months) : years && toSpan(years, 12)
  return {
    ...row,
    ...(under !== undefined && { under: toLimit(under) }),
    ...(span && { months: span }),
    ...(days && { days: toSpan(days) }),
  }
}

function toSpan([from, before = Infinity]: Span, unit = 1) {
  return [from * unit, before * unit] as const
}

function toLimit(under: NonNullable<RangeRow['under']>) {
  if (typeof under === 'number') return under
  return (years: number) => under.base + under.perYear * years
}
