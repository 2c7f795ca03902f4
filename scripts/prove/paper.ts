import { longTest } from './long-test'
import type { Proof } from './proof'

/** Needs Chromium, as the tests do. */
export const paper: Proof = {
  summary:
    'each sheet with 1, 40 and 120 lines and 0, 8 and 60 rows on each of its papers, in three languages',
  run: () => longTest('e2e', 'test/e2e/paper.test.ts', { SANAD_PAPER: 'all' }),
}
