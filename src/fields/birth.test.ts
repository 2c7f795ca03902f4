import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ageOn,
  ageRangeInMonths,
  birthChoices,
  birthFrom,
  birthSpan,
  birthText,
  isAgeOfZero,
  isVague,
  latestDay,
} from './birth'

const today = '2026-03-10'

test.each([
  ['1990-05-17', '1990-05-17', 'day'],
  ['17/5/1990', '1990-05-17', 'day'],
  // every box for a day reads it so
  ['5/17/1990', '1990-05-17', 'day'],
  ['5/5/1990', '1990-05-05', 'day'],
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
  ['8 months', '2025-06-25', 'month'],
  ['8 m', '2025-06-25', 'month'],
  ['8m', '2025-06-25', 'month'],
  ['6 أشهر', '2025-08-26', 'month'],
  ['شهران', '2025-12-26', 'month'],
  ['6 meses', '2025-08-26', 'month'],
  ['0 months', '2026-02-23', 'month'],
  ['3 semanas', '2026-02-14', 'week'],
  ['3 w', '2026-02-14', 'week'],
  ['٣ أسابيع', '2026-02-14', 'week'],
  ['37 days', '2026-02-01', 'day'],
  ['10 d', '2026-02-28', 'day'],
  ['10 días', '2026-02-28', 'day'],
  ['10 أيام', '2026-02-28', 'day'],
  ['May 2024', '2024-05-15', 'month'],
  ['mayo de 2024', '2024-05-15', 'month'],
  ['أيار ٢٠٢٤', '2024-05-15', 'month'],
  ['مايو 2024', '2024-05-15', 'month'],
  ['5/2024', '2024-05-15', 'month'],
  ['2024-05', '2024-05-15', 'month'],
  ['1 year 6 months', '2024-08-26', 'month'],
  ['1y 6m', '2024-08-26', 'month'],
  ['1 año y 6 meses', '2024-08-26', 'month'],
  ['1 año 6 meses', '2024-08-26', 'month'],
  ['سنة و٦ أشهر', '2024-08-26', 'month'],
  ['1 سنة و 6 أشهر', '2024-08-26', 'month'],
  ['2 1/2', '2023-08-26', 'month'],
  ['2½', '2023-08-26', 'month'],
  ['2.5 years', '2023-08-26', 'month'],
  ['2 años y medio', '2023-08-26', 'month'],
  ['سنتان ونصف', '2023-08-26', 'month'],
  ['2 سنة و 6 أشهر', '2023-08-26', 'month'],
  ['34 1/2', '1991-07-01', 'age'],
  ['17 May 1990', '1990-05-17', 'day'],
  ['May 17, 1990', '1990-05-17', 'day'],
  ['17 de mayo de 1990', '1990-05-17', 'day'],
  ['١٧ أيار ١٩٩٠', '1990-05-17', 'day'],
  ['17 مايو 1990', '1990-05-17', 'day'],
])('%s means %s (%s)', (typed, day, precision) => {
  expect(birthFrom(typed, today)).toEqual({ day, precision })
})

test.each(['0', '0 years', '٠', '0 سنة'])(
  '%j is no age: a newborn would become eight months old',
  (typed) => {
    expect(isAgeOfZero(typed)).toBe(true)
    expect(birthFrom(typed, today)).toBeNull()
  },
)

test.each([
  '',
  'x',
  '29/2/2001',
  '31/4/1990',
  '131',
  '-3',
  '12/3/1985',
  '3-12-1985',
  '17/5/90',
  '5/24',
  'May 24',
  '13/2024',
  '1 year 13 months',
  '2 1/2 months',
  '31 April 1990',
  '1990-13-01',
  '<b>',
])('%j has no meaning and is not guessed', (typed) => expect(birthFrom(typed, today)).toBeNull())

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

test('every day from 1900 on keeps itself, in each shape that people type', () => {
  fc.assert(
    fc.property(day, (date) => {
      const [year, month, ofMonth] = date.split('-')
      const birth = { day: date, precision: 'day' }
      for (const typed of [date, `${year}${month}${ofMonth}`])
        expect(birthFrom(typed, today)).toEqual(birth)
      // a date with two readings is asked about, never guessed
      for (const typed of [`${ofMonth}/${month}/${year}`, `${ofMonth}${month}${year}`]) {
        const either = birthChoices(typed)
        expect(either ? either.includes(date) : true).toBe(true)
        expect(birthFrom(typed, today)).toEqual(either ? null : birth)
        expect(either !== null).toBe(Number(ofMonth) <= 12 && ofMonth !== month)
      }
    }),
  )
})

test('an age is the age of that day, and what it becomes means the same ever after', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), day, day, (age, entered, later) => {
      const birth = birthFrom(String(age), entered)!
      expect(ageOn(birth.day, entered)).toBe(age)
      expect(birth.day <= entered).toBe(true)
      expect(birthFrom(birthText(birth), later)).toEqual(birth)
    }),
  )
})

test('an age in months, weeks or days is within the days that its birth leaves open, and reads back equal', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 36 }),
      fc.constantFrom('months', 'weeks', 'days'),
      day,
      (age, unit, entered) => {
        const birth = birthFrom(`${age} ${unit}`, entered)!
        const [earliest, latest] = birthSpan(birth)
        const since = (from: string) => (Date.parse(entered) - Date.parse(from)) / 86_400_000
        const perUnit = { months: 30.4375, weeks: 7, days: 1 }[unit]
        // the youngest that this age can mean is inside, and so is the oldest
        expect(since(latest)).toBeLessThanOrEqual(age * perUnit + 2)
        expect(since(earliest)).toBeGreaterThanOrEqual(
          (age + (unit === 'days' ? 0 : 1)) * perUnit - 3,
        )
        expect(birthFrom(birthText(birth), entered)).toEqual(birth)
      },
    ),
  )
})

test('an age in years is within the two years around its 1 July', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 90 }),
      day,
      fc.integer({ min: 0, max: 364 }),
      (age, entered, more) => {
        const [earliest, latest] = birthSpan(birthFrom(String(age), entered)!)
        const years = age + more / 365
        const born = new Date(Date.parse(entered) - years * 365.25 * 86_400_000)
          .toISOString()
          .slice(0, 10)
        expect(earliest <= born && born <= latest).toBe(true)
      },
    ),
  )
})

test('of a small child with only a known year of birth, the age is a span of months', () => {
  const birth = { day: '2026-01-01', precision: 'year' } as const
  expect(ageRangeInMonths(birth, '2026-11-22')).toEqual([-2, 10])
  expect(isVague(birth, '2026-11-22')).toBe(true)
  expect(isVague({ day: '1990-01-01', precision: 'year' }, '2026-11-22')).toBe(false)
  expect(isVague({ day: '2026-03-07', precision: 'month' }, '2026-11-22')).toBe(false)
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

test('a patient born on a leap day is a year older on 1 March of other years', () => {
  expect(ageOn('2000-02-29', '2001-02-28')).toBe(0)
  expect(ageOn('2000-02-29', '2001-03-01')).toBe(1)
})

test('it is already tomorrow in Kiribati', () => {
  expect(latestDay(new Date('2026-03-10T11:00:00Z'))).toBe('2026-03-11')
})
