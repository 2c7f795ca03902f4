import { isDay } from '~/shared/zone'

/** Arabic-Indic and Persian digits as 0-9: an Arabic keyboard types them where a number is meant. */
export const latinDigits = (text: string) =>
  text.replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf)).replace(/٫/g, '.')

/**
 * True for "1,000" and "1.000": one separator and exactly three digits after it. The separator divides thousands in one
 * country and decimals in the next; a strength or dose read the wrong way is a thousandfold error (ISMP, List of
 * error-prone abbreviations, symbols and dose designations). "0.125" has one meaning.
 */
export const isAmbiguousNumber = (typed: unknown): typed is string =>
  typeof typed === 'string' && /^[-+]?[1-9]\d{0,2}[.,،٬]\d{3}$/.test(latinDigits(typed).trim())

/** What is possible at all for a field: a newborn weighs 3.450 kg, no person weighs 3450 kg. */
export type NumberLimits = { min?: number; max?: number }

/** Both meanings of an ambiguous number, as far as they lie within the limits. */
function possibleNumbers(
  text: string,
  { min = -Infinity, max = Infinity }: NumberLimits,
): number[] {
  const [whole, decimals] = latinDigits(text)
    .trim()
    .split(/[.,،٬]/)
  return [Number(`${whole}.${decimals}`), Number(`${whole}${decimals}`)].filter(
    (value) => value >= min && value <= max,
  )
}

/**
 * The typed number, null for an empty text. An ambiguous text is read if the limits leave one of its two meanings; else
 * it is returned unchanged, like a text that is no number, so that the schema refuses it and nothing typed is lost. One
 * comma is a decimal point, as on a Spanish keyboard.
 */
export function numberFrom(text: string, limits: NumberLimits = {}): number | string | null {
  if (isAmbiguousNumber(text)) {
    const [only, other] = possibleNumbers(text, limits)
    return only === undefined || other !== undefined ? text : only
  }
  const clean = latinDigits(text)
    .trim()
    .replace(/^([-+]?\d*),(\d+)$/, '$1.$2')
  if (clean === '') return null
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(clean) ? Number(clean) : text
}

/** The number as text that `numberFrom` reads back: 1.125 is written 1.1250. */
export const numberText = (value: number) =>
  isAmbiguousNumber(String(value)) ? `${value}0` : String(value)

/** `yyyy-MM-dd` from what people type: 1984-03-27, 27/3/1984, 27.03.1984, 19840327. Null when it is no day. */
export function dayFrom(text: string): string | null {
  const clean = latinDigits(text).trim()
  const iso =
    /^(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})$/.exec(clean) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(clean)
  if (iso) return existing(iso[1], iso[2], iso[3])
  const dayFirst = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})$/.exec(clean)
  return dayFirst ? existing(dayFirst[3], dayFirst[2], dayFirst[1]) : null
}

function existing(year = '', month = '', day = ''): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(text) ? text : null
}
