import { expect, test } from 'vitest'
import { countedField, quantityField } from '../inventory'
import { quantityError } from './stock-sheet'

test.for([
  ['12', countedField, undefined],
  ['0', countedField, undefined],
  ['0', quantityField, 'inventory.notPossible'],
  ['-3', countedField, 'inventory.notPossible'],
  ['1.2345', countedField, 'inventory.notPossible'],
  ['x', countedField, 'inventory.countWrong'],
  ['1,000', countedField, 'validation.ambiguousNumber'],
] as const)('typed as a quantity, %s says what is wrong with it', ([typed, field, key]) => {
  expect(quantityError(typed, field.schema)?.key).toBe(key)
})
