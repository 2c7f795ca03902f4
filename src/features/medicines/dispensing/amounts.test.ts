import { expect, test } from 'vitest'
import { sentence } from '~/shared/sentence'
import { amountDoubt } from './amounts'

test.for([
  // one a month, one a year
  [3, 93, 'tablet', undefined],
  [3, 94, 'capsule', 'fewForDays'],
  [1, 730, 'injection', undefined],
  [1, 732, 'ampule', 'fewForDays'],
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

test('one day is not said as several', () => {
  const doubt = amountDoubt(500, 1, 'tablet')!
  expect(sentence('en', doubt)).toContain('500 in 1 day is more')
  expect(sentence('es', doubt)).toContain('500 en 1 día son más')
})
