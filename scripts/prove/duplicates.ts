import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { connect } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import type { DB } from '~/db/types'
import { comparedWith, readSought } from '~/features/people/patients/duplicates/comparison.server'
import { LIKELY, POSSIBLE } from '~/features/people/patients/duplicates/likeness'
import { parsed, wholeNumber } from '../command'
import { prepare } from '../database'
import { duplicateSet, type RegistrationEntry } from './duplicate-sets'
import { registerAll } from './register-all'
import { interval, percent, type Proof } from './proof'

const help = `npm run prove -- duplicates [--seeds 2,3] [--people 4795] [--asked 1200] [--strangers 2400]
                             [--among 100000] [--levels]

  --seeds      the sets: the weights were estimated on set 1 (default: 2,3)
  --people     how many of each set (default: 4795)
  --asked      how many of each set are typed again (default: 1200)
  --strangers  how many who are not registered (default: 2400)
  --among      how many people the time is measured among, from set 4; 0 leaves it out (default: 100000)
  --levels     how often each level of agreement was met, for estimating the weights
`

/** What the registrar has typed: each search must find this share of the registered people. */
const SEARCHES: readonly {
  known: string
  fields: readonly (keyof RegistrationEntry)[]
  recall: number
}[] = [
  {
    known: 'name and birth',
    fields: ['given_name', 'surname', 'date_of_birth'],
    recall: 0.9,
  },
  {
    known: 'and town',
    fields: ['given_name', 'surname', 'date_of_birth', 'hometown'],
    recall: 0.93,
  },
  {
    known: 'and id',
    fields: ['given_name', 'surname', 'date_of_birth', 'hometown', 'government_id'],
    recall: 0.99,
  },
]
type Search = (typeof SEARCHES)[number]

/** The largest share of unregistered people with a suggested duplicate. */
const FALSE_ALARMS = 0.02
const THRESHOLDS = [-2, -1, 0, 1, 2, 3, 4, 5, 7, 9, 12]

const P95_MS = 30
const WARM_UP = 100
const TIMED = 500
/** Neither used to estimate the weights nor to measure what is found. */
const TIMED_SEED = 4

