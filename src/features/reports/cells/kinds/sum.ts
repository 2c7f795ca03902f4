import * as z from 'zod'
import type { CellKindRules } from './kind'
import { numberCellRules, numberCellShape } from './numbers'

const schema = z.strictObject({ sum: z.string(), ...numberCellShape })
type Sum = z.infer<typeof schema>

export const sumCell: CellKindRules<Sum> = {
  ...numberCellRules<Sum>(
    'sum',
    (cell) => cell.sum,
    (cell, of, sum) => ({ ...cell, of, sum }),
  ),
  schema,
  begins: () => [{ sum: 'dispensed.quantity', of: 'dispensed', in: 'period' }],
}
