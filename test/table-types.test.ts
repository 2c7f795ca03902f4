import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { tableTypes } from '../scripts/table-types'
import { test } from './harness'

test('the types of the tables are what the migrations make; npm run db:types writes them', async ({
  owner,
}) => {
  expect(await tableTypes(owner)).toBe(readFileSync('src/db/types.ts', 'utf8'))
})

test('each column whose JSON has a type is one of the tables', () => {
  const keys = (file: string, pattern: RegExp) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, key]) => key)
  const used = keys('src/db/types.ts', /Json<'([^']+)'>/g)
  expect(used).toEqual(expect.arrayContaining(keys('src/json-columns.ts', /^ {4}'([^']+)':/gm)))
})
