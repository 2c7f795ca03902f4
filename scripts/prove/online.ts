import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type { Proof } from './proof'

/** Needs the test phone and a server of the tests, so it is a test with more seeds. */
export const online: Proof = {
  summary: 'random sessions of the app’s online mode: each typed column is read back',
  async run(args) {
    const { values } = parseArgs({
      args,
      options: { seeds: { type: 'string', default: '1-200' } },
    })
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'sync']
    const test = spawn(process.execPath, [...vitest, 'test/sync/online-sessions.test.ts'], {
      stdio: 'inherit',
      env: { ...process.env, SANAD_ONLINE_SESSIONS: values.seeds },
    })
    const [code] = (await once(test, 'close')) as [number | null]
    return code === 0 ? 0 : 1
  },
}