export const duplicates: Proof = {
  summary: 'likely duplicates: found, false alarms and time',
  async run(args) {
    const options = parseOptions(args)
    if (!options) {
      process.stdout.write(help)
      return 0
    }
    const folder = mkdtempSync(join(tmpdir(), 'sanad-prove-'))
    const postgres = await startEmbedded(openDataDirectory(folder))
    try {
      await prepare(postgres)
      const db = connect(postgres.ownerUrl, { max: 2, statementTimeout: 0 })
      let isKept = true
      try {
        for (const seed of options.seeds) isKept = (await proveSet(db, seed, options)) && isKept
        if (options.among) isKept = (await proveTime(db, options.among)) && isKept
      } finally {
        await db.destroy()
      }
      return isKept ? 0 : 1
    } finally {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type Options = {
  seeds: number[]
  people: number
  asked: number
  strangers: number
  among: number
  levels: boolean
}

/** Undefined if help is asked for. */
function parseOptions(args: string[]): Options | undefined {
  const options = {
    seeds: { type: 'string', default: '2,3' },
    people: { type: 'string', default: '4795' },
    asked: { type: 'string', default: '1200' },
    strangers: { type: 'string', default: '2400' },
    among: { type: 'string', default: '100000' },
    levels: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  const { values } = parsed(() => parseArgs({ args, options }))
  if (values.help) return undefined
  const people = wholeNumber('people', values.people, 1)
  return {
    seeds: values.seeds.split(',').map((seed) => wholeNumber('seeds', seed, 1)),
    people,
    asked: Math.min(wholeNumber('asked', values.asked, 1), people),
    strangers: wholeNumber('strangers', values.strangers, 1),
    among: wholeNumber('among', values.among, 0),
    levels: values.levels,
  }
}

/** What one search finds. */
type Outcome = {
  /** The score of the registered person who is typed again; -Infinity if the search misses them. */
  own: number
  ownLevels?: Record<string, string>
  /** The highest score of anyone; -Infinity if no one is compared. */
  highest: number
  highestLevels?: Record<string, string>
}
type Measured = Search & { registered: readonly Outcome[]; strangers: readonly Outcome[] }

/** Registers a set, searches it, prints what is found, and rolls back. Returns whether the goals are met. */
async function proveSet(db: Kysely<DB>, seed: number, options: Options): Promise<boolean> {
  const { pairs, strangers } = duplicateSet(seed, options.people, options.strangers)
  const trx = await db.startTransaction().execute()
  try {
    const ids = await registerAll(
      trx,
      pairs.map(({ registered }) => registered),
    )
    const all: Measured[] = []
    for (const search of SEARCHES) {
      const measured: Measured = {
        ...search,
        registered: await searchOutcomes(
          trx,
          search,
          pairs.slice(0, options.asked).map(({ typedAgain }) => typedAgain),
          ids,
        ),
        strangers: await searchOutcomes(trx, search, strangers, []),
      }
      all.push(measured)
      process.stdout.write(`Set ${seed}, ${formatSummary(measured)}\n`)
      if (options.levels) process.stdout.write(formatDetails(measured, { pairs, strangers }))
    }
    process.stdout.write(`\n${thresholdTable(all)}\n`)
    return all.every(
      (measured) =>
        recallAt(measured, POSSIBLE) >= measured.recall &&
        alarmsAt(measured, POSSIBLE) <= FALSE_ALARMS,
    )
  } finally {
    await trx.rollback().execute()
  }
}

async function searchOutcomes(
  db: Kysely<DB>,
  { fields }: Search,
  entries: readonly RegistrationEntry[],
  ids: readonly string[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [at, entry] of entries.entries()) {
    const typed = Object.fromEntries(fields.map((field) => [field, entry[field]]))
    outcomes.push(await searchOutcome(db, typed, ids[at]))
  }
  return outcomes
}

async function searchOutcome(
  db: Kysely<DB>,
  typed: Partial<RegistrationEntry>,
  id?: string,
): Promise<Outcome> {
  const sought = await readSought(db, typed)
  const compared = sought ? await comparedWith(db, sought, undefined) : []
  const own = compared.find((each) => each.id === id)
  const [highest] = compared.toSorted((a, b) => b.score - a.score)
  return {
    own: own?.score ?? -Infinity,
    ownLevels: own?.levels,
    highest: highest?.score ?? -Infinity,
    highestLevels: highest?.levels,
  }
}

const share = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length / all.length
const recallAt = ({ registered }: Measured, threshold: number) =>
  share(registered, ({ own }) => own >= threshold)
const alarmsAt = ({ strangers }: Measured, threshold: number) =>
  share(strangers, ({ highest }) => highest >= threshold)

function formatSummary(measured: Measured): string {
  const { known, registered, strangers, recall } = measured
  const [found, alarms] = [recallAt(measured, POSSIBLE), alarmsAt(measured, POSSIBLE)]
  return (
    `${known}: ${percent(found)} of ${registered.length} found` +
    `${interval(found, registered.length)} (goal ${percent(recall)}), ` +
    `${percent(recallAt(measured, LIKELY))} as likely; ` +
    `${percent(alarms)} of ${strangers.length} strangers raise an alarm` +
    `${interval(alarms, strangers.length)} (goal at most ${percent(FALSE_ALARMS)}); ` +
    `${percent(share(registered, ({ own }) => own > -Infinity))} compared at all`
  )
}

function thresholdTable(all: readonly Measured[]): string {
  const rows = all.flatMap((measured) =>
    THRESHOLDS.map(
      (threshold) =>
        `| ${measured.known} | ${threshold} | ${percent(recallAt(measured, threshold))} | ` +
        `${percent(alarmsAt(measured, threshold))} |\n`,
    ),
  )
  return `| known | threshold | found | false alarms |\n| --- | --- | --- | --- |\n${rows.join('')}`
}

type DuplicateSet = ReturnType<typeof duplicateSet>

/** The false alarms, the levels of agreement if every field is typed, and the first people missed. */
function formatDetails(
  { fields, ...measured }: Measured,
  { pairs, strangers }: DuplicateSet,
): string {
  const alarms = measured.strangers.flatMap(({ highest, highestLevels }, at) =>
    highest >= POSSIBLE
      ? [
          `  alarm ${highest}: ${Object.values(strangers[at]!).join(' ')} ${JSON.stringify(highestLevels)}\n`,
        ]
      : [],
  )
  const isEveryField = fields.includes('government_id')
  const missed = measured.registered.flatMap(({ own }, at) =>
    own < POSSIBLE ? [missedLine(pairs[at]!)] : [],
  )
  return [
    ...alarms,
    ...(isEveryField ? levelLines(measured.registered) : []),
    ...missed.slice(0, 40),
  ].join('')
}

function levelLines(outcomes: readonly Outcome[]): string[] {
  const counts = new Map<string, number>()
  for (const { ownLevels } of outcomes)
    for (const [field, level] of Object.entries(ownLevels ?? {})) {
      const key = `${field} ${level}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => `  ${key}: ${count}\n`)
}

function missedLine({ registered, typedAgain }: DuplicateSet['pairs'][number]): string {
  const [before, after] = [registered, typedAgain].map(
    (entry) =>
      `${entry.given_name} ${entry.surname} ${entry.date_of_birth} ${entry.hometown} ${entry.government_id}`,
  )
  return `  missed: ${before}   <>   ${after}\n`
}

/** How long a search takes, one after the other. */
async function proveTime(db: Kysely<DB>, among: number): Promise<boolean> {
  const { pairs } = duplicateSet(TIMED_SEED, among, 0)
  await registerAll(
    db,
    pairs.map(({ registered }) => registered),
  )
  await sql`vacuum analyze`.execute(db)
  const searches = WARM_UP + TIMED
  const times: number[] = []
  for (let i = 0; i < searches; i += 1) {
    const { typedAgain } = pairs[Math.floor((i * among) / searches)]!
    const started = performance.now()
    const sought = await readSought(db, typedAgain)
    if (sought) await comparedWith(db, sought, undefined)
    if (i >= WARM_UP) times.push(performance.now() - started)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p95] = [0.5, 0.95].map((part) => sorted[Math.ceil(part * sorted.length) - 1]!)
  process.stdout.write(
    `Among ${among.toLocaleString('en')} people: half of the answers within ${p50!.toFixed(1)} ms, ` +
      `95 % within ${p95!.toFixed(1)} ms (goal ${P95_MS} ms)\n`,
  )
  return p95! <= P95_MS
}
