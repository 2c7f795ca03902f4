import type { Kysely } from 'kysely'
import { Refusal } from '~/db/refusal'
import type { DB } from '~/db/types'
import { type ListName, needsClinic, takesUpdates } from '~/features/exchange/imports/lists'
import { fileList } from '~/features/exchange/imports/lists.server'
import { REJECTED_COLUMNS } from '~/features/exchange/imports/rejected-rows'
import { newTally } from '~/features/exchange/imports/tally'
import { CODE_SYSTEMS } from '~/records/problem'
import type { Actor } from '~/shared/actor'
import { sentence } from '~/shared/sentence'
import { WrongUsage } from '../command'
import { withDatabase } from '../database'
import { progress } from '../progress'
import {
  askedColumns,
  isOurs,
  mappingFor,
  openList,
  readingHelp,
  readingOptions,
  shownColumns,
} from './columns'
import { askedFormats, formatOptions, formatsFor, formatsHelp } from './formats'
import {
  clinicFor,
  importCommandContext,
  EXIT_CODES,
  type ImportKind,
  withReadableErrors,
  parseOptionChoice,
  operator,
  parseKind,
  REJECTED_ROWS,
  resolveFromUser,
  untilStopped,
} from './kind'
import { describe, rejectionFile } from './report'

const options = {
  ...readingOptions,
  clinic: { type: 'string' },
  user: { type: 'string' },
  update: { type: 'boolean' },
  ...formatOptions,
  system: { type: 'string' },
} as const

type Kind = {
  summary: string
  /** Records say who entered them, so a user answers for them. */
  needsUser?: true
  /** Known records get the values of the file without being asked for it. */
  alwaysUpdates?: true
}

const KINDS: Record<Exclude<ListName, 'patients'>, Kind> = {
  medicines: { summary: 'the drug catalogue' },
  stock: { summary: 'opening quantities of a clinic, batch by batch' },
  clinics: { summary: 'clinics, by their names' },
  departments: { summary: 'departments, by their clinics and names' },
  users: { summary: 'users with roles, by their e-mail addresses; without passwords' },
  codes: { summary: 'a list of codes for problems', alwaysUpdates: true },
  appointments: { summary: 'appointments to come', needsUser: true },
  visits: { summary: 'visits of earlier days', needsUser: true },
  vitals: { summary: 'vital signs of earlier days', needsUser: true },
}

const usageFor = (list: ListName, { needsUser }: Kind) =>
  [
    '<file.csv|file.xlsx>',
    ...(needsClinic(list) ? ['--clinic <name or id>'] : []),
    ...(needsUser ? ['--user <e-mail>'] : []),
    ...(takesUpdates(list) ? ['[--update]'] : []),
    ...(list === 'codes' ? ['[--system <code system>]'] : []),
    '[--map <column>=<field> …] [--check]',
  ].join(' ')

const helpFor = (list: ListName, { summary, needsUser, alwaysUpdates }: Kind) =>
  [
    `Imports ${summary}, from a CSV file or an Excel workbook. Columns are matched by their headings, in English,`,
    'Arabic or Spanish; the match is printed. Try it with --check first.\n',
    ...(needsClinic(list)
      ? ['  --clinic        the clinic of the rows, unless a column names another one']
      : []),
    ...(needsUser ? ['  --user          the administrator who answers for the records'] : []),
    ...(takesUpdates(list) && !alwaysUpdates
      ? ['  --update        gives records that are already in Sanad the values of the file']
      : []),
    ...(list === 'codes'
      ? [`  --system        of codes whose row names none: ${CODE_SYSTEMS.join(', ')}`]
      : []),
    formatsHelp,
    readingHelp,
    '',
    'It may be repeated: what is here already is not added twice. Ctrl-C stops it; run it again to go on.',
    EXIT_CODES,
  ].join('\n')

export const listKinds: Record<string, ImportKind> = Object.fromEntries(
  Object.entries(KINDS).map(([name, kind]) => [name, kindFor(name as ListName, kind)]),
)

