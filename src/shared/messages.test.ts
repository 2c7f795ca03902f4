import { globSync, readFileSync } from 'node:fs'
// what use-intl itself reads its messages with
import { IntlMessageFormat } from 'intl-messageformat'
import { expect, test } from 'vitest'
import ar from '../../messages/ar.json'
import en from '../../messages/en.json'
import es from '../../messages/es.json'

type Part = {
  type: number
  value?: string
  options?: Record<string, { value: Part[] }>
  children?: Part[]
}
const PLURAL = 6
const isArgument = ({ type }: Part) => type >= 1 && type <= PLURAL

const sentencesOf = (messages: object, path = ''): [string, string][] =>
  Object.entries(messages).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[path + key, value]]
      : sentencesOf(value as object, `${path}${key}.`),
  )
const partsOf = (parts: Part[]): Part[] =>
  parts.flatMap((part) => [
    part,
    ...partsOf(part.children ?? []),
    ...Object.values(part.options ?? {}).flatMap((option) => partsOf(option.value)),
  ])
const read = (text: string) => partsOf(new IntlMessageFormat(text, 'en').getAst() as Part[])
const argumentsOf = (text: string) =>
  [
    ...new Set(
      read(text)
        .filter(isArgument)
        .map((part) => part.value),
    ),
  ].toSorted((a = '', b = '') => a.localeCompare(b))

const english = new Map(sentencesOf(en))
const others = { ar: new Map(sentencesOf(ar)), es: new Map(sentencesOf(es)) }
type Other = keyof typeof others
const languages = Object.keys(others) as Other[]

test.each(languages)('%s has exactly the sentences that English has', (language) => {
  expect([...others[language].keys()].toSorted()).toEqual([...english.keys()].toSorted())
})

test.each(languages)('each sentence in %s has the same gaps as in English', (language) => {
  const wrong = [...others[language]].filter(([key, text]) => {
    return JSON.stringify(argumentsOf(text)) !== JSON.stringify(argumentsOf(english.get(key) ?? ''))
  })
  expect(wrong).toEqual([])
})

test('no sentence with gaps is said without what fills them', () => {
  const bare = /\bsay\(\s*'([\w.-]+)'\s*\)/g
  const wrong = globSync('src/**/*.{ts,tsx}').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(bare)]
      .filter(([, key = '']) => argumentsOf(english.get(key) ?? '').length > 0)
      .map(([, key]) => `${file}: ${key}`),
  )
  expect(wrong).toEqual([])
})

test('Arabic says all six plurals wherever there is one', () => {
  const five = ['one', 'two', 'few', 'many', 'other']
  const isComplete = (options: object) =>
    five.every((category) => category in options) && ('zero' in options || '=0' in options)
  const wrong = [...others.ar].filter(([, text]) =>
    read(text).some((part) => part.type === PLURAL && !isComplete(part.options ?? {})),
  )
  expect(wrong).toEqual([])
})

const counts = (text: string) => read(text).some((part) => part.type === PLURAL)

test('where English counts, the others count too', () => {
  const wrong = languages.flatMap((language) =>
    [...english]
      .filter(([key, text]) => counts(text) !== counts(others[language].get(key) ?? ''))
      .map(([key]) => [language, key]),
  )
  expect(wrong).toEqual([])
})

/**
 * The same in English by right: the languages' own names, the product's, code systems, units, words
 * that Spanish shares.
 */
const SAME: Record<Other, RegExp> = {
  ar: /^(account\.language_|problems\.(icd|snomed))/,
  es: new RegExp(
    [
      String.raw`^(prescriptions\.priorities\.normal$`,
      String.raw`account\.language_`,
      String.raw`common\.no$`,
      String.raw`shell\.product$`,
      String.raw`audit\.via_web$`,
      String.raw`reports\.total$`,
      String.raw`problems\.(icd|snomed|provisional$)`,
      String.raw`drugs\.(form|route|unit)_`,
      String.raw`immunizations\.vaccines\.`,
      String.raw`vitals\.unit)`,
    ].join('|'),
  ),
}
/** "{name}: {status}" and "—" have nothing to translate. */
const hasWords = (text: string) => /\p{L}/u.test(text.replace(/\{\w+\}/g, ''))

test.each(languages)('nothing in %s was left in English', (language) => {
  const same = [...others[language]].filter(
    ([key, text]) => text === english.get(key) && hasWords(text) && !SAME[language].test(key),
  )
  expect(same).toEqual([])
})

