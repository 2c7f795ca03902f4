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
import { WrongUsage } from '../command'
import { prepare } from '../database'
import { duplicateSet, type Entry } from './duplicate-sets'
import { registerAll } from './register-all'
import { interval, percent, type Proof } from './proof'

const help = `npm run prove -- duplicates [--seeds 2,3] [--people 4795] [--asked 1200] [--strangers 2400]
                             [--among 100000] [--levels]

  --seeds      the sets: the weights were estimated on set 1 (default: 2,3)
  --people     how many of each set (default: 4795)
  --asked      how many of each set are typed again (default: 1200)
  --strangers  how many who are not registered (default: 2400)
  --among      how many people the time is measured among; 0 leaves it out (default: 100000)
  --levels     how often each level of agreement was met, for estimating the weights
`

const GOALS = { 'name and birth': 0.9, 'and town': 0.93, 'and id': 0.99 }
const ALARMS = 0.02
const P95_MS = 30
const THRESHOLDS = [-2, -1, 0, 1, 2, 3, 4, 5, 7, 9, 12]

type Known = keyof typeof GOALS
const asked: Record<Known, (entry: Entry) => Partial<Entry>> = {
  'name and birth': ({ given_name, surname, date_of_birth }) => ({
    given_name,
    surname,
    date_of_birth,
  }),
  'and town': ({ given_name, surname, date_of_birth, hometown }) => ({
    given_name,
    surname,
    date_of_birth,
    hometown,
  }),
  'and id': ({ given_name, surname, date_of_birth, hometown, government_id }) => ({
    given_name,
    surname,
    date_of_birth,
    hometown,
    government_id,
  }),
}

