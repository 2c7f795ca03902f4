import { optional, select } from '~/fields/field'
import { type Language, LANGUAGES, type MessageKey } from '~/shared/language'

/** One of the languages of Sanad, or none. */
export const languageField = (label: MessageKey, hint?: MessageKey) => ({
  ...optional(
    select(label, LANGUAGES, (language: Language): MessageKey => `account.language_${language}`),
  ),
  ...(hint && { hint }),
})
