import { api } from '~/client/api'
import { fromCell } from '~/shared/csv'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
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
/** Shown as a message key. */
const refusal = (key: MessageKey) => new RangeError(key)

/**
 * A CSV file with a first line of headings. Throws a RangeError whose message is the key of a
 * sentence.
 */
export async function readCatalogue(file: File): Promise<ReadFile> {
  if (file.size > LARGEST) throw refusal('drugs.importTooLarge')
  const text = await file.text()
  const { parse } = await import('csv-parse/browser/esm/sync')
  const heading = text.slice(0, text.indexOf('\n') + 1 || undefined)
  const delimiter = [',', ';', '\t'].toSorted(
    (a, b) => heading.split(b).length - heading.split(a).length,
  )[0]!
  let lines: string[][]
  try {
    lines = parse(text, { bom: true, delimiter, relax_column_count: true, skip_empty_lines: false })
  } catch {
    throw refusal('drugs.importUnreadable')
  }
  const [columns = [], ...cells] = lines
  const known = new Set<string>(FILE_COLUMNS)
  if (!columns.some((column) => known.has(columnOf(column)))) throw refusal('drugs.importNoColumns')
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
    whole.rejected.push(
      ...part.rejected.map((one) => ({ ...one, line: batch[one.line - 1]!.line })),
    )
  }
  return whole
}
