import { resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { clinicNamed, openClinicNames } from '~/features/office/clinics/named.server'
import { Refusal } from '~/db/refusal'
import { type Delimiter, DELIMITER_NAMES, DELIMITERS } from '~/features/exchange/imports/import'
import type { OpenContext } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { newId } from '~/shared/id'
import { sentence } from '~/shared/sentence'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { parsed, WrongUsage, whenAbandoned } from '../command'

export type ImportKind = {
  summary: string
  usage: string
  run: (name: string, args: string[]) => Promise<void>
}

/** The exit code of a command that left out rows. */
export const REJECTED_ROWS = 3
export const EXIT_CODES = `Exit codes: 0 every row was taken or is here already, ${REJECTED_ROWS} rows were rejected,
1 the file was refused, 2 a wrong option, 130 stopped with Ctrl-C.`

type Options = NonNullable<ParseArgsConfig['options']>

/** Parses what follows the kind's name; undefined when its help was asked for, and has been printed. */
export function parseKind<O extends Options>(
  name: string,
  kind: { usage: string; help: string; options: O },
  args: string[],
) {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args,
      options: { ...kind.options, help: { type: 'boolean', short: 'h' } } as O & {
        help: { type: 'boolean' }
      },
      allowPositionals: true,
      strict: true,
    }),
  )
  if (!(values as Partial<Record<string, unknown>>)['help'])
    return { values, file: onlyOne(name, kind.usage, positionals) }
  process.stdout.write(`npm run import -- ${name} ${kind.usage}\n\n${kind.help}\n`)
  return undefined
}

function onlyOne(name: string, usage: string, positionals: string[]) {
  const [first, ...more] = positionals
  if (!first || more.length) throw new WrongUsage(`Usage: npm run import -- ${name} ${usage}`)
  return resolveFromUser(first)
}

/** An absolute path. npm runs commands in the checkout, but the user types paths relative to their own folder. */
export const resolveFromUser = (path: string) =>
  resolve(process.env.INIT_CWD ?? process.cwd(), path)

/** A user who runs commands on the server may do everything there. */
export const operator: Actor = {
  userId: '00000000-0000-0000-0000-000000000000',
  name: 'npm run import',
  role: 'super_admin',
  language: 'en',
  clinicId: null,
  grants: {},
}

/** A command has no signed-in user: the audit trail says "command" without a name. */
export const importCommandContext = (db: Kysely<DB>): OpenContext => ({
  db,
  actor: null,
  request: { id: newId(), via: 'command', address: '', headers: new Headers() },
})

/** An AppError is one sentence at a terminal, too. */
export async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const all = [error.text, ...Object.values(error.fields)]
    throw new Refusal(all.map((text) => sentence('en', text)).join('. '), { cause: error })
  }
}

/** The clinic with this name or id. Throws a Refusal that names the existing ones. */
export async function clinicFor(db: Kysely<DB>, nameOrId: string) {
  return withReadableErrors(() => clinicNamed(db, nameOrId)).catch(async (error: Refusal) => {
    const there = await openClinicNames(db, 10)
    throw new Refusal(
      there.length
        ? `${error.message}: "${nameOrId}". There is ${there.map((name) => `"${name}"`).join(', ')}.`
        : `${error.message}: "${nameOrId}". There is none yet: open Sanad and set it up first.`,
      { cause: error },
    )
  })
}

/** Ctrl-C, or the end of the parent process: the current batch is finished, then the work stops. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController()
  let since: number | undefined
  const ask = () => {
    // the terminal, npm and our parent each pass on the same Ctrl-C
    if (since !== undefined && Date.now() - since > 1_000) process.exit(130)
    since ??= Date.now()
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)
  whenAbandoned(ask)
  return stop.signal
}

export function parseOptionChoice<T extends string>(
  values: readonly T[],
  option: string,
  value: string | undefined,
): T | undefined {
  const known = values.find((one) => one === value)
  if (value !== undefined && !known)
    throw new WrongUsage(`--${option} must be one of ${values.join(', ')}.`)
  return known
}

/** A delimiter by its name or as itself. */
export function parseDelimiter(value: string | undefined): Delimiter | undefined {
  const itself = Object.values(DELIMITERS).find((delimiter) => delimiter === value)
  const name = itself ? undefined : parseOptionChoice(DELIMITER_NAMES, 'delimiter', value)
  return itself ?? (name && DELIMITERS[name])
}
