import { globSync, readFileSync } from 'node:fs'
import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- properties [--rounds 20] [--seed N]

  --rounds  how often each property test runs, each time with other generated cases (default: 20)
  --seed    the seed of the first round; the next ones follow (default: the time of day)
`

/** The tests run them with one seed, so that a change of the sources is what makes one of them fail. */
export const properties: Proof = {
  summary: 'property tests with other seeds than those of the tests',
  async run(args) {
    const values = parseProofOptions(args, help, {
      rounds: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    })
    if (!values) return 0
    const rounds = wholeNumber('rounds', values.rounds, 1)
    const first = wholeNumber('seed', values.seed, 1)
    const files = globSync('{src,test}/**/*.test.ts', {
      exclude: ['test/{sync,commands,e2e}/**'],
    }).filter((file) => readFileSync(file, 'utf8').includes("from 'fast-check'"))
    for (let seed = first; seed < first + rounds; seed++) {
      if (await longTest('product', files, { SANAD_PROPERTY_SEED: String(seed) })) {
        process.stdout.write(
          `Seed ${seed} fails: npm run prove -- properties --rounds 1 --seed ${seed}\n`,
        )
        return 1
      }
    }
    process.stdout.write(
      `${files.length} files, ${rounds} rounds from seed ${first}: no property fails.\n`,
    )
    return 0
  },
}
