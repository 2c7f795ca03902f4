import { expect, test } from 'vitest'
import * as z from 'zod'
import { parsedSearch } from '~/client/search-parser'
import {
  day,
  flag,
  id,
  matchingPattern,
  oneOfOptions,
  page,
  defineSearch,
  textParam,
  trimmed,
  whole,
} from './search-params'

const GIVEN = [
  undefined,
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  100_000,
  100_001,
  Number.NaN,
  '',
  ' ',
  'a',
  ' asc ',
  'asc',
  'x'.repeat(11),
  `  ${'x'.repeat(10)}  `,
  '2026-02-28',
  '2026-02-30',
  '2024-02-29',
  '2026-1-1',
  '2026-01-01T00:00',
  '018f2f6e-6f0a-7c3e-9d2a-3b1c5d7e9f01',
  '018F2F6E-6F0A-7C3E-9D2A-3B1C5D7E9F01',
  '018f2f6e-6f0a-0c3e-9d2a-3b1c5d7e9f01',
  '018f2f6e-6f0a-7c3e-1d2a-3b1c5d7e9f01',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '00000000-0000-0000-0000-000000000001',
  ['a'],
  {},
]

/** The router reads a number or a boolean where digits or a word were typed. */
const typed = z.union([z.string(), z.number(), z.boolean()]).transform(String)

test.each([
  ['id', id, z.uuid()],
  ['day', day, z.iso.date()],
  ['flag', flag, z.boolean()],
  ['page', page, z.number().int().min(1).max(100_000)],
  ['whole', whole(0, 1), z.number().int().min(0).max(1)],
  ['text', textParam(10, 1), typed.pipe(z.string().min(1).max(10))],
  ['trimmed', trimmed(10), typed.pipe(z.string().trim().max(10))],
  ['matching', matchingPattern(/^a/), z.string().regex(/^a/)],
  ['oneOf', oneOfOptions(['asc', 'desc']), z.enum(['asc', 'desc'])],
])('%s takes what the schema of operations takes', (_, read, schema) => {
  const expected = (schema as z.ZodType).optional().catch(undefined)
  expect(GIVEN.map((value) => read(value))).toEqual(GIVEN.map((value) => expected.parse(value)))
})

test('digits in an address are searched as they stand there', () => {
  const read = (address: string) =>
    defineSearch({ search: trimmed(200) })(parsedSearch(address) as Record<string, unknown>).search
  expect(read('?search=2125550007')).toBe('2125550007')
  expect(read('?search=0599123')).toBe('0599123')
  expect(read('?search=12345678901234567890')).toBe('12345678901234567890')
  expect(read('?search=1.50')).toBe('1.50')
  expect(read('?search=true')).toBe('true')
  expect(read('?search=%22a%22')).toBe('a')
})

test('an invalid value is overwritten with undefined, and what is unknown is left out', () => {
  const given = { page: 'x', direction: 'asc', other: 1 }
  const search = defineSearch({
    page,
    direction: oneOfOptions(['asc', 'desc']),
    sort: textParam(60),
  })(given)
  expect(Object.entries(search)).toEqual([
    ['page', undefined],
    ['direction', 'asc'],
  ])
})