function kindFor(list: ListName, kind: Kind): ImportKind {
  const usage = usageFor(list, kind)
  return {
    summary: kind.summary,
    usage,
    async run(name, args) {
      const parsed = parseKind(name, { usage, help: helpFor(list, kind), options }, args)
      if (!parsed) return
      const { values, file: path } = parsed
      const isDryRun = values.check ?? values['dry-run'] ?? false
      if (needsClinic(list) && !values.clinic)
        throw new WrongUsage('Name the clinic with --clinic.')
      if (kind.needsUser && !values.user)
        throw new WrongUsage('Name an administrator with --user: the records say who entered them.')
      const system = parseOptionChoice(CODE_SYSTEMS, 'system', values.system)
      const columns = askedColumns(values)
      const asked = askedFormats(values)
      await withDatabase((db) =>
        withReadableErrors(async () => {
          const clinic = values.clinic ? await clinicFor(db, values.clinic) : null
          const actor = values.user ? await administratorNamed(db, values.user) : operator
          const reader = await fileList(db, list)
          const { source, csv } = await openList(path, reader.headings, values)
          const mapping = await mappingFor(csv, reader.guess, columns)
          process.stdout.write(shownColumns(csv, mapping, reader.guess, columns))
          reader.require(csv, { mapping, ...(system && { codeSystem: system }) })
          const formats = await formatsFor(csv, mapping, { targets: reader.targets, asked })
          for (const [column, format] of Object.entries(formats))
            process.stdout.write(`${column} is read as ${format}.\n`)
          const tally = newTally(source.name)
          const own = csv.headers
            .map((header, at) => [header, at] as const)
            .filter(([header]) => !isOurs(header))
          const rejections = rejectionFile(
            `${list}-rejected`,
            [...own.map(([header]) => header), ...REJECTED_COLUMNS],
            values.report && resolveFromUser(values.report),
          )
          const signal = untilStopped()
          const bar = progress()
          try {
            await reader.run(
              { ...importCommandContext(db), actor },
              csv,
              {
                since: new Date(),
                clinicId: clinic?.id ?? null,
                mapping,
                formats,
                updates: kind.alwaysUpdates ?? values.update ?? false,
                ...(system && { codeSystem: system }),
              },
              tally,
              {
                isDryRun,
                signal,
                doubtful: () => Promise.resolve(),
                onProgress: (what, bytes, rows) =>
                  bar.show(what, bytes, source.size, `${rows.toLocaleString('en')} rows`),
                onRejected: (_file, { values: cells, line }, fate) =>
                  rejections.write([
                    ...own.map(([, at]) => cells[at] ?? ''),
                    String(line),
                    'reason' in fate ? sentence('en', fate.reason) : '',
                  ]),
              },
            )
            if (tally.rejected.length > 0) process.exitCode = REJECTED_ROWS
          } catch (error) {
            if (!signal.aborted) throw error
            process.exitCode = 130
          } finally {
            bar.end()
            const kept = await rejections.end()
            process.stdout.write(`${describe(tally)}\n`)
            if (kept)
              process.stdout.write(`Rejected rows, each with its line and the reason: ${kept}\n`)
          }
          if (isDryRun) process.stdout.write('Check, nothing was written.\n')
          else if (signal.aborted)
            process.stdout.write(
              'Stopped. Imported records are kept; run the same command again to continue.\n',
            )
        }),
      )
    },
  }
}

/** The administrator with this e-mail address, as the actor of the command. */
async function administratorNamed(db: Kysely<DB>, email: string): Promise<Actor> {
  const user = await db
    .selectFrom('users')
    .select(['id', 'name', 'role', 'clinic_id'])
    .where(({ eb, fn }) => eb(fn('lower', ['email']), '=', email.toLowerCase()))
    .where('role', 'in', ['admin', 'super_admin'])
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (!user) throw new Refusal(`There is no administrator with the e-mail address ${email}.`)
  return {
    userId: user.id,
    name: user.name,
    role: user.role as Actor['role'],
    language: 'en',
    clinicId: user.clinic_id,
    grants: {},
  }
}
