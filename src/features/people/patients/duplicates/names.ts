import { jaroWinkler, lettersApart } from './letters'
import weights from './likeness-weights.json'

/**
 * One word of a name: as folded by the database (`fold_text`), and how it sounds (`name_sounds`:
 * "asmn|atmn").
 */
export type NameWord = { text: string; sounds: readonly string[] }

const isArabic = (text: string) => /[\u0621-\u06ff]/.test(text)

/**
 * How two words of a name agree, the best first. `sibling` means two names one letter or vowel
 * apart.
 */
export const WORD_LEVELS = ['same', 'alike', 'typo', 'close', 'part', 'sibling', 'other'] as const
export type WordLevel = (typeof WORD_LEVELS)[number]

/** Synthea numbers its names: "Curt84". A name may begin like the Arabic article: إلهام. */
const bare = (text: string) => text.replace(/(?<=\D{2})\d+$/, '').replace(/^ال(?=..)/, '')

export function wordLevel(a: NameWord, b: NameWord): WordLevel {
  const [x, y] = [bare(a.text), bare(b.text)]
  if (x === y) return 'same'
  const sameScript = isArabic(x) === isArabic(y)
  const shared = a.sounds.filter((sound) => b.sounds.includes(sound))
  if (shared.length > 0 && vowelsAgree(x, y) && endAlike(x, y)) return 'alike'
  if (isShortFor(a, b) || isShortFor(b, a)) return 'part'
  if (!sameScript) return shared.length > 0 ? 'sibling' : 'other'
  const level = typedLevel(x, y)
  // Hassan and Hussein, Omar and Amir: the same consonants, but different names
  return level === 'other' && shared.length > 0 ? 'sibling' : level
}

function typedLevel(a: string, b: string): WordLevel {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  if (
    longer.startsWith(shorter) &&
    (shorter.length === 1 || (shorter.length > 2 && longer.length - shorter.length > 1))
  )
    return 'part'
  if (shorter.length < 2) return 'other'
  const apart = longer.length - shorter.length > 3 ? Infinity : lettersApart(a, b)
  if (apart === 1) return isSureTypo(shorter, longer) ? 'typo' : 'close'
  if (apart === 2) {
    if (shorter.length > 7) return 'typo'
    return shorter.length > 4 ? 'close' : 'other'
  }
  if (apart === 3 && shorter.length > 8) return 'close'
  return jaroWinkler(a, b) > 0.92 ? 'close' : 'other'
}

/**
 * Swapped or doubled letters, or one letter of a long word: in a short word it makes another name
 * (Salma, Salwa).
 */
function isSureTypo(shorter: string, longer: string): boolean {
  if (!endAlike(shorter, longer)) return false
  if (shorter.length === longer.length) return shorter.length > 6 || isExchanged(shorter, longer)
  return (
    shorter.length > 4 ||
    withoutVowels(shorter) === withoutVowels(longer) ||
    longer.replaceAll(/(.)\1/gu, '$1') === shorter
  )
}

const withoutVowels = (text: string) => text.replaceAll(/(?<=.)[aeiouyاوي](?=.)/gu, '')
const isExchanged = (a: string, b: string) =>
  [...a].toSorted().join('') === [...b].toSorted().join('')

const givenNames = new Set(weights.givenNames.split(' '))
/** Two common names: one is rarely a misspelling of the other. */
export const isOtherGivenName = (a: NameWord, b: NameWord) =>
  a.text !== b.text && givenNames.has(a.text) && givenNames.has(b.text)

/** Short forms: Abed and عبود for Abdulrahman. */
const isShortFor = (short: NameWord, long: NameWord) =>
  short.sounds.includes('abd') && long.sounds.some((sound) => sound.startsWith('abd'))

const ENDINGS: readonly [RegExp, 'a' | 'ia' | ''][] = [
  [/(ية|يه|يا)$|[iy]y?a$/, 'ia'],
  [/[ةها]$|a$/, 'a'],
  [/[بتثجخدذرزسشصضطظعغفقكلمن]$|[bcdfgjklmnpqrstvwxz]$/, ''],
]

/**
 * Samir and Samira, Nada and Nadia are two people: "a" and "ia" end women's names. Null for
 * optional letters.
 */
const nameEnding = (text: string) => ENDINGS.find(([shape]) => shape.test(text))?.[1] ?? null

function endAlike(a: string, b: string): boolean {
  const [endA, endB] = [nameEnding(a), nameEnding(b)]
  return endA === null || endB === null || endA === endB
}

const digraphs: [RegExp, string][] = [
  [/^(abd)[aeiou]?[lrsn]?/, '$1'],
  [/s?[sc]h/g, 's'],
  [/kh/g, 'x'],
  [/gh/g, 'g'],
  [/th/g, 't'],
  [/dh/g, 'd'],
  [/ph/g, 'f'],
  [/([^aeiouy])\1+/g, '$1'],
  [/(?<=[aeiouy])h$/, ''],
]
/** At the start of a word, و and y are consonants. */
const firstConsonants: Record<string, string> = { و: 'w', ي: 'j', ی: 'j', y: 'j' }
const arabicVowels: Record<string, string> = { ا: 'a', و: 'u', ي: 'i', ى: 'i', ی: 'i' }

/**
 * The vowel after each consonant: "a", "i", "u", "e" (matches any), "ai", or "" if none is written.
 */
function vowelSlots(word: string): string[] {
  const letters = isArabic(word)
    ? [...word.replace(/^[اع]/, 'ء').replace(/[ةه]$/, '')].map(
        (letter) => arabicVowels[letter] ?? letter,
      )
    : [...digraphs.reduce((text, [from, to]) => text.replace(from, to), word)].map((letter) => {
        if (letter === 'o') return 'u'
        if (letter === 'y') return 'i'
        return letter
      })
  const first = firstConsonants[word[0] ?? '']
  if (first && word.length > 1) letters[0] = first
  const slots: string[] = ['']
  for (const [at, letter] of letters.entries()) {
    if (at > 0 && 'aeiu'.includes(letter)) slots[slots.length - 1] += letter
    else if (at === 0) slots[0] = 'aeiu'.includes(letter) ? letter : ''
    else slots.push('')
  }
  return slots
}

function vowelsAgree(a: string, b: string): boolean {
  const [slotsA, slotsB] = [vowelSlots(a), vowelSlots(b)]
  if (slotsA.length !== slotsB.length) return true
  const scripts = Number(isArabic(a)) + Number(isArabic(b))
  // the last vowel is an optional ending
  return slotsA.slice(0, -1).every((slot, at) => agree(slot, slotsB[at]!, scripts))
}

/** `arabic`: how many of the two words are in Arabic script. */
function agree(a: string, b: string, arabic: number): boolean {
  if (a === '' || b === '') {
    // Arabic leaves out short vowels, and never a long i or u: حسين is not حسن, nor is "Hussein"
    if (arabic === 2) return !/[iu]/.test(a + b)
    return arabic === 0 || !/^(ei|ai|ee|ii)$/.test(a + b)
  }
  const [x, y] = [vowelSound(a), vowelSound(b)]
  return x === y || x === 'e' || y === 'e'
}

function vowelSound(vowels: string): string {
  if (vowels.includes('u')) return 'u'
  if (/^(ei|ai|ie|ee|ia)/.test(vowels))
    return vowels.startsWith('ai') || vowels.startsWith('ei') ? 'e' : 'i'
  return vowels[0]!
}
