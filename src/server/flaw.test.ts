import { expect, test } from 'vitest'
import { findInputFlaw } from './flaw'

const nested = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { value }
  return value
}

test('what is too deep is found without the stack, and what is as deep as a form may be passes', () => {
  expect(findInputFlaw(nested(64))).toBe(null)
  expect(findInputFlaw(nested(66))).toBe('size')
  expect(findInputFlaw(nested(1_000_000))).toBe('size')
})

test('more values than the largest push holds are refused', () => {
  expect(findInputFlaw(Array.from({ length: 3_000_001 }, () => 0))).toBe('size')
  expect(findInputFlaw(Array.from({ length: 30_000 }, () => ({ a: 1, b: [], c: 'x' })))).toBe(null)
})

test('text that PostgreSQL does not keep is found in values and keys', () => {
  for (const value of ['\0', { a: ['x', '\uD800'] }, { 'a\0': 1 }, ['\0']])
    expect(findInputFlaw(value)).toBe('characters')
  for (const value of [
    null,
    undefined,
    1,
    '',
    'é 🩺',
    new Date(),
    new Uint8Array(5),
    { a: [null] },
  ])
    expect(findInputFlaw(value)).toBe(null)
})