test('no Arabic sentence is without Arabic letters', () => {
  const foreign = [...others.ar].filter(
    ([key, text]) => !/\p{Script=Arabic}/u.test(text) && hasWords(text) && !SAME.ar.test(key),
  )
  expect(foreign).toEqual([])
})

/** Comments removed, so that a key named in one does not count as used. */
const code = globSync('src/**/*.{ts,tsx}', { exclude: ['**/*.test.ts', '**/*.test.tsx'] })
  .map((file) => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''))
  .join('\n')
const matchesOf = (pattern: RegExp) =>
  new Set([...code.matchAll(pattern)].map(([, text = '']) => text))

test('every message is used', () => {
  const keys = matchesOf(/['"`](\w[\w-]*(?:\.[\w-]+)+)['"`]/g)
  const templates = [...matchesOf(/`(\w+\.[^`\s]*\$\{[^`]*)`/g)]
    .map((text) => text.split(/\$\{[^}]*\}/))
    .filter((parts) => parts.every((part) => /^[\w.-]*$/.test(part)))
  // `drugs.form_${form}` names its keys well enough; `drugs.${name}` fits all of drugs, so the name
  // must be written somewhere
  const isWide = ([start = '', ...rest]: string[]) =>
    /^\w+\.$/.test(start) && rest.every((part) => part === '')
  const wide = new Set(templates.filter(isWide).map(([start]) => start))
  const narrow = templates
    .filter((parts) => !isWide(parts))
    .map((parts) => new RegExp(`^${parts.join('[\\w.-]+')}$`))
  const names = new Set([
    ...matchesOf(/['"`]([\w-]+)['"`]/g),
    ...matchesOf(/(?<=[{,]\s*|^\s*)(\w+):/gm),
  ])
  // `useDelete` and `RecordList` make their keys from the noun
  const listed = matchesOf(/\bnoun="(\w+)"/g)
  const deleted = new Set([...listed, ...matchesOf(/\bremove\(\s*'(\w+)'/g)])
  const isUsed = (key: string) => {
    const [, start = '', name = ''] = /^(\w+\.)([\w-]+)$/.exec(key) ?? []
    return (
      keys.has(key) ||
      (deleted.has(start.slice(0, -1)) && /^delete(Asks|dDone)?$/.test(name)) ||
      (listed.has(start.slice(0, -1)) && /^(title|add|empty)$/.test(name)) ||
      narrow.some((pattern) => pattern.test(key)) ||
      (wide.has(start) && names.has(name))
    )
  }
  expect([...english.keys()].filter((key) => !isUsed(key))).toEqual([])
})

/** The words that docs/terms.md rules out, by language. */
const avoided = (column: number) =>
  readFileSync('docs/terms.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| English'))
    .flatMap((line) => (line.split(' | ')[column] ?? '').replace(/\|$/, '').split(','))
    .map((word) => word.trim())
    .filter((word) => /^[\p{L}\p{M}’ -]+$/u.test(word))

const withAvoided = (sentences: Map<string, string>, column: number) =>
  avoided(column).flatMap((word) => {
    const found = new RegExp(String.raw`(?<![\p{L}\p{M}])${word}(?![\p{L}\p{M}])`, 'iu')
    return [...sentences].filter(([, text]) => found.test(text)).map(([key]) => `${key}: ${word}`)
  })

test('English says each thing with its one term', () => {
  expect(avoided(4).length).toBeGreaterThan(20)
  expect(withAvoided(english, 4)).toEqual([])
})

test('Arabic and Spanish say each thing with its one term', () => {
  expect([...withAvoided(others.ar, 5), ...withAvoided(others.es, 6)]).toEqual([])
})

/** The texts of starter forms and starter reports in one language: "name.json .fields.0.text" and the text. */
const starterTexts = (language: string, tree: unknown, path: string): [string, string][] =>
  typeof tree !== 'object' || tree === null
    ? []
    : Object.entries(tree).flatMap(([key, value]) =>
        typeof value === 'string'
          ? key === language
            ? [[path, value] as [string, string]]
            : []
          : starterTexts(language, value, `${path}.${key}`),
      )

test('starter forms and starter reports use the same terms', () => {
  const files = globSync('src/**/starter/*.json')
  const textsIn = (language: string) =>
    new Map(
      files.flatMap((file) =>
        starterTexts(language, JSON.parse(readFileSync(file, 'utf8')), `${file} `),
      ),
    )
  expect(textsIn('es').size).toBeGreaterThan(500)
  expect([
    ...withAvoided(textsIn('en'), 4),
    ...withAvoided(textsIn('ar'), 5),
    ...withAvoided(textsIn('es'), 6),
  ]).toEqual([])
})
