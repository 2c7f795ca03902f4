import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- exchange [--patients 500] [--seed 1]

  --patients  generated patients with a record of every kind (default: 500)
  --seed      of the first patient; the next ones follow (default: 1)

Screens, paper, $summary, $everything and $export are compared fact by fact; then each resource that can be written is
read and sent back as it is, and the database is compared with what it was.
`

/** The tests play three of these patients. */
export const exchange: Proof = {
  summary: 'what leaves is what the screens say; what is read and sent back changes nothing',
  async run(args) {
    const values = parseProofOptions(args, help, {
      patients: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
    })
    if (!values) return 0
    return longTest('product', 'src/fhir/said-alike.test.tsx', {
      SANAD_EXCHANGE_PATIENTS: String(wholeNumber('patients', values.patients, 1)),
      SANAD_EXCHANGE_SEED: String(wholeNumber('seed', values.seed, 1)),
    })
  },
}
