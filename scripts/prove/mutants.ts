import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Proof } from './proof'

/** In the tests' own database and world, so it is a test that tries everything. */
export const mutants: Proof = {
  summary: 'every access rule and guard of an operation, changed one at a time: which test notices',
  async run() {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'product']
    const test = spawn(
      process.execPath,
      [...args, 'test/mutants.test.ts', '--disable-console-intercept'],
      {
        stdio: 'inherit',
        env: { ...process.env, SANAD_MUTANTS: 'all' },
      },
    )
    const [code] = (await once(test, 'close')) as [number | null]
    return code === 0 ? 0 : 1
  },
}
