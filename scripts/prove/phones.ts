import { parseArgs } from 'node:util'
import { faults } from '../../test/simulator/faults'
import { play, STEPS } from '../../test/simulator/history'
import { product } from '../../test/simulator/rules'
import { weekFaults } from '../../test/sync/random/week-faults'
import { parsed, WrongUsage, wholeNumber } from '../command'
import { longTest } from './long-test'
import type { Proof } from './proof'

const help = `npm run prove -- phones [--seeds 1000] [--seed N [--fault NAME]] [--real 1-100] [--merges 100]
    [--week 1-10 [--fault NAME]]

  --seeds  how many histories are played without a fault, and at most with each fault (default: 1000)
  --seed   plays one history and prints it
  --real   plays these seeds on a real server, too, and compares each answer
  --merges plays so many histories of phones that work on patients while they are merged and taken apart, on a real
           server, and 200 edits of 200 patients
  --week   plays these seeds of a week of a clinic with five phones and two browsers on a real server; its faults:
           ${Object.keys(weekFaults).join(', ')}
  --fault  plays it with that fault: ${Object.keys(faults).join(', ')}

docs/proof.md says what this shows and what it cannot show.
`

/** The merge of phones under simulated histories, and the auditor under deliberate faults. */
export const phones: Proof = {
  summary: 'phones, clinics, deletes, rights, restores and lost answers, simulated by seeds',
  async run(args) {
    const { values } = parse(args)
    if (values.help) {
      process.stdout.write(help)
      return 0
    }
    if (values.real !== undefined) {
      if (!/^\d+(-\d+)?$/.test(values.real))
        throw new WrongUsage('--real must be a number or a range, such as 7 or 1-100.')
      return longTest('sync', 'test/sync/simulated.test.ts', { SANAD_SIMULATED_SEEDS: values.real })
    }
    if (values.week !== undefined) {
      if (!/^\d+(-\d+)?$/.test(values.week))
        throw new WrongUsage('--week must be a number or a range, such as 7 or 1-10.')
      if (values.fault !== undefined && !Object.hasOwn(weekFaults, values.fault))
        throw new WrongUsage(`There is no fault "${values.fault}" of a week.\n${help}`)
      return longTest('sync', 'test/sync/week.test.ts', {
        SANAD_WEEK_SEEDS: values.week,
        SANAD_WEEK_FAULT: values.fault ?? '',
      })
    }
    if (values.merges !== undefined) {
      const merges = wholeNumber('merges', values.merges, 1)
      return longTest('sync', 'test/sync/app-writes.test.ts', {
        SANAD_MERGE_SEEDS: `1-${merges}`,
        SANAD_EDITED_PATIENTS: '200',
      })
    }
    if (values.seed !== undefined) return replay(wholeNumber('seed', values.seed, 1), values.fault)
    const seeds = wholeNumber('seeds', values.seeds, 1)
    const broken = playAll(seeds)
    return findAll(seeds, broken) && broken.size === 0 ? 0 : 1
  },
}

function replay(seed: number, fault: string | undefined): 0 | 1 {
  if (fault !== undefined && !Object.hasOwn(faults, fault))
    throw new WrongUsage(`There is no fault "${fault}".\n${help}`)
  const { problems, story } = play(seed, fault === undefined ? product : faults[fault]!.rules)
  process.stdout.write([...story, ...(problems.length > 0 ? problems : ['kept']), ''].join('\n'))
  return problems.length === 0 ? 0 : 1
}

/** Without a fault. Returns the seeds that break a rule all the same. */
function playAll(seeds: number): Set<number> {
  const begun = performance.now()
  const broken = new Map<number, string>()
  for (let seed = 1; seed <= seeds; seed += 1) {
    const [problem] = play(seed, product).problems
    if (problem) broken.set(seed, `seed ${seed}: ${problem}`)
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  process.stdout.write(
    [
      `${seeds} histories of ${STEPS} steps in ${seconds} s: ${broken.size} broken`,
      ...broken.values(),
      '',
    ].join('\n'),
  )
  return new Set(broken.keys())
}

/** With each fault, until a history shows it that shows nothing without the fault. */
function findAll(seeds: number, broken: ReadonlySet<number>): boolean {
  let isFound = true
  for (const [name, { rule, rules, shownBy }] of Object.entries(faults)) {
    const find = (seed: number) => (broken.has(seed) ? undefined : play(seed, rules).problems[0])
    let seed = 1
    let problem = find(seed)
    while (problem === undefined && seed < seeds) problem = find((seed += 1))
    if (problem === undefined && shownBy !== undefined) problem = find((seed = shownBy))
    isFound &&= problem !== undefined
    const found = problem === undefined ? `NOT FOUND in ${seeds} seeds` : `seed ${seed}: ${problem}`
    process.stdout.write(`${name.padEnd(24)} (${rule}) ${found}\n`)
  }
  return isFound
}

function parse(args: string[]) {
  const options = {
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    fault: { type: 'string' },
    real: { type: 'string' },
    merges: { type: 'string' },
    week: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  return parsed(() => parseArgs({ args, options }))
}
