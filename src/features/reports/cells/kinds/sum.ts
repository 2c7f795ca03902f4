import * as z from 'zod'
import type { RulesOfCell } from './kind'
import { ofNumbers, rowsOfNumbers } from './numbers'

const schema = z.strictObject({ sum: z.string(), ...rowsOfNumbers })
type Sum = z.infer<typeof schema>

export const sumCell: RulesOfCell<Sum> = {
  ...ofNumbers<Sum>(
    'sum',
    (cell) => cell.sum,
    (cell, of, sum) => ({ ...cell, of, sum }),
  ),
  schema,
  begins: () => [{ sum: 'dispensed.quantity', of: 'dispensed', in: 'period' }],
}
