import { expect, test } from 'vitest'
import { isReason, isReasonInWords } from './reason'

test.for([
  ['', false, false],
  ['   ', false, false],
  ['aaaaaaaaaa', false, false],
  ['...........', false, false],
  ['1234567890', false, false],
  ['ننننننننننن', false, false],
  ['aaaa bbbb cccc', false, false],
  ['Broken', true, false],
  ['انتهت الصلاحية', true, true],
  ['asdfasdfasdf', true, false],
  ['allergy allergy', true, false],
  ['no way', true, false],
  ['Tolerated in 2024', true, true],
  ['Tolerado sin reacción', true, true],
  ['يتحمله المريض منذ سنوات', true, true],
] as const)('%s: is a reason: %s; in words: %s', ([text, reason, inWords]) => {
  expect([isReason(text), isReasonInWords(text)]).toEqual([reason, inWords])
})
