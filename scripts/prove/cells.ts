import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- cells [--cells 12000] [--seed 20]

  --cells  how many cells of reports are compared, each over two clinics (default: 12000)
  --seed   of the histories and definitions (default: 20, that of the tests)
`

export const cells: Proof = {
  summary: 'cells of generated reports over two clinics against a slow version without SQL',
  async run(args) {
    const values = parseProofOptions(args, help, {
      cells: { type: 'string', default: '12000' },
      seed: { type: 'string', default: '20' },
    })
    if (!values) return 0
    return longTest('product', 'src/features/reports/cells/cells-slow.test.ts', {
      SANAD_REPORT_CELLS: String(wholeNumber('cells', values.cells, 1)),
      SANAD_REPORT_SEED: String(wholeNumber('seed', values.seed, 1)),
    })
  },
}
