import { expect, test } from 'vitest'
import type { Definition } from './checked-definition'
import type { EventFormField } from './definition'
import {
  completeTranslations,
  inLanguage,
  localized,
  missingTranslations,
  textIn,
  withText,
} from './translations'

const pain: EventFormField = {
  id: 'pain',
  name: 'Pain',
  description: 'Now',
  required: false,
  fieldType: 'options',
  inputType: 'radio',
  multi: false,
  options: [
    { id: 'a', label: 'Little', value: 'little' },
    { id: 'b', label: '10', value: '10' },
  ],
}
const note: EventFormField = {
  id: 'note',
  name: '',
  description: '',
  required: false,
  fieldType: 'text',
  content: 'Look',
  size: 'md',
}
const form: Definition = {
  name: 'Form',
  description: '',
  language: 'en',
  form_fields: [pain, note],
  translations: [
    { fieldId: '__form_name__', name: { ar: 'نموذج' }, description: {}, options: {} },
    {
      fieldId: 'pain',
      name: { ar: 'الألم' },
      description: {},
      options: { a: { ar: 'قليل', es: 'Poco' } },
    },
    { fieldId: 'note', name: { ar: 'انظر', es: 'Mire' }, description: {}, options: {} },
  ],
}

test('a form is read in the language asked for, else in English, else in its own', () => {
  expect(localized(form, 'ar')).toMatchObject({
    name: 'نموذج',
    form_fields: [
      {
        name: 'الألم',
        description: 'Now',
        options: [{ label: 'قليل', value: 'little' }, { label: '10' }],
      },
      { content: 'انظر' },
    ],
  })
  expect(localized(form, 'es').form_fields[0]).toMatchObject({
    name: 'Pain',
    options: [{ label: 'Poco' }, {}],
  })
  const spanish: Definition = { ...form, language: 'es', translations: [] }
  expect(localized(spanish, 'ar').form_fields[0]).toMatchObject({ name: 'Pain' })
})

test('missing translations are reported, except numbers, which read the same everywhere', () => {
  expect(
    missingTranslations(form).map(
      ({ fieldId, language, what }) => `${fieldId} ${language} ${what}`,
    ),
  ).toEqual(['__form_name__ es name', 'pain es name', 'pain ar description', 'pain es description'])
})

test('what has not changed stays the same object, so that a screen need not draw it again', () => {
  const first = localized(form, 'ar').form_fields
  const other = { ...form, form_fields: [{ ...pain, name: 'Ache' }, note] }
  const second = localized(other, 'ar').form_fields
  expect(second[1]).toBe(first[1])
  expect(second[0]).not.toBe(first[0])
  expect(localized(form, 'es').form_fields[1]).toMatchObject({ content: 'Mire' })
})

test('a text is written and read back in each language, an option’s too', () => {
  const translations = withText(form.translations, 'pain', 'name', 'es', 'Poco dolor', 'b')
  const changed = {
    ...form,
    translations: withText(translations, 'pain', 'description', 'ar', 'الآن'),
  }
  expect(textIn(changed, 'pain', 'name', 'es', 'b')).toBe('Poco dolor')
  expect(textIn(changed, 'pain', 'description', 'ar')).toBe('الآن')
  expect(textIn(changed, 'pain', 'name', 'en')).toBe('Pain')
  expect(textIn(changed, 'pain', 'name', 'ar')).toBe('الألم')
  expect(textIn(changed, 'gone', 'name', 'en')).toBe('')
})

test('another own language changes places with its translations, and back again nothing is lost', () => {
  const arabic = inLanguage(form, 'ar')
  expect(arabic).toMatchObject({
    language: 'ar',
    name: 'نموذج',
    form_fields: [{ name: 'الألم' }, { content: 'انظر' }],
  })
  const back = inLanguage(arabic, 'en')
  expect(back.form_fields).toEqual(form.form_fields)
  expect(completeTranslations(back)).toMatchObject([
    { fieldId: '__form_name__', name: { en: 'Form', ar: 'نموذج' } },
    { fieldId: '__form_description__' },
    { fieldId: 'pain', name: { en: 'Pain', ar: 'الألم' } },
    { fieldId: 'note', name: { en: 'Look', ar: 'انظر', es: 'Mire' } },
  ])
})
