import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { type CsvError, type Info, parse } from 'csv-parse'
import { AppError, type Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { type Delimiter, DELIMITERS, type Encoding } from './import'

/** Where a file's bytes come from: the disk, or the parts that a browser sent. */
export type Source = {
  name: string
  size: number
  /** The bytes from there on. */
  read: (offset: number) => AsyncIterable<Uint8Array>
}

/** One record of a file, by the line that it begins in, counted from 1. `problem`: it cannot be read as a record. */
export type CsvRow = { line: number; values: string[]; end: number; problem?: Message }
export type Csv = {
  headers: string[]
  delimiter: Delimiter
  rows: () => AsyncGenerator<CsvRow>
}

/** Excel's own first line, which names the delimiter and is no heading. */
const SEP_LINE = /^sep=([,;\t])\r?\n/i

/** A record longer than this is a quotation mark that nobody closed. */
const LONGEST_RECORD = 1024 * 1024
/** A file with more unreadable records than this is of another kind. */
const MOST_PROBLEMS = 1_000
const SAMPLE = 64 * 1024

export async function fileSource(path: string, name: string): Promise<Source> {
  const { size } = await stat(path)
  // opening it now makes "permission denied" an answer before anything is written
  await (await open(path)).close()
  return { name, size, read: (start) => createReadStream(path, { start }) }
}

/**
 * Reads a file by its first line: the columns' names in any order, the delimiter that it uses, LF or CRLF, with a BOM or
 * without, line breaks inside quotation marks. Throws `invalid` for what is no table of text.
 */
export async function openCsv(
  source: Source,
  encoding?: Encoding | null,
  asked?: Delimiter,
): Promise<Csv> {
  const sample = await firstBytes(source, SAMPLE)
  if (sample.length === 0) throw unreadable('imports.csv.empty', source)
  const charset = encoding ?? charsetOf(sample)
  const text = charset && decode(sample, charset, sample.length === SAMPLE)
  if (text === undefined) throw unreadable('imports.csv.encoding', source)
  if (text.split('\n', 1)[0]!.includes('\0')) throw unreadable('imports.csv.notText', source)
  const named = SEP_LINE.exec(text)
  const delimiter = asked ?? (named?.[1] as Delimiter | undefined) ?? delimiterOf(text)
  const start = named
    ? { offset: Buffer.byteLength(named[0]) + byteOrderMark(sample, charset), line: 1 }
    : { offset: 0, line: 0 }
  const utf8: Source =
    charset === 'utf-8'
      ? source
      : { ...source, read: (offset) => recoded(source, charset!, offset) }
  for await (const head of records(utf8, delimiter, start)) {
    if (head.problem) throw unreadable('imports.csv.noHeader', source)
    if (head.values.every((header) => !header.trim()))
      throw unreadable('imports.csv.noHeader', source)
    return {
      headers: distinct(head.values),
      delimiter,
      rows: () =>
        records(utf8, delimiter, { offset: head.end, line: head.line + breaksIn(head.values) }),
    }
  }
  throw unreadable('imports.csv.empty', source)
}

/** A column without a heading is called by its number; of two alike, the second too. */
function distinct(headings: readonly string[]): string[] {
  const headers: string[] = []
  for (const [at, heading] of headings.entries()) {
    const header = heading.trim()
    headers.push(header && !headers.includes(header) ? header : `${header} #${at + 1}`.trim())
  }
  return headers
}

const unreadable = (key: MessageKey, { name }: Source) =>
  new AppError('invalid', { key, values: { file: name } })

async function firstBytes(source: Source, count: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of source.read(0)) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= count) break
  }
  return Buffer.concat(chunks).subarray(0, count)
}

/** Only what is certain: the two encodings with which Excel saves Arabic and Spanish are guesses, and are asked for. */
function charsetOf(sample: Buffer): Encoding | undefined {
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le'
  return decode(sample, 'utf-8', true) === undefined ? undefined : 'utf-8'
}

function decode(bytes: Uint8Array, charset: Encoding, isCut: boolean): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}