export const duplicates: Proof = {
  summary: 'likely duplicates: found, false alarms and time',
  async run(args) {
    const options = {
      seeds: { type: 'string', default: '2,3' },
      people: { type: 'string', default: '4795' },
      asked: { type: 'string', default: '1200' },
      strangers: { type: 'string', default: '2400' },
      among: { type: 'string', default: '100000' },
      levels: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    } as const
    const { values } = parse(() => parseArgs({ args, options }))
    if (values.help) {
      process.stdout.write(help)
      return 0
    }
    const [people, strangers, among] = [values.people, values.strangers, values.among].map(Number)
    const folder = mkdtempSync(join(tmpdir(), 'sanad-prove-'))
    const postgres = await startEmbedded(openDataDirectory(folder))
    try {
      await prepare(postgres.url)
      const db = connect(postgres.url, { max: 2, statementTimeout: 0 })
      let isKept = true
      try {
        for (const seed of values.seeds.split(',').map(Number))
          isKept =
            (await proveSet(db, {
              seed,
              people: people!,
              asked: Math.min(Number(values.asked), people!),
              strangers: strangers!,
              levels: values.levels,
            })) && isKept
        if (among) isKept = (await proveTime(db, among)) && isKept
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

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new WrongUsage((error as Error).message)
  }
}

type Best = {
  own: number
  most: number
  mostLevels?: Record<string, string>
  levels?: Record<string, string>
}
type Which = { seed: number; people: number; asked: number; strangers: number; levels: boolean }

async function proveSet(
  db: Kysely<DB>,
  { seed, people, asked: count, strangers, levels }: Which,
): Promise<boolean> {
  const set = duplicateSet(seed, people, strangers)
  const trx = await db.startTransaction().execute()
  try {
    const ids = await registerAll(
      trx,
      set.pairs.map(({ registered }) => registered),
    )
    let isKept = true
    const rows: string[] = []
    const ways = Object.keys(GOALS) as Known[]
    for (const known of ways) {
      const found: Best[] = []
      for (const [i, { typedAgain }] of set.pairs.slice(0, count).entries())
        found.push(await bestOf(trx, asked[known](typedAgain), ids[i]))
      const alarms: Best[] = []
      for (const stranger of set.strangers) alarms.push(await bestOf(trx, asked[known](stranger)))
      const recallAt = (threshold: number) => share(found, ({ own }) => own >= threshold)
      const alarmsAt = (threshold: number) => share(alarms, ({ most }) => most >= threshold)
      isKept = isKept && recallAt(POSSIBLE) >= GOALS[known] && alarmsAt(POSSIBLE) <= ALARMS
      process.stdout.write(
        `Set ${seed}, ${known}: ${percent(recallAt(POSSIBLE))} of ${count} found` +
          `${interval(recallAt(POSSIBLE), count)} (goal ${percent(GOALS[known])}), ` +
          `${percent(recallAt(LIKELY))} as likely; ` +
          `${percent(alarmsAt(POSSIBLE))} of ${strangers} strangers raise an alarm` +
          `${interval(alarmsAt(POSSIBLE), strangers)} (goal at most ${percent(ALARMS)}); ` +
          `${percent(share(found, ({ own }) => own > -Infinity))} compared at all\n`,
      )
      if (levels)
        for (const [i, alarm] of alarms.entries())
          if (alarm.most >= POSSIBLE)
            process.stdout.write(
              `  alarm ${alarm.most}: ${Object.values(set.strangers[i]!).join(' ')} ` +
                `${JSON.stringify(alarm.mostLevels)}\n`,
            )
      for (const threshold of THRESHOLDS)
        rows.push(
          `| ${known} | ${threshold} | ${percent(recallAt(threshold))} | ${percent(alarmsAt(threshold))} |`,
        )
      if (levels && known === 'and id') process.stdout.write(levelTable(found))
      if (levels)
        process.stdout.write(
          missed(set.pairs.filter((_, i) => i < count && found[i]!.own < POSSIBLE)),
        )
    }
    process.stdout.write(
      `\n| known | threshold | found | false alarms |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n\n`,
    )
    return isKept
  } finally {
    await trx.rollback().execute()
  }
}

async function bestOf(db: Kysely<DB>, entry: Partial<Entry>, id?: string): Promise<Best> {
  const sought = await readSought(db, entry)
  const compared = sought ? await comparedWith(db, sought, undefined) : []
  const own = compared.find((each) => each.id === id)
  return {
    own: own?.score ?? -Infinity,
    most: Math.max(-Infinity, ...compared.map(({ score }) => score)),
    mostLevels: compared.toSorted((a, b) => b.score - a.score)[0]?.levels,
    levels: own?.levels,
  }
}

/** How long a registrar's question takes, one after the other. */
async function proveTime(db: Kysely<DB>, among: number): Promise<boolean> {
  const { pairs } = duplicateSet(4, among, 0)
  await registerAll(
    db,
    pairs.map(({ registered }) => registered),
  )
  await sql`vacuum analyze`.execute(db)
  const times: number[] = []
  for (let i = 0; i < 600; i += 1) {
    const { typedAgain } = pairs[Math.floor((i * among) / 600)]!
    const started = performance.now()
    const sought = await readSought(db, typedAgain)
    if (sought) await comparedWith(db, sought, undefined)
    if (i >= 100) times.push(performance.now() - started)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p95] = [0.5, 0.95].map((part) => sorted[Math.ceil(part * sorted.length) - 1]!)
  process.stdout.write(
    `Among ${among.toLocaleString('en')} people: half of the answers within ${p50!.toFixed(1)} ms, ` +
      `95 % within ${p95!.toFixed(1)} ms (goal ${P95_MS} ms)\n`,
  )
  return p95! <= P95_MS
}

const share = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length / all.length
function levelTable(found: readonly Best[]): string {
  const counts = new Map<string, number>()
  for (const { levels } of found)
    for (const [field, level] of Object.entries(levels ?? {})) {
      const key = `${field} ${level}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => `  ${key}: ${count}\n`)
    .join('')
}

const missed = (pairs: readonly { registered: Entry; typedAgain: Entry }[]) =>
  pairs
    .slice(0, 40)
    .map(({ registered: a, typedAgain: b }) =>
      [a, b]
        .map(
          (each) =>
            `${each.given_name} ${each.surname} ${each.date_of_birth} ${each.hometown} ${each.government_id}`,
        )
        .join('   <>   '),
    )
    .map((line) => `  missed: ${line}\n`)
    .join('')
