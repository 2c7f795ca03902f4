import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import asvs from '../docs/security/asvs.json'

/** A requirement of levels 1 and 2 as docs/security/asvs.json holds it. */
type Requirement = {
  number: string
  level: number
  subject: string
  state: string
  /** "file: title of a test", or "page: heading". */
  shownBy?: string[]
  note?: string
  /** The number of the requirement whose note this one shares. */
  as?: string
}
const requirements: Requirement[] = asvs.requirements
const chapterOf = ({ number }: Requirement) => number.split('.')[0]!

/** Of the standard's levels 1 and 2, by chapter: 253 in all. */
const COUNTS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7]
/** Decided: docs/security/asvs.md says why. */
const EXCEPTIONS = ['5.4.3', '6.3.3', '12.2.1', '14.3.3']

test('each requirement of ASVS 5.0, levels 1 and 2, has one state', () => {
  const numbers = requirements.map(({ number }) => number)
  expect(new Set(numbers).size).toBe(numbers.length)
  const counts = Object.keys(asvs.chapters).map(
    (chapter) => requirements.filter((one) => chapterOf(one) === chapter).length,
  )
  expect(counts).toEqual(COUNTS)
  const failed = requirements.filter(({ state }) => state === 'failed')
  const undecided = failed.filter(({ number }) => !EXCEPTIONS.includes(number))
  expect(undecided.length).toBeLessThanOrEqual(5)
  const isExplained = ({ state, note, as }: Requirement): boolean =>
    Boolean(note) ||
    requirements.some((one) => one.number === as && one.state === state && one.note)
  expect(requirements.filter((one) => one.state !== 'met' && !isExplained(one))).toEqual([])
  const notes = requirements.flatMap(({ note = [] }) => note)
  expect(notes.filter((note, at) => notes.indexOf(note) !== at)).toEqual([])
})

test('each requirement that is met names tests or pages that exist', () => {
  const missing = requirements.flatMap(({ number, state, shownBy = [] }) => [
    ...(state === 'met' && shownBy.length === 0 ? [`${number}: nothing shows it`] : []),
    ...shownBy.filter((shown) => !exists(shown)).map((shown) => `${number}: ${shown}`),
  ])
  expect(missing).toEqual([])
})

test('SECURITY.md and controls.md count as the data does, and name tests that exist', () => {
  const said = readFileSync('SECURITY.md', 'utf8').replaceAll(/\s+/g, ' ')
  const count = (state: string) => requirements.filter((one) => one.state === state).length
  expect(said).toContain(
    `${requirements.length} requirements, ${count('met')} met, ${count('partly')} partly, ` +
      `${count('failed')} failed (three of them decided), ${count('not applicable')} not applicable.`,
  )
  const missing = ['SECURITY.md', 'docs/security/controls.md'].flatMap((page) => {
    const links = readFileSync(page, 'utf8').matchAll(/\[([^\][]+)\]\(([^()]+\.test\.tsx?)\)/g)
    const shown = Array.from(links, ([, title, path]) => `${join(dirname(page), path!)}: ${title}`)
    expect([page, shown.length > 2]).toEqual([page, true])
    return shown.filter((each) => !exists(each))
  })
  expect(missing).toEqual([])
})

test('docs/security/asvs.md is what its data makes', async () => {
  await expect(page()).toMatchFileSnapshot('../docs/security/asvs.md')
})

const titles = new Map<string, Set<string>>()

function exists(shown: string): boolean {
  const [, file, title] = /^(\S+?): (.+)$/.exec(shown)!
  if (!existsSync(file!)) return false
  if (!titles.has(file!)) titles.set(file!, titlesOf(file!, readFileSync(file!, 'utf8')))
  return titles.get(file!)!.has(title!)
}

function titlesOf(file: string, text: string): Set<string> {
  if (file.endsWith('.md')) return new Set(Array.from(text.matchAll(/^#+ (.+)$/gm), ([, t]) => t!))
  const calls = /(?:\b(?:test|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g
  return new Set(Array.from(text.matchAll(calls), ([, , title]) => title!))
}

function page(): string {
  const count = (state: string) => requirements.filter((one) => one.state === state).length
  const states = ['met', 'partly', 'failed', 'not applicable']
  const sums = states.map((state) => `${count(state)} ${state}`).join(', ')
  return [
    '# ASVS 5.0, levels 1 and 2',
    '',
    'Sanad compared with the OWASP Application Security Verification Standard 5.0.0',
    '(<https://owasp.org/www-project-application-security-verification-standard/>, CC BY-SA 4.0).',
    'The numbers are the standard’s, the short subjects are ours: read the requirement itself there.',
    'The assessment is the project’s own; no one outside has repeated it.',
    '',
    'A test makes this page from `asvs.json` and checks that each test and page named here exists.',
    'After a change of the data: `npm test -- -u`.',
    '',
    `${sums}; ${requirements.length} in all. Decided exceptions among those that fail: ${EXCEPTIONS.join(', ')}.`,
    '',
    ...Object.entries(asvs.chapters).flatMap(([chapter, name]) => [
      `## ${chapter}. ${name}`,
      '',
      ...table(requirements.filter((one) => chapterOf(one) === chapter)),
      '',
    ]),
  ].join('\n')
}

function table(rows: Requirement[]): string[] {
  const cells = [
    ['no', 'level', 'requirement', 'state', 'shown by'],
    ...rows.map(({ number, level, subject, state, shownBy = [], note, as }) => [
      number,
      String(level),
      subject,
      state === 'met' || state === 'not applicable' ? state : `**${state}**`,
      [note ?? (as && `as ${as}`) ?? [], ...shownBy.map(link)].flat().join('; '),
    ]),
  ]
  const line = (row: string[]) => `| ${row.join(' | ')} |`
  return [line(cells[0]!), line(cells[0]!.map(() => '---')), ...cells.slice(1).map(line)]
}

function link(shown: string): string {
  const [, file, title] = /^(\S+?): (.+)$/.exec(shown)!
  const text = title!.replaceAll('|', String.raw`\|`)
  if (file!.startsWith('docs/security/'))
    return `[${text}](${file!.slice('docs/security/'.length)})`
  return `[${text}](../../${file})`
}
