import * as z from 'zod'
import type { CellKindRules } from './kind'
import { numberCellRules, numberCellShape } from './numbers'

const schema = z.strictObject({ median: z.string(), ...numberCellShape })
type Median = z.infer<typeof schema>

export const medianCell: CellKindRules<Median> = {
  ...numberCellRules<Median>(
    'median',
    (cell) => cell.median,
    (cell, of, median) => ({ ...cell, of, median }),
  ),
  schema,
  begins: () => [{ median: 'appointment.wait_minutes', of: 'appointments', in: 'period' }],
}
