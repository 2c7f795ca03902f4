/** One word of a name: as folded by the database (`fold_text`), and how it sounds (`name_sounds`: "asmn|atmn"). */
export type NameWord = { text: string; sounds: readonly string[] }

const isArabic = (text: string) => /[\u0621-\u06ff]/.test(text)

/** How alike two words of a name are, from 0 to 1: one name in another spelling or script is at least 0.85. */
export function wordLikeness(a: NameWord, b: NameWord): number {
  if (a.text === b.text) return 1
  const sameScript = isArabic(a.text) === isArabic(b.text)
  const shared = a.sounds.filter((sound) => b.sounds.includes(sound))
  if (shared.length > 0) {
    // Hassan and Hussein, Omar and Amir, Samir and Samira: the same consonants, another name
    if (!vowelsAgree(a.text, b.text) || !endAlike(a.text, b.text)) return 0.6
    // two consonants alone (Ali, Ola) say little
    return Math.max(
      sameScript ? jaroWinkler(a.text, b.text) : 0,
      shared.some((sound) => sound.length > 2) ? 0.95 : 0.88,
    )
  }
  if (isShortFor(a, b) || isShortFor(b, a)) return 0.86
  if (!sameScript) return 0
  // with other consonants a short word is another name (Salma and Salwa, Ahmad and Hamad); a long one may be a slip
  const isSlip = Math.min(a.text.length, b.text.length) > 6 && isOneSlip(a.text, b.text)
  return isSlip ? 0.9 : Math.min(0.7, jaroWinkler(a.text, b.text))
}

/** Abed, عبود: what somebody called Abdulrahman is called. */
const isShortFor = (short: NameWord, long: NameWord) =>
  short.sounds.includes('abd') && long.sounds.some((sound) => sound.startsWith('abd'))

const ENDINGS: readonly [RegExp, 'a' | 'ia' | ''][] = [
  [/(ية|يه|يا)$|[iy]y?a$/, 'ia'],
  [/[ةها]$|a$/, 'a'],
  [/[بتثجخدذرزسشصضطظعغفقكلمن]$|[bcdfgjklmnpqrstvwxz]$/, ''],
]

/** "a" and "ia" end the names of women: Samir and Samira, Nada and Nadia are two people. Null for what may be left out or added. */
const endingOf = (text: string) => ENDINGS.find(([shape]) => shape.test(text))?.[1] ?? null

function endAlike(a: string, b: string): boolean {
  const [endA, endB] = [endingOf(a), endingOf(b)]
  return endA === null || endB === null || endA === endB
}

/**
 * How alike two whole names are, whatever the order of their words. `first`: the word by which the person is called must
 * be in the other's name, or it is a brother's.
 */
export function nameLikeness(a: readonly NameWord[], b: readonly NameWord[]): { whole: number; isSameFirst: boolean } {
  const [firstA, firstB] = [a[0], b[0]]
  if (!firstA || !firstB) return { whole: 0, isSameFirst: false }
  const [fewer, more] = a.length <= b.length ? [a, b] : [b, a]
  const left = [...more]
  let sum = 0
  for (const word of fewer) {
    const best = left
      .map((other) => wordLikeness(word, other))
      .reduce((top, each, at, all) => (each > (all[top] ?? 0) ? at : top), 0)
    sum += left.length > 0 ? wordLikeness(word, left[best]!) : 0
    left.splice(best, 1)
  }
  const within = (word: NameWord, words: readonly NameWord[]) =>
    words.some((other) => wordLikeness(word, other) >= 0.84)
  const isSameFirst = within(firstA, b) && within(firstB, a)
  // a middle name that one of them left out
  return { whole: (sum / fewer.length) * (1 - 0.05 * Math.min(3, left.length)), isSameFirst }
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
/** At the beginning of a word و and y are consonants. */
const firstConsonants: Record<string, string> = { و: 'w', ي: 'j', ی: 'j', y: 'j' }
const arabicVowels: Record<string, string> = { ا: 'a', و: 'u', ي: 'i', ى: 'i', ی: 'i' }

/** The vowel after each consonant: "a", "i", "u", "e" (may stand for any), "ai", or "" where none is written. */
function vowelSlots(word: string): string[] {
  const letters = isArabic(word)
    ? [...word.replace(/^[اع]/, 'ء').replace(/[ةه]$/, '')].map((letter) => arabicVowels[letter] ?? letter)
    : [...digraphs.reduce((text, [from, to]) => text.replace(from, to), word)].map((letter) =>
        letter === 'o' ? 'u' : letter === 'y' ? 'i' : letter,
      )
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
  // the last vowel is an ending that people write or leave out
  return slotsA.slice(0, -1).every((slot, at) => agree(slot, slotsB[at]!, scripts))
}

/** `arabic`: how many of the two words are in Arabic script. */
function agree(a: string, b: string, arabic: number): boolean {
  if (a === '' || b === '') {
    // Arabic leaves out short vowels, and never a long i or u: حسين is not حسن, nor is "Hussein"
    if (arabic === 2) return !/[iu]/.test(a + b)
    return arabic === 0 || !/^(ei|ai|ee|ii)$/.test(a + b)
  }
  const [x, y] = [soundOf(a), soundOf(b)]
  return x === y || x === 'e' || y === 'e'
}

function soundOf(vowels: string): string {
  if (vowels.includes('u')) return 'u'
  if (/^(ei|ai|ie|ee|ia)/.test(vowels)) return vowels.startsWith('ai') || vowels.startsWith('ei') ? 'e' : 'i'
  return vowels[0]!
}

/** Jaro–Winkler similarity (W. Winkler, 1990): made for short names, forgiving at the end rather than at the beginning. */
function jaroWinkler(a: string, b: string): number {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const taken = Array.from<boolean>({ length: b.length }).fill(false)
  const common: string[] = []
  for (let i = 0; i < a.length; i += 1) {
    for (let j = Math.max(0, i - reach); j < Math.min(b.length, i + reach + 1); j += 1) {
      if (taken[j] || a[i] !== b[j]) continue
      taken[j] = true
      common.push(a[i]!)
      break
    }
  }
  if (common.length === 0) return 0
  const inB = [...b].filter((_, j) => taken[j])
  const moved = common.filter((letter, i) => letter !== inB[i]).length / 2
  const jaro = (common.length / a.length + common.length / b.length + (common.length - moved) / common.length) / 3
  let prefix = 0
  while (prefix < 4 && a[prefix] === b[prefix] && prefix < a.length) prefix += 1
  return jaro + prefix * 0.1 * (1 - jaro)
}

/** One slip of the keyboard: a sign more, less, other, or two in the wrong order. */
export function isOneSlip(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [restA, restB] = [a.slice(start), b.slice(start)]
  const swapped =
    restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)
  return swapped || restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)
}
