import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { tableTypes } from '../scripts/table-types'
import { test } from './harness'

test('the types of the tables are what the migrations make; npm run db:types writes them', async ({
  owner,
}) => {
  expect(await tableTypes(owner)).toBe(readFileSync('src/db/types.ts', 'utf8'))
})
