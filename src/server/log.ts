import pino from 'pino'
import { errorCode } from '~/db/error-code'
import { perProcess } from '~/db/per-process'
import { logLevels } from './env'
import { errorReporter, parseDsn } from './error-report'

// read leniently: a wrong setting is refused where settings are read, in one sentence
const level = logLevels.find((known) => known === process.env.SANAD_LOG_LEVEL) ?? 'info'

/** Bytes that wait for space on a full disk; lines beyond that are dropped. */
const MOST_WAITING = 256 * 1024

const dsn = parseDsn(process.env['SENTRY_DSN'] ?? '')
const report =
  dsn && errorReporter(dsn, (reason) => log.warn({ reason }, 'an error could not be reported'))

/**
 * Writes JSON lines to stderr, or short lines for people when that is a terminal. Never log typed text, a
 * name, a query string or a body: ids of records and requests, counts and codes are enough to follow what happened.
 * An error that is logged goes to SENTRY_DSN as well, where that is set.
 */
export const log: pino.Logger = perProcess('log', () =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (levelName) => ({ level: levelName }) },
      serializers: { err: loggableError },
      hooks: {
        logMethod(args, method, levelNumber) {
          const [line] = args as unknown as [{ err?: unknown; requestId?: string; id?: string }] // as it was called
          if (report && levelNumber >= pino.levels.values['error']! && line.err) {
            void report(line.err, { requestId: line.requestId ?? line.id })
          }
          method.apply(this, args)
        },
      },
    },
    process.stderr.isTTY
      ? { write: (line: string) => void process.stderr.write(forPeople(line)) }
      : lines(),
  ),
)

/** What the log says of an error beside its name, message and stack. */
const SAID = ['code', 'constraint', 'table', 'column', 'routine', 'syscall', 'path', 'address']

/**
 * An error without the values of records: PostgreSQL puts the whole row into `detail` and `where`, and a value that it
 * cannot read into the message, as JSON.parse does.
 */
export function loggableError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack, ...rest } = pino.stdSerializers.err(error)
  const facts = SAID.flatMap((name) => (name in rest ? [[name, rest[name] as unknown]] : []))
  const said = (text: string) =>
    errorCauses(error)
      .filter(isQuoting)
      .reduce(
        (left, cause) => left.replaceAll(cause.message, () => withoutQuotes(cause.message)),
        text,
      )
  return { type, message: said(message), stack: said(stack), ...Object.fromEntries(facts) }
}

function errorCauses(error: unknown): Error[] {
  const causes: Error[] = []
  for (let at = error; at instanceof Error && !causes.includes(at); at = at.cause) causes.push(at)
  return causes
}
/** 22 is the class of PostgreSQL's errors about values. */
const isQuoting = (error: Error) =>
  error.message !== '' && (error instanceof SyntaxError || errorCode(error).startsWith('22'))
const withoutQuotes = (text: string) => text.replaceAll(/"(.|\n)*"/g, '"…"')

/** A line that cannot be written, on a full disk, must not end the process. */
function lines() {
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING })
  stderr.on('error', () => {})
  return stderr
}

type Line = {
  level: string
  time: string
  msg?: string
  method?: string
  path?: string
  status?: number
  ms?: number
  err?: { stack?: string; message?: string }
}

function forPeople(json: string) {
  const {
    level: lineLevel,
    time,
    msg = '',
    method,
    path,
    status,
    ms,
    err,
  } = JSON.parse(json) as Line
  const clock = new Date(time).toTimeString().slice(0, 8)
  const mark = lineLevel === 'info' ? '' : `${lineLevel.toUpperCase()} `
  const request = method ? `${method} ${path} ${status} ${ms} ms` : msg
  return `${clock} ${mark}${request}${err ? `\n${err.stack ?? err.message}` : ''}\n`
}
