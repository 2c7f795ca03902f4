import * as z from 'zod'
import { idSchema, clinicTest } from '../parts'
import {
  choiceBox,
  plainComputed,
  measureBox,
  noRows,
  derivedCellRules,
  combineFormulas,
  type CellKindRules,
} from './kind'

export const LIMIT_OPS = ['below', 'atMost', 'atLeast', 'above'] as const

const schema = z.strictObject({
  clinics: idSchema,
  is: z.tuple([z.enum(LIMIT_OPS), z.number()]),
})
type Limit = z.infer<typeof schema>['is']

/** Whether a value is within a limit: 84 / (2 × 1.4) is 30, although not as a binary fraction. */
function isWithin([op, than]: Limit, exact: number): boolean {
  const value = Math.round(exact * 1_000_000) / 1_000_000
  switch (op) {
    case 'below':
      return value < than
    case 'atMost':
      return value <= than
    case 'atLeast':
      return value >= than
    case 'above':
      return value > than
  }
}

/** How many clinics of the run have a value of the measure within the limit. */
export const clinicsCell: CellKindRules<z.infer<typeof schema>> = {
  ...derivedCellRules,
  schema,
  withNames: (cell, swap) => ({ ...cell, clinics: swap(cell.clinics) }),
  shows: { people: 'count', others: 'other' },
  opens: () => [],
  check({ clinics: name }, checks, path) {
    const place = [...path, 'clinics']
    if (checks.named(name, place) && checks.asksClinics(name))
      checks.add(place, 'clinicsOfClinics', { name })
  },
  formula: ({ clinics: name, is }, place) =>
    combineFormulas(
      place.clinicIds.map((each) => place.named(name, clinicTest(each))),
      (parts) =>
        plainComputed(parts.filter(({ value }) => value !== null && isWithin(is, value)).length, 0),
      noRows,
    ),
  begins: ([first = '']) => [{ clinics: first, is: ['atLeast', 1] }],
  words: () => 'reportEditor.cell_clinics',
  boxes: (cell) => [
    [
      measureBox('reportEditor.like', cell.clinics, (name) => ({ ...cell, clinics: name })),
      choiceBox(
        'reportEditor.op',
        cell.is[0],
        LIMIT_OPS,
        (op) => `reportWords.op_${op}`,
        (op) => ({ ...cell, is: [op, cell.is[1]] }),
      ),
      {
        box: 'number',
        label: 'reportEditor.value',
        value: cell.is[1],
        set: (value) => ({ ...cell, is: [cell.is[0], value ?? 0] }),
      },
    ],
  ],
}
