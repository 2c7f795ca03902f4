import { type WriteStream, createWriteStream, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { openConnection } from '~/db/connect'
import { diskFull, Refusal, saysDiskFull } from '~/db/refusal'
import { importHikma } from '~/features/people/imports/hikma/hikma.server'
import { reportPage } from '~/features/people/imports/hikma/report'
import { type HikmaReport, newReport, type TableTally } from '~/features/people/imports/hikma/run'
import { openHikma } from '~/features/people/imports/hikma/source.server'
import { env } from '~/server/env'
import { WrongUsage } from '../command'
import { withDatabase } from '../database'
import { progress } from '../progress'
import {
  commandContext,
  type ImportKind,
  inWords,
  parseKind,
  resolveFromUser,
  untilStopped,
} from './kind'

const usage = '<postgres-url> [--files <folder>] [--dry-run] [--report <file>]'
const help = `Brings over a Hikma Health server from its PostgreSQL database: clinics, users with their
passwords, forms, medicines and stock, patients and their records. Ids stay, so phones keep their data. The old
database is only read.

  <postgres-url>  as postgres://user:password@host:5432/database
  --files         a folder with the photos and files of the old server, by their names; addresses are not fetched
  --dry-run       does everything and takes it back: says what would happen
  --report        where the report is written, as JSON and HTML (default: imports/ in the data directory)

Rows that have no place in Sanad go as they are into hikma-unplaced.ndjson, what was converted into
hikma-notes.ndjson, both in imports/ of the data directory and readable only by its owner.

It may be repeated while the old server stays in use: only what changed there since is taken, and what was
changed in Sanad stays. Ctrl-C stops it; run it again to go on.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped.`
const options = {
  files: { type: 'string' },
  report: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

export const hikma: ImportKind = {
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
    const source = await openHikma(url)
    try {
      await withDatabase((db, ownerUrl) =>
        inWords(async () => {
          if (!isDryRun) await startPullsBeyondTime(ownerUrl)
          const started = Date.now()
          const bar = progress()
          const report = newReport()
          const unplaced = lines('hikma-unplaced.ndjson')
          const notes = lines('hikma-notes.ndjson')
          const signal = untilStopped()
          if (source.missing.length > 0)
            process.stdout.write(
              `This server lacks, and the default is taken: ${source.missing.join(', ')}\n`,
            )
          try {
            await importHikma(commandContext(db), source, report, {
              isDryRun,
              files,
              signal,
              onProgress: (table, done, total) =>
                bar.show(table, done, total, `${done.toLocaleString('en')} rows`),
              onUnplaced: (table, row, reason) => unplaced.write({ table, reason, row }),
              onNote: (table, id, note) => notes.write({ table, id, ...note }),
              onDifference: (table, difference) =>
                notes.write({ table, rule: 'changedOnBothSides', ...difference }),
            })
          } catch (error) {
            if (!signal.aborted) throw explained(error)
            process.exitCode = 130
          } finally {
            bar.end()
            const files = [await unplaced.end(), await notes.end()]
            process.stdout.write(`${described(report)}\n`)
            if (files[0]) process.stdout.write(`Unplaced rows: ${files[0]}\n`)
            if (files[1]) process.stdout.write(`Conversions and differences: ${files[1]}\n`)
            writeReport(report, parsed.values.report)
          }
          const seconds = ((Date.now() - started) / 1000).toFixed(1)
          process.stdout.write(ending(isDryRun, signal.aborted, report.hasNews, seconds))
        }),
      )
    } finally {
      await source.end()
    }
  },
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

/** JSON lines, in a file of their owner's only; made when the first comes. */
function lines(name: string) {
  const file = join(env().dataDir, 'imports', name)
  let out: WriteStream | undefined
  let failure: unknown
  return {
    async write(value: unknown) {
      if (!out) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
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
      return file
    },
  }
}

/** As JSON, and beside it as a page to read. */
function writeReport(report: HikmaReport, path: string | undefined) {
  const file = path ? resolveFromUser(path) : join(env().dataDir, 'imports', 'hikma-report.json')
  const page = `${file.replace(/\.(json|html)$/, '')}.html`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const json = page === file ? `${file.slice(0, -'.html'.length)}.json` : file
  writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
  writeFileSync(page, reportPage(report, new Date()), { mode: 0o600 })
  process.stdout.write(`Report: ${json} and ${page}\n`)
}

/** PostgreSQL's code of a full disk, and of a connection that has ended. */
function explained(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === '53100' || saysDiskFull(`${code} ${message}`)) return diskFull("Sanad's data")
  if (/^(08|57P0)|ECONN|EPIPE/.test(code) || message.startsWith('Connection terminated'))
    return new Refusal(
      "The connection to Sanad's database was lost. Imported rows are kept; run the same command again to continue.",
      { cause: error },
    )
  return error
}

/** The pull numbers of phones from 2^42 on: a phone of the old server sends a time, in 13 digits, as its last pull. */
const PULLS_BEYOND_TIME = 2 ** 42 / 2 ** 20

async function startPullsBeyondTime(ownerUrl: string) {
  const owner = await openConnection(ownerUrl, { name: 'sanad import' })
  try {
    await owner.query(
      `select setval('sync_pull_numbers', $1) from sync_pull_numbers
       where case when is_called then last_value else 0 end < $1`,
      [PULLS_BEYOND_TIME],
    )
  } finally {
    await owner.end()
  }
}
