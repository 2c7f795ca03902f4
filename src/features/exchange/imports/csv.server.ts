import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { type CsvError, type Info, parse } from 'csv-parse'
import { AppError, type Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { decoded, type Encoding, detectEncoding, isUnreadable } from '~/shared/text-encoding'
import { type Delimiter, DELIMITERS } from './import'

/** The bytes of a file on disk or of one that a browser uploaded in parts. */
export type FileSource = {
  name: string
  size: number
  /** The bytes from this offset on. */
  read: (offset: number) => AsyncIterable<Uint8Array>
}

/**
 * A record of a file and its first line, counted from 1. With a `problem`, nothing of it is
 * imported.
 */
export type CsvRow = { line: number; values: string[]; end: number; problem?: Message }
/** `delimiter` is null for a workbook. */
export type Csv = {
  headers: string[]
  delimiter: Delimiter | null
  rows: () => AsyncGenerator<CsvRow>
}

/** A first line by Excel that names the delimiter and has no headings. */
const SEP_LINE = /^sep=([,;\t|])\r?\n/i

/** A longer record means an unclosed quotation mark. */
const LONGEST_RECORD = 1024 * 1024
/** With more unreadable records than this, the file is not CSV. */
const MOST_PROBLEMS = 1_000
const SAMPLE = 64 * 1024

export async function fileSource(path: string, name: string): Promise<FileSource> {
  const { size } = await stat(path)
  // opens the file now, so that "permission denied" comes before anything is written
  await (await open(path)).close()
  return { name, size, read: (start) => createReadStream(path, { start }) }
}

/**
 * Reads the first line of a file: columns in any order, the delimiter, LF or CRLF, an optional BOM,
 * line breaks inside quotation marks. Throws `invalid` if the file is not a table of text.
 */
export async function openCsv(
  source: FileSource,
  encoding?: Encoding | null,
  asked?: Delimiter,
): Promise<Csv> {
  const { delimiter, recordsFrom, start } = await openText(source, encoding, asked)
  for await (const head of recordsFrom(start)) {
    if (head.problem)
      throw unreadable(
        head.problem === GARBLED ? 'imports.csv.garbled' : 'imports.csv.noHeader',
        source,
      )
    if (head.values.every((header) => !header.trim()))
      throw unreadable('imports.csv.noHeader', source)
    return { headers: distinct(head.values), delimiter, rows: () => recordsFrom(after(head)) }
  }
  throw unreadable('imports.csv.empty', source)
}

/** Where the record after this one begins. */
const after = ({ end, line, values }: CsvRow): Place => ({
  offset: end,
  line: line + breaksIn(values),
})

/** A file as records from any place, in the given or the detected encoding and with the delimiter. */
export async function openText(source: FileSource, encoding?: Encoding | null, asked?: Delimiter) {
  const sample = await firstBytes(source, SAMPLE)
  if (sample.length === 0) throw unreadable('imports.csv.empty', source)
  const isCut = sample.length === SAMPLE
  const charset = encoding ?? detectEncoding(sample, isCut)
  const text = charset && decoded(sample, charset, isCut)
  if (text === undefined) throw unreadable('imports.csv.encoding', source)
  if (text.split('\n', 1)[0]!.includes('\0')) throw unreadable('imports.csv.notText', source)
  const named = SEP_LINE.exec(text)
  const delimiter = asked ?? (named?.[1] as Delimiter | undefined) ?? detectDelimiter(text)
  const start: Place = named
    ? { offset: Buffer.byteLength(named[0]) + byteOrderMark(sample, charset), line: 1 }
    : { offset: 0, line: 0 }
  const utf8: FileSource =
    charset === 'utf-8'
      ? source
      : { ...source, read: (offset) => recoded(source, charset!, offset) }
  return { delimiter, start, recordsFrom: (place: Place) => records(utf8, delimiter, place) }
}

/** A column without a heading, or with one that is already used, is named by its number. */
export function distinct(headings: readonly string[]): string[] {
  const headers: string[] = []
  for (const [at, heading] of headings.entries()) {
    const header = heading.trim()
    headers.push(header && !headers.includes(header) ? header : `${header} #${at + 1}`.trim())
  }
  return headers
}

export const unreadable = (key: MessageKey, { name }: FileSource) =>
  new AppError('invalid', { key, values: { file: name } })

export async function firstBytes(source: FileSource, count: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of source.read(0)) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= count) break
  }
  return Buffer.concat(chunks).subarray(0, count)
}

