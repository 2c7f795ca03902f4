import * as z from 'zod'
import type { Message } from '~/shared/errors'
import { idSchema, clinicTest } from '../parts'
import { shiftMonthStart } from '../period'
import {
  type EditorBox,
  checkNames,
  choiceBox,
  type Computed,
  type ManualInputs,
  measureBox,
  derivedCellRules,
  combineFormulas,
  type CellKindRules,
  withPart,
} from './kind'

/** `month`: the mean days of a month, of the three that end with the period. */
const TIMES = [1, 100, 1000, 'month'] as const

const schema = z.strictObject({
  ratio: z.tuple([idSchema, idSchema]),
  times: z.union(TIMES.map((each) => z.literal(each))),
  cap: z.number().positive().optional(),
  // of the denominator that counts: the patients on a medicine, of those under care
  share: z.number().positive().optional(),
})
type Ratio = z.infer<typeof schema>

export const ratioCell: CellKindRules<Ratio> = {
  ...derivedCellRules,
  schema,
  withNames: (cell, swap) => ({ ...cell, ratio: [swap(cell.ratio[0]), swap(cell.ratio[1])] }),
  shows: { people: 'ratio', others: 'ratio' },
  opens: (cell) => [cell.ratio[0]],
  check: (cell, checks, path) => checkNames(checks, cell.ratio, [...path, 'ratio']),
  formula: (cell, place) => {
    const [numerator, denominator] = cell.ratio
    // where a sum over the clinics has no meaning: days of one are not days of another
    const apart = cell.times === 'month' && place.clinicIds.length > 1 ? place.clinicIds : []
    return combineFormulas(
      [
        place.named(numerator),
        place.named(denominator),
        ...apart.flatMap((each) => [
          place.named(numerator, clinicTest(each)),
          place.named(denominator, clinicTest(each)),
        ]),
      ],
      (parts, entered) => computeRatio(cell, parts, entered),
      ([rows]) => rows!(),
    )
  },
  begins: ([first = '', second = first]) => [{ ratio: [first, second], times: 100 }],
  words: () => 'reportEditor.cell_ratio',
  boxes: (cell) => [
    [
      measureBox('reportEditor.numerator', cell.ratio[0], (name) => ({
        ...cell,
        ratio: [name, cell.ratio[1]],
      })),
      measureBox('reportEditor.denominator', cell.ratio[1], (name) => ({
        ...cell,
        ratio: [cell.ratio[0], name],
      })),
      choiceBox(
        'reportEditor.times',
        cell.times,
        TIMES,
        (times) => `reportEditor.times_${times}`,
        (times) => ({ ...cell, times }),
      ),
      optionalNumberBox(cell, 'cap'),
      optionalNumberBox(cell, 'share'),
    ],
  ],
  sheet: (cell) => ({ isPercent: cell.times === 100, beside: (shown) => ratioNote(cell, shown) }),
}

const optionalNumberBox = (cell: Ratio, part: 'cap' | 'share'): EditorBox<Ratio> => ({
  box: 'number',
  label: `reportEditor.${part}`,
  value: cell[part] ?? null,
  set: (value) => withPart(cell, part, value ?? undefined),
})

function computeRatio(
  { times, cap, share = 1 }: Ratio,
  [numerator, denominator, ...ofClinics]: readonly Computed[],
  { period }: ManualInputs,
): Computed {
  const counts = { numerator: numerator!.value, denominator: denominator!.value }
  const { rows } = numerator!
  const quotient =
    ofClinics.length > 0
      ? sumClinicQuotients(ofClinics.map(({ value }) => value))
      : divideOrNull(counts.numerator, counts.denominator)
  if (quotient === null) return { value: null, ...counts, rows }
  const value = (quotient / share) * (times === 'month' ? meanMonthDays(period) : times)
  return { value: Math.min(value, cap ?? value), ...counts, rows }
}

/** The mean days of a month, of the three that end with the period. */
const meanMonthDays = ({ last }: ManualInputs['period']) => {
  const [first, end] = [shiftMonthStart(last, -2), shiftMonthStart(last, 1)]
  return (Date.parse(end) - Date.parse(first)) / 86_400_000 / 3
}

const divideOrNull = (numerator: number | null, denominator: number | null) =>
  numerator === null || !denominator ? null : numerator / denominator

/**
 * The quotients of the clinics, added up; `values`: numerator and denominator of one after the other. A clinic without
 * both adds nothing; one with a numerator alone has a quotient that nobody knows, and so has the sum.
 */
function sumClinicQuotients(values: readonly (number | null)[]): number | null {
  let sum: number | null = null
  for (let at = 0; at < values.length; at += 2) {
    const [numerator = null, denominator = null] = values.slice(at, at + 2)
    if (!numerator && !denominator) continue
    const quotient = divideOrNull(numerator, denominator)
    if (quotient === null) return null
    sum = (sum ?? 0) + quotient
  }
  return sum
}

/** The counts of a ratio, and all else that makes its value of them. */
function ratioNote(
  { times, cap, share }: Ratio,
  { value, numerator, denominator }: Pick<Computed, 'value' | 'numerator' | 'denominator'>,
): Message | null {
  if (numerator === null || denominator === null) return null
  const counts = { numerator, denominator }
  // over months only the value says whether it was cut
  const uncut = times === 'month' ? Infinity : (numerator / (denominator * (share ?? 1))) * times
  if (cap !== undefined && value === cap && uncut > cap)
    return times === 100 && share === undefined
      ? { key: 'reports.partsCapped', values: { ...counts, cap } }
      : { key: 'reports.partsCappedAt', values: { ...counts, cap } }
  if (times === 'month') return { key: 'reports.partsMonth', values: counts }
  if (share !== undefined) return { key: 'reports.partsShare', values: { ...counts, share } }
  // "5 of 4" would be said of medicines per prescription
  if (times === 100) return { key: 'reports.partsOf', values: counts }
  return times === 1
    ? { key: 'reports.partsPer', values: counts }
    : { key: 'reports.partsTimes', values: { ...counts, times } }
}
