import { expect, test } from 'vitest'
import {
  compared,
  type Compared,
  parseNumberRange,
  type Prefix,
  prefixed,
  parseDateSpan,
  splitAt,
  parseToken,
} from './values'

const at = (text: string) => Date.parse(text)

test.each([
  ['2013', '2013-01-01T00:00:00Z', '2014-01-01T00:00:00Z'],
  ['2013-01', '2013-01-01T00:00:00Z', '2013-02-01T00:00:00Z'],
  ['2012-02', '2012-02-01T00:00:00Z', '2012-03-01T00:00:00Z'],
  ['2013-12-31', '2013-12-31T00:00:00Z', '2014-01-01T00:00:00Z'],
  ['2013-01-14T10:00', '2013-01-14T10:00:00Z', '2013-01-14T10:01:00Z'],
  ['2013-01-14T10:00:30Z', '2013-01-14T10:00:30Z', '2013-01-14T10:00:31Z'],
  ['2013-01-14T10:00:30.5Z', '2013-01-14T10:00:30.500Z', '2013-01-14T10:00:30.600Z'],
  ['2013-01-14T10:00:30.123Z', '2013-01-14T10:00:30.123Z', '2013-01-14T10:00:30.124Z'],
  ['2013-01-14T10:00:00+03:00', '2013-01-14T07:00:00Z', '2013-01-14T07:00:01Z'],
  ['2013-01-14T22:00:00-05:00', '2013-01-15T03:00:00Z', '2013-01-15T03:00:01Z'],
])('%s is the time that its precision leaves open', (text, low, high) => {
  expect(parseDateSpan(text)).toEqual({ low: at(low), high: at(high) })
})

test.each([
  '2013-13',
  '2013-02-30',
  '2013-1-1',
  '0000',
  '13',
  '2013-01-14T25:00',
  '2013-01-14T10:60',
  '2013-01-14T10:00:00+99:00',
  '2013-01-14 10:00',
  'x',
  '',
  '2013-01-14T10:00:00Z; drop table patients',
])('"%s" is no date', (text) => expect(parseDateSpan(text)).toBeNull())

/** Whether a stored span has what is asked, by the conditions that become SQL. */
function holds(asked: Compared, low: number, last: number): boolean {
  if ('all' in asked) return asked.all.every((one) => holds(one, low, last))
  if ('any' in asked) return asked.any.some((one) => holds(one, low, last))
  const value = asked.of === 'low' ? low : last
  if (asked.sign === '<') return value < asked.than
  if (asked.sign === '<=') return value <= asked.than
  return asked.sign === '>' ? value > asked.than : value >= asked.than
}

/** The comparisons of R4 (https://hl7.org/fhir/R4/search.html#prefix), over spans without their end. */
const RULES: Record<Prefix, (s: [number, number], v: [number, number]) => boolean> = {
  eq: ([a, b], [v, w]) => v <= a && b <= w,
  ne: ([a, b], [v, w]) => !(v <= a && b <= w),
  gt: ([, b], [, w]) => b > w,
  lt: ([a], [v]) => a < v,
  ge: ([a, b], [v, w]) => b > w || (v <= a && b <= w),
  le: ([a, b], [v, w]) => a < v || (v <= a && b <= w),
  sa: ([a], [, w]) => a >= w,
  eb: ([, b], [v]) => b <= v,
}

test('each prefix compares every pair of spans as R4 says, for days and for moments', () => {
  for (const prefix of Object.keys(RULES) as Prefix[])
    for (const step of [1, 10])
      for (let low = 0; low <= 60; low += step)
        for (let last = low; last <= 60; last += step)
          for (const [v, w] of [
            [0, 10],
            [20, 30],
            [20, 40],
            [25, 27],
            [25, 45],
            [30, 31],
            [50, 70],
          ] as const) {
            const found = holds(compared(prefix, { low: v, high: w }, step), low, last)
            const asked = `${prefix} [${v},${w}) of [${low},${last + step})`
            expect([asked, found]).toEqual([asked, RULES[prefix]([low, last + step], [v, w])])
          }
})

test('values are taken apart by their signs, which a backslash keeps', () => {
  expect(splitAt(String.raw`a\,b,c`, ',')).toEqual([String.raw`a\,b`, 'c'])
  expect(parseToken('http://loinc.org|8867-4')).toEqual({
    system: 'http://loinc.org',
    code: '8867-4',
  })
  expect(parseToken('|x')).toEqual({ system: '', code: 'x' })
  expect(parseToken(String.raw`a\|b`)).toEqual({ code: 'a|b' })
  expect(prefixed('ge2024')).toEqual(['ge', '2024'])
  expect(prefixed('2024')).toEqual(['eq', '2024'])
  expect(() => prefixed('ap2024')).toThrow('not supported')
  expect(() => parseToken('|')).toThrow('not a token')
})

test.each([
  ['5.4', 5.35, 5.45],
  ['5.40', 5.395, 5.405],
  ['100', 99.5, 100.5],
  ['1e2', 95, 105],
])('%s stands for the numbers of its precision', (text, low, high) => {
  const read = parseNumberRange(text)
  expect(read.low).toBeCloseTo(low, 9)
  expect(read.high).toBeCloseTo(high, 9)
})
