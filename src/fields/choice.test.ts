import { expect, test } from 'vitest'
import { optionByKey, findOption } from './choice'

const aliases = (en: string, ar: string, es: string) => [en, ar, es]
const sexes = [
  {
    value: 'male',
    label: { text: 'Male' },
    shown: 'Male',
    aliases: aliases('Male', 'ذكر', 'Masculino'),
  },
  {
    value: 'female',
    label: { text: 'Female' },
    shown: 'Female',
    aliases: aliases('Female', 'أنثى', 'Femenino'),
  },
]
const inArabic = sexes.map((option) => ({ ...option, shown: option.aliases[1]! }))

test.each([
  ['m', 'male'],
  ['F', 'female'],
  ['2', 'female'],
  ['ذ', 'male'],
  ['أ', 'female'],
  ['ا', 'female'],
])('in English, the key %s answers %s', (key, value) =>
  expect(optionByKey(sexes, key, null)).toBe(value),
)

test.each([
  ['ذ', 'male'],
  ['ا', 'female'],
  ['f', 'female'],
  ['1', 'male'],
])('in Arabic, the key %s answers %s', (key, value) =>
  expect(optionByKey(inArabic, key, null)).toBe(value),
)

test.each(['Tab', ' ', 'x', '9', 'ArrowDown'])('the key %j answers nothing', (key) =>
  expect(optionByKey(sexes, key, null)).toBeUndefined(),
)

test('where two begin alike, the key goes from one to the next', () => {
  const options = ['Married', 'Minor', 'Single'].map((shown) => ({ value: shown, shown }))
  expect(optionByKey(options, 'm', null)).toBe('Married')
  expect(optionByKey(options, 'm', 'Married')).toBe('Minor')
  expect(optionByKey(options, 'm', 'Minor')).toBe('Married')
})

test.each(['female', 'Female', ' FEMALE', 'أنثى', 'femenino'])(
  '%s is one answer in every language',
  (text) => expect(findOption(sexes, text)?.value).toBe('female'),
)
test.each([null, undefined, '', 'f', 0, {}])('%j is no option', (value) =>
  expect(findOption(sexes, value)).toBeUndefined(),
)
