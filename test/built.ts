import { realpathSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the build under test: one build for all tests, also when a newer one is made while they run. */
export const built = (...path: string[]): string =>
  join((process.env['SANAD_TEST_BUILD'] ??= realpathSync('dist/current')), ...path)
