import { expect, test } from 'vitest'
import { faults } from './faults'
import { play } from './history'
import { product } from './rules'

// The long version: npm run prove -- phones (docs/proof.md).

const SEEDS = 25

test('no simulated history of phones loses a value, and phones and server agree at its end', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { problems } = play(seed, product)
    expect({ seed, problems }).toEqual({ seed, problems: [] })
  }
})

test.for(Object.entries(faults))('the auditor finds the fault %s', ([, { rules, shownBy }]) => {
  const seeds = shownBy ? [shownBy] : Array.from({ length: SEEDS }, (_, at) => at + 1)
  expect(seeds.some((seed) => play(seed, rules).problems.length > 0)).toBe(true)
})

test('a seed gives the same history each time', () => {
  expect(play(7, product).story).toEqual(play(7, product).story)
  expect(play(7, product).story).not.toEqual(play(8, product).story)
})
