/*
 * The one rule for texts that users type, paste or send: the fields of screens, the inputs of operations, imports, FHIR
 * and names of files. Rows of phones are kept as they were sent.
 */

/**
 * Characters that no text keeps: controls other than tab and line breaks, U+200B, U+2060 and U+FEFF, which make two
 * texts differ that look the same, and the controls of direction that turn the text around them
 * (https://unicode.org/reports/tr36/#Bidirectional_Text_Spoofing). U+0000, which a damaged file has, is refused.
 */
const REMOVED =
  /(?![\0\t\n\r\u0085])\p{Cc}|[\u200B\u202A-\u202E\u2060\u2066-\u206F\uFEFF\uFFF9-\uFFFB]/gu
/** U+200C and U+200D say how the letters beside them join. Elsewhere they are invisible and say nothing. */
const JOINERS = /[\u200C\u200D]+/g
const JOINED = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u
const LINE_BREAK = /\r\n|[\r\u0085\u2028\u2029]/g
/** Marks that a reader does not see at the ends of a text. */
const MARK = /\u034F|[\u00AD\u061C\u180E\u200C-\u200F\u2061-\u2064]/
const MARK_OR_SPACE = /\u034F|[\s\u00AD\u061C\u180E\u200C-\u200F\u2061-\u2064]/
/** Without anything that a reader sees. */
const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\u2800]+$/u
/** Of most texts nothing changes: one search tells. */
const SUSPECT =
  /(?![\t\n])\p{Cc}|[\u2028\u2029\u202A-\u202E\u2800\uFFF9-\uFFFB]|\p{Default_Ignorable_Code_Point}/u

/** The text to keep, of one or several lines. Nothing that a reader sees changes. */
export function cleanText(text: string): string {
  if (!SUSPECT.test(text)) return text
  const clean = withoutRemoved(text.replaceAll(LINE_BREAK, '\n'))
  return INVISIBLE.test(clean) ? '' : withoutMarksAtEnds(clean)
}

/**
 * Without the marks at the ends and the spaces around them. Step by step: an expression that looks for the end from
 * each mark would take the square of their number.
 */
function withoutMarksAtEnds(text: string): string {
  let [start, end] = [0, text.length]
  for (let at = 0; MARK_OR_SPACE.test(text.charAt(at)); at += 1)
    if (MARK.test(text.charAt(at))) start = text.slice(at + 1).search(/\S/) + at + 1
  for (let at = end - 1; MARK_OR_SPACE.test(text.charAt(at)); at -= 1)
    if (MARK.test(text.charAt(at))) end = text.slice(0, at).trimEnd().length
  return text.slice(start, end)
}

/** The same for one line, trimmed: line breaks and tabs become spaces. */
export const cleanLine = (text: string): string =>
  cleanText(text)
    .replaceAll(/\s*[\n\t]\s*/g, ' ')
    .trim()

/** True for a text with characters that are removed when it is saved: its field says so. */
export const hasRemovedCharacters = (text: string): boolean =>
  SUSPECT.test(text) && text.trim() !== '' && withoutRemoved(text) !== text

/** Not the line breaks: they are kept, or become spaces. */
const withoutRemoved = (text: string) =>
  text.replaceAll(REMOVED, '').replaceAll(JOINERS, (joiners, at: number, whole: string) => {
    // a letter beyond the first plane has two units
    const end = at + joiners.length
    const before = Array.from(whole.slice(Math.max(0, at - 2), at)).at(-1) ?? ''
    const after = Array.from(whole.slice(end, end + 2)).at(0) ?? ''
    return JOINED.test(before) && JOINED.test(after) ? joiners : ''
  })

/** True for an input of which a write does not keep a character that a person typed or pasted. */
export function losesCharacters(input: unknown, name = ''): boolean {
  if (typeof input === 'string') return !isExact(name, input) && hasRemovedCharacters(input)
  if (Array.isArray(input)) return input.some((each: unknown) => losesCharacters(each, name))
  return (
    isPlainObject(input) &&
    Object.entries(input).some(([key, value]) => losesCharacters(value, key))
  )
}

/** Fields of inputs that are kept as they were sent: secrets, and scanned codes with the controls of GS1 in them. */
const EXACT = /password|repeated|secret|token|barcode/i
/** Longer than any text that a field takes: the bytes of a file. */
const LONGEST = 100_000
const isExact = (name: string, text: string) => EXACT.test(name) || text.length > LONGEST

/**
 * An input with each text in it as `cleanText` has it; the same object if nothing changes. Of an input that is not too
 * deep: `findInputFlaw` has said so.
 */
export function withCleanTexts(input: unknown, name = ''): unknown {
  if (typeof input === 'string') return isExact(name, input) ? input : cleanText(input)
  if (Array.isArray(input)) {
    const next = input.map((each: unknown) => withCleanTexts(each, name))
    return next.some((each, at) => each !== input[at]) ? next : input
  }
  if (!isPlainObject(input)) return input
  let hasChanged = false
  const next: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(input)) {
    const clean = withCleanTexts(value, key)
    hasChanged ||= clean !== value
    // a key may be called "__proto__"
    Object.defineProperty(next, key, {
      value: clean,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return hasChanged ? next : input
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** U+FFFD for each character that XML 1.0 cannot hold (https://www.w3.org/TR/xml/#charsets): phones may send it. */
export const forXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')

/**
 * Digits of every script as 0-9: Arabic-Indic, Persian, Devanagari, full-width. A keyboard types its own where a code
 * or a phone number is asked. Unicode has the ten digits of a script in a row, from zero.
 */
export const latinDigitsOnly = (text: string): string =>
  text.replaceAll(/[^\P{Nd}0-9]/gu, (digit) => {
    let zero = digit.codePointAt(0)!
    const at = zero
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
    return String((at - zero) % 10)
  })
