import { expect, test } from 'vitest'
import * as z from 'zod'
import english from '../../../../messages/en.json'
import { firstErrors } from '~/shared/problems'
import { RANGES, TABLE } from './ranges'
import { LIMITS, VITAL_MEASURES } from './vital'

const Span = z
  .array(z.int().min(0))
  .min(1)
  .max(2)
  .refine(([from = 0, before = Infinity]) => from < before)
const Row = z
  .strictObject({
    level: z.enum(['abnormal', 'critical']),
    under: z
      .union([z.number(), z.strictObject({ base: z.number(), perYear: z.number() })])
      .optional(),
    from: z.number().optional(),
    years: Span.optional(),
    months: Span.optional(),
    days: Span.optional(),
    sex: z.enum(['male', 'female']).optional(),
    inPregnancy: z.literal(true).optional(),
  })
  .refine(({ under, from }) => (under === undefined) !== (from === undefined), 'one limit')
  .refine(({ years, months }) => !years || !months, 'one unit')
const Group = z.strictObject({
  measures: z.array(z.enum(VITAL_MEASURES)).min(1),
  reason: z.string().refine((reason) => reason in english.vitals.reason),
  source: z.string().refine((source) => source in TABLE.sources),
  rows: z.array(Row).min(1),
})
const Table = z.strictObject({
  version: z.string().regex(/^\d{4}-\d{2}$/),
  date: z.iso.date(),
  about: z.string(),
  sources: z.record(
    z.string(),
    z.strictObject({
      text: z.string().min(5),
      url: z.url().optional(),
      note: z.string().optional(),
    }),
  ),
  groups: z.array(Group),
})

test('every row has one limit, a known reason and a source', () => {
  const read = Table.safeParse(TABLE)
  expect(read.success ? {} : firstErrors(read.error)).toEqual({})
})

test('every source is used', () => {
  const used = new Set(TABLE.groups.map(({ source }) => source))
  expect(Object.keys(TABLE.sources).filter((source) => !used.has(source))).toEqual([])
})

test('every limit is a possible value of its measures', () => {
  const beyond = RANGES.filter(({ measures, under, from }) => {
    const limit = from ?? (typeof under === 'function' ? under(1) : under!)
    return measures.some((measure) => limit < LIMITS[measure][0] || limit > LIMITS[measure][1])
  })
  expect(beyond).toEqual([])
})

test('no row stands below one for the same patients that marks more values', () => {
  const of = ({ measures, months, days, sex, inPregnancy, under }: (typeof RANGES)[number]) =>
    JSON.stringify([measures, months, days, sex, inPregnancy, under === undefined])
  const hidden = RANGES.filter((range, at) =>
    RANGES.slice(0, at).some(
      (earlier) =>
        of(earlier) === of(range) &&
        (range.from === undefined
          ? Number(range.under) <= Number(earlier.under)
          : range.from >= earlier.from!),
    ),
  )
  expect(hidden).toEqual([])
})
