import { type Language, LANGUAGES, type MessageKey } from './language'
import type { Sayable } from './say'
import { sentence } from './sentence'

type Words = Readonly<Record<Language, string>>

type Values = Readonly<Record<string, string | number | Words>>

/** A text in each language: `say` gets the language. */
export const inEach = (say: (language: Language) => string): Words =>
  Object.fromEntries(LANGUAGES.map((language) => [language, say(language)])) as Words

/**
 * A message in each language. A value that is itself in words is said in the same language. Warnings are stored with
 * their sentences, so they are made on the server.
 */
export const inWords = (key: MessageKey, values: Values = {}): Words =>
  inEach((language) =>
    sentence(language, {
      key,
      values: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'object' ? value[language] : value,
        ]),
      ),
    }),
  )

/** Says messages outside of a screen, as `useSay` does on one. */
export const sayIn =
  (language: Language) =>
  (what: Sayable): string => {
    if (typeof what === 'string') return sentence(language, { key: what })
    return 'text' in what ? what.text : sentence(language, what)
  }
