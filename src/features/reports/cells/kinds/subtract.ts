import * as z from 'zod'
import { idSchema } from '../parts'
import { checkNames, computedOnly, measureBox, ofMeasures, ofParts, type RulesOfCell } from './kind'

const schema = z.strictObject({ subtract: z.tuple([idSchema, idSchema]) })

export const subtractCell: RulesOfCell<z.infer<typeof schema>> = {
  ...ofMeasures,
  schema,
  withNames: (cell, swap) => ({
    ...cell,
    subtract: [swap(cell.subtract[0]), swap(cell.subtract[1])],
  }),
  shows: { people: 'count', others: 'other' },
  opens: (cell) => cell.subtract,
  check: (cell, checks, path) => checkNames(checks, cell.subtract, [...path, 'subtract']),
  formula: ({ subtract: [from, less] }, place) =>
    ofParts(
      [place.named(from), place.named(less)],
      ([first, second]) =>
        computedOnly(
          first!.value === null || second!.value === null ? null : first!.value - second!.value,
          Math.max(0, first!.rows - second!.rows),
        ),
      // those that only the first part has
      ([first, second]) => {
        const taken = new Set(second!().map(({ id }) => id))
        return first!().filter(({ id }) => !taken.has(id))
      },
    ),
  begins: ([first = '', second = first]) => [{ subtract: [first, second] }],
  words: () => 'reportEditor.cell_subtract',
  boxes: (cell) => [
    [
      measureBox('reportEditor.from', cell.subtract[0], (name) => ({
        ...cell,
        subtract: [name, cell.subtract[1]],
      })),
      measureBox('reportEditor.less', cell.subtract[1], (name) => ({
        ...cell,
        subtract: [cell.subtract[0], name],
      })),
    ],
  ],
}
