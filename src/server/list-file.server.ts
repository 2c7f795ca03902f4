import { writeXlsxStream } from 'hucre/xlsx'
import type * as z from 'zod'
import { BYTE_ORDER_MARK, csvLine } from '~/shared/csv'
import { AppError, httpStatus } from '~/shared/errors'
import { type FileFormat, TOTAL_HEADER } from '~/shared/list-file'
import { sentence } from '~/shared/sentence'
import { forXml } from '~/shared/typed-text'
import { clinicToday } from '~/shared/zone'
import { letCallsGoFirst, longTurn, type Turn } from './admission.server'
import { contentDisposition } from './content-disposition'
import { clientInfo } from './http-client.server'
import { type Context, type Operation, parse } from './operation'
import { requestContext, toShow } from './serve.server'

/** `day`: yyyy-MM-dd. `moment`: yyyy-MM-dd HH:mm of the clinic's clock. */
export type ColumnKind = 'text' | 'day' | 'moment' | 'number'

/** A list with its headings; `title` names the sheet of a workbook and the file. */
export type ListSheet<Cell extends string | number = string> = {
  title: string
  headings: string[]
  rows: AsyncGenerator<Cell[]>
  /** By column, what its texts are; text where nothing is said. A workbook can sort and add these up. */
  kinds?: readonly ColumnKind[]
}
/** A number is a number in a workbook, so that it can be added up. */
type AnySheet = ListSheet<string | number>

/** A list as a file. `operation` checks the rights, counts the rows and writes the export into the audit trail. */
type ListFile<S extends z.ZodType<{ format: FileFormat }>> = {
  operation: Operation<z.input<S>, { total: number }>
  input: S
  sheet: (ctx: Context, input: z.output<S>) => AnySheet | Promise<AnySheet>
}

const types: Record<FileFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** Handles `GET ?format=csv|xlsx&language=…` with the list's filter. Errors are JSON. */
export const sendsFile =
  <S extends z.ZodType<{ format: FileFormat }>>({ operation, input, sheet }: ListFile<S>) =>
  async ({ request }: { request: Request }): Promise<Response> => {
    try {
      const ctx = await requestContext(request, 'web')
      const asked = Object.fromEntries(
        [...new URL(request.url).searchParams].filter(([, value]) => value !== ''),
      )
      const { total } = await operation(ctx, asked as z.input<S>)
      const wanted = parse(input, asked)
      request.signal.throwIfAborted()
      // the operation throws unless the user is signed in
      const list = await sheet(ctx as Context, wanted)
      const { userId } = ctx.actor!
      const turn = longTurn('files', userId, request.signal)
      const rows = inTurn(turn, whileWanted(list.rows, request.signal, userId))
      const name = `${list.title} ${clinicToday()}.${wanted.format}`
      return new Response(streamListFile({ ...list, rows }, wanted.format), {
        headers: {
          'content-type': types[wanted.format],
          'content-disposition': contentDisposition('attachment', name),
          'cache-control': 'no-store',
          [TOTAL_HEADER]: String(total),
        },
      })
    } catch (error) {
      // the client closed the connection
      if (error === request.signal.reason) throw error
      return refusal(error, request)
    }
  }

function refusal(error: unknown, request: Request): Response {
  const shown = toShow(error, clientInfo(request).requestId)
  if (!(shown instanceof AppError))
    return Response.json({ requestId: shown.requestId }, { status: 500 })
  const { text, code, retryAfter } = shown
  return Response.json(
    { key: text.key, values: text.values, message: sentence('en', text) },
    {
      status: httpStatus[code],
      ...(retryAfter && { headers: { 'retry-after': String(retryAfter) } }),
    },
  )
}

/** A query that is read row by row keeps its connection until the client has received all rows. */
async function* inTurn<Cell>(turn: Turn, rows: AsyncGenerator<Cell[]>) {
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  turn(() => {
    begun.resolve()
    return over.promise
  }).catch(begun.reject)
  await begun.promise
  try {
    yield* rows
  } finally {
    over.resolve()
  }
}

/** Rows after which calls of other users go first: some milliseconds of work. */
const PIECE = 100

/** Stops when the client closes the connection, instead of writing the whole workbook. */
async function* whileWanted<Cell>(
  rows: AsyncGenerator<Cell[]>,
  wanted: AbortSignal,
  userId: string,
) {
  let sent = 0
  for await (const row of rows) {
    wanted.throwIfAborted()
    if (sent % PIECE === 0) await letCallsGoFirst(userId)
    sent += 1
    yield row
  }
}

/** Streams the file; if the client stops reading, the query stops, too. */
export function streamListFile(sheet: AnySheet, format: FileFormat): ReadableStream<Uint8Array> {
  if (format === 'csv') return toByteStream(csvPieces(sheet))
  const { kinds = [] } = sheet
  return writeXlsxStream(writable(sheet.rows, kinds), {
    // Excel's rules for names of sheets
    name:
      sheet.title
        .replaceAll(/[\\/?*[\]:]/g, ' ')
        .slice(0, 31)
        .trim() || 'Sanad',
    columns: sheet.headings.map((header, at) => ({ header, ...FORMATS[kinds[at] ?? 'text'] })),
    freezePane: { rows: 1 },
  })
}

const FORMATS: Record<ColumnKind, { numFmt?: string }> = {
  text: {},
  day: { numFmt: 'yyyy-mm-dd' },
  moment: { numFmt: 'yyyy-mm-dd hh:mm' },
  number: {},
}

/** A workbook is XML, and a row of a phone may hold what XML cannot. */
async function* writable(rows: AnySheet['rows'], kinds: readonly ColumnKind[]) {
  for await (const row of rows)
    yield row.map((cell, at) =>
      typeof cell === 'string' ? typedCell(cell, kinds[at] ?? 'text') : cell,
    )
}

/** As many digits as a number of a workbook keeps. */
const NUMBER = /^-?\d{1,15}(\.\d{1,9})?$/
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d$/
const DAY = /^\d{4}-\d\d-\d\d$/
/** The first day that a workbook counts; its own calendar is wrong before March 1900. */
const FIRST_DAY = '1900-03-01'

/** What is not written as its column says ("about 1968", "61 kg") stays text. */
function typedCell(text: string, kind: ColumnKind): string | number | Date {
  if (kind === 'number' && NUMBER.test(text) && text.replaceAll(/\D/g, '').length <= 15)
    return Number(text)
  const isMoment = kind === 'moment' && MOMENT.test(text)
  if ((isMoment || (kind === 'day' && DAY.test(text))) && text >= FIRST_DAY) {
    const at = Date.parse(`${text.slice(0, 10)}T${isMoment ? text.slice(11) : '00:00'}Z`)
    if (!Number.isNaN(at)) return new Date(at)
  }
  return forXml(text)
}

async function* csvPieces({ headings, rows }: AnySheet) {
  yield BYTE_ORDER_MARK + csvLine(headings)
  let lines = ''
  for await (const row of rows) {
    // a line is a row, so that the reader can count them
    lines += csvLine(row.map((cell) => String(cell).replace(/[\r\n]+/g, ' ')))
    if (lines.length < 16_384) continue
    yield lines
    lines = ''
  }
  if (lines) yield lines
}

/** Reads more only when the client has received enough. */
function toByteStream(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
