import { expect, test } from 'vitest'
import { LastModified } from './record'

test.each([
  ['a moment before PostgreSQL begins', -210_866_803_200_001, false],
  ['one that JavaScript has no year of four digits for', 8.64e15, false],
  ['no moment at all', 'yesterday', false],
  ['what was read', '2026-11-21T09:00:00.123Z', true],
])('as a version %s is recognized', (_, value, isOne) => {
  expect(LastModified.safeParse(value).success).toBe(isOne)
})
