import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- days [--days 400] [--seed 1]

  --days  how many random days are played, each through pairs of doors (default: 400)
  --seed  the seed of the first day; the next ones follow (default: 1)
`

/** The tests play a few of these days. */
export const days: Proof = {
  summary:
    'random days at the desk, on phones and by programs, compared with the table of transitions',
  async run(args) {
    const values = parseProofOptions(args, help, {
      days: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
    })
    if (!values) return 0
    return longTest('product', 'test/random-day.test.ts', {
      SANAD_DAYS: String(wholeNumber('days', values.days, 1)),
      SANAD_DAY_SEED: String(wholeNumber('seed', values.seed, 1)),
    })
  },
}
