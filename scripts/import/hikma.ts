import {
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
  type WriteStream,
} from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { openConnection } from '~/db/connect'
import { diskFull, Refusal, saysDiskFull } from '~/db/refusal'
import { importHikma } from '~/features/exchange/imports/hikma/hikma.server'
import { reportPage } from '~/features/exchange/imports/hikma/report'
import type { Rule } from '~/features/exchange/imports/former-rules'
import { type HikmaReport, newReport, type TableTally } from '~/features/exchange/imports/hikma/run'
import { sourceText } from '~/features/exchange/imports/hikma/reading'
import { type HikmaSource, openHikma } from '~/features/exchange/imports/hikma/source.server'
import { env } from '~/server/env'
import { WrongUsage } from '../command'
import { withDatabase } from '../database'
import { progress } from '../progress'
import { tidying } from './memory'
import { rejectionFile } from './report'
import { compare } from './comparison/compare'
import { comparisonJson, comparisonPage } from './comparison/page'
import {
  importCommandContext,
  type ImportKind,
  withReadableErrors,
  parseKind,
  resolveFromUser,
  untilStopped,
} from './kind'

const usage = '<postgres-url> [--files <folder>] [--dry-run | --compare] [--report <file>]'
const help = `Brings over a Hikma Health server from its PostgreSQL database: clinics, users with their
passwords, forms, medicines and stock, patients and their records. Ids stay, so phones keep their data. The old
database is only read.

  <postgres-url>  as postgres://user:password@host:5432/database
  --files         a folder with the photos and files of the old server, by their names; addresses are not fetched
  --dry-run       does everything and takes it back: says what would happen
  --compare       imports nothing: compares every value of both databases, by other code than the import's
  --report        where the report is written, as JSON and HTML (default: imports/ in the data directory)

Rows that have no place in Sanad go as they are into hikma-unplaced.ndjson, what was converted into
hikma-notes.ndjson, both in imports/ of the data directory and readable only by its owner. Beside them,
hikma-for-a-clinician-<time>.csv lists the words of diagnoses and allergies that a clinician has to interpret.

It may be repeated while the old server stays in use: only what changed there since is taken, and what was
changed in Sanad stays. Ctrl-C stops it; run it again to go on.

Exit codes: 0 done, 1 failed or compared with an unexplained difference, 2 wrong usage, 130 stopped.`
const options = {
  files: { type: 'string' },
  report: { type: 'string' },
  'dry-run': { type: 'boolean' },
  compare: { type: 'boolean' },
} as const

