import { longTest } from './long-test'
import type { Proof } from './proof'

/** Needs Chromium, as the tests do. */
export const screens: Proof = {
  summary: 'every edit screen saves what a user changes, in English and in Arabic',
  run: () => longTest('e2e', 'test/e2e/round-trip.test.ts', { SANAD_ROUND_TRIPS: 'all' }),
}
