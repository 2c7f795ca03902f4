import fc from 'fast-check'
import { expect, test } from 'vitest'
import { number } from './field'
import { dayFrom, numberFrom, numberText } from './typed'

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

test.each(['1,000', '1.000', '100,000', '1,500', '-1.000', '١٫٠٠٠', '١٬٠٠٠', '١،٠٠٠', ' 3.450 '])(
  '"%s" may mean two numbers: it is read as neither, and the field asks which',
  (typed) => {
    expect(numberFrom(typed)).toBe(typed)
    expect(number('vitals.weight_kg').schema.safeParse(typed).error?.issues[0]?.message).toBe(
      'validation.ambiguousNumber',
    )
  },
)

test.each([
  ['3.450', 0.2, 500, 3.45],
  ['٣٫٤٥٠', 0.2, 500, 3.45],
  ['36,600', 20, 45, 36.6],
  ['-1,000', -500, 0, -1],
  ['1,000', 5, 1440, 1000],
])('"%s" between %s and %s has one possible meaning: %s', (typed, min, max, value) => {
  expect(numberFrom(typed, { min, max })).toBe(value)
})

test.each([
  ['1.000', 0, 1000],
  ['1.500', 0, undefined],
  ['1.750', 20, 280],
])(
  '"%s" between %s and %s has two possible meanings or none, and is asked about',
  (typed, min, max) => {
    expect(numberFrom(typed, { min, max })).toBe(typed)
  },
)

test.each([
  ['1000', 1000],
  ['1.0', 1],
  ['3,45', 3.45],
  ['0,125', 0.125],
  ['0.250', 0.25],
  ['1.0000', 1],
  ['1234.567', 1234.567],
])('"%s" has one meaning: %s', (typed, value) => {
  expect(numberFrom(typed)).toBe(value)
})

test('a number written to a file is read back as it was', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -2_000_000, max: 2_000_000 }),
      fc.integer({ min: 0, max: 4 }),
      (digits, decimals) => {
        const value = digits / 10 ** decimals
        expect(numberFrom(numberText(value))).toBe(value)
      },
    ),
  )
})

test.each(['12a', '1,234.5', '1e3', '--1'])(
  '"%s" is no number, and stays as it was typed',
  (typed) => {
    expect(numberFrom(typed)).toBe(typed)
  },
)

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
