import * as z from 'zod'
import { plainNumberRules, type CellKindRules, MANUAL_TYPES, noRows, plainComputed } from './kind'

const schema = z.strictObject({ manual: z.enum(MANUAL_TYPES) })

/** What no record holds, and a user enters. */
export const manualCell: CellKindRules<z.infer<typeof schema>> = {
  ...plainNumberRules,
  source: () => null,
  schema,
  withNames: (cell) => cell,
  shows: { people: 'other', others: 'other' },
  opens: () => [],
  check: () => undefined,
  formula: (_, place) => ({
    leaf: null,
    leaves: [],
    value: (_valueOf, entered) => plainComputed(entered.manual.get(place.manual) ?? null, 0),
    rows: noRows,
  }),
  group: 'reportEditor.byHand',
  begins: () => MANUAL_TYPES.map((each) => ({ manual: each })),
  words: (cell) => `reportEditor.manual_${cell.manual}`,
  boxes: () => [],
  enters: (cell) => cell.manual,
}
