import { expect, test } from 'vitest'
import { happen, type Outcome, type Step, stepsOf } from './random/run'
import { shrink } from './random/shrink'

/**
 * SANAD_SYNC_SEED: "7" or "7,8,9" or "100-200"; SANAD_SYNC_STEPS: how long a run is;
 * SANAD_SYNC_SHRINK: for how many seconds a failing run is made smaller; SANAD_SYNC_RUN: the steps
 * of a smaller one, as they were printed.
 */
const {
  SANAD_SYNC_SEED = '1',
  SANAD_SYNC_STEPS = '120',
  SANAD_SYNC_SHRINK = '120',
  SANAD_SYNC_RUN,
} = process.env
const seeds = SANAD_SYNC_SEED.split(',').flatMap((range) => {
  const [from, to = from] = range.split('-').map(Number)
  return Array.from({ length: to! - from! + 1 }, (_, at) => from! + at)
})
const timeout = 7_200_000

test.runIf(SANAD_SYNC_RUN)('the steps given', { timeout }, async () => {
  expect(report(await happen(JSON.parse(SANAD_SYNC_RUN!) as Step[]))).toBe('')
})

test.skipIf(SANAD_SYNC_RUN).for(seeds)(
  'whatever five phones, two web users and a failing server do, nothing is lost and all agree (seed %i)',
  { timeout },
  async (seed) => {
    const steps = stepsOf(seed, Number(SANAD_SYNC_STEPS))
    const outcome = await happen(steps)
    if (outcome.problems.length === 0) return
    const fails = async (some: readonly Step[]) => (await happen(some)).problems.length > 0
    const fewer = await shrink(steps, fails, Date.now() + Number(SANAD_SYNC_SHRINK) * 1000)
    const smallest = await happen(fewer)
    expect.fail(
      `Seed ${seed}, ${steps.length} steps:\n${report(outcome, 0)}\n\n` +
        `${fewer.length} of them are enough:\n${report(smallest)}\n\n` +
        `To repeat: SANAD_SYNC_RUN='${JSON.stringify(fewer)}'`,
    )
  },
)

const report = ({ problems, story }: Outcome, lines = 200) =>
  problems.length === 0
    ? ''
    : [...story.slice(-lines || story.length), ...problems.slice(0, 20)].join('\n')

test('a failing run is made as small as it can be', async () => {
  const steps = Array.from({ length: 150 }, (_, at) => at)
  const needed = [3, 77, 78, 149]
  const fails = async (some: readonly number[]) => needed.every((step) => some.includes(step))
  expect(await shrink(steps, fails, Infinity)).toEqual(needed)
})

test('a seed says the same steps each time', () => {
  expect(stepsOf(7, 50)).toEqual(stepsOf(7, 50))
  expect(stepsOf(7, 50)).not.toEqual(stepsOf(8, 50))
})
