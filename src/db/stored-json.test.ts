import { expect, test } from 'vitest'
import { DEEPEST_STORED, isTooDeep, parseStored } from './stored-json'

const lists = (levels: number, inside = '') => '['.repeat(levels) + inside + ']'.repeat(levels)

test('JSON is too deep from one level more than are stored; brackets in texts are no levels', () => {
  expect(isTooDeep(lists(DEEPEST_STORED, '"a"'))).toBe(false)
  expect(isTooDeep(lists(DEEPEST_STORED + 1))).toBe(true)
  expect(isTooDeep('{"a":'.repeat(1_000_000) + '1' + '}'.repeat(1_000_000))).toBe(true)
  expect(isTooDeep(JSON.stringify(['['.repeat(2_000), '\\"[{'.repeat(2_000)]))).toBe(false)
  expect(isTooDeep(JSON.stringify(Array.from({ length: 5_000 }, () => [{}])))).toBe(false)
})

test('what is nested deeper than is stored is read as its own text, and the rest as it is', () => {
  const inner = '[{"a":"]}\\"","b":[1,2]}]'
  const value = { before: 1, deep: '', after: ['x'] }
  const text = JSON.stringify(value).replace('""', lists(DEEPEST_STORED - 1, inner))
  let read = parseStored(text) as Record<string, unknown>
  expect([read['before'], read['after']]).toEqual([1, ['x']])
  let deep = read['deep']
  while (Array.isArray(deep)) deep = deep[0]
  expect(deep).toBe(inner)

  read = parseStored(JSON.stringify(value)) as never
  expect(read).toEqual(value)
  expect(() => JSON.stringify(parseStored(lists(1_000_000)))).not.toThrow()
})
