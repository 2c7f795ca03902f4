import { api } from '~/client/api'
import { addAll } from '~/shared/any-length'
import { fromCell } from '~/shared/csv'
import { AppError, type Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { decoded, type Encoding, encodingOf, isUnreadable } from '~/shared/text-encoding'
import { columnOf, FILE_COLUMNS } from './catalogue-file'

export type ReadFile = { name: string; columns: string[]; rows: Record<string, string>[] }
export type Report = {
  added: number
  changed: number
  unchanged: number
  rejected: { line: number; field: string; text: Message }[]
}

const BATCH = 1000
const LARGEST = 20 * 1024 * 1024
const refusal = (key: MessageKey, file: File) =>
  new AppError('invalid', { key, values: { file: file.name } })

/**
 * A CSV file with a first line of headings, in the given or the detected encoding. Throws `invalid`
 * if it cannot be read.
 */
export async function readCatalogue(file: File, encoding: Encoding | null): Promise<ReadFile> {
  if (file.size > LARGEST) throw refusal('drugs.importTooLarge', file)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const known = encoding ?? encodingOf(bytes, false)
  const text = known && decoded(bytes, known)
  if (text === undefined) throw refusal('imports.csv.encoding', file)
  const { parse } = await import('csv-parse/browser/esm/sync')
  const heading = text.slice(0, text.indexOf('\n') + 1 || undefined)
  const delimiter = [',', ';', '\t'].toSorted(
    (a, b) => heading.split(b).length - heading.split(a).length,
  )[0]!
  let lines: string[][]
  try {
    lines = parse(text, { bom: true, delimiter, relax_column_count: true, skip_empty_lines: false })
  } catch {
    throw refusal('drugs.importUnreadable', file)
  }
  const [columns = [], ...cells] = lines
  if (columns.some(isUnreadable)) throw refusal('imports.csv.garbled', file)
  const names = new Set<string>(FILE_COLUMNS)
  if (!columns.some((column) => names.has(columnOf(column))))
    throw refusal('drugs.importNoColumns', file)
  const rows = cells.map((line) =>
    Object.fromEntries(columns.map((column, at) => [column, fromCell(line[at] ?? '')])),
  )
  return { name: file.name, columns, rows }
}

const isBlank = (row: Record<string, string>) =>
  Object.values(row).every((cell) => cell.trim() === '')

/** A thousand lines at a time; blank lines count but are not sent. */
export async function sendRows({ rows }: ReadFile, dryRun: boolean): Promise<Report> {
  const whole: Report = { added: 0, changed: 0, unchanged: 0, rejected: [] }
  const filled = rows.map((row, at) => ({ row, line: at + 2 })).filter(({ row }) => !isBlank(row))
  for (let at = 0; at < filled.length; at += BATCH) {
    const batch = filled.slice(at, at + BATCH)
    // a later line may name a medicine of an earlier one
    const part = await api.drugs.import({ rows: batch.map(({ row }) => row), firstLine: 1, dryRun })
    whole.added += part.added
    whole.changed += part.changed
    whole.unchanged += part.unchanged
    addAll(
      whole.rejected,
      part.rejected.map((one) => ({ ...one, line: batch[one.line - 1]!.line })),
    )
  }
  return whole
}
