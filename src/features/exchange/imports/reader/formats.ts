import { latinDigits, numberText } from '~/fields/typed'
import { DATE_FORMATS, type DateFormat, detectDateFormat } from '../patients-file/date-format'

/** What a column holds that files write in several ways. */
export type FormatKind = 'dates' | 'numbers'

/** The sign before the decimals of a column: 1,234.5 or 1.234,5. */
export const NUMBER_FORMATS = ['point', 'comma'] as const
export type NumberFormat = (typeof NUMBER_FORMATS)[number]

/** The format of each column by its heading. */
export const COLUMN_FORMATS = [...DATE_FORMATS, ...NUMBER_FORMATS] as const
export type ColumnFormat = DateFormat | NumberFormat
export type ColumnFormats = Readonly<Record<string, ColumnFormat>>

const FORMATS: Record<FormatKind, readonly ColumnFormat[]> = {
  dates: DATE_FORMATS,
  numbers: NUMBER_FORMATS,
}

/** The format if it is one of this kind, else null. */
export const formatOfKind = (kind: FormatKind, format: string | null | undefined) =>
  FORMATS[kind].find((known) => known === format) ?? null

export const dateFormatIn = (formats: ColumnFormats | undefined, header: string | undefined) =>
  DATE_FORMATS.find((format) => header !== undefined && format === formats?.[header])

export const numberFormatIn = (formats: ColumnFormats | undefined, header: string | undefined) =>
  NUMBER_FORMATS.find((format) => header !== undefined && format === formats?.[header])

/** Groups of three digits never begin with a zero: "0.125" has one meaning. Blanks may part the thousands. */
const SHAPES: Record<NumberFormat, RegExp> = {
  point: /^[-+]?(?:\d+|[1-9]\d{0,2}(?:[, ]\d{3})+)?(?:\.\d+)?$/,
  comma: /^[-+]?(?:\d+|[1-9]\d{0,2}(?:[. ]\d{3})+)?(?:,\d+)?$/,
}

const cleaned = (text: string) =>
  latinDigits(text)
    .trim()
    .replaceAll(/[،٬]/g, ',')
    .replaceAll(/[\u{a0}\u{202f}]/gu, ' ')

const fits = (format: NumberFormat, clean: string) => /\d/.test(clean) && SHAPES[format].test(clean)

/** The number of a cell as text of one meaning; unchanged if the format does not read it. */
export function numberIn(format: NumberFormat, text: string): string {
  const clean = cleaned(text)
  if (!fits(format, clean)) return text
  const plain = clean.replaceAll(format === 'point' ? /[, ]/g : /[. ]/g, '').replace(',', '.')
  const value = Number(plain)
  // more digits than a number holds: the field's own check refuses the text
  return Number.isSafeInteger(Math.trunc(value)) ? numberText(value) : text
}

/**
 * The format of a whole column of numbers: certain if its cells of one meaning all have the same ("12.5" has a point),
 * ambiguous if some cells have two ("1,500") and no other cell decides. Other cells are ignored.
 */
function detectNumberFormat(cells: readonly string[]): {
  format?: NumberFormat
  isAmbiguous: boolean
} {
  const found = new Set<NumberFormat>()
  let isAmbiguous = false
  for (const cell of cells) {
    const clean = cleaned(cell)
    const [only, other] = NUMBER_FORMATS.filter((format) => fits(format, clean))
    if (only && !other) found.add(only)
    else if (only && /[.,]/.test(clean)) isAmbiguous = true
  }
  const [format, second] = [...found]
  return format && !second ? { format, isAmbiguous: false } : { isAmbiguous }
}

export type Recognized = { format?: ColumnFormat; isAmbiguous: boolean }

/** How a column writes its dates or numbers, by all of its cells. */
export const recognized = (kind: FormatKind, cells: readonly string[]): Recognized =>
  kind === 'dates' ? detectDateFormat(cells) : detectNumberFormat(cells)
