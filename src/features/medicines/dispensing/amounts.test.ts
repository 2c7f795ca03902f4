import { expect, test } from 'vitest'
import { amountDoubt } from './amounts'

test.for([
  // one a month, one in six months
  [3, 93, 'tablet', undefined],
  [3, 94, 'capsule', 'fewForDays'],
  [1, 184, 'injection', undefined],
  [1, 185, 'ampule', 'fewForDays'],
  // nobody knows how long a tube lasts
  [1, 3650, 'cream', undefined],
  [1, 3650, null, undefined],
  [60, 1, 'tablet', undefined],
  [61, 1, 'tablet', 'manyForDays'],
  [1000, null, 'cream', undefined],
  [1001, 90, 'cream', 'manyPieces'],
] as const)('%d for %d days (%s): %s', ([quantity, days, form, key]) => {
  expect(amountDoubt(quantity, days, form)?.key).toBe(key && `dispensing.${key}`)
})
