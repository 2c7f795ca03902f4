import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- kill [--rounds 200] [--seed 1]

  --rounds  how often the server, the database or both are killed (default: 200)
  --seed    determines the order of the writes (default: 1)

docs/proof.md says what this shows and what it cannot show.
`

/** Needs the test phone and a data directory of the tests, so it is a test with more rounds. */
export const kill: Proof = {
  summary:
    'kill -9 under ten writers and two phones: each acknowledged write is stored exactly once',
  async run(args) {
    const values = parseProofOptions(args, help, {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
    })
    if (!values) return 0
    const rounds = wholeNumber('rounds', values.rounds, 1)
    const seed = wholeNumber('seed', values.seed, 1)
    return longTest('commands', 'test/commands/killed.test.ts', {
      SANAD_KILL_ROUNDS: `${rounds}`,
      SANAD_KILL_SEED: `${seed}`,
    })
  },
}
