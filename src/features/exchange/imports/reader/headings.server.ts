import { plainWords } from '~/fields/plain-words'
import { AppError } from '~/shared/errors'
import { type Language, LANGUAGES, type Translated } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import type { Csv, CsvRow } from '../csv.server'
import type { ColumnMapping, ImportTarget } from '../lists'

/** A label of the interface in each language. */
export function labelIn(label: Sayable): Translated {
  const message = typeof label === 'string' ? { key: label } : label
  const textIn = (language: Language) =>
    'text' in message ? message.text : sentence(language, message)
  return Object.fromEntries(LANGUAGES.map((language) => [language, textIn(language)]))
}

/** What a heading may say: the texts of each target, the certain ones first. */
export type KnownHeadings = ReadonlyMap<string, string>

/** A text that two targets have belongs to the first. */
export function knownHeadings(
  groups: readonly (readonly (readonly [target: string, headings: readonly string[]])[])[],
): KnownHeadings {
  const known = new Map<string, string>()
  for (const group of groups)
    for (const [target, headings] of group)
      for (const text of headings.flatMap((each) => each.split('|'))) {
        const key = plainWords(text)
        if (key && !known.has(key)) known.set(key, target)
      }
  return known
}

export const translatedTexts = (label: Translated) => Object.values(label).map((text) => text ?? '')

/** The headings of targets: the `certain` ones, their names and labels in each language, then those of `others`. */
export const headingsOfTargets = (
  targets: readonly ImportTarget[],
  others: readonly Readonly<Record<string, readonly string[]>>[],
  certain: Readonly<Record<string, readonly string[]>> = {},
): KnownHeadings =>
  knownHeadings([
    Object.entries(certain),
    targets.map(
      (target) => [target.name, [target.name, ...translatedTexts(target.label)]] as const,
    ),
    ...others.map((each) => Object.entries(each)),
  ])

/** "drugBrand", as programs write it, is two words. */
const withSpaces = (heading: string) => heading.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')

/** "Name / First" is "first name", and "Name (الاسم)" is each of its two parts. */
export function findTarget(heading: string, known: KnownHeadings): string | undefined {
  const found = known.get(plainWords(heading)) ?? known.get(plainWords(withSpaces(heading)))
  if (found) return found
  const parts = heading.split(/[/()[\]\n|:]+/).filter((part) => plainWords(part))
  const last = parts.toReversed()
  const reversed = known.get(plainWords(last.join(' ')))
  return reversed ?? last.map((part) => known.get(plainWords(part))).find(Boolean)
}

/** The targets that headings name; each target is used once, by the column that names it first. */
export function mappingByHeadings(headers: readonly string[], known: KnownHeadings): ColumnMapping {
  const mapping: Record<string, string> = {}
  const taken = new Set<string>()
  const take = (header: string, target: string | undefined) => {
    if (!target || taken.has(target) || mapping[header]) return
    mapping[header] = target
    taken.add(target)
  }
  // what a heading says as a whole is more certain than what a part of it says
  for (const header of headers) take(header, known.get(plainWords(header)))
  for (const header of headers) take(header, findTarget(header, known))
  return mapping
}

/** Throws `invalid` for a mapping with which no row could be imported. */
export function requireTargets(
  { headers }: Pick<Csv, 'headers'>,
  targets: readonly ImportTarget[],
  {
    mapping,
    keyColumn,
    rule = 'needs',
  }: { mapping: ColumnMapping; keyColumn?: string; rule?: 'required' | 'needs' },
) {
  const used = Object.entries(mapping).filter(([, name]) => name)
  for (const header of [
    ...used.map(([column]) => column),
    ...(keyColumn === undefined ? [] : [keyColumn]),
  ])
    if (!headers.includes(header)) throw refuse('noColumn', header)
  for (const [i, [, name]] of used.entries()) {
    if (!targets.some((target) => target.name === name)) throw refuse('noTarget', name)
    if (used.findIndex(([, other]) => other === name) !== i) throw refuse('twice', name)
  }
  const missing = targets.find(
    ({ name, required }) => required && !used.some(([, other]) => other === name),
  )
  if (missing) throw refuse(rule, missing.label['en'] ?? missing.name)
}

const refuse = (rule: 'noColumn' | 'noTarget' | 'twice' | 'required' | 'needs', name: string) =>
  new AppError('invalid', { key: `imports.mapping.${rule}`, values: { name } })

/** The cell of each mapped column of a row, by its target. */
/** The cells of a row by their targets, as the file has them. */
export const writtenCells = (
  { values }: Pick<CsvRow, 'values'>,
  headers: readonly string[],
  mapping: ColumnMapping,
): Record<string, string> =>
  Object.fromEntries(
    cellsByTarget(headers, mapping).columns.map(({ at, target }) => [target, values[at] ?? '']),
  )

export function cellsByTarget(headers: readonly string[], mapping: ColumnMapping) {
  const columns = headers.flatMap((header, at) =>
    Object.hasOwn(mapping, header) && mapping[header]
      ? [{ at, header, target: mapping[header] }]
      : [],
  )
  return {
    columns,
    headings: Object.fromEntries(columns.map(({ target, header }) => [target, header])),
  }
}
