import { expect } from 'vitest'
import { recorded } from '../simulator/history'
import { test } from './clinic'
import { RealServer } from './simulated'

/** `npm run prove -- phones --real` sets it. */
const { SANAD_SIMULATED_SEEDS = '2-5' } = process.env
const [first, last = first] = SANAD_SIMULATED_SEEDS.split('-').map(Number)
const seeds = Array.from({ length: last! - first! + 1 }, (_, at) => first! + at)

test.for(seeds)(
  'simulated and real server answer the history of seed %i alike',
  { timeout: 600_000 },
  async (seed, { db }) => {
    const history = recorded(seed)
    expect(history.problems).toEqual([])
    // a restore needs a copy of the database
    if (history.trace.some(({ kind }) => kind === 'restore')) return
    expect((await new RealServer(db, seed, history).play()) ?? '').toBe('')
  },
)
