import { Refusal } from '~/db/refusal'
import type { Csv } from '~/features/exchange/imports/csv.server'
import type { ColumnMapping, ImportTarget } from '~/features/exchange/imports/lists'
import { formatsIn } from '~/features/exchange/imports/lists.server'
import {
  DATE_FORMATS,
  DATE_ORDERS,
  dateFormatForOrder,
} from '~/features/exchange/imports/patients-file/date-format'
import {
  COLUMN_FORMATS,
  type ColumnFormat,
  formatOfKind,
  NUMBER_FORMATS,
} from '~/features/exchange/imports/reader/formats'
import { pairIn } from './columns'
import { parseOptionChoice } from './kind'

export const formatOptions = {
  'date-format': { type: 'string' },
  dates: { type: 'string' },
  numbers: { type: 'string' },
  format: { type: 'string', multiple: true },
} as const

export const formatsHelp = `  --date-format   how the file writes dates: ${DATE_FORMATS.join(', ')}
  --dates         the order of their parts: ${DATE_ORDERS.join(', ')}
  --numbers       the sign before decimals: ${NUMBER_FORMATS.join(', ')}
  --format        the format of one column, as "Registered=MM/DD/YYYY" or "Price=comma"
                  (default: each column is recognized by its own cells)`

type Values = {
  'date-format'?: string | undefined
  dates?: string | undefined
  numbers?: string | undefined
  format?: string[] | undefined
}

/** The formats that the options ask for. Throws WrongUsage, before a file or a database is opened. */
export function askedFormats(values: Values) {
  const each = new Map((values.format ?? []).map((text) => pairIn('format', text)))
  for (const [column, format] of each) parseOptionChoice(COLUMN_FORMATS, `format ${column}`, format)
  return {
    whole: parseOptionChoice(DATE_FORMATS, 'date-format', values['date-format']),
    order: parseOptionChoice(DATE_ORDERS, 'dates', values.dates),
    numbers: parseOptionChoice(NUMBER_FORMATS, 'numbers', values.numbers),
    each,
  }
}

type Formats = { targets: readonly ImportTarget[]; asked: ReturnType<typeof askedFormats> }

/** The format of each column of dates or numbers: as the options say, else recognized. */
export async function formatsFor(csv: Csv, mapping: ColumnMapping, { targets, asked }: Formats) {
  const { whole, order, numbers, each } = asked
  for (const column of each.keys()) {
    if (!csv.headers.includes(column)) throw new Refusal(`The file has no column "${column}".`)
  }
  const formats: Record<string, ColumnFormat> = {}
  for (const [column, found] of Object.entries(await formatsIn(csv, mapping, { targets }))) {
    const holds = targets.find(({ name }) => name === mapping[column])?.holds ?? 'dates'
    const byOrder = order && dateFormatForOrder(order, await cellsIn(csv, column))
    const general: ColumnFormat | undefined = holds === 'dates' ? (whole ?? byOrder) : numbers
    const format = formatOfKind(holds, each.get(column)) ?? general ?? found.format
    if (format) formats[column] = format
    else if (found.isAmbiguous)
      throw new Refusal(
        holds === 'dates'
          ? `The dates in "${column}" can be read in two ways. ` +
              'Add --dates dmy (day first) or --dates mdy (month first).'
          : `The numbers in "${column}" can be read in two ways. ` +
              'Add --numbers point (1,234.5) or --numbers comma (1.234,5).',
      )
  }
  return formats
}

async function cellsIn({ headers, rows }: Csv, column: string): Promise<string[]> {
  const at = headers.indexOf(column)
  const cells: string[] = []
  for await (const { values } of rows()) if (cells.push(values[at] ?? '') >= 20_000) break
  return cells
}
