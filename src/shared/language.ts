import type en from '../../messages/en.json'

export const LANGUAGES = ['en', 'ar', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each language by its own name, so that users find theirs in an interface that they cannot read. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  ar: 'العربية',
  es: 'Español',
}

/** Every sentence of the interface in one language. English is the list of what exists. */
export type Messages = typeof en
type Leaves<T> = {
  [K in keyof T & string]: T[K] extends string ? K : `${K}.${Leaves<T[K]>}`
}[keyof T & string]
/** The path of one sentence in `messages/*.json`. */
export type MessageKey = Leaves<Messages>

export const textDirection = (language: Language): 'ltr' | 'rtl' =>
  language === 'ar' ? 'rtl' : 'ltr'
export const isLanguage = (value: unknown): value is Language =>
  LANGUAGES.includes(value as Language)

/**
 * The locale of dates and numbers. Arabic keeps the digits 0-9: the lab slips, the medicine boxes and the keyboards of
 * the clinics show them, and one page must not mix two kinds of digits. Spanish is that of Latin America, where a point
 * divides decimals (12.345 is twelve and a third, 12,345 is twelve thousand), with the 24-hour clock.
 */
const LOCALES: Record<Language, string> = { en: 'en', ar: 'ar-u-nu-latn', es: 'es-419-u-hc-h23' }
export const languageLocale = (language: Language) => LOCALES[language]

/** Text that people wrote in some of the three languages: a field's label, an option, a form's name. */
export type Translated = Partial<Record<string, string>>

/**
 * The text in the requested language, else in English, else the first one; "" without texts
 * (docs/specification.md, "Languages").
 */
export function translated(texts: Translated, language: Language): string {
  return texts[language] || texts['en'] || Object.values(texts).find(Boolean) || ''
}

/** The best of our languages for an Accept-Language header. */
export function preferredLanguage(header: string | null | undefined): Language {
  const wanted = (header ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase())
  return wanted.find(isLanguage) ?? 'en'
}
