import { isLanguage, type Language } from '~/shared/language'
import type { Element } from './element'
import { unsupportedElements } from './outcome'

const LANGUAGE_CODES = 'urn:ietf:bcp:47'

/** `Patient.communication` of the preferred language; nothing without one. */
export const communicationIn = (language: string | null) =>
  language && {
    language: { coding: [{ system: LANGUAGE_CODES, code: language }] },
    preferred: true,
  }

/** One of the languages of Sanad; another one has no place. */
export function languageFrom(element: Element): Language | null {
  const spoken = element.only('communication')
  if (!spoken) return null
  spoken.boolean('preferred')
  const concept = spoken.one('language')
  concept?.ignore('text')
  const coding = concept?.only('coding')
  coding?.ignore('display')
  const [system, code] = [coding?.text('system'), coding?.text('code')]
  if (system !== LANGUAGE_CODES) throw unsupportedElements(['Patient.communication[0]'])
  const language = code?.split('-')[0]?.toLowerCase()
  if (!isLanguage(language)) throw unsupportedElements(['Patient.communication[0]'])
  return language
}
