import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundledMigrations } from './migrate.server'
import { toSqlSteps } from './sql-files'

// a database compares checksums at each start: one changed comment, and it does not start any more
test('migrations that databases have applied are as they were, to the last character', () => {
  const known = readFileSync('test/fixtures/migrations.txt', 'utf8').trim().split('\n')
  expect(known.length).toBeGreaterThan(40)
  const present = toSqlSteps(bundledMigrations).map(({ name, checksum }) => `${name} ${checksum}`)
  expect(known.filter((line) => !present.includes(line))).toEqual([])
})
