import * as z from 'zod'
import { idSchema, testSchema } from '../parts'
import { measureBox, derivedCellRules, type CellKindRules } from './kind'

const schema = z.strictObject({ like: idSchema, and: testSchema })

/** Another measure, of a part of its rows. */
export const likeCell: CellKindRules<z.infer<typeof schema>> = {
  ...derivedCellRules,
  schema,
  withNames: (cell, swap) => ({ ...cell, like: swap(cell.like) }),
  shows: { people: 'count', others: 'other' },
  opens: (cell) => [cell.like],
  check(cell, checks, path) {
    if (!checks.named(cell.like, [...path, 'like'])) return
    for (const source of checks.sourcesOf(cell.like))
      checks.test(source, cell.and, [...path, 'and'])
  },
  formula: (cell, place) => place.like(cell.like, cell.and),
  begins: ([first = '']) => [{ like: first, and: ['visit.is_new', 'is', true] }],
  words: () => 'reportEditor.cell_like',
  boxes: (cell) => [
    [measureBox('reportEditor.like', cell.like, (name) => ({ ...cell, like: name }))],
    [
      {
        box: 'test',
        label: 'reportEditor.and',
        part: 'and',
        source: null,
        value: cell.and,
        needed: true,
        set: (and) => ({ ...cell, and: and ?? cell.and }),
      },
    ],
  ],
  sheet: (cell) => ({ as: cell.like }),
}
