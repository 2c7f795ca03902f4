import { plainWords } from '~/fields/plain-words'
import { type Language, LANGUAGES } from '~/shared/language'

/** How files write the languages of Sanad, beside their codes (en, en-GB, ar, spa): in English, Arabic and Spanish. */
const WORDS: Record<Language, readonly string[]> = {
  en: ['eng', 'english', 'ingles', 'انجليزي', 'الانجليزية', 'انكليزي', 'الانكليزية'],
  ar: ['ara', 'arabic', 'arabe', 'عربي', 'العربية'],
  es: ['spa', 'spanish', 'espanol', 'castellano', 'اسباني', 'الاسبانية'],
}

/** The language that a cell means; null for every other word. */
export function parseLanguage(cell: string): Language | null {
  const word = plainWords(cell)
  const code = /^([a-z]{2})(?:[-_][a-z0-9]+)*$/.exec(cell.trim().toLowerCase())?.[1]
  return LANGUAGES.find((each) => each === code || WORDS[each].includes(word)) ?? null
}
