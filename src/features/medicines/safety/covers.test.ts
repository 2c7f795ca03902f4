import { expect, test } from 'vitest'
import { RULE_TABLES } from './rules/checks'
import { ingredientsOf } from './rules/ingredients'
import en from '../../../../messages/en.json'

/** What each list says about itself (messages, `safety.covers`) is what its rows are. */
const membersOf = (name: string) =>
  new Set(RULE_TABLES.find(({ table }) => table === name)!.rows.flatMap(({ members }) => members))

test('every list says what it covers', () => {
  expect(Object.keys(en.safety.covers).toSorted()).toEqual(
    RULE_TABLES.map(({ table }) => table).toSorted(),
  )
})

test.for(['age', 'pregnancy', 'kidney', 'dose'] as const)(
  'the medicines that the list of %s names as not covered are on none of its rows',
  (table) => {
    const [, left = ''] = /among others: ([^.]*)\./.exec(en.safety.covers[table]) ?? []
    const names = left
      .split(', ')
      .map((name) => (name === 'fluoroquinolones' ? 'ciprofloxacin' : name))
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter((name) => !ingredientsOf(name)[0]!.isKnown)).toEqual([])
    const members = membersOf(table)
    expect(names.filter((name) => members.has(ingredientsOf(name)[0]!.name))).toEqual([])
  },
)

test('the list of kidney function has the medicines that it names', () => {
  const members = membersOf('kidney')
  for (const name of ['metformin', 'nitrofurantoin', 'ibuprofen', 'eplerenone', 'spironolactone'])
    expect([name, members.has(name)]).toEqual([name, true])
})