export const hikmaImport: ImportKind = {
  summary: 'everything of a Hikma Health server, from its database',
  usage,
  async run(name, args) {
    // the kind resolves paths; an address is none
    const [url, rest] = addressIn(args)
    const parsed = parseKind(name, { usage, help, options }, url ? ['-', ...rest] : args)
    if (!parsed) return
    if (!url) throw new WrongUsage(`Usage: npm run import -- ${name} ${usage}`)
    const isDryRun = parsed.values['dry-run'] ?? false
    const files = parsed.values.files && resolveFromUser(parsed.values.files)
    if (files && !statSync(files, { throwIfNoEntry: false })?.isDirectory())
      throw new WrongUsage(`There is no folder ${files}.`)
    if (parsed.values.compare && (isDryRun || files))
      throw new WrongUsage('--compare imports nothing, so it takes neither --dry-run nor --files.')
    const source = await openHikma(url)
    try {
      if (parsed.values.compare) return await compareBoth(url, source, parsed.values.report)
      await withDatabase((db) =>
        withReadableErrors(async () => {
          const started = Date.now()
          const bar = progress()
          const report = newReport()
          const unplaced = lines('hikma-unplaced.ndjson')
          const notes = lines('hikma-notes.ndjson')
          const forClinician = rejectionFile('hikma-for-a-clinician', CLINICIAN_COLUMNS)
          const signal = untilStopped()
          const tidy = tidying()
          if (source.missing.length > 0)
            process.stdout.write(
              `This server lacks, and the default is taken: ${source.missing.join(', ')}\n`,
            )
          const failure: unknown = await importHikma(importCommandContext(db), source, report, {
            isDryRun,
            files,
            signal,
            onProgress(table, done, total) {
              bar.show(table, done, total, `${done.toLocaleString('en')} rows`)
              tidy()
            },
            onUnplaced: (table, row, reason) => unplaced.write({ table, reason, row }),
            async onNote(table, id, note) {
              await notes.write({ table, id, ...note })
              if (note.patientId)
                await forClinician.write([
                  note.patientId,
                  table,
                  id,
                  note.column ?? '',
                  sourceText(note.value ?? ''),
                  WORK_LEFT[note.rule] ?? note.rule,
                ])
            },
            onDifference: (table, difference) =>
              notes.write({ table, rule: 'changedOnBothSides', ...difference }),
          }).then(
            () => undefined,
            (error: unknown) => error,
          )
          bar.end()
          const isFailed = failure !== undefined && !signal.aborted
          if (signal.aborted) process.exitCode = 130
          try {
            const written = [await unplaced.end(), await notes.end(), await forClinician.end()]
            process.stdout.write(`${described(report)}\n`)
            if (written[0]) process.stdout.write(`Unplaced rows: ${written[0]}\n`)
            if (written[1]) process.stdout.write(`Conversions and differences: ${written[1]}\n`)
            if (written[2])
              process.stdout.write(`Words that a clinician has to interpret: ${written[2]}\n`)
            writeBoth(
              parsed.values.report,
              'hikma-report',
              JSON.stringify(report, null, 2),
              reportPage(report, new Date()),
            )
          } catch (error) {
            // on a full disk neither can be written
            throw explained(isFailed ? failure : error)
          }
          if (isFailed) throw explained(failure)
          const seconds = ((Date.now() - started) / 1000).toFixed(1)
          process.stdout.write(ending(isDryRun, signal.aborted, report.hasNews, seconds))
        }),
      )
    } finally {
      await source.end()
    }
  },
}

const CLINICIAN_COLUMNS = ['patient', 'table', 'id', 'column', 'word in Hikma', 'what to do']
/** What is left to do for a word that has no meaning in Sanad, by the rule of its note. */
const WORK_LEFT: Partial<Record<Rule, string>> = {
  unknownStatus: 'Sanad does not know this word. Set the status or the certainty of the entry.',
  unknownPriority: 'Sanad does not know this word. Set the priority of the prescription.',
  unknownSeverity: 'Sanad does not know this word. Set the severity; the word is in the notes.',
  withdrawn: 'Entered in error: the entry is in the trash. Restore it only if it is true.',
  unknownSex: 'Sanad does not know this word. Set the sex of the patient.',
  unknownCodeSystem: 'The problem has a name and no code that Sanad knows. Choose its code.',
  codeAlone: 'The substance had a code and no name. Enter the name.',
}

/** Reads both databases side by side (docs/exchange.md, "Comparison"). */
async function compareBoth(url: string, { missing }: HikmaSource, report: string | undefined) {
  if (missing.length > 0)
    throw new Refusal(
      'An older server cannot be compared: it lacks ' +
        `${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ' and more' : ''}.`,
    )
  await withDatabase(async (_db, ownerUrl) => {
    const [hikma, sanad] = await Promise.all(
      [url, ownerUrl].map((each) =>
        openConnection(each, { statementTimeout: 0, name: 'sanad compare' }),
      ),
    )
    const differences = lines('hikma-differences.ndjson')
    try {
      const comparison = await compare(hikma!, sanad!, differences.write)
      const file = await differences.end()
      const { unexplained, changedHere } = comparison
      writeBoth(
        report,
        'hikma-comparison',
        comparisonJson(comparison),
        comparisonPage(comparison, new Date()),
      )
      if (file) process.stdout.write(`Differences: ${file}\n`)
      process.stdout.write(
        `${number(unexplained)} unexplained difference${unexplained === 1 ? '' : 's'}, ` +
          `${number(changedHere)} in rows that were changed in Sanad.\n`,
      )
      if (unexplained > 0) process.exitCode = 1
    } finally {
      await Promise.all([hikma!.end(), sanad!.end()])
    }
  })
}

