import { useLocale } from 'use-intl'
import { LANGUAGES, type Language } from '~/shared/language'
import { programName } from './programs'

/** The language of the screen: its locale can also name the digits (`ar-u-nu-latn`). */
export function useLanguage(): Language {
  const locale = useLocale()
  return LANGUAGES.find((language) => locale.split('-')[0] === language) ?? 'en'
}

/** The name of a program by its code. */
export const ProgramName = ({ code }: { code: string }) => programName(code, useLanguage())
