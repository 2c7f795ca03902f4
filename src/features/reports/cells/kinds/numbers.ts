import * as z from 'zod'
import type { ReportSource } from '../fields'
import { sourceSchema, testSchema, windowSchema } from '../parts'
import { checkNumberOf, checkCounted, numbersOf, ofRows, rowBoxes, type RulesOfCell } from './kind'

export const rowsOfNumbers = {
  of: sourceSchema,
  where: testSchema.optional(),
  in: windowSchema,
}
type OfNumbers = z.infer<z.ZodObject<typeof rowsOfNumbers>>

/** What a sum and a median of a number of the rows have in common. */
export function ofNumbers<C extends OfNumbers>(
  kind: 'sum' | 'median',
  fieldOf: (cell: C) => string,
  withNumber: (cell: C, of: ReportSource, field: string) => C,
) {
  return {
    ...ofRows,
    source: ({ of }) => of,
    shows: { people: 'sum', others: 'other' },
    check(cell, checks, path) {
      checkCounted(checks, cell.of, cell, path)
      checkNumberOf(checks, cell.of, fieldOf(cell), [...path, kind])
    },
    formula: (cell, place) => place.rows(cell.of, { kind, field: fieldOf(cell) }, cell),
    group: 'reportEditor.calculated',
    words: () => `reportEditor.cell_${kind}`,
    boxes: (cell) => [
      [
        {
          box: 'source',
          value: cell.of,
          set: (of) => withNumber(cell, of, numbersOf(of)[0] ?? ''),
        },
        {
          box: 'field',
          source: cell.of,
          value: fieldOf(cell),
          set: (field) => withNumber(cell, cell.of, field),
        },
      ],
      ...rowBoxes(cell, cell.of),
    ],
  } satisfies Partial<RulesOfCell<C>>
}