async function* recoded(source: FileSource, charset: Encoding, offset: number) {
  const decoder = new TextDecoder(charset)
  let skip = offset
  for await (const chunk of source.read(0)) {
    const bytes = Buffer.from(decoder.decode(chunk, { stream: true }))
    const from = Math.min(skip, bytes.length)
    skip -= from
    if (from < bytes.length) yield bytes.subarray(from)
  }
}

/** TextDecoder drops the BOM; a recoded file has none. */
const byteOrderMark = (sample: Buffer, charset: Encoding | undefined) =>
  charset === 'utf-8' && sample[0] === 0xef && sample[1] === 0xbb ? 3 : 0

const FIRST_LINES = 20

/** The delimiter that most of the first lines have, and of these the one that the first line uses most. */
function detectDelimiter(text: string): Delimiter {
  const lines = text
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]+/, FIRST_LINES)
    .filter(Boolean)
  const usedBy = (sign: string) => lines.filter((line) => line.includes(sign)).length
  const uses = (sign: string) => (lines[0] ?? '').split(sign).length
  return Object.values(DELIMITERS).toSorted(
    (a, b) => usedBy(b) - usedBy(a) || uses(b) - uses(a),
  )[0]!
}

type Place = { offset: number; line: number }

/**
 * All records after the offset. After an unreadable record, reading continues with the next line.
 */
async function* records(
  source: FileSource,
  delimiter: string,
  start: Place,
): AsyncGenerator<CsvRow> {
  let place = start
  for (let problems = 0; ; problems += 1) {
    if (problems > MOST_PROBLEMS) throw unreadable('imports.csv.notText', source)
    const stopped = yield* readable(source, delimiter, place)
    if (!stopped) return
    const next = await lineAfter(source, stopped.place)
    yield { line: next.line, values: [], end: next.offset, problem: csvProblem(stopped.error) }
    place = next
  }
}

/** The row stays in the list of rejected rows as it was read. */
export const GARBLED: Message = { key: 'imports.reasons.garbled' }

/** The records up to the first one that is no CSV. */
async function* readable(source: FileSource, delimiter: string, start: Place) {
  const ready: CsvRow[] = []
  const lines = lineCounter(start)
  let place = start
  const parser = parse({
    bom: start.offset === 0,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
    // read here and not from the stream, which drops its buffer on an error
    on_record: (values: string[], info) => {
      const offset = start.offset + (info as unknown as Info).bytes // csv-parse types `info` without `bytes`
      // csv-parse counts one line too many for each CRLF inside quotation marks
      place = { offset, line: lines.at(offset) }
      const row = { line: lines.beginOf(values), values, end: offset }
      ready.push(values.some(isUnreadable) ? { ...row, problem: GARBLED } : row)
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

/** Counts the line breaks before an offset. */
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
    /** The first line of the record that ends at the last offset passed to `at`. */
    beginOf: (values: string[]) => lines - breaksIn(values) + (isEnded ? 0 : 1),
    take(next: Uint8Array) {
      at(base + chunk.length)
      base += chunk.length
      chunk = next
    },
  }
}

/** Skips the line at the offset and the empty lines before it. */
async function lineAfter(source: FileSource, { offset, line }: Place): Promise<Place> {
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

const csvProblem = ({ code }: CsvError): Message =>
  code === 'CSV_MAX_RECORD_SIZE'
    ? { key: 'imports.reasons.tooLong' }
    : { key: 'imports.reasons.quotes' }
