export type Sex = 'male' | 'female'

/**
 * The words for a sex in the three languages. A bare "m" or "h" is not among them: M is "male" in
 * English and "mujer" in Spanish records, H is "hombre", and a wrong sex selects the wrong growth
 * standard.
 */
export const SEX_WORDS: Record<Sex, readonly string[]> = {
  male: [
    'male',
    'masc',
    'man',
    'boy',
    'hombre',
    'masculino',
    'varón',
    'varon',
    'niño',
    'ذكر',
    'رجل',
    'ولد',
    'صبي',
  ],
  female: [
    'female',
    'fem',
    'woman',
    'girl',
    'mujer',
    'femenino',
    'hembra',
    'niña',
    'أنثى',
    'انثى',
    'امرأة',
    'بنت',
    'فتاة',
  ],
}

const STRAY = /^['"`‘’“”]+|[.,;'"`‘’“”]+$/g
/** Without the signs that typing or a program left around a word: "male.", male'. */
export const withoutStray = (text: string) => text.trim().replaceAll(STRAY, '')

/** The sex that a text names in one of the three languages; null for anything else, an ambiguous letter included. */
export function parseSex(text: string | null): Sex | null {
  const word = withoutStray(text ?? '')
    .normalize('NFC')
    .toLowerCase()
  if (SEX_WORDS.male.includes(word)) return 'male'
  // a lone f is female in English and Spanish alike
  return word === 'f' || SEX_WORDS.female.includes(word) ? 'female' : null
}

/**
 * True if the lone letters of a whole column are F and M. A column with an F speaks of female and
 * male; one with M alone, or with H, V or another letter, does not say which.
 */
export function isFemaleMale(cells: Iterable<string>): boolean {
  const letters = new Set(
    [...cells]
      .map((cell) => withoutStray(cell).toLowerCase())
      .filter((cell) => /^\p{L}$/u.test(cell)),
  )
  return letters.has('f') && [...letters].every((letter) => letter === 'f' || letter === 'm')
}
