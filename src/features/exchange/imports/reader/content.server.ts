import { plainWords } from '~/fields/plain-words'
import { isWordForNothing } from '~/fields/damaged-cells'
import type { CsvRow } from '../csv.server'
import type { ColumnMapping } from '../lists'

/** Rows whose cells are looked at to match columns. */
export const CONTENT_ROWS = 50

/** What the cells of a column show about a target. */
export type ContentTest = {
  target: string
  reads: (cell: string) => boolean
  /** The smallest share of filled cells that the target reads. */
  share: number
  /** The smallest share of different values: a department or a diagnosis repeats, names do less. */
  distinct?: number
  /** What the filled cells must show together. */
  isLike?: (cells: readonly string[]) => boolean
  /** Headings in plain words that leave it open what the column holds. A column without one always qualifies. */
  vague?: ReadonlySet<string>
  /** Only in a file without headings. */
  isUnnamed?: true
  /** Several columns fit: the first is taken. Otherwise none of them is. */
  takesFirst?: true
}

const filled = (rows: readonly CsvRow[], at: number) =>
  rows.flatMap(({ values }) => {
    const cell = values[at]?.trim() ?? ''
    return cell && !isWordForNothing(cell, false) ? [cell] : []
  })

/** The share of the filled cells of a column that pass; null for a column without any. */
export function passingShare(rows: readonly CsvRow[], at: number, reads: ContentTest['reads']) {
  const cells = filled(rows, at)
  return cells.length === 0 ? null : cells.filter(reads).length / cells.length
}

export function distinctShare(rows: readonly CsvRow[], at: number) {
  const cells = filled(rows, at)
  return cells.length === 0 ? 0 : new Set(cells).size / cells.length
}

/** A column of a file without headings is named by its number. */
export const isUnnamed = (header: string) => /^#\d+$/.test(header)

/**
 * The targets that the cells of columns name where the headings do not: one column for each target, and none if several
 * fit. A user sees the cells beside the match and confirms it.
 */
export function mappingByContent(
  headers: readonly string[],
  rows: readonly CsvRow[],
  mapping: ColumnMapping,
  tests: readonly ContentTest[],
): ColumnMapping {
  const found: Record<string, string> = {}
  const taken = new Set(Object.values(mapping))
  const isFree = (header: string) => !mapping[header] && !found[header]
  for (const {
    target,
    reads,
    share,
    distinct = 0,
    isLike,
    vague,
    isUnnamed: only,
    takesFirst,
  } of tests) {
    if (taken.has(target)) continue
    const fitting = headers.filter((header, at) => {
      if (!isFree(header)) return false
      if (!isUnnamed(header) && (only || !vague?.has(plainWords(header)))) return false
      if (isLike && !isLike(filled(rows, at))) return false
      return (passingShare(rows, at, reads) ?? 0) >= share && distinctShare(rows, at) >= distinct
    })
    const [header] = fitting
    if (header === undefined || (fitting.length > 1 && !takesFirst)) continue
    found[header] = target
    taken.add(target)
  }
  return found
}

type Contradicted = Required<Pick<ContentTest, 'reads' | 'vague'>>

/** The match without columns whose vague heading may mean a target, and whose cells name none of it. */
export function withoutContradicted(
  headers: readonly string[],
  rows: readonly CsvRow[],
  mapping: ColumnMapping,
  tests: Readonly<Record<string, Contradicted>>,
): ColumnMapping {
  return Object.fromEntries(
    Object.entries(mapping).filter(([header, target]) => {
      const test = Object.hasOwn(tests, target) ? tests[target] : undefined
      if (!test?.vague.has(plainWords(header))) return true
      return passingShare(rows, headers.indexOf(header), test.reads) !== 0
    }),
  )
}

/** Plain words of headings, from lists divided by bars. */
export const headingWords = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split('|')).map(plainWords))
