import { useCallback } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import type { Message } from './errors'
import { type Language, type Messages, type MessageKey, preferredLanguage } from './language'
import { DAY_FORMAT, readableValues } from './readable-values'

declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages
  }
}

/** Something to show a person: a sentence of the message files, or text that people wrote, as it stands. */
export type Sayable = MessageKey | Message | { text: string }

/** Puts a sentence into the viewer's language. */
export function useSay() {
  const translate = useTranslations()
  const format = useFormatter()
  return useCallback(
    (what: Sayable) => {
      if (typeof what === 'string') return translate(what as never) // use-intl asks for one key
      if ('text' in what) return what.text
      const values = readableValues(
        what,
        (day) => format.dateTime(new Date(day), DAY_FORMAT),
        () => translate('batches.noExpiry'),
      )
      return translate(what.key as never, values as never) // as above
    },
    [translate, format],
  )
}

/** The language of the screen: its locale can also name the digits (`ar-u-nu-latn`). */
export const useLanguage = (): Language => preferredLanguage(useLocale())
