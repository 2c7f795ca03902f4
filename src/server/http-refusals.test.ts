import { expect, test } from 'vitest'
import { refusalPace } from './http-refusals.server'

test('the first thirty refusals of a source go out at once, then twenty a second, each in its turn', () => {
  let now = 1_000_000
  const waitOf = refusalPace(() => now)
  const waits = (source: string, count: number) =>
    Array.from({ length: count }, () => Math.round(waitOf(source)))

  expect(waits('192.0.2.1', 30)).toEqual(Array.from({ length: 30 }, () => 0))
  expect(waits('192.0.2.1', 3)).toEqual([50, 100, 150])
  // another source does not wait for this one
  expect(waits('198.51.100.7', 2)).toEqual([0, 0])
  now += 150
  expect(waits('192.0.2.1', 1)).toEqual([50])
  now += 60_000
  expect(waits('192.0.2.1', 31).slice(-2)).toEqual([0, 50])
  // no answer is held back for more than 30 seconds
  expect(waits('192.0.2.1', 2_000).at(-1)).toBe(30_000)
})
