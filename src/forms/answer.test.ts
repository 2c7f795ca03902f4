import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldsSchema } from '~/fields/field'
import { cleanLine } from '~/shared/typed-text'
import { readStoredAnswer, storedAnswer } from './answer'
import {
  type AnswerValue,
  questionField,
  FIRST_DAY,
  LAST_DAY,
  type FormQuestion,
  QUESTION_TYPES,
  type QuestionType,
} from './question'

const zones = [
  'Pacific/Pago_Pago',
  'America/Lima',
  'UTC',
  'Asia/Gaza',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
]
const day = fc
  .date({ min: new Date(FIRST_DAY), max: new Date(LAST_DAY), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const word = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => cleanLine(text) === text)
const given: Record<QuestionType, fc.Arbitrary<Exclude<AnswerValue, null>>> = {
  text: word,
  number: fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
    .map((n) => (n === 0 ? 0 : n)),
  date: day,
  select: word,
  boolean: fc.boolean(),
  checkbox: fc.uniqueArray(word, {
    minLength: 1,
    maxLength: 5,
    selector: (text) => text.normalize('NFKC').toLowerCase().trim(),
  }),
}
const question = (fieldType: QuestionType, answer: unknown, required = false): FormQuestion => ({
  id: 'q',
  fieldType,
  label: { en: 'Question' },
  options: [answer]
    .flat()
    .map((text) => ({ value: String(text), label: { en: String(text), ar: `ع ${String(text)}` } })),
  required,
})
const check = (asked: FormQuestion, answer: unknown, kept?: unknown) =>
  fieldsSchema({ q: questionField(asked, 'en', kept) }).safeParse({ q: answer })
const issueOf = (asked: FormQuestion, answer: unknown) =>
  check(asked, answer).error?.issues[0]?.message

test.each(QUESTION_TYPES)(
  'an answer of type %s is accepted, kept and read back equal, in every time zone',
  (type) => {
    fc.assert(
      fc.property(given[type], fc.constantFrom(...zones), (answer, zone) => {
        const accepted = check(question(type, answer), answer).data?.q as Exclude<AnswerValue, null>
        expect(accepted).toEqual(answer)
        expect(readStoredAnswer(type, storedAnswer(type, accepted), zone)).toEqual(answer)
      }),
    )
  },
)

test('a day stays that day on phones anywhere from UTC-11 to UTC+11, and the database keeps one column of four', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -11, max: 11 }), (date, hours) => {
      const { date_value, ...others } = storedAnswer('date', date)
      expect(new Date(date_value!.getTime() + hours * 3_600_000).toISOString().slice(0, 10)).toBe(
        date,
      )
      expect(others).toMatchObject({ number_value: null, string_value: null, boolean_value: null })
    }),
  )
})

test.each([
  ['midnight in Gaza, by a phone there', '1990-05-16T21:00:00Z', 'Asia/Gaza', '1990-05-17'],
  ['midnight in Lima, by a phone there', '1990-05-17T05:00:00Z', 'America/Lima', '1990-05-17'],
  ['midnight in UTC, by an import', '1990-05-17T00:00:00Z', 'America/Lima', '1990-05-17'],
  ['a leap day', '2000-02-28T22:00:00Z', 'Asia/Gaza', '2000-02-29'],
])('what a phone kept as %s is that day', (_, moment, zone, read) => {
  const stored = {
    ...storedAnswer('text', ''),
    date_value: new Date(moment),
    string_value: null,
    metadata: {},
  }
  expect(readStoredAnswer('date', stored, zone)).toBe(read)
})

test('a note of the day that does not fit the moment any more is not believed', () => {
  const stored = {
    ...storedAnswer('date', '1990-05-17'),
    date_value: new Date('1991-01-01T00:00:00Z'),
  }
  expect(readStoredAnswer('date', stored, 'UTC')).toBe('1991-01-01')
})

test.each(QUESTION_TYPES)(
  'an answer of type %s stays readable when its field is removed or asks something else',
  (type) => {
    const answer = {
      text: 'Ra',
      number: 0,
      date: '2000-02-29',
      select: 'Ra',
      boolean: false,
      checkbox: ['a', 'b'],
    }[type]
    const read = Array.isArray(answer) ? 'a; b' : answer
    expect(readStoredAnswer(undefined, storedAnswer(type, answer), 'UTC')).toEqual(read)
    const other = type === 'number' ? 'boolean' : 'number'
    expect(readStoredAnswer(other, storedAnswer(type, answer), 'UTC')).toEqual(read)
  },
)

test.each([
  ['text', '  ', 'validation.required'],
  ['text', 7, 'validation.wrongType'],
  ['number', 'seven', 'validation.number'],
  ['number', '1,000', 'validation.ambiguousNumber'],
  ['number', Number.NaN, 'validation.number'],
  ['number', 1e300, 'validation.number'],
  ['number', null, 'validation.required'],
  ['date', '2026-02-30', 'validation.date'],
  ['date', '1899-12-31', 'validation.tooEarly'],
  ['date', '2101-01-01', 'validation.tooLate'],
  ['date', {}, 'validation.wrongType'],
  ['select', 'elsewhere', 'validation.option'],
  ['select', { toString: () => 'A' }, 'validation.option'],
  ['checkbox', ['A', 'elsewhere'], 'validation.option'],
  ['checkbox', 'A', 'validation.wrongType'],
  ['checkbox', [], 'validation.required'],
  ['boolean', 'yes', 'validation.wrongType'],
  ['boolean', undefined, 'validation.required'],
] as const)('to a %s, %j is no answer', (type, answer, message) => {
  expect(issueOf(question(type, 'A', true), answer)).toBe(message)
})

test('a text has at most 2,000 characters, or as many as the question says', () => {
  expect(issueOf(question('text', ''), 'x'.repeat(2001))).toBe('validation.tooLong')
  expect(issueOf(question('text', ''), 'x'.repeat(2000))).toBeUndefined()
  expect(issueOf({ ...question('text', ''), max: 200 }, 'x'.repeat(201))).toBe('validation.tooLong')
})

test('an answer in another language or case is the same answer, and one of an older form may stay', () => {
  const asked = question('select', 'Male')

  expect(check(asked, 'ع Male').data?.q).toBe('Male')
  expect(check(asked, ' mALE').data?.q).toBe('Male')
  expect(check(asked, 'Gone').success).toBe(false)
  expect(check(asked, 'Gone', 'Gone').data?.q).toBe('Gone')
  expect(check(question('checkbox', 'Male'), ['Gone', 'male'], ['Gone']).data?.q).toEqual([
    'Gone',
    'Male',
  ])
})
