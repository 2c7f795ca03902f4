import * as z from 'zod'
import { testSchema, windowSchema } from '../parts'
import { type CellKindRules, rowCellRules, rowBoxes } from './kind'

const schema = z.strictObject({
  days: z.literal('stock'),
  where: testSchema.optional(),
  in: windowSchema,
  each: z.literal('clinic'),
})

/** The days on which the stock of a clinic was so. */
export const daysCell: CellKindRules<z.infer<typeof schema>> = {
  ...rowCellRules,
  schema,
  source: () => 'stock',
  shows: { people: 'other', others: 'other' },
  // days are counted in any window, the stock is that of one day
  check(cell, checks, path) {
    if (cell.where) checks.test('stock', cell.where, [...path, 'where'])
    if (cell.in === 'visit' || (typeof cell.in === 'object' && 'days' in cell.in))
      checks.add([...path, 'in'], 'wrongWindow', { source: 'stock' })
  },
  formula: (cell, place) => place.rows('stock', { kind: 'days' }, cell),
  group: 'reportEditor.calculated',
  begins: () => [
    { days: 'stock', in: 'period', each: 'clinic', where: ['stock.usable', 'atMost', 0] },
  ],
  words: () => 'reportEditor.cell_days',
  boxes: (cell) => rowBoxes(cell, 'stock'),
}
