import {
  isDamagedIdentity,
  isLostValue,
  isWordForNothing,
  lost,
  shortened,
} from '~/fields/damaged-cells'
import { fromCell } from '~/shared/csv'
import type { Message } from '~/shared/errors'
import type { CsvRow } from '../csv.server'
import { type ColumnFormats, type NumberFormat, numberFormatIn, numberIn } from './formats'

type Column = { at: number; header: string; target: string }
type Cells = { cells: Record<string, string>; emptied: Message[] }

/**
 * The cells of a row by their target, without words for nothing ("N/A"), which `emptied` names. Refuses a row without
 * any, and one with a cell that a spreadsheet damaged. `identities`: targets that identify a record.
 */
export function readCells(
  { values }: CsvRow,
  columns: readonly Column[],
  {
    identities,
    texts,
    formats,
  }: {
    identities: ReadonlySet<string>
    texts?: ReadonlySet<string>
    formats?: ColumnFormats | undefined
  },
): Cells | { refused: Message } {
  const cells: Record<string, string> = {}
  const emptied: Message[] = []
  for (const { at, header, target } of columns) {
    const cell = fromCell(values[at] ?? '').trim()
    if (!cell) continue
    if (isLostValue(cell)) return { refused: lost(cell, header) }
    if (identities.has(target) && isDamagedIdentity(cell))
      return { refused: shortened(cell, header) }
    if (isWordForNothing(cell, texts?.has(target) === true))
      emptied.push({ key: 'imports.reasons.emptied', values: { value: cell, column: header } })
    else cells[target] = plain(cell, numberFormatIn(formats, header))
  }
  return Object.keys(cells).length === 0
    ? { refused: { key: 'imports.reasons.nothing' } }
    : { cells, emptied }
}

const plain = (cell: string, format: NumberFormat | undefined) =>
  format ? numberIn(format, cell) : cell
