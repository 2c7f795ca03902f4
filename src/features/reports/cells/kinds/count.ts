import * as z from 'zod'
import { sourceNames } from '../fields'
import { sourceSchema, testSchema, windowSchema } from '../parts'
import {
  checkCounted,
  choiceBox,
  DISTINCT,
  type Distinct,
  type RulesOfCell,
  ofRows,
  rowBoxes,
  withPart,
} from './kind'

const schema = z.strictObject({
  count: sourceSchema,
  distinct: z.enum(DISTINCT).optional(),
  where: testSchema.optional(),
  in: windowSchema,
})

type Count = z.infer<typeof schema>

export const countCell: RulesOfCell<Count> = {
  ...ofRows,
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
      choiceBox<Count, Distinct | 'row'>(
        'reportEditor.each',
        cell.distinct ?? 'row',
        ['row', ...DISTINCT],
        (each) => `reportEditor.each_${each}`,
        (each) => withPart(cell, 'distinct', each === 'row' ? undefined : each),
      ),
    ]),
}
