import { readXlsx, streamXlsxRows } from 'hucre/xlsx'
import { numberText } from '~/fields/typed'
import { isUnreadable } from '~/shared/text-encoding'
import { type CsvRow, firstBytes, GARBLED, type FileSource, unreadable } from '../csv.server'

/** A larger workbook is not read into memory. */
const LARGEST_WORKBOOK = 64 * 1024 * 1024

type Workbook = {
  /** The visible sheets that have rows. */
  sheets: readonly string[]
  rowsOf: (sheet: string) => AsyncGenerator<CsvRow>
}

const ZIP = [0x50, 0x4b, 0x03, 0x04]
/** Old Excel files, and workbooks with a password. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0]

/** Reads an Excel workbook; null if the bytes are none. Throws `invalid` for one that Sanad cannot read. */
export async function openWorkbook(source: FileSource): Promise<Workbook | null> {
  const first = await firstBytes(source, 4)
  const begins = (bytes: readonly number[]) => bytes.every((byte, at) => first[at] === byte)
  if (begins(OLE)) throw unreadable('imports.workbook.old', source)
  if (!begins(ZIP)) return null
  if (source.size > LARGEST_WORKBOOK) throw unreadable('imports.workbook.tooLarge', source)
  const bytes = await firstBytes(source, source.size)
  const names: string[] = []
  try {
    await readXlsx(bytes, {
      sheets: ({ name, hidden, veryHidden }) => {
        if (!hidden && !veryHidden) names.push(name)
        return false
      },
    })
    const sheets: string[] = []
    for (const name of names) if (await hasRows(bytes, name)) sheets.push(name)
    if (sheets.length === 0) throw unreadable('imports.csv.empty', source)
    // the sheet is read once to learn its last row, however often its rows are read
    const lastRows = new Map<string, Promise<number>>()
    const lastRow = (sheet: string) => {
      const known = lastRows.get(sheet) ?? lastRowIn(bytes, sheet)
      lastRows.set(sheet, known)
      return known
    }
    return {
      sheets,
      async *rowsOf(sheet) {
        yield* readSheetRows(bytes, sheet, { size: source.size, last: await lastRow(sheet) })
      },
    }
  } catch (error) {
    if (error instanceof Error && /^(Zip|Parse|Hucre|Xml)\w*Error$/.test(error.name))
      throw unreadable('imports.workbook.damaged', source)
    throw error
  }
}

async function hasRows(bytes: Buffer, sheet: string) {
  for await (const { values } of streamXlsxRows(bytes, { sheet }))
    if (values.some((value) => cellText(value) !== '')) return true
  return false
}

async function lastRowIn(bytes: Buffer, sheet: string): Promise<number> {
  let last = 0
  for await (const { index } of streamXlsxRows(bytes, { sheet })) last = index
  return last
}

/** The rows that are not empty. `end` is the share of the rows in the size of the file, for the progress. */
async function* readSheetRows(
  bytes: Buffer,
  sheet: string,
  { size, last }: { size: number; last: number },
): AsyncGenerator<CsvRow> {
  for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
    const cells = values.map(cellText)
    if (cells.every((cell) => cell === '')) continue
    const row = {
      line: index + 1,
      values: cells,
      end: Math.round((size * (index + 1)) / (last + 1)),
    }
    yield cells.some(isUnreadable) ? { ...row, problem: GARBLED } : row
  }
}

/** A number has the 15 digits of Excel and one meaning (1.125 is 1.1250); a date is a day, or a day and a time. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return numberText(Number(value.toPrecision(15)))
  if (value instanceof Date) {
    const iso = value.toISOString()
    return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19)
  }
  return typeof value === 'object' ? '' : String(value as string | boolean).trim()
}
