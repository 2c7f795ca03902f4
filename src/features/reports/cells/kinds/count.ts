import * as z from 'zod'
import { sourceNames } from '../fields'
import { sourceSchema, testSchema, windowSchema } from '../parts'
import {
  checkCounted,
  choiceBox,
  DISTINCT_UNITS,
  type DistinctUnit,
  type CellKindRules,
  rowCellRules,
  rowBoxes,
  withPart,
} from './kind'

const schema = z.strictObject({
  count: sourceSchema,
  distinct: z.enum(DISTINCT_UNITS).optional(),
  where: testSchema.optional(),
  in: windowSchema,
})

type Count = z.infer<typeof schema>

export const countCell: CellKindRules<Count> = {
  ...rowCellRules,
  schema,
  source: (cell) => cell.count,
  shows: { people: 'count', others: 'other' },
  check(cell, checks, path) {
    const { count: source, distinct } = cell
    checkCounted(checks, source, cell, path)
    if (distinct && distinct !== 'day') checks.perPatient(source, [...path, 'count'])
    const isFit =
      (distinct !== 'prescription' || source === 'prescribed') &&
      (distinct !== 'provider_day' || source === 'visits')
    if (!isFit) checks.add([...path, 'distinct'], 'wrongDistinct', { source })
  },
  formula: (cell, place) =>
    place.rows(cell.count, { kind: 'count', once: cell.distinct ?? 'row' }, cell),
  group: 'reportEditor.counts',
  begins: () => sourceNames.map((source) => ({ count: source, in: 'period' })),
  words: (cell) => `reportWords.source_${cell.count}`,
  boxes: (cell) =>
    rowBoxes(cell, cell.count, [
      choiceBox<Count, DistinctUnit | 'row'>(
        'reportEditor.each',
        cell.distinct ?? 'row',
        ['row', ...DISTINCT_UNITS],
        (each) => `reportEditor.each_${each}`,
        (each) => withPart(cell, 'distinct', each === 'row' ? undefined : each),
      ),
    ]),
}
