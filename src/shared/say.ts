import { useCallback } from 'react'
import { useTranslations } from 'use-intl'
import type { Message } from './errors'
import type { Messages, MessageKey } from './language'

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
  return useCallback(
    (what: Sayable) => {
      if (typeof what === 'string') return translate(what as never)
      return 'text' in what ? what.text : translate(what.key as never, what.values as never)
    },
    [translate],
  )
}
