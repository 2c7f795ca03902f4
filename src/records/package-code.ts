import { cleanLine, latinDigitsOnly } from '~/shared/typed-text'

/**
 * The content of a package's code, as the GS1 General Specifications define it: elements of an
 * application identifier (AI) and its data. A medicine's package has its number (01), batch (10),
 * expiry (17) and serial number (21).
 */
type Gs1 = { gtin?: string; batch?: string; expiry?: string; serial?: string }

/** Ends an element of no fixed length (FNC1, as scanners send it: the control character 29). */
const SEPARATOR = '\u001D'
/** What scanners and keyboards make of it. None of these characters is allowed in the data. */
const SUBSTITUTE = /<GS>|\{GS\}|\[GS\]|<0x1D>|\\x1d|\\u001d|\^\]|[\u241D|#~^]/gi
/** The characters that the data of an element may have. Figure 7.11-1. */
const DATA = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]+$/
/** The longest batch (10) and serial number (21). Sections 3.4.1 and 3.5.2. */
const MOST_LETTERS = 20
/** Set before the data by a scanner that says what kind of symbol it read. */
const SYMBOLOGY = /^\](C1|d2|e0|Q3|J1|z1)/

/**
 * Length of the data by the first two digits of the AI; all others end at a separator. Figure
 * 7.8.5-2.
 */
const FIXED: Record<string, number> = {
  '00': 18,
  '01': 14,
  '02': 14,
  '03': 14,
  '04': 16,
  '11': 6,
  '12': 6,
  '13': 6,
  '14': 6,
  '15': 6,
  '16': 6,
  '17': 6,
  '18': 6,
  '19': 6,
  '20': 2,
}
/** First two digits of the AIs of three digits, of four; the rest have two. Section 3.2. */
const LONG_AI: [RegExp, number][] = [
  [/^(235|24|25|40|41|42|71)/, 3],
  [/^(31|32|33|34|35|36|39|43|70|72|80|81|82)/, 4],
]
const LONG_FIXED: [RegExp, number][] = [
  [/^41[0-7]/, 13],
  [/^3[1-6]/, 6],
]

/** Null for other codes: a plain EAN-13, a private number, a URL. Never throws. */
export function readGs1(scanned: string, today = new Date()): Gs1 | null {
  const code = latinDigitsOnly(scanned).trim().replace(SYMBOLOGY, '')
  const elements = fromLink(code) ?? readElements(code.replaceAll(SUBSTITUTE, SEPARATOR))
  if (!elements || ![...elements].every(isData)) return null
  const gtin = elements.get('01')
  const isWhole = gtin === undefined || isGtin(gtin)
  const found: Gs1 = {
    gtin,
    batch: elements.get('10'),
    expiry: parseGs1Day(elements.get('17') ?? '', today),
    serial: elements.get('21'),
  }
  return isWhole && Object.values(found).some(Boolean) ? found : null
}

const readElements = (text: string) => fromPrinted(text) ?? fromEncoded(text)

function isData([ai, data]: [string, string]): boolean {
  const isTooLong = (ai === '10' || ai === '21') && data.length > MOST_LETTERS
  return DATA.test(data) && !isTooLong
}

/** In readable form: (01)09504000059101(17)141120. */
function fromPrinted(text: string): Map<string, string> | null {
  if (!/^\(\d{2,4}\)/.test(text)) return null
  return new Map(
    [...text.matchAll(/\((\d{2,4})\)([^(]*)/g)].map(([, ai = '', data = '']) => [
      ai,
      data.replaceAll(SEPARATOR, '').trim(),
    ]),
  )
}

/** A GS1 Digital Link: https://id.gs1.org/01/09506000134352/10/ABC1?17=271231. */
function fromLink(text: string): Map<string, string> | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  const path = url.pathname.match(/\/01\/(\d{8,14})(?=\/|$).*/)
  if (!path) return null
  const parts = path[0].split('/').slice(1)
  const elements = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) elements.set(parts[at]!, decoded(parts[at + 1]!))
  elements.set('01', path[1]!.padStart(14, '0'))
  for (const [ai, data] of url.searchParams) elements.set(ai, data)
  return elements
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * As encoded in the symbol. Null if any element cannot be read: half a code is worse than none.
 */
function fromEncoded(code: string): Map<string, string> | null {
  const text = code.startsWith(SEPARATOR) ? code.slice(1) : code
  if (!/^(01\d{14}|02\d{14}|10|17\d{6}|21|00\d{18}|11\d{6})/.test(text)) return null
  // a plain EAN or GTIN may begin with the same digits
  if (/^\d{8}$|^\d{12,14}$/.test(text)) return null
  const elements = new Map<string, string>()
  for (let rest = text; rest;) {
    if (rest.startsWith(SEPARATOR)) {
      rest = rest.slice(1)
      continue
    }
    const ai = rest.slice(0, LONG_AI.find(([shape]) => shape.test(rest))?.[1] ?? 2)
    if (!/^\d+$/.test(ai)) return null
    const data = rest.slice(ai.length)
    const fixed = FIXED[ai] ?? LONG_FIXED.find(([shape]) => shape.test(ai))?.[1]
    const end = fixed ?? data.indexOf(SEPARATOR)
    const value = end < 0 ? data : data.slice(0, end)
    if (fixed !== undefined && !(value.length === fixed && /^\d+$/.test(value))) return null
    elements.set(ai, value)
    rest = end < 0 ? '' : data.slice(end)
  }
  return elements
}

/** The last digit of a GTIN is the check digit. Section 7.9.1. */
export function isGtin(text: string): boolean {
  if (!/^(\d{8}|\d{12,14})$/.test(text)) return false
  const digits = [...text].map(Number).toReversed()
  const sum = digits.reduce((total, digit, at) => total + digit * (at % 2 ? 3 : 1), 0)
  return sum % 10 === 0
}

/**
 * `yyyy-MM-dd` of YYMMDD; day 00 is the last of the month. The century is the nearest one. Sections
 * 3.4.2 and 7.12.
 */
function parseGs1Day(text: string, today: Date): string | undefined {
  const parts = /^(\d\d)(\d\d)(\d\d)$/.exec(text)
  if (!parts) return undefined
  const [yy, month, day] = parts.slice(1).map(Number) as [number, number, number]
  const now = today.getUTCFullYear()
  const century = now - (now % 100)
  const apart = yy - (now % 100)
  const later = apart <= -50 ? 100 : 0
  const year = century + yy + (apart >= 51 ? -100 : later)
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day > last) return undefined
  return `${year}-${parts[2]}-${String(day || last).padStart(2, '0')}`
}

/** The key to find a package by: the GTIN within a GS1 code, else the text without blanks. */
export const normalizeBarcode = (scanned: string) =>
  readGs1(scanned)?.gtin ?? latinDigitsOnly(cleanLine(scanned)).replaceAll(/\s/g, '')
