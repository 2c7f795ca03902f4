import { expect } from 'vitest'
import { recorded } from '../simulator/history'
import { inTurn } from '../turn'
import { test as base } from './clinic'
import { RealServer } from './simulated'
import { TableBackup } from './table-backup'

const test = base.extend('backup', { scope: 'file' }, async ({ server }, { onCleanup }) => {
  const backup = new TableBackup(server.name)
  onCleanup(() => backup.end())
  return backup
})

/** `npm run prove -- phones --real` sets it; the tests take turns with four. */
const { SANAD_SIMULATED_SEEDS = '12-15' } = process.env
const [first, last = first] = SANAD_SIMULATED_SEEDS.split('-').map(Number)
const all = Array.from({ length: last! - first! + 1 }, (_, at) => first! + at)
const seeds = process.env['SANAD_SIMULATED_SEEDS'] ? all : inTurn(all, 2)

test.for(seeds)(
  'simulated and real server answer the history of seed %i alike',
  { timeout: 600_000 },
  async (seed, { db, backup }) => {
    const history = recorded(seed)
    expect(history.problems).toEqual([])
    expect((await new RealServer(db, backup, seed, history).play()) ?? '').toBe('')
  },
)
