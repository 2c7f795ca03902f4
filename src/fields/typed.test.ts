import { expect, test } from 'vitest'
import { dayFrom, numberFrom } from './typed'

test.each([
  ['12', 12],
  ['١٢٫٥', 12.5],
  ['۳۶', 36],
  ['37,4', 37.4],
  ['-3.5', -3.5],
  [' ', null],
  ['1.', 1],
])('the number typed as "%s" is %s', (typed, number) => {
  expect(numberFrom(typed)).toBe(number)
})

test.each(['12a', '1,234.5', '1e3', '--1'])('"%s" is no number, and stays as it was typed', (typed) => {
  expect(numberFrom(typed)).toBe(typed)
})

test.each([
  ['1984-03-27', '1984-03-27'],
  ['1984/3/7', '1984-03-07'],
  ['27/3/1984', '1984-03-27'],
  ['27.03.1984', '1984-03-27'],
  ['19840327', '1984-03-27'],
  ['١٩٨٤-٠٣-٢٧', '1984-03-27'],
  ['2023-02-30', null],
  ['27/3/84', null],
  ['', null],
])('the day typed as "%s" is %s', (typed, day) => {
  expect(dayFrom(typed)).toBe(day)
})
