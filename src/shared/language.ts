import { createTranslator } from 'use-intl/core'
import ar from '../../messages/ar.json'
import en from '../../messages/en.json'
import es from '../../messages/es.json'
import type { Message } from './errors'

export const LANGUAGES = ['en', 'ar', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

type Messages = typeof en
type Leaves<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Leaves<T[K]>}` }[keyof T & string]
/** The path of one sentence in `messages/*.json`. English is the list of what exists. */
export type MessageKey = Leaves<Messages>

export const messages: Record<Language, Messages> = { en, ar, es }

export const directionOf = (language: Language) => (language === 'ar' ? 'rtl' : 'ltr')
export const isLanguage = (value: unknown): value is Language => LANGUAGES.includes(value as Language)

/** Text that people wrote in some of the three languages: a field's label, an option, a form's name. */
export type Translated = Partial<Record<string, string>>

/** The text in the language asked for, else in English, else in the first there is; "" for none (specification, section 1). */
export function translated(texts: Translated, language: Language): string {
  return texts[language] || texts['en'] || Object.values(texts).find(Boolean) || ''
}

/** One sentence of the message files. */
export function sentence(language: Language, { key, values }: Message): string {
  const translate = createTranslator({ locale: language, messages: messages[language] })
  return translate(key as never, values as never)
}

/** The best of our languages for an Accept-Language header. */
export function preferredLanguage(header: string | null | undefined): Language {
  const wanted = (header ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase())
  return wanted.find(isLanguage) ?? 'en'
}
