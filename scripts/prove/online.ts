import { WrongUsage } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- online [--seeds 1-200]

  --seeds  the sessions, by the numbers that they follow from: 7 or 1-200 (default: 1-200)
`

/** Needs the test phone and a server of the tests, so it is a test with more seeds. */
export const online: Proof = {
  summary: 'random sessions of the app’s online mode: each typed column is read back',
  async run(args) {
    const values = parseProofOptions(args, help, {
      seeds: { type: 'string', default: '1-200' },
    })
    if (!values) return 0
    if (!/^\d+(-\d+)?$/.test(values.seeds))
      throw new WrongUsage('--seeds must be a number or a range, such as 7 or 1-200.')
    return longTest('sync', 'test/sync/online-sessions.test.ts', {
      SANAD_ONLINE_SESSIONS: values.seeds,
    })
  },
}
