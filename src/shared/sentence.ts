import { createTranslator } from 'use-intl/core'
import ar from '../../messages/ar.json'
import en from '../../messages/en.json'
import es from '../../messages/es.json'
import type { Message } from './errors'
import { type Language, languageLocale, type Messages } from './language'
import { DAY_FORMAT, readableValues } from './readable-values'

/** All languages at once: for the server, commands and tests. A browser gets one (`~/ui/messages`). */
const messages: Record<Language, Messages> = { en, ar, es }

const translators: Partial<Record<Language, ReturnType<typeof makeTranslator>>> = {}
const makeTranslator = (language: Language) =>
  createTranslator({ locale: languageLocale(language), messages: messages[language] })

const days: Partial<Record<Language, Intl.DateTimeFormat>> = {}
const daysIn = (language: Language) => new Intl.DateTimeFormat(languageLocale(language), DAY_FORMAT)

/** One sentence of the message files, outside of a screen. */
export function sentence(language: Language, message: Message): string {
  // made once, with all that it has read: a file of ten thousand lines says a unit in each cell
  const translate = (translators[language] ??= makeTranslator(language))
  const readable = readableValues(
    message,
    (day) => (days[language] ??= daysIn(language)).format(Date.parse(day)),
    () => translate('batches.noExpiry'),
  )
  return translate(message.key as never, readable as never) // use-intl asks for the values of the one key
}
