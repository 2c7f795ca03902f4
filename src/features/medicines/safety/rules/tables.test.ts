import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import { RULE_TABLES } from './checks'
import crossReactions from '../tables/cross-reactions.json'
import duplicates from '../tables/duplicates.json'
import { canonicalIngredient, parseIngredients, substancesNamed } from './ingredients'
import interactions from '../tables/interactions.json'
import { LEVELS, RULE_KINDS } from './rule'
import en from '../../../../../messages/en.json'

const isComplete = (words: Partial<Record<string, string>>) =>
  LANGUAGES.every((language) => words[language]?.trim())
/**
 * Answers of a language model, copies that name no publisher, and hosts that a publisher tries its pages on are no
 * published source. A label or a book that no page of its publisher was found of has no address.
 */
const NO_PUBLISHER = new RegExp(
  'droracle|pallipedia|mimsdev|uat\\.mims|azurewebsites|120ty|medicpdf|yumpu|skyscape|rxreasoner|bansdoc' +
    '|wikidoc\\.org\\./index\\.php|lookup/external-ref',
)
const isSource = ({ text, url }: { text: string; url?: string }) =>
  text.length > 10 &&
  (url === undefined || (/^https?:\/\/\S+$/.test(url) && !NO_PUBLISHER.test(url)))

describe.for(RULE_TABLES.map((table) => [table.table, table] as const))(
  '%s',
  ([, { version, source, rows }]) => {
    test('has a version and a source', () => {
      expect(version).toMatch(/^\d{4}-\d{2}$/)
      expect(isSource(source)).toBe(true)
    })

    test('each row has a title in three languages, a level, a source and known substances', () => {
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
      expect(rows.filter(({ title }) => !isComplete(title))).toEqual([])
      expect(rows.filter((row) => row.level && !LEVELS.includes(row.level))).toEqual([])
      expect(rows.filter((row) => row.source && !isSource(row.source))).toEqual([])
      const members = rows.flatMap((row) => row.members)
      expect(
        [...new Set(members)].filter(
          (name) => !substancesNamed(name) || canonicalIngredient(name) !== name,
        ),
      ).toEqual([])
    })
  },
)

describe('interactions.json', () => {
  const { groups, reasons, actions, rules, sources } = interactions
  test('says what, why and what to do in three languages, with a source', () => {
    const words = [
      ...Object.values(groups).map(({ name }) => name),
      ...Object.values(reasons),
      ...Object.values(actions),
    ]
    expect(words.filter((one) => !isComplete(one))).toEqual([])
    const broken = rules.filter(
      ({ why, todo, source }) =>
        !(why in reasons) || !(todo in actions) || [source].flat().some((one) => !(one in sources)),
    )
    expect(broken).toEqual([])
    const used = new Set([interactions.source, ...rules.flatMap(({ source }) => source)])
    expect(Object.keys(sources).filter((source) => !used.has(source))).toEqual([])
    expect(Object.values(sources).filter((source) => !isSource(source))).toEqual([])
  })

  test('each group is used and each side is a group or a substance', () => {
    const sides = new Set(rules.flatMap((rule) => rule.groups))
    expect(Object.keys(groups).filter((group) => !sides.has(group))).toEqual([])
    expect(
      [...sides].filter((side) => !(side in groups) && canonicalIngredient(side) !== side),
    ).toEqual([])
    expect(rules.filter((rule) => rule.groups.length !== 2)).toEqual([])
    expect(
      Object.values(groups).filter(({ members }) => new Set(members).size !== members.length),
    ).toEqual([])
  })
})

test('the rows about one substance and the classes are complete in three languages', () => {
  const words = [
    ...Object.values(duplicates.actions),
    ...Object.values(duplicates.same).flatMap(({ title, why }) => [title, why]),
    ...crossReactions.rules.flatMap(({ title, why }) => [title, why]),
  ]
  expect(words.filter((one) => !isComplete(one))).toEqual([])
})

test('each kind of rule has at most one table', () => {
  expect(
    RULE_KINDS.filter((kind) => RULE_TABLES.filter(({ table }) => table === kind).length > 1),
  ).toEqual([])
})

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
    expect(names.filter((name) => !parseIngredients(name)[0]!.isKnown)).toEqual([])
    const members = membersOf(table)
    expect(names.filter((name) => members.has(parseIngredients(name)[0]!.name))).toEqual([])
  },
)

test('the list of kidney function has the medicines that it names', () => {
  const members = membersOf('kidney')
  for (const name of ['metformin', 'nitrofurantoin', 'ibuprofen', 'eplerenone', 'spironolactone'])
    expect([name, members.has(name)]).toEqual([name, true])
})
