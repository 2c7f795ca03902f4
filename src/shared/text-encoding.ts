/** The encodings that spreadsheets save. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1256', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The encoding that the first bytes of a file prove; undefined if a user has to choose. */
export function detectEncoding(sample: Uint8Array, isCut: boolean): Encoding | undefined {
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le'
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be'
  const wide = detectUtf16(sample)
  if (wide) return wide
  const isUtf8 = decoded(sample, 'utf-8', isCut) !== undefined
  return isUtf8 ? 'utf-8' : detectWindowsEncoding(sample)
}

/** UTF-16 without a mark: each line break, comma, semicolon and tab of a table has its zero byte on the same side. */
function detectUtf16(sample: Uint8Array): Encoding | undefined {
  if (!sample.includes(0)) return undefined
  const separators = [...sample.keys()].filter((at) => SEPARATORS.has(sample[at]!))
  if (separators.length === 0) return undefined
  const isLittle = separators.every((at) => at % 2 === 0 && (sample[at + 1] ?? 0) === 0)
  if (isLittle) return 'utf-16le'
  return separators.every((at) => at % 2 === 1 && sample[at - 1] === 0) ? 'utf-16be' : undefined
}
const SEPARATORS = new Set([0x09, 0x0a, 0x2c, 0x3b])

/**
 * windows-1256 has words of Arabic letters alone ("العيادة"), windows-1252 words of Latin letters with accented ones
 * among them ("niño"). Read in the other encoding they are neither. Undefined if the text has both or none.
 */
function detectWindowsEncoding(sample: Uint8Array): Encoding | undefined {
  const arabic = decoded(sample, 'windows-1256') ?? ''
  const latin = decoded(sample, 'windows-1252') ?? ''
  const isArabic = /(?<![\p{L}\p{M}])[\u0621-\u064A]{2,}(?![\p{L}\p{M}])/u.test(arabic)
  const isLatin = /(?:[A-Za-z][À-ÖØ-öø-ÿŠŽšžŸŒœ]|[À-ÖØ-öø-ÿŠŽšžŸŒœ][A-Za-z])/.test(latin)
  if (isArabic === isLatin) return undefined
  const [encoding, text] = isArabic
    ? (['windows-1256', arabic] as const)
    : (['windows-1252', latin] as const)
  return isUnreadable(text) ? undefined : encoding
}

/** The text; undefined if the bytes are not in this encoding. `isCut`: more bytes follow. */
export function decoded(bytes: Uint8Array, encoding: Encoding, isCut = false): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}

/**
 * True for text that was read in the wrong encoding, here or by the program that wrote the file. It holds a character
 * that stands for unreadable bytes, or a pattern that one wrong encoding leaves:
 * - UTF-8 read as windows-1252 or windows-1256: "EspaÃ±a", "ط§ط³ظ…". Read back, the bytes are UTF-8 again.
 * - windows-1256 read as windows-1252: "ÈÇÑÇÓíÊÇãæá", a word of accented letters alone.
 * - windows-1252 read as windows-1256: "niٌo", "Bogotل", an Arabic letter or vowel sign in a word of Latin letters. Not
 *   one before it: Arabic joins its short words to the next one.
 */
export function isUnreadable(text: string): boolean {
  if (!NOT_ASCII.test(text)) return false
  return (
    /[\u0080-\u009F\uFFFD-\uFFFF]/.test(text) ||
    /(?<!\p{L})[À-ÖØ-öø-ÿ]{3,}(?!\p{L})/u.test(text) ||
    /[A-Za-z][\u064B-\u0652]|[A-Za-z][\u0621-\u064A][A-Za-z]/.test(text) ||
    /[A-Za-z]{2}[لي](?!\p{L})|[ءة][A-Za-z]/u.test(text) ||
    utf8Characters(text, 'windows-1252') >= 1 ||
    // two Arabic letters can be one character of UTF-8 by chance
    utf8Characters(text, 'windows-1256') >= 2
  )
}

const NOT_ASCII = /\P{ASCII}/u

/** How many characters beyond ASCII the text has if its bytes are UTF-8; 0 if they are not. */
function utf8Characters(text: string, encoding: 'windows-1252' | 'windows-1256'): number {
  const table = bytesIn(encoding)
  const bytes: number[] = []
  let before = 0
  for (const character of text) {
    const byte = table.get(character)
    // a byte that begins a character is followed by one that continues it: other texts end here
    if (byte === undefined || (before >= 0xc0 && (byte < 0x80 || byte >= 0xc0))) return 0
    bytes.push(byte)
    before = byte
  }
  const read = decoded(Uint8Array.from(bytes), 'utf-8')
  return read === undefined ? 0 : [...read].filter((character) => character > '\x7F').length
}

const tables = new Map<string, Map<string, number>>()
/** The byte of each character. */
function bytesIn(encoding: 'windows-1252' | 'windows-1256'): Map<string, number> {
  const known = tables.get(encoding)
  if (known) return known
  const all = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, at) => at))
  const table = new Map([...all].map((character, at) => [character, at]))
  tables.set(encoding, table)
  return table
}
