/* The structure of JSON, byte by byte, without parsing it (docs/decisions/0064). */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
export const COLON = 0x3a
export const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

export const isSpace = (byte: number) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Bytes of a text that are kept; a name that is longer is unknown. */
const LONGEST_NAME = 200

/**
 * What a scan meets, in the order of the bytes. `at`: of the byte. `depth`: how many brackets are open around it; below
 * 0 if more were closed than opened.
 */
type JsonVisitor = {
  opened?: (at: number, depth: number, bracket: number) => void
  closed?: (at: number, depth: number, bracket: number) => void
  comma?: (at: number, depth: number) => void
  /** Any other byte but white space, at depth 1 and above it: of a number, a literal, or a colon. */
  other?: (at: number, depth: number, byte: number) => void
  /** A text with its quotes, at depth 1 and above it, or where `keepsText` was true; only then `text` is not ''. */
  text?: (from: number, to: number, depth: number, text: string) => void
  keepsText?: (depth: number) => boolean
}

/**
 * Reads JSON in pieces, in order, and tells a visitor of its structure. Structural characters of JSON are ASCII, so
 * a byte of a longer character never looks like one. It reports no errors: the visitor checks the structure, and
 * `JSON.parse` checks the rest.
 */
export function jsonScan(visitor: JsonVisitor) {
  let depth = 0
  let [inText, isEscaped] = [false, false]
  let textFrom = 0
  let kept: number[] | undefined

  /** The index of the quote that ends the text; the length of the chunk or more if that is in a later one. */
  function endOfText(chunk: Buffer, from: number, skip: (from: number) => number): number {
    let index = from
    for (; index < chunk.length; index += 1) {
      if (isEscaped) isEscaped = false
      else {
        if (!kept) index = skip(index)
        if (chunk[index] === QUOTE) return index
        isEscaped = chunk[index] === BACKSLASH
      }
      if (kept && kept.length < LONGEST_NAME) kept.push(chunk[index]!)
    }
    return index
  }

  function visit(byte: number, at: number) {
    if (byte === QUOTE) {
      inText = true
      textFrom = at
      kept = visitor.keepsText?.(depth) ? [] : undefined
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      visitor.opened?.(at, depth, byte)
      depth += 1
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1
      visitor.closed?.(at, depth, byte)
    } else if (byte === COMMA) visitor.comma?.(at, depth)
    else if (depth <= 1 && !isSpace(byte)) visitor.other?.(at, depth, byte)
  }

  return {
    /** `start`: the position of the first byte of the chunk, to which the visitor's positions are added. */
    feed(chunk: Buffer, start: number) {
      const skip = skipper(chunk)
      for (let index = 0; index < chunk.length; index += 1) {
        if (inText) {
          index = endOfText(chunk, index, skip)
          if (index >= chunk.length) return
          inText = false
          if (kept || depth <= 1)
            visitor.text?.(textFrom, start + index + 1, depth, parseQuotedText(kept))
        } else visit(chunk[index]!, start + index)
      }
    },
  }
}

/** Finds the next quote or backslash from an index on; the length of the chunk if there is none. */
function skipper(chunk: Buffer): (from: number) => number {
  const next = (byte: number) => {
    let found = -1
    return (from: number) => {
      if (found < from) {
        const index = chunk.indexOf(byte, from)
        found = index < 0 ? chunk.length : index
      }
      return found
    }
  }
  const [quote, backslash] = [next(QUOTE), next(BACKSLASH)]
  return (from) => Math.min(quote(from), backslash(from))
}

/** A text without its quotes; '' if it is not valid, or none was kept. */
function parseQuotedText(bytes: number[] | undefined): string {
  if (!bytes) return ''
  try {
    return String(JSON.parse(`"${Buffer.from(bytes).toString()}"`))
  } catch {
    return ''
  }
}
