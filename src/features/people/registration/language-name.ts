import { useFormatter } from 'use-intl'
import type { Language } from '~/shared/language'

/** The name of a language in the reader's language. */
export function useLanguageName() {
  const format = useFormatter()
  return (language: Language) => format.displayName(language, { type: 'language' })
}
