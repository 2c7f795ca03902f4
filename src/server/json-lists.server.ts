import type { ReadableBody } from './spooled-bodies.server'
import { invalid } from '~/shared/errors'

/** Bytes of a file: `from` is the first, `to` the one after the last. */
export type Span = { from: number; to: number }
/** The elements of one list: from the byte after `[` to the byte of `]`. */
export type Range = Span & { table: string; list: string }

const CHUNK = 256 * 1024
/** Bytes of a name that is compared with those of tables; longer ones are unknown. */
const LONGEST_NAME = 200
/** No single row is longer than what the whole of a smaller push may have. */
const LONGEST_ROW = 25 * 1024 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const notAChangeSet = () => invalid({ '': { key: 'sync.notAChangeSet' } })

/**
 * Finds the lists of a change set, `{"<table>": {"<list>": […]}}`, without parsing their elements:
 * memory does not grow with the file. Structural characters of JSON are ASCII, so bytes of longer
 * characters are never mistaken for them. Throws `invalid` for anything else.
 */
export async function listsIn(
  body: ReadableBody,
  { from, to }: Span = wholeOf(body),
): Promise<Range[]> {
  const ranges: Range[] = []
  const opened: number[] = []
  const names = ['', '']
  let name: number[] | undefined
  let [inString, isEscaped, expectsName, isComplete] = [false, false, false, false]
  let start = from
  for await (const chunk of chunksOf(body, from, to)) {
    const skip = skipper(chunk)
    for (let index = 0; index < chunk.length; index += 1) {
      // nothing in a text below a list matters but its end
      if (inString && !isEscaped && !name) index = skip(index)
      if (index >= chunk.length) break
      const byte = chunk[index]!
      const at = start + index
      const depth = opened.length
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) {
          inString = false
          if (name) names[depth - 1] = textOf(name)
          name = undefined
          continue
        }
        if (name && name.length < LONGEST_NAME) name.push(byte)
      } else if (byte === QUOTE) {
        // a table is an object and a list is a list: the only texts so far up are names
        if (depth < 3 && !(expectsName && opened.every((each) => each === OPEN_OBJECT)))
          throw notAChangeSet()
        inString = true
        if (depth < 3) name = []
        expectsName = false
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (isComplete || (depth < 2 && byte !== OPEN_OBJECT)) throw notAChangeSet()
        if (depth === 2 && byte === OPEN_LIST)
          ranges.push({ table: names[0]!, list: names[1]!, from: at + 1, to: -1 })
        opened.push(byte)
        expectsName = true
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        const open = opened.pop()
        if (open !== (byte === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_LIST)) throw notAChangeSet()
        if (depth === 3 && open === OPEN_LIST) ranges.at(-1)!.to = at
        isComplete = depth === 1
      } else if (byte === COMMA) {
        expectsName = true
      } else if (depth === 0 && !isSpace(byte)) throw notAChangeSet()
    }
    start += chunk.length
  }
  if (!isComplete) throw notAChangeSet()
  return ranges
}

const wholeOf = ({ length }: ReadableBody): Span => ({ from: 0, to: length })

/**
 * Where the values of an object's members are, by name, without parsing them. Of a repeated name, the last. Throws
 * `invalid` for anything but an object.
 */
