import { expect, test } from 'vitest'
import { WrongUsage } from '../scripts/command'
import { duplicates } from '../scripts/prove/duplicates'

test.for([
  ['--among', 'many'],
  ['--people', '0'],
  ['--strangers', ''],
  ['--asked', '1.5'],
  ['--seeds', '2,'],
])('a proof refuses %s %s instead of passing without a measurement', async (args) => {
  await expect(duplicates.run(args)).rejects.toThrow(WrongUsage)
})
