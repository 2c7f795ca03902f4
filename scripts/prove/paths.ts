import { globSync } from 'node:fs'
import { longTest } from './long-test'
import type { Proof } from './proof'

/** Needs Chromium, as the tests do. */
export const paths: Proof = {
  summary: 'the main paths in a browser, in each language and width that the tests take turns with',
  run: () => longTest('e2e', globSync('test/e2e/*.test.ts').toSorted(), { SANAD_LOOKS: 'all' }),
}
