import * as z from 'zod'
import { idSchema } from '../parts'
import {
  concatPartRows,
  derivedCellRules,
  type CellKindRules,
  combineFormulas,
  plainComputed,
  countPartRows,
} from './kind'

const schema = z.strictObject({ weighted: z.record(idSchema, z.number()) })

/** Each part times its number: tablets of 10 mg count twice those of 5 mg. */
export const weightedCell: CellKindRules<z.infer<typeof schema>> = {
  ...derivedCellRules,
  schema,
  withNames: (cell, swap) => ({
    ...cell,
    weighted: Object.fromEntries(
      Object.entries(cell.weighted).map(([name, weight]) => [swap(name), weight]),
    ),
  }),
  // its rows say whether they are few
  shows: { people: 'sum', others: 'other' },
  opens: (cell) => Object.keys(cell.weighted),
  check(cell, checks, path) {
    for (const name of Object.keys(cell.weighted)) checks.named(name, [...path, 'weighted', name])
  },
  formula: (cell, place) => {
    const weights = Object.values(cell.weighted)
    return combineFormulas(
      Object.keys(cell.weighted).map((name) => place.named(name)),
      (parts) => {
        const isKnown = parts.some(({ value }) => value !== null)
        const sum = parts.reduce((total, part, at) => total + (part.value ?? 0) * weights[at]!, 0)
        // quantities and weights have at most three decimals
        const value = isKnown ? Math.round(sum * 1_000_000) / 1_000_000 : null
        return plainComputed(value, countPartRows(parts))
      },
      concatPartRows,
    )
  },
  begins: ([first]) => [{ weighted: first ? { [first]: 1 } : {} }],
  words: () => 'reportEditor.cell_weighted',
  boxes: (cell) => [
    [
      {
        box: 'measures',
        value: Object.keys(cell.weighted),
        set: (names) => ({
          ...cell,
          weighted: Object.fromEntries(names.map((name) => [name, cell.weighted[name] ?? 1])),
        }),
      },
    ],
    ...Object.entries(cell.weighted).map(([name, weight]) => [
      {
        box: 'number' as const,
        label: { key: 'reportEditor.weightOf' as const, values: { name } },
        value: weight,
        set: (value: number | null) => ({
          ...cell,
          weighted: { ...cell.weighted, [name]: value ?? 0 },
        }),
      },
    ]),
  ],
}
