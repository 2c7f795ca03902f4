import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import withoutConjunct from './test/conjuncts.ts'
import placeInMemory from './test/place.ts'

placeInMemory()

const processTests = [
  'test/commands/**/*.test.ts',
  'test/e2e/**/*.test.ts',
  'test/sync/**/*.test.ts',
]

/**
 * Files that take longer than their size says. On a clean clone the large files begin first, and
 * these would be waited for at the end. `machines` begins while its process has few named statements (`NAMES`).
 */
const long =
  /\/(operations|machines|random|backup|backup-commands|killed-restore|bench|round-trip)\.test\.ts$/

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    // oxlint-disable-next-line unicorn/no-array-sort -- no array's
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => Number(long.test(b.moduleId)) - Number(long.test(a.moduleId)))
  }
}

export default defineConfig({
  plugins: [withoutConjunct],
  resolve: { tsconfigPaths: true },
  test: {
    // days begin and end somewhere: the same everywhere that the tests run
    env: { SANAD_TIME_ZONE: 'UTC' },
    // for what never ends: beside other work, on a machine that is no faster than a clinic's, seconds become minutes
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongFirst },
    // a test waits for PostgreSQL or a server most of its time; more than two would wait for each other
    maxWorkers: Math.max(2, Math.min(4, availableParallelism())),
    projects: [
      {
        extends: true,
        test: {
          name: 'product',
          include: ['{src,test}/**/*.test.{ts,tsx}'],
          exclude: processTests,
          globalSetup: 'test/database.ts',
          setupFiles: 'test/properties.ts',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'sync',
          include: ['test/sync/**/*.test.ts'],
          globalSetup: 'test/database.ts',
          // both sides of a sync are talkative
          env: { SANAD_TIME_ZONE: 'UTC', SANAD_LOG_LEVEL: 'silent' },
        },
      },
      {
        extends: true,
        test: {
          name: 'commands',
          include: ['test/commands/**/*.test.ts'],
          globalSetup: 'test/commands/template.ts',
          // each waits for processes that start and stop, and uses less than a core
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: 'test/commands/template.ts',
          expect: { poll: { timeout: 30_000, interval: 250 } },
          // tells a machine that stood still for a moment from a fault; the report names what took two tries
          retry: 1,
          // a browser test waits a quarter of its time, also for what another process computes
          maxWorkers: Math.max(3, Math.min(4, availableParallelism())),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
