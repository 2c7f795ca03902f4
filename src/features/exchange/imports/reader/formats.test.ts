import { expect, test } from 'vitest'
import { numberIn, recognized } from './formats'

test.each<[string, string[], object]>([
  ['one cell with a decimal comma', ['1.500', '2,75'], { format: 'comma', isAmbiguous: false }],
  ['one cell with a decimal point', ['1,500', '٢٫٧٥'], { format: 'point', isAmbiguous: false }],
  ['thousands in two groups', ['1.234.567', '1.500'], { format: 'comma', isAmbiguous: false }],
  ['a number that begins with zero', ['0.125', '1.500'], { format: 'point', isAmbiguous: false }],
  ['only numbers of two meanings', ['1.500', '20', 'n/a'], { isAmbiguous: true }],
  ['cells of both formats', ['2,75', '2.75', '1.500'], { isAmbiguous: true }],
  ['whole numbers', ['20', '', '1500'], { isAmbiguous: false }],
])('the format of a column is recognized by %s', (_what, cells, expected) => {
  expect(recognized('numbers', cells)).toEqual(expected)
})

test.each<['point' | 'comma', string, string]>([
  ['point', '1,234.5', '1234.5'],
  ['comma', '1.234,5', '1234.5'],
  ['comma', '1 234,5', '1234.5'],
  ['point', '1.125', '1.1250'],
  ['comma', '٣٬٥', '3.5'],
  ['point', '500 mg', '500 mg'],
  ['comma', '12.5', '12.5'],
  ['point', '12345678901234567890', '12345678901234567890'],
])('with a decimal %s, %s is %s', (format, text, number) => {
  expect(numberIn(format, text)).toBe(number)
})
