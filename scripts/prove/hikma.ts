import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- hikma [--patients 100000] [--rounds 0]

  --patients  how many patients the old server has (default: 100000; at least 300)
  --rounds    how often the move is killed and repeated: a count of 50 wants 300 patients (default: 0)

docs/exchange.md says what is compared.
`

/** Needs the tables of a Hikma server and a data directory of the tests, so it is a test with more rows. */
export const hikmaProof: Proof = {
  summary:
    'moving in from a Hikma server: time, each difference explained, kills and repeated runs',
  async run(args) {
    const values = parseProofOptions(args, help, {
      patients: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '0' },
    })
    if (!values) return 0
    const patients = wholeNumber('patients', values.patients, 300)
    const rounds = wholeNumber('rounds', values.rounds, 0)
    return longTest('commands', 'test/commands/hikma.test.ts', {
      SANAD_HIKMA_PATIENTS: `${patients}`,
      SANAD_HIKMA_ROUNDS: `${rounds}`,
    })
  },
}