function addressIn(args: readonly string[]): [string | undefined, string[]] {
  const at = args.findIndex((one) => /^postgres(ql)?:/.test(one))
  return at < 0 ? [undefined, [...args]] : [args[at], args.toSpliced(at, 1)]
}

function ending(isDryRun: boolean, isStopped: boolean, hasNews: boolean, seconds: string) {
  if (isStopped)
    return `Stopped after ${seconds} s. ${
      isDryRun
        ? 'Nothing was written.'
        : 'Imported rows are kept; run the same command again to continue.'
    }\n`
  if (isDryRun) return `Dry run, nothing was written (${seconds} s).\n`
  return hasNews ? `Moved in, in ${seconds} s.\n` : `Nothing new at the source (${seconds} s).\n`
}

const number = (value: number) => value.toLocaleString('en')

function described({ tables, counted }: HikmaReport): string {
  const line = ({
    table,
    rows,
    inserted,
    updated,
    deleted,
    unchanged,
    unplaced,
    differences,
  }: TableTally) =>
    `${table}: ${number(rows)} rows: ${number(inserted)} new, ${number(updated)} changed, ` +
    `${number(deleted)} deleted, ${number(unchanged)} as before, ${number(unplaced)} unplaced` +
    (differences > 0 ? `, ${number(differences)} values changed on both sides (Sanad's stay)` : '')
  return [
    ...tables.map(line),
    ...Object.entries(counted).map(([table, rows]) => `${table}: ${number(rows)} rows, not taken`),
  ].join('\n')
}

/** What an earlier run wrote keeps the time of its last line in its name. */
function keepEarlier(file: string) {
  if (!existsSync(file)) return
  const at = statSync(file).mtime.toISOString().slice(0, 19).replaceAll(':', '')
  renameSync(file, file.replace(/\.ndjson$/, `-${at}.ndjson`))
}

/** JSON lines, in a file of their owner's only; made when the first comes. */
function lines(name: string) {
  const file = join(env().dataDir, 'imports', name)
  let out: WriteStream | undefined
  let failure: unknown
  return {
    async write(value: unknown) {
      if (!out) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        keepEarlier(file)
        out = createWriteStream(file, { mode: 0o600 })
        out.on('error', (error) => {
          failure = error
        })
      }
      if (failure) throw failure
      if (!out.write(`${JSON.stringify(value)}\n`)) await once(out, 'drain')
    },
    async end(): Promise<string | undefined> {
      if (!out) return undefined
      out.end()
      if (!out.closed) await once(out, 'close')
      if (failure) throw failure
      return file
    },
  }
}

/** As JSON, and beside it as a page to read. */
function writeBoth(path: string | undefined, name: string, data: string, html: string) {
  const file = path ? resolveFromUser(path) : join(env().dataDir, 'imports', `${name}.json`)
  const page = `${file.replace(/\.(json|html)$/, '')}.html`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const json = page === file ? `${file.slice(0, -'.html'.length)}.json` : file
  writeFileSync(json, `${data}\n`, { mode: 0o600 })
  writeFileSync(page, html, { mode: 0o600 })
  process.stdout.write(`Report: ${json} and ${page}\n`)
}

/** PostgreSQL's code of a full disk, and of a connection that has ended. */
function explained(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === '53100' || saysDiskFull(`${code} ${message}`)) return diskFull("Sanad's data")
  const isLost = /^Connection (?:terminated|ended)|not queryable/.test(message)
  if (/^(08|57P0)|ECONN|EPIPE/.test(code) || isLost)
    return isDiskFull()
      ? diskFull("Sanad's data")
      : new Refusal(
          "The connection to Sanad's database was lost. Imported rows are kept; " +
            'run the same command again to continue.',
          { cause: error },
        )
  return error
}

/** PostgreSQL ends all connections where it cannot write its log; each file of that has 16 MB. */
function isDiskFull() {
  const { bavail, bsize } = statfsSync(env().dataDir)
  return bavail * bsize < 16 * 1024 * 1024
}
