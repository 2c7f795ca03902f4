import { expect, test } from 'vitest'
import { type Language, languageLocale, preferredLanguage, translated } from './language'
import { sentence } from './sentence'

test.each([
  [{ en: 'Name', ar: 'الاسم', es: 'Nombre' }, 'es', 'Nombre'],
  [{ en: 'Name', ar: 'الاسم' }, 'es', 'Name'],
  [{ ar: 'الاسم', fr: 'Nom' }, 'es', 'الاسم'],
  [{ en: '', es: '' }, 'ar', ''],
  [{}, 'ar', ''],
] as const)('%j is read in %s as "%s"', (texts, language, text) => {
  expect(translated(texts, language)).toBe(text)
})

test.each([
  ['es-MX,es;q=0.9,en;q=0.8', 'es'],
  ['fr, ar;q=0.5', 'ar'],
  ['de', 'en'],
  [null, 'en'],
] as const)('a browser that asks for "%s" gets %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language)
})

const wait = (seconds: number) =>
  sentence('ar', { key: 'errors.tooManyRequests', values: { seconds } })

test('an Arabic count uses the dual, and the digits that the clinics use', () => {
  expect(wait(2)).toContain('بعد ثانيتين')
  expect(wait(30)).toContain('30')
})

test.each(['en', 'ar', 'es'] satisfies Language[])(
  '%s divides decimals by a point and thousands by a comma',
  (language) => {
    const { format } = new Intl.NumberFormat(languageLocale(language))
    expect([format(12.345), format(12_345), format(1234.5)]).toEqual([
      '12.345',
      '12,345',
      '1,234.5',
    ])
  },
)

test('a Spanish clock counts 24 hours', () => {
  const clock = new Intl.DateTimeFormat(languageLocale('es'), {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
  })
  expect(clock.format(new Date('2026-11-22T13:05:00Z'))).toBe('13:05')
})
