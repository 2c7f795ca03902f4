import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { connect } from '~/db/connect'
import {
  alreadyRunning,
  openDataDirectory,
  takeDataDirectory,
} from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import type { DB } from '~/db/types'
import { fhirEverything } from '~/fhir/everything.server'
import type { ExportFile } from '~/fhir/export-files.server'
import { runFhirExports } from '~/fhir/export-run.server'
import { fhirExport } from '~/fhir/export.server'
import type { Fhir } from '~/fhir/resource'
import { RESOURCES } from '~/fhir/resources/all'
import { resourceFrom, runSearch } from '~/fhir/pages.server'
import { parseFhirSearch } from '~/fhir/search'
import { fhirSummary } from '~/fhir/summary.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { LANGUAGES } from '~/shared/language'
import { playRoundTrips, ROUND_TRIPS } from '../../test/fhir-rows'
import { adminCommandContext } from '../admin-context'
import { parsed, wholeNumber } from '../command'
import { prepare } from '../database'
import { writeSeed } from '../seed/seed'
import { loadValidator, missingPackages, type Validator } from './fhir/validator'
import type { Proof } from './proof'

const help = `npm run prove -- fhir [--patients 100000] [--data <folder>] [--base 2000] [--ips 200] [--rows 10000]

  --patients   how many are seeded (default: 100000)
  --data       instead, a data directory that \`npm run bench -- --keep\` or \`npm run seed\` left, without a server;
               the proof adds a user and an export to it
  --base       of how many each resource is validated against R4 (default: 2000)
  --ips        of how many the summary is validated against IPS 2.0.0 (default: 200)
  --rows       how many rows of each type make a round trip (default: 10000)

The validators have a package file of their own: npm install --prefix tools/fhir
`

const SITE = { base: 'https://clinic.example/api/fhir' }
/** Messages that are printed. */
const SHOWN = 20

export const fhir: Proof = {
  summary: 'FHIR resources against R4 and IPS, round trips, and a whole export',
  async run(args) {
    const options = parseOptions(args)
    if (!options) {
      process.stdout.write(help)
      return 0
    }
    const missing = missingPackages()
    if (missing.length > 0) {
      process.stderr.write(
        `The proof needs ${missing.join(', ')}. Install: npm install --prefix tools/fhir\n`,
      )
      return 3
    }
    for (const trip of ROUND_TRIPS) {
      playRoundTrips(trip, options.rows)
      say(`${trip.type}: ${options.rows.toLocaleString('en')} rows make the round trip`)
    }
    return (await validate(options)) ? 0 : 1
  },
}

type Options = Record<'patients' | 'base' | 'ips' | 'rows', number> & { data: string | undefined }