export async function membersIn(
  body: ReadableBody,
  { from, to }: Span = wholeOf(body),
): Promise<Map<string, Span>> {
  const members = new Map<string, Span>()
  let depth = 0
  let [inString, isEscaped, isComplete] = [false, false, false]
  /** Bytes of the name that is being read, then its text while its value is. */
  let name: number[] | undefined
  let member: string | undefined
  let value: Span | undefined
  let start = from
  const endMember = () => {
    if (member !== undefined && value) members.set(member, value)
    member = undefined
    value = undefined
  }
  for await (const chunk of chunksOf(body, from, to)) {
    const skip = skipper(chunk)
    for (let index = 0; index < chunk.length; index += 1) {
      if (inString && !isEscaped && !name) index = skip(index)
      if (index >= chunk.length) break
      const byte = chunk[index]!
      const at = start + index
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) {
          inString = false
          if (name) member = textOf(name)
          else if (value) value.to = at + 1
          name = undefined
          continue
        }
        if (name && name.length < LONGEST_NAME) name.push(byte)
        continue
      }
      if (isSpace(byte)) continue
      if (byte === COMMA && depth === 1) {
        endMember()
        continue
      }
      if (byte === COLON && depth === 1) continue
      const opens = byte === OPEN_OBJECT || byte === OPEN_LIST
      const closes = byte === CLOSE_OBJECT || byte === CLOSE_LIST
      if (depth === 0 && (isComplete || byte !== OPEN_OBJECT)) throw notAChangeSet()
      if (closes && depth === 1) {
        endMember()
        isComplete = true
      } else if (depth > 0 && member !== undefined) {
        value ??= { from: at, to: at }
        value.to = at + 1
      }
      if (byte === QUOTE) {
        inString = true
        if (depth === 1 && member === undefined) name = []
      }
      if (opens) depth += 1
      else if (closes) depth -= 1
    }
    start += chunk.length
  }
  if (!isComplete) throw notAChangeSet()
  return members
}

/** Bytes of a value that is read as a whole. */
const SHORT = 64 * 1024

/** A short value, parsed; undefined without one. Throws `invalid` for a long one. */
export async function shortValue(body: ReadableBody, span: Span | undefined): Promise<unknown> {
  if (!span) return undefined
  if (span.to - span.from > SHORT) throw notAChangeSet()
  const parts: Buffer[] = []
  for await (const chunk of chunksOf(body, span.from, span.to)) parts.push(chunk)
  return parsed(parts)
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

const textOf = (bytes: number[]): string => {
  try {
    return String(JSON.parse(`"${Buffer.from(bytes).toString()}"`))
  } catch {
    return ''
  }
}

/**
 * Whether lists that far down (3: those of a change set) have more than so many elements together; they are counted
 * without parsing any.
 */
export function hasMoreElements(text: Buffer, most: number, listDepth = 3): boolean {
  let count = 0
  let depth = 0
  const next = skipper(text)
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]!
    if (byte === QUOTE) {
      at = next(at + 1)
      // what follows a backslash ends no text
      while (text[at] === BACKSLASH) at = next(at + 2)
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1
    else if (byte === COMMA && depth === listDepth) {
      count += 1
      if (count >= most) return true
    }
  }
  return false
}

/** The elements of a list, parsed one by one, each with its length in bytes. */
export async function* elementsOf(
  body: ReadableBody,
  { from, to }: Span,
): AsyncGenerator<{ element: unknown; bytes: number }> {
  let parts: Buffer[] = []
  let length = 0
  let depth = 0
  let [inString, isEscaped] = [false, false]
  const take = (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length > LONGEST_ROW) throw notAChangeSet()
  }
  for await (const chunk of chunksOf(body, from, to)) {
    let start = 0
    const skip = skipper(chunk)
    for (let at = 0; at < chunk.length; at += 1) {
      if (inString && !isEscaped) at = skip(at)
      if (at >= chunk.length) break
      const byte = chunk[at]!
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) inString = false
      } else if (byte === QUOTE) inString = true
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1
      else if (byte === COMMA && depth === 0) {
        take(chunk.subarray(start, at))
        yield { element: parsed(parts), bytes: length }
        parts = []
        length = 0
        start = at + 1
      }
    }
    // the next chunk is read into another buffer
    take(chunk.subarray(start))
  }
  if (parts.some((part) => !part.every(isSpace))) yield { element: parsed(parts), bytes: length }
}

function parsed(parts: readonly Buffer[]): unknown {
  try {
    return JSON.parse(Buffer.concat(parts).toString())
  } catch {
    throw notAChangeSet()
  }
}

async function* chunksOf({ file }: ReadableBody, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, to - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) throw notAChangeSet()
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
