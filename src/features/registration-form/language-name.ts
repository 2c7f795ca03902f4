import { useFormatter } from 'use-intl'
import type { Language } from '~/shared/language'

/** What a language is called in the language of whoever reads. */
export function useLanguageName() {
  const format = useFormatter()
  return (language: Language) => format.displayName(language, { type: 'language' })
}
