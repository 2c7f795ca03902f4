import { Socket } from 'node:net'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { Refusal } from '~/db/refusal'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; strict: true; allowPositionals: true }>
>['values']

type Command<O extends Options> = {
  /** As the user types it: "npm start". */
  name: string
  summary: string
  /** What follows the name: "<task> [options]". */
  usage?: string
  options?: O
  /** Passes everything after the first word to `run` unparsed. */
  passOn?: boolean
  /** More lines for `--help`. */
  help?: () => string
  run: (values: Values<O>, positionals: string[]) => Promise<void>
}

/** The caller's mistake in a command line: exit code 2. */
export class WrongUsage extends Error {}

/** What `read` parses of a command line. Throws `WrongUsage` with what is wrong. */
export function parsed<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new WrongUsage((error as Error).message)
  }
}

/** The value of `--name`. Throws `WrongUsage` unless it is a whole number of at least `least`. */
export function wholeNumber(name: string, text: string | undefined, least: number): number {
  const number = text?.trim() ? Number(text) : NaN
  if (!Number.isInteger(number) || number < least)
    throw new WrongUsage(`--${name} must be a whole number of at least ${least}.`)
  return number
}

/**
 * Runs a command: parses, answers `--help`, turns errors into sentences. Exit codes: 0 done, 1
 * failed, 2 wrong usage.
 */
export async function command<O extends Options>(spec: Command<O>): Promise<void> {
  try {
    const { values, positionals } = parse(spec)
    if ('help' in values && values.help) {
      process.stdout.write(formatCommandHelp(spec))
      return
    }
    await spec.run(values as Values<O>, positionals)
  } catch (error) {
    report(error, spec.name)
    process.exit(error instanceof WrongUsage ? 2 : 1)
  }
}

/** Calls `end` once when the parent process has ended, for any reason. */
export function whenAbandoned(end: () => void) {
  const fd = Number(process.env.SANAD_LIFELINE_FD)
  delete process.env.SANAD_LIFELINE_FD // child processes must not inherit it
  if (!fd) return
  const lifeline = new Socket({ fd, readable: true, writable: false })
  lifeline
    .on('error', () => {})
    .once('close', end)
    .resume()
    .unref()
}

export function report(error: unknown, name: string) {
  if (error instanceof WrongUsage) process.stderr.write(`${error.message}\nSee ${name} -- --help\n`)
  else if (error instanceof Refusal) process.stderr.write(`${error.message}\n`)
  else
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
}

function parse<O extends Options>(spec: Command<O>) {
  const argv = process.argv.slice(2)
  if (spec.passOn && !argv[0]?.startsWith('-')) return { values: {}, positionals: argv }
  const options: Options = { ...spec.options, help: { type: 'boolean', short: 'h' } }
  return parsed(() => parseArgs({ options, strict: true, allowPositionals: Boolean(spec.usage) }))
}

function formatCommandHelp<O extends Options>({
  name,
  summary,
  usage = '',
  options = {} as O,
  help,
}: Command<O>) {
  const flags = Object.entries(options).map(
    ([key, { type }]) => `  --${key}${type === 'string' ? ' <value>' : ''}`,
  )
  return [
    `${name} ${usage}`.trim(),
    '',
    summary,
    ...(flags.length ? ['', ...flags] : []),
    ...(help ? ['', help()] : []),
    '',
  ].join('\n')
}
