import { longTest } from './long-test'
import type { Proof } from './proof'

/** Needs Chromium, as the tests do. */
export const lists: Proof = {
  summary: 'the mouse opens every list of every screen, in three languages and two widths',
  run: () => longTest('e2e', 'test/e2e/routes.test.ts', { SANAD_LISTS: 'all' }),
}
