import { expect, test } from 'vitest'
import { date, optional } from './field'
import { certainDay, readDay } from './day'

test.each([
  ['2027-12-31', '2027-12-31'],
  ['31/12/2027', '2027-12-31'],
  ['12/31/2027', '2027-12-31'],
  ['31.12.2027', '2027-12-31'],
  ['31122027', '2027-12-31'],
  ['20271231', '2027-12-31'],
  ['٣١/١٢/٢٠٢٧', '2027-12-31'],
  ['5/5/2027', '2027-05-05'],
  ['31 Dec 2027', '2027-12-31'],
  ['Dec 31, 2027', '2027-12-31'],
  ['31 diciembre 2027', '2027-12-31'],
  ['31 كانون الأول 2027', '2027-12-31'],
])('%s is the day %s in every date box', (typed, day) => {
  expect(readDay(typed)).toEqual({ day })
  expect(readDay(typed, 'last')).toEqual({ day })
})

test.each([
  ['12/27', '2027-12-31'],
  ['12/2027', '2027-12-31'],
  ['2027-12', '2027-12-31'],
  ['2027/2', '2027-02-28'],
  ['02/2028', '2028-02-29'],
  ['DEC 27', '2027-12-31'],
  ['Dec 2027', '2027-12-31'],
  ['DEC-27', '2027-12-31'],
  ['dic. 2027', '2027-12-31'],
  ['ENE 27', '2027-01-31'],
  ['ديسمبر ٢٠٢٧', '2027-12-31'],
  ['كانون الأول 2027', '2027-12-31'],
  // GS1 General Specifications, AI (17): day 00 is the last day of the month
  ['271200', '2027-12-31'],
  ['2027-12-00', '2027-12-31'],
])('on a package, %s is the last day of the month; elsewhere it is no day', (typed, last) => {
  expect(readDay(typed, 'last')).toEqual({ day: last })
  expect(readDay(typed, 'first')).toEqual({ day: `${last.slice(0, 8)}01` })
  expect(readDay(typed)).toBeNull()
})

test('01/02/2027 may be one of two days', () => {
  expect(readDay('01/02/2027', 'last')).toEqual({ either: ['2027-02-01', '2027-01-02'] })
  expect(certainDay('01/02/2027')).toBeNull()
  expect(readDay('03041980')).toEqual({ either: ['1980-04-03', '1980-03-04'] })
})

test.each([
  '13/2027',
  '2027-13',
  '27/12',
  '30 Feb 2027',
  '2027-02-30',
  '31/12/27',
  'soon',
  '12',
  'XYZ 27',
  '271231',
])('%s is no day, also on a package', (typed) => expect(readDay(typed, 'last')).toBeNull())

test('a field says what is wrong with what was typed: no date, or one of two', () => {
  const problem = (value: unknown) =>
    optional(date('common.search')).schema.safeParse(value).error?.issues[0]?.message
  expect(problem('soon')).toBe('validation.date')
  expect(problem('01/02/2027')).toBe('validation.whichDay')
  expect(problem('2027-01-02')).toBeUndefined()
})
