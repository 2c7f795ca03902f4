import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- backlog [--months 200] [--seed 1]

  --months  how many random months are entered, each in time and late in another order (default: 200)
  --seed    the seed of the first month; the next ones follow (default: 1)
`

/** The tests enter a few of these months. */
export const backlog: Proof = {
  summary:
    'random months of stock entered late, in another order, compared with the months entered in time',
  async run(args) {
    const values = parseProofOptions(args, help, {
      months: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
    })
    if (!values) return 0
    return longTest('product', 'test/backlog.test.ts', {
      SANAD_MONTHS: String(wholeNumber('months', values.months, 1)),
      SANAD_MONTH_SEED: String(wholeNumber('seed', values.seed, 1)),
    })
  },
}
