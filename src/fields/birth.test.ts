import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ageOn, birthFrom, birthText, latestDay } from './birth'

const today = '2026-03-10'

test.each([
  ['1990-05-17', '1990-05-17', 'day'],
  ['17/5/1990', '1990-05-17', 'day'],
  ['17.05.1990', '1990-05-17', 'day'],
  ['17051990', '1990-05-17', 'day'],
  ['19900517', '1990-05-17', 'day'],
  ['٢٩/٢/٢٠٠٠', '2000-02-29', 'day'],
  ['1990', '1990-01-01', 'year'],
  ['~1990', '1990-07-01', 'age'],
  ['34', '1991-07-01', 'age'],
  ['34 años', '1991-07-01', 'age'],
  ['34y', '1991-07-01', 'age'],
  ['٣٤ سنة', '1991-07-01', 'age'],
  ['0', '2025-07-01', 'age'],
])('%s means %s (%s)', (typed, day, precision) => {
  expect(birthFrom(typed, today)).toEqual({ day, precision })
})

test.each(['', 'x', '29/2/2001', '31/4/1990', '131', '-3', '5/17/1990', '17/5/90', '1990-13-01', '<b>'])(
  '%j means nothing: nobody guesses',
  (typed) => expect(birthFrom(typed, today)).toBeNull(),
)

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

test('every day from 1900 on keeps itself, in each shape that people type', () => {
  fc.assert(
    fc.property(day, (date) => {
      const [year, month, ofMonth] = date.split('-')
      const birth = { day: date, precision: 'day' }
      for (const typed of [
        date,
        `${ofMonth}/${month}/${year}`,
        `${ofMonth}${month}${year}`,
        `${year}${month}${ofMonth}`,
      ]) {
        expect(birthFrom(typed, today)).toEqual(birth)
      }
    }),
  )
})

test('an age is the age of that day, and what it becomes means the same ever after', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 120 }), day, day, (age, told, later) => {
      const birth = birthFrom(String(age), told)!
      expect(ageOn(birth.day, told)).toBe(age)
      expect(birth.day <= told).toBe(true)
      expect(birthFrom(birthText(birth), later)).toEqual(birth)
    }),
  )
})

test('a year or an exact day reads back as what it was', () => {
  fc.assert(
    fc.property(day, (date) => {
      const exact = { day: date, precision: 'day' } as const
      const byYear = { day: `${date.slice(0, 4)}-01-01`, precision: 'year' } as const
      expect(birthFrom(birthText(exact), today)).toEqual(exact)
      expect(birthFrom(birthText(byYear), today)).toEqual(byYear)
    }),
  )
})

test('somebody born on a leap day is a year older on 1 March of other years', () => {
  expect(ageOn('2000-02-29', '2001-02-28')).toBe(0)
  expect(ageOn('2000-02-29', '2001-03-01')).toBe(1)
})

test('it is already tomorrow in Kiribati', () => {
  expect(latestDay(new Date('2026-03-10T11:00:00Z'))).toBe('2026-03-11')
})