async function* recoded(source: Source, charset: Encoding, offset: number) {
  const decoder = new TextDecoder(charset)
  let skip = offset
  for await (const chunk of source.read(0)) {
    const bytes = Buffer.from(decoder.decode(chunk, { stream: true }))
    const from = Math.min(skip, bytes.length)
    skip -= from
    if (from < bytes.length) yield bytes.subarray(from)
  }
}

/** TextDecoder leaves the mark out of the text; a recoded file has none. */
const byteOrderMark = (sample: Buffer, charset: Encoding | undefined) =>
  charset === 'utf-8' && sample[0] === 0xef && sample[1] === 0xbb ? 3 : 0

/** The sign that the first line uses most, outside of quotation marks. */
function delimiterOf(text: string): Delimiter {
  const [line = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const uses = (sign: string) => line.split(sign).length
  return Object.values(DELIMITERS).toSorted((a, b) => uses(b) - uses(a))[0]!
}

type Place = { offset: number; line: number }

/** Every record after the place. One that cannot be read is told of, and reading goes on with the next line. */
async function* records(source: Source, delimiter: string, start: Place): AsyncGenerator<CsvRow> {
  let place = start
  for (let problems = 0; ; problems += 1) {
    if (problems > MOST_PROBLEMS) throw unreadable('imports.csv.notText', source)
    const stopped = yield* readable(source, delimiter, place)
    if (!stopped) return
    const next = await lineAfter(source, stopped.place)
    yield { line: next.line, values: [], end: next.offset, problem: problemOf(stopped.error) }
    place = next
  }
}

/** The records up to the first that cannot be read. */
async function* readable(source: Source, delimiter: string, start: Place) {
  const ready: CsvRow[] = []
  const lines = lineCounter(start)
  let place = start
  const parser = parse({
    bom: start.offset === 0,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
    // taken here and not from the stream, which forgets what it holds when an error comes
    on_record: (values: string[], info) => {
      const offset = start.offset + (info as unknown as Info).bytes
      // csv-parse's own count of lines is one too high for each CRLF inside quotation marks
      place = { offset, line: lines.at(offset) }
      ready.push({ line: lines.beginOf(values), values, end: offset })
      return null
    },
  })
  const failure = new Promise<CsvError>((resolve) =>
    parser.once('error', (error) => resolve(error as CsvError)),
  )
  const isDone = (work: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      failure,
      new Promise<undefined>((resolve) => work((error) => error || resolve(undefined))),
    ])
  for await (const chunk of source.read(start.offset)) {
    lines.take(chunk)
    const error = await isDone((done) => parser.write(chunk, done))
    yield* ready.splice(0)
    if (error) return { error, place }
  }
  parser.resume()
  const error = await isDone((done) => parser.once('end', done).end())
  yield* ready.splice(0)
  return error && { error, place }
}

const LF = 10
const breaksIn = (values: string[]) =>
  values.reduce((sum, value) => sum + value.split('\n').length - 1, 0)

/** Counts the line breaks that were read on the way to an offset. */
function lineCounter({ offset, line }: Place) {
  let chunk: Uint8Array = new Uint8Array()
  let base = offset
  let lines = line
  let isEnded = false
  const at = (end: number) => {
    for (; offset < end; offset += 1) {
      isEnded = chunk[offset - base] === LF
      if (isEnded) lines += 1
    }
    return lines
  }
  return {
    at,
    /** Of the record that ends where `at` was asked last. */
    beginOf: (values: string[]) => lines - breaksIn(values) + (isEnded ? 0 : 1),
    take(next: Uint8Array) {
      at(base + chunk.length)
      base += chunk.length
      chunk = next
    },
  }
}

/** Skips the line that begins at the place, and empty ones before it. */
async function lineAfter(source: Source, { offset, line }: Place): Promise<Place> {
  let at = offset
  let lines = line
  let isBegun = false
  for await (const chunk of source.read(offset)) {
    for (const byte of chunk) {
      at += 1
      if (byte === LF) lines += 1
      else if (byte !== 13) isBegun = true
      if (byte === LF && isBegun) return { offset: at, line: lines }
    }
  }
  return { offset: at, line: lines + 1 }
}

const problemOf = ({ code }: CsvError): Message =>
  code === 'CSV_MAX_RECORD_SIZE'
    ? { key: 'imports.reasons.tooLong' }
    : { key: 'imports.reasons.quotes' }
