import { invalid } from '~/shared/errors'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  isSpace,
  jsonScan,
  OPEN_LIST,
  OPEN_OBJECT,
} from './json-scan'
import type { ReadableBody } from './spooled-bodies.server'

/** Bytes of a file: `from` is the first, `to` the one after the last. */
export type Span = { from: number; to: number }
/** The elements of one list: from the byte after `[` to the byte of `]`. */
export type ListRange = Span & { table: string; list: string }

const CHUNK = 256 * 1024
/** No single row is longer than what the whole of a smaller push may have. */
const LONGEST_ROW = 25 * 1024 * 1024

const notAChangeSet = () => invalid({ '': { key: 'sync.notAChangeSet' } })

/**
 * Finds the lists of a change set, `{"<table>": {"<list>": […]}}`, without parsing their elements:
 * memory does not grow with the file. Throws `invalid` for anything else.
 */
export async function listsIn(
  body: ReadableBody,
  span: Span = wholeSpan(body),
): Promise<ListRange[]> {
  const ranges: ListRange[] = []
  /** The brackets around; those of elements are checked when the elements are parsed. */
  const opened: number[] = []
  const names = ['', '']
  let [expectsName, isComplete] = [false, false]
  const scan = jsonScan({
    keepsText: (depth) => depth < 3,
    text(_from, _to, depth, text) {
      // a table is an object and a list is a list: the only texts so far up are names
      if (!expectsName || opened.slice(0, depth).some((each) => each !== OPEN_OBJECT))
        throw notAChangeSet()
      names[depth - 1] = text
      expectsName = false
    },
    opened(at, depth, bracket) {
      if (isComplete || (depth < 2 && bracket !== OPEN_OBJECT)) throw notAChangeSet()
      if (depth === 2 && bracket === OPEN_LIST)
        ranges.push({ table: names[0]!, list: names[1]!, from: at + 1, to: -1 })
      if (depth < 3) opened[depth] = bracket
      expectsName = true
    },
    closed(at, depth, bracket) {
      if (depth >= 3) return
      if (opened[depth] !== (bracket === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_LIST))
        throw notAChangeSet()
      if (depth === 2 && bracket === CLOSE_LIST) ranges.at(-1)!.to = at
      isComplete = depth === 0
    },
    comma(_, depth) {
      if (depth === 0) throw notAChangeSet()
      expectsName = true
    },
    other(_, depth) {
      if (depth === 0) throw notAChangeSet()
    },
  })
  await feedAll(scan, body, span)
  if (!isComplete) throw notAChangeSet()
  return ranges
}

const wholeSpan = ({ length }: ReadableBody): Span => ({ from: 0, to: length })

async function feedAll(scan: ReturnType<typeof jsonScan>, body: ReadableBody, { from, to }: Span) {
  let start = from
  for await (const chunk of readChunks(body, from, to)) {
    scan.feed(chunk, start)
    start += chunk.length
  }
}

/**
 * Where the values of an object's members are, by name, without parsing them. Of a repeated name, the last. Throws
 * `invalid` for anything but an object.
 */
export async function membersIn(
  body: ReadableBody,
  span: Span = wholeSpan(body),
): Promise<Map<string, Span>> {
  const members = new Map<string, Span>()
  let isComplete = false
  /** The name whose value is being read. */
  let name: string | undefined
  let value: Span | undefined
  const extendValue = (from: number, to: number) => {
    if (name !== undefined) value = { from: value?.from ?? from, to }
  }
  const endMember = () => {
    if (name !== undefined && value) members.set(name, value)
    name = undefined
    value = undefined
  }
  const scan = jsonScan({
    keepsText: (depth) => depth === 1 && name === undefined,
    text(from, to, depth, text) {
      if (depth === 0) throw notAChangeSet()
      if (depth === 1 && name === undefined) name = text
      else extendValue(from, to)
    },
    opened(at, depth, bracket) {
      if (depth === 0 && (isComplete || bracket !== OPEN_OBJECT)) throw notAChangeSet()
      extendValue(at, at + 1)
    },
    closed(at, depth, bracket) {
      if (depth > 0) return extendValue(at, at + 1)
      if (depth < 0 || bracket !== CLOSE_OBJECT) throw notAChangeSet()
      endMember()
      isComplete = true
    },
    comma(_, depth) {
      if (depth === 0) throw notAChangeSet()
      if (depth === 1) endMember()
    },
    other(at, depth, byte) {
      if (depth === 0) throw notAChangeSet()
      if (byte !== COLON) extendValue(at, at + 1)
    },
  })
  await feedAll(scan, body, span)
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
  for await (const chunk of readChunks(body, span.from, span.to)) parts.push(chunk)
  return parsed(parts)
}

/**
 * Whether lists that far down (3: those of a change set) have more than so many elements together; they are counted
 * without parsing any.
 */
export function hasMoreElements(text: Buffer, most: number, listDepth = 3): boolean {
  let count = 0
  const scan = jsonScan({
    comma(_, depth) {
      if (depth === listDepth) count += 1
    },
  })
  for (let at = 0; at < text.length; at += CHUNK) {
    scan.feed(text.subarray(at, at + CHUNK), at)
    if (count >= most) return true
  }
  return false
}

/** The elements of a list, parsed one by one, each with its length in bytes. */
export async function* readListElements(
  body: ReadableBody,
  { from, to }: Span,
): AsyncGenerator<{ element: unknown; bytes: number }> {
  let parts: Buffer[] = []
  let length = 0
  const take = (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length > LONGEST_ROW) throw notAChangeSet()
  }
  let ends: number[] = []
  const scan = jsonScan({
    comma(at, depth) {
      if (depth === 0) ends.push(at)
    },
  })
  for await (const chunk of readChunks(body, from, to)) {
    ends = []
    scan.feed(chunk, 0)
    let start = 0
    for (const end of ends) {
      take(chunk.subarray(start, end))
      yield { element: parsed(parts), bytes: length }
      parts = []
      length = 0
      start = end + 1
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

async function* readChunks(
  { file }: ReadableBody,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, to - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) throw notAChangeSet()
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
