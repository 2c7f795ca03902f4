import * as z from 'zod'
import type { ReportSource } from '../fields'
import { sourceSchema, testSchema, windowSchema } from '../parts'
import {
  checkNumericField,
  checkCounted,
  numericFields,
  rowCellRules,
  rowBoxes,
  type CellKindRules,
} from './kind'

export const numberCellShape = {
  of: sourceSchema,
  where: testSchema.optional(),
  in: windowSchema,
}
type NumberCell = z.infer<z.ZodObject<typeof numberCellShape>>

/** What a sum and a median of a number of the rows have in common. */
export function numberCellRules<C extends NumberCell>(
  kind: 'sum' | 'median',
  fieldOf: (cell: C) => string,
  withNumber: (cell: C, of: ReportSource, field: string) => C,
) {
  return {
    ...rowCellRules,
    source: ({ of }) => of,
    shows: { people: 'sum', others: 'other' },
    check(cell, checks, path) {
      checkCounted(checks, cell.of, cell, path)
      checkNumericField(checks, cell.of, fieldOf(cell), [...path, kind], kind)
    },
    formula: (cell, place) => place.rows(cell.of, { kind, field: fieldOf(cell) }, cell),
    group: 'reportEditor.calculated',
    words: () => `reportEditor.cell_${kind}`,
    boxes: (cell) => [
      [
        {
          box: 'source',
          value: cell.of,
          set: (of) => withNumber(cell, of, numericFields(of)[0] ?? ''),
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
  } satisfies Partial<CellKindRules<C>>
}
