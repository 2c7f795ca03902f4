import * as z from 'zod'
import { asIs, type RulesOfCell, MANUAL, noRows, computedOnly } from './kind'

const schema = z.strictObject({ manual: z.enum(MANUAL) })

/** What no record holds, and a user enters. */
export const manualCell: RulesOfCell<z.infer<typeof schema>> = {
  ...asIs,
  source: () => null,
  schema,
  withNames: (cell) => cell,
  shows: { people: 'other', others: 'other' },
  opens: () => [],
  check: () => undefined,
  formula: (_, place) => ({
    leaf: null,
    leaves: [],
    value: (_valueOf, entered) => computedOnly(entered.manual.get(place.manual) ?? null, 0),
    rows: noRows,
  }),
  group: 'reportEditor.byHand',
  begins: () => MANUAL.map((each) => ({ manual: each })),
  words: (cell) => `reportEditor.manual_${cell.manual}`,
  boxes: () => [],
  enters: (cell) => cell.manual,
}
