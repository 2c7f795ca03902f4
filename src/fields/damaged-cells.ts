import type { Message } from '~/shared/errors'
import { isUnreadable } from '~/shared/text-encoding'
import { latinDigits } from './typed'

/**
 * True for a number that a spreadsheet has shortened or rewritten, where the cell holds text: a phone number, an ID, a
 * code, a batch number. Excel keeps 15 digits of a number
 * (https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3) and shows
 * a long one with an exponent, which a CSV file then holds:
 * - 9.61E+10, 9,61E+10, ٩٫٦١E+١٠. An exponent without a sign needs decimals: 1E50 is a code of ICD-11.
 * - a digit for each of the first 15 places and zeros after them, from 17 digits on. In 16 digits the last one is zero
 *   by chance too often.
 */
export function isShortenedNumber(text: string): boolean {
  const clean = toKeyboardText(text)
  return (
    /^[-+]?\d+(?:[.,]\d+)?\s?(?:e|أس)\s?[-+]\d+$/i.test(clean) ||
    /^[-+]?\d+[.,]\d+\s?(?:e|أس)\s?\d+$/i.test(clean) ||
    /^\d{15}0{2,}$/.test(clean)
  )
}

/**
 * The same where the cell identifies a patient, a package or a code: "70123456.0", too, is what a program made of a
 * number. Another text may end so: a result of 12.0.
 */
export const isDamagedIdentity = (text: string) =>
  isShortenedNumber(text) || /^[-+]?\d+[.,]0+$/.test(toKeyboardText(text))

/**
 * True for what a spreadsheet shows in place of a value that it has lost or cannot show: #NAME?, #REF!, ########, and
 * ???? for letters that the encoding of the file does not have. No text has only these.
 */
export const isLostValue = (text: string) =>
  /^(?:#(?:VALUE|REF|NAME|NUM|DIV\/0|NULL|SPILL|CALC)[!?]|#{3,}|\?[? ]*\?)$/.test(
    toKeyboardText(text),
  )

/**
 * What programs and people write for nothing: NULL, #N/A, -99, a dot. "Null" and "Nan", written as names are, are
 * names. Of a field that asks for a text, `isText`, only what a program wrote: "None" or "unknown" may be the answer.
 */
export function isWordForNothing(text: string, isText: boolean): boolean {
  const clean = toKeyboardText(text)
  if (BY_PROGRAMS.test(clean)) return true
  return !isText && BY_PEOPLE.has(clean.toLowerCase())
}
const BY_PROGRAMS =
  /^(?:NULL|null|\(null\)|\\N|NaN|nan|NAN|#?N\/A|#?n\/a|[._]+|[-\u2013\u2014]+|-9{2,})$/
const BY_PEOPLE = new Set(
  (
    'none|nil|unknown|not known|not available|not applicable|no data|s/d|n/d|sin dato|sin datos|ninguno|ninguna|' +
    'desconocido|desconocida|no sabe|no aplica|غير معروف|غير معروفة|غير متوفر|غير متاح|لا يوجد|لا ينطبق|مجهول'
  ).split('|'),
)

/**
 * True for the word that begins a line of totals below a table: "Total", "Grand total: 25", "المجموع". It names no
 * record.
 */
export const isWordForTotal = (text: string) => TOTAL.test(toKeyboardText(text).toLowerCase())
const TOTAL =
  /^(?:grand total|sub ?-?totals?|total(?:e?s| general)?|suma|المجموع|الإجمالي|الاجمالي|مجموع)\s*[:=]?\s*[\d.,]*$/

/** In Latin digits, without the marks of direction that Arabic texts hold, and with the minus of keyboards. */
const toKeyboardText = (text: string) =>
  latinDigits(text.replaceAll(/[\u061C\u200E\u200F]/g, '').replaceAll('\u2212', '-')).trim()

/** Why a cell with such a number is refused. */
export const shortened = (value: string, column: string): Message => ({
  key: 'imports.reasons.shortened',
  values: { value: value.trim().slice(0, 60), column },
})

/** Why a cell whose value is lost is refused. */
export const lost = (value: string, column: string): Message => ({
  key: 'imports.reasons.lost',
  values: { value: value.trim().slice(0, 60), column },
})

type Damaged = { column: string; text: Message }

/** The cells of a row of a list that no import takes, with the reasons. */
export const damagedCells = (
  row: Readonly<Record<string, unknown>>,
  isIdentity: (column: string) => boolean,
): Damaged[] =>
  Object.entries(row).flatMap(([column, value]): Damaged[] => {
    if (typeof value !== 'string') return []
    if (isUnreadable(value)) return [{ column, text: { key: 'imports.reasons.garbled' } }]
    if (isLostValue(value)) return [{ column, text: lost(value, column) }]
    return isIdentity(column) && isDamagedIdentity(value)
      ? [{ column, text: shortened(value, column) }]
      : []
  })
