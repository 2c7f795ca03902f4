import type { Encoding } from '~/shared/text-encoding'
import {
  type Csv,
  type CsvRow,
  distinct,
  GARBLED,
  openText,
  type FileSource,
  unreadable,
} from '../csv.server'
import { type KnownHeadings, findTarget } from './headings.server'
import type { Delimiter } from '../import'
import { openWorkbook } from './workbook.server'

/** What a user chose; what is missing is found. */
type Choices = {
  encoding?: Encoding | null
  delimiter?: Delimiter | undefined
  sheet?: string | null
  headingLine?: number | null
}

/** A file of rows: text with delimiters, or a sheet of a workbook. */
type Table = Csv & {
  /** The sheets of a workbook that have rows. */
  sheets: readonly string[]
  sheet: string | null
  /** The line of the headings, counted from 1: the first of them if they are on two lines. 0: the file has none. */
  headingLine: number
}

/** Rows looked through for the headings. */
const LOOKED_THROUGH = 50

/**
 * Opens a file of one list. The headings are on the line that names most of the targets, below
 * titles, and may be on two lines. Throws `invalid` if the file is no table.
 */
export async function openTable(
  source: FileSource,
  known: KnownHeadings,
  { encoding, delimiter: asked, sheet: askedSheet, headingLine }: Choices,
): Promise<Table> {
  const workbook = await openWorkbook(source)
  if (!workbook) {
    const { delimiter, recordsFrom, start } = await openText(source, encoding, asked)
    const table = await withHeadings(source, () => recordsFrom(start), known, headingLine)
    return { ...table, delimiter, sheets: [], sheet: null }
  }
  const { sheets, rowsOf } = workbook
  const likely = async () => {
    const scores = await Promise.all(sheets.map((name) => headingsIn(rowsOf(name), known)))
    const best = greatest(scores.map(({ score }) => score))
    return sheets[scores.findIndex(({ score }) => score === best)]!
  }
  const sheet =
    sheets.find((name) => name === askedSheet) ??
    (sheets.length === 1 ? sheets[0]! : await likely())
  const table = await withHeadings(source, () => rowsOf(sheet), known, headingLine)
  return { ...table, delimiter: null, sheets, sheet }
}

async function withHeadings(
  source: FileSource,
  all: () => AsyncGenerator<CsvRow>,
  known: KnownHeadings,
  headingLine?: number | null,
) {
  const found = await headingsIn(all(), known, headingLine)
  if (found.isGarbled) throw unreadable('imports.csv.garbled', source)
  if (!found.headers)
    throw unreadable(found.isEmpty ? 'imports.csv.empty' : 'imports.csv.noHeader', source)
  const { headers, first, last } = found
  return {
    headers: distinct(headers),
    headingLine: first,
    async *rows() {
      for await (const row of all()) if (row.line > last) yield row
    },
  }
}

type Headings = {
  score: number
  isEmpty: boolean
  isGarbled: boolean
  headers: string[] | null
  first: number
  last: number
}

/** The headings among the first rows, on the line that the user chose or on the likeliest. */
async function headingsIn(
  rows: AsyncGenerator<CsvRow>,
  known: KnownHeadings,
  chosen?: number | null,
): Promise<Headings> {
  const first: CsvRow[] = []
  let isEmpty = true
  for await (const row of rows) {
    isEmpty = false
    if (chosen && row.line < chosen) continue
    if (first.push(row) === (chosen ? 2 : LOOKED_THROUGH)) break
  }
  const isGarbled = first[0]?.problem === GARBLED
  const readable = first.filter(({ values }) => values.some((value) => value.trim()))
  const guess = chosen === 0 ? null : likeliest(readable, known)
  const at = chosen ? 0 : guess
  if (at === null && readable.some(({ problem }) => !problem)) return unnamed(readable, isEmpty)
  const row = readable[at ?? 0]
  if (!row || row.problem)
    return {
      score: 0,
      isEmpty,
      isGarbled: isGarbled || row?.problem === GARBLED,
      headers: null,
      first: 0,
      last: 0,
    }
  const alone = { rows: [row], headers: row.values, score: countKnownHeadings(row.values, known) }
  const line = at ?? 0
  const pairs = [[line, line + 1], ...(chosen ? [] : [[line - 1, line]])].flatMap(
    ([above = -1, below = -1]) => {
      const two = [readable[above], readable[below]]
      return two[0] && two[1] && isSecondLine(two[0], two[1]) ? [joined(two[0], two[1], known)] : []
    },
  )
  const best = [alone, ...pairs].reduce((a, b) => (b.score > a.score ? b : a))
  return {
    score: best.score,
    isEmpty,
    isGarbled: false,
    headers: best.headers,
    first: best.rows[0]!.line,
    last: best.rows.at(-1)!.line,
  }
}

