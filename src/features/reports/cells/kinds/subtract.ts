import * as z from 'zod'
import { idSchema } from '../parts'
import {
  checkNames,
  plainComputed,
  measureBox,
  derivedCellRules,
  combineFormulas,
  type CellKindRules,
} from './kind'

const schema = z.strictObject({ subtract: z.tuple([idSchema, idSchema]) })

export const subtractCell: CellKindRules<z.infer<typeof schema>> = {
  ...derivedCellRules,
  schema,
  withNames: (cell, swap) => ({
    ...cell,
    subtract: [swap(cell.subtract[0]), swap(cell.subtract[1])],
  }),
  shows: { people: 'count', others: 'other' },
  opens: (cell) => cell.subtract,
  check: (cell, checks, path) => checkNames(checks, cell.subtract, [...path, 'subtract']),
  formula: ({ subtract: [from, less] }, place) =>
    combineFormulas(
      [place.named(from), place.named(less)],
      ([first, second]) =>
        plainComputed(
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