/** Undefined if help is asked for. */
function parseOptions(args: string[]): Options | undefined {
  const options = {
    patients: { type: 'string', default: '100000' },
    data: { type: 'string' },
    base: { type: 'string', default: '2000' },
    ips: { type: 'string', default: '200' },
    rows: { type: 'string', default: '10000' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  const { values } = parsed(() => parseArgs({ args, options }))
  if (values.help) return undefined
  return {
    patients: wholeNumber('patients', values.patients, 1),
    data: values.data && resolve(process.env['INIT_CWD'] ?? '.', values.data),
    base: wholeNumber('base', values.base, 1),
    ips: wholeNumber('ips', values.ips, 1),
    rows: wholeNumber('rows', values.rows, 1),
  }
}

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Validates a sample of a data directory, or of a seeded one of its own. Returns whether nothing was found. */
async function validate({ data, patients, base, ips }: Options): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-prove-'))
  const directory = openDataDirectory(data ?? folder)
  // the key of the instance is beside its database
  process.env['SANAD_DATA_DIR'] = directory.path
  const lock = takeDataDirectory(directory, { pid: process.pid, is: 'command' })
  if (!lock) throw alreadyRunning(directory)
  const postgres = await startEmbedded(directory)
  try {
    await prepare(postgres)
    const today = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`)
    if (data === undefined)
      await writeSeed(postgres.ownerUrl, { patients, seed: 'fhir', today, clinic: undefined })
    // an export holds its lock, its snapshot, and writes its progress
    const db = connect(postgres.ownerUrl, { max: 4, statementTimeout: 0 })
    try {
      // before the validators, whose definitions would hide what the export needs
      const isFast = await exportAll(db, folder)
      const ctx = adminCommandContext(db)
      const validator = await loadValidator()
      const tally = tallied()
      for (const id of await samplePatientIds(db, base))
        await everyResource(ctx, id, validator, tally)
      await ofNoPatient(ctx, validator, tally)
      for (const [at, id] of (await samplePatientIds(db, ips)).entries())
        await summary(ctx, id, LANGUAGES[at % LANGUAGES.length]!, validator, tally)
      return tally.report() && isFast
    } finally {
      await db.destroy()
    }
  } finally {
    await postgres.stop()
    lock.release()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Of an export of everything: resources in a second, and memory beyond what the process had before. */
const EXPORTED_PER_SECOND = 5000
const MORE_MB = 300

async function exportAll(db: Kysely<DB>, folder: string): Promise<boolean> {
  process.env['SANAD_FILES_DIR'] = join(folder, 'exported')
  const user = await db
    .insertInto('users')
    .values({
      id: newId(),
      name: 'Export',
      email: `export-${newId()}@clinic.example`,
      role: 'super_admin',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const ctx = adminCommandContext(db)
  const actor = { ...ctx.actor, userId: user.id }
  const { id } = await fhirExport(
    { ...ctx, actor },
    { scope: 'system', clinicId: null, parameters: [], request: SITE.base, base: SITE.base },
  )
  const before = process.memoryUsage().rss
  let highest = before
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
  }, 100)
  const started = performance.now()
  try {
    await runFhirExports(db)
  } finally {
    clearInterval(watch)
  }
  const seconds = (performance.now() - started) / 1000
  const { status, files } = await db
    .selectFrom('fhir_exports')
    .select(['status', 'files'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const lines = (files as ExportFile[]).reduce((sum, file) => sum + file.lines, 0)
  const grown = (highest - before) / 1024 / 1024
  say(
    `export: ${lines.toLocaleString('en')} resources in ${seconds.toFixed(1)} s, ` +
      `${Math.round(lines / seconds).toLocaleString('en')}/s, ${Math.round(grown)} MB more memory`,
  )
  return status === 'done' && lines / seconds >= EXPORTED_PER_SECOND && grown < MORE_MB
}

/** The same patients in each run on the same rows. */
async function samplePatientIds(db: Kysely<DB>, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from patients where not is_deleted
    order by md5(id::text) limit ${count}`.execute(db)
  return rows.map(({ id }) => id)
}

function tallied() {
  const counts = new Map<string, number>()
  const problems: string[] = []
  return {
    add(kind: string, found: readonly string[]) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      problems.push(...found)
    },
    report(): boolean {
      for (const [kind, count] of counts) say(`${kind}: ${count.toLocaleString('en')} validated`)
      // the same problem of many resources is one line
      const alike = Object.groupBy(problems, (problem) => problem.replace(/\/[\w-]+:/, ':'))
      for (const [problem, all = []] of Object.entries(alike).slice(0, SHOWN))
        say(`  ${all.length} × ${problem}, for example ${all[0]!.split(':', 1)[0]}`)
      say(`${problems.length.toLocaleString('en')} errors`)
      return problems.length === 0
    },
  }
}
type Tally = ReturnType<typeof tallied>

/** As a client receives it. */
const sent = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T

async function everyResource(ctx: Context, id: string, { base }: Validator, tally: Tally) {
  let next: string | undefined
  do {
    const page: Awaited<ReturnType<typeof fhirEverything>> = await fhirEverything(ctx, {
      id,
      parameters: [['_count', '1000'], ...(next ? [['_after', next] as [string, string]] : [])],
    })
    for (const found of page.found) {
      const resource = sent(resourceFrom(found, SITE))
      tally.add(resource.resourceType, base(resource))
    }
    next = page.next
  } while (next !== undefined)
}

/** The first page of each type that is about no patient. */
async function ofNoPatient(ctx: Context, { base }: Validator, tally: Tally) {
  for (const resource of RESOURCES.filter(({ patient }) => patient === null)) {
    const { found } = await runSearch(ctx, parseFhirSearch(resource, [['_count', '1000']], ctx))
    for (const each of found) tally.add(resource.type, base(sent(resourceFrom(each, SITE))))
  }
}

async function summary(
  ctx: Context,
  id: string,
  language: (typeof LANGUAGES)[number],
  { ips }: Validator,
  tally: Tally,
) {
  const actor = { ...ctx.actor, language }
  const { document } = await fhirSummary({ ...ctx, actor }, { id, base: SITE.base })
  tally.add('summaries (IPS)', ips(sent(document) as Fhir))
}
