import * as z from 'zod'
import type { RulesOfCell } from './kind'
import { ofNumbers, rowsOfNumbers } from './numbers'

const schema = z.strictObject({ median: z.string(), ...rowsOfNumbers })
type Median = z.infer<typeof schema>

export const medianCell: RulesOfCell<Median> = {
  ...ofNumbers<Median>(
    'median',
    (cell) => cell.median,
    (cell, of, median) => ({ ...cell, of, median }),
  ),
  schema,
  begins: () => [{ median: 'appointment.wait_minutes', of: 'appointments', in: 'period' }],
}
