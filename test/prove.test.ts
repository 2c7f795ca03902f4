import { expect, test } from 'vitest'
import { WrongUsage } from '../scripts/command'
import { duplicates } from '../scripts/prove/duplicates'
import { growsSlowly } from '../scripts/prove/growth'

test.for([
  ['--among', 'many'],
  ['--people', '0'],
  ['--strangers', ''],
  ['--asked', '1.5'],
  ['--seeds', '2,'],
])('a proof refuses %s %s instead of passing without a measurement', async (args) => {
  await expect(duplicates.run(args)).rejects.toThrow(WrongUsage)
})

test('what reads a tenth more pages for ten times the patients grows slowly, what reads twice as many does not', () => {
  expect(growsSlowly(1_000, 1_100, 1.25)).toBe(true)
  expect(growsSlowly(5, 40, 1.25)).toBe(true)
  expect(growsSlowly(1_000, 2_000, 1.25)).toBe(false)
})
