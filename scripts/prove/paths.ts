import { globSync } from 'node:fs'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- paths [--file event-forms] [--only "every list"]

  --file  only the test files of test/e2e whose name contains this text
  --only  only the tests whose name contains this text
`

/** Needs Chromium, as the tests do. */
export const paths: Proof = {
  summary: 'the main paths in a browser, in each language and width that the tests take turns with',
  async run(args) {
    const values = parseProofOptions(args, help, {
      file: { type: 'string', default: '' },
      only: { type: 'string' },
    })
    if (!values) return 0
    const files = globSync('test/e2e/*.test.ts').filter((file) => file.includes(values.file))
    if (files.length === 0) {
      process.stderr.write(`No test file of test/e2e contains "${values.file}".\n`)
      return 1
    }
    const named = values.only === undefined ? [] : ['-t', escaped(values.only)]
    return longTest('e2e', [...files.toSorted(), ...named], { SANAD_LOOKS: 'all' })
  },
}

/** Vitest reads a regular expression. */
const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