const greatest = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0)

const countKnownHeadings = (values: readonly string[], known: KnownHeadings) =>
  new Set(values.map((value) => findTarget(value, known)).filter(Boolean)).size

/** The columns of a file without headings, which are named by their numbers. */
const unnamed = (rows: readonly CsvRow[], isEmpty: boolean): Headings => ({
  score: 0,
  isEmpty,
  isGarbled: false,
  headers: Array.from({ length: greatest(rows.map(({ values }) => values.length)) }, () => ''),
  first: 0,
  last: 0,
})

/**
 * The row that names most targets. Without two of them, the first that is as wide as a table, not a title; null if that
 * one and the rows above hold data, so the file has no headings.
 */
function likeliest(rows: readonly CsvRow[], known: KnownHeadings): number | null {
  const scores = rows.map(({ values, problem }) =>
    problem ? 0 : countKnownHeadings(values, known),
  )
  const best = greatest(scores)
  if (best > 1) return scores.indexOf(best)
  const widths = rows.map(({ values }) => values.filter((value) => value.trim()).length)
  const widest = greatest(widths)
  const wide = widths.findIndex((width) => width >= widest * 0.6)
  const isData = (row: CsvRow, at: number) =>
    holdsData(row) && !(scores[at]! > 0 && differsBelow(row, rows.slice(at + 1)))
  if (!rows[wide] || !isData(rows[wide], wide)) return wide
  // headings of a table whose rows have more cells than they
  const above = rows.slice(0, wide).findIndex((row, at) => widths[at]! > 1 && !isData(row, at))
  if (above >= 0) return above
  if (best > 0 && !isData(rows[scores.indexOf(best)]!, scores.indexOf(best)))
    return scores.indexOf(best)
  return null
}

/** A number, a date, an amount or an address of e-mail: no heading of a column. A column without a name is "#2". */
const holdsData = ({ values }: CsvRow) => values.some(isDatum)

function isDatum(value: string): boolean {
  const text = value.trim()
  if (text.includes('@')) return true
  if (/^#\d+$/.test(text)) return false
  const signs = text.replaceAll(/\s/g, '')
  return signs.length > 0 && signs.replaceAll(/[^\p{N}]/gu, '').length * 2 >= signs.length
}

/** Letters and digits: each cell with a digit, such as "Q1", has no like in its column below. */
const differsBelow = ({ values }: CsvRow, below: readonly CsvRow[]) =>
  below.length > 0 &&
  values.every((value, at) => {
    if (!isDatum(value)) return true
    const kind = textPattern(value)
    return /\p{L}/u.test(value) && below.every((row) => textPattern(row.values[at] ?? '') !== kind)
  })

const textPattern = (text: string) =>
  text
    .trim()
    .replaceAll(/\p{N}+/gu, '9')
    .replaceAll(/[\p{L}\p{M}]+/gu, 'a')

/** A second line of headings fills gaps of the first, and holds no number. */
const isSecondLine = (above: CsvRow, below: CsvRow) =>
  !below.problem &&
  below.values.every((value) => !/\p{N}/u.test(value)) &&
  below.values.some((value, at) => value.trim() && !above.values[at]?.trim())

/** A heading over several columns belongs to each of them. */
function joined(above: CsvRow, below: CsvRow, known: KnownHeadings) {
  let over = ''
  const width = Math.max(above.values.length, below.values.length)
  const headers = Array.from({ length: width }, (_, at) => {
    const top = above.values[at]?.trim() ?? ''
    const own = below.values[at]?.trim() ?? ''
    if (top) over = top
    return own ? [top || over, own].filter(Boolean).join(' / ') : top
  })
  return { rows: [above, below], headers, score: countKnownHeadings(headers, known) }
}
