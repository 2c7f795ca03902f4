/**
 * One key for the spellings of one name in English, Spanish and Arabic, with or without accents: "amoxycillin",
 * "Amoxicilina" and "amoxicillin" share a key, and so do "الأموكسيسيلين" and "أموكسيسلين". A test checks that no two
 * substances share one.
 */
export const spellingKey = (name: string): string => {
  const words = name
    .normalize('NFKD')
    .replaceAll(/[\p{M}\u0640’'`.]/gu, '')
    .toLowerCase()
    // "co-trimoxazole" is one word, the letter of "vitamin-K" is not part of another
    .replaceAll(/(?<=\p{L})[-‐‑](?=\p{L}{2})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => (/\p{Script=Arabic}/u.test(word) ? arabicKey(word) : latinKey(word)))
  // "ácido fólico" is "folic acid", "حمض الفوليك" is "فوليك حمض"
  const acid = words.findIndex((word) => word === LATIN_ACID || word === ARABIC_ACID)
  return (acid === 0 && words.length > 1 ? [...words.slice(1), words[0]] : words).join(' ')
}

/** Each line makes the English and the Spanish spelling equal. */
function latinKey(word: string, isWhole = true): string {
  // vitamin C is not vitamin K
  if (word.length === 1) return word
  const spelled = word
    .replaceAll('ph', 'f') // morphine, morfina
    .replaceAll('th', 't') // methotrexate, metotrexato
    .replaceAll('ch', 'c') // chlorpheniramine, clorfeniramina
    .replaceAll('qu', 'c') // the same sound: quinine
    .replaceAll('k', 'c') // ketoprofen, cetoprofeno
    .replaceAll('y', 'i') // erythromycin, eritromicina
    .replaceAll(/[ao]e/g, 'e') // oestradiol, estradiol
    .replace(/^es(?=[^aeiou])/, 's') // streptomycin, estreptomicina
    .replaceAll(/n(?=[fpb])/g, 'm') // amphotericin, anfotericina
    .replaceAll(/(.)\1+/g, '$1') // ampicillin, ampicilina
  const stem = isWhole ? spelled.replace(/[aeo]+$/, '') : spelled
  return (stem.length >= 3 ? stem : spelled).replaceAll(/c(?=[ei])/g, 's').replaceAll('z', 's')
}

/** The key of the beginning of a word: "eritro" begins as "erythromycin" does. */
export const beginningKey = (word: string): string =>
  latinKey(word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase(), false)

const LATIN_ACID = latinKey('acid')
const ARABIC_ACID = 'حمض'
const SHORTEST_SKELETON = 5

/**
 * Long vowels and some consonants have several spellings. A short word keeps its vowels: otherwise
 * unrelated words would share a key.
 */
function arabicKey(word: string): string {
  const letters = word
    .replaceAll('ی', 'ي')
    .replaceAll('ک', 'ك')
    .replaceAll('ى', 'ي')
    .replaceAll('ة', 'ه')
    .replaceAll('غ', 'ج')
    .replaceAll(/[ثط]/g, 'ت')
    .replaceAll('ق', 'ك')
    .replaceAll('ڤ', 'ف')
    .replace(/^(?:[وبكف]?ال|لل)(?=..)/, '')
  if (letters === ARABIC_ACID) return letters
  const skeleton = letters.replaceAll(/(?<!^)[اويءه]/g, '').replaceAll(/(.)\1+/g, '$1')
  return skeleton.length >= SHORTEST_SKELETON ? skeleton : letters
}

/** Whether one letter inserted, deleted, replaced, or two adjacent ones exchanged make `b` of `a`. */
export function isOneEditAway(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const isExchange = left.length === 2 && left === [...right].toReversed().join('')
  return isExchange || Math.max(left.length, right.length) === 1
}

/** The consonants of a Latin name as Arabic writes them. Vowels, "h" and "w" within a word are not kept. */
const ARABIC_CONSONANTS: readonly (readonly [RegExp, string])[] = [
  [/ph/y, 'ف'],
  [/th/y, 'ت'],
  [/sh/y, 'ش'],
  [/ch|ck|qu/y, 'ك'],
  [/sc(?=[eiy])|c(?=[eiy]|ae|oe)/y, 'س'],
  [/x/y, 'كس'],
  [/[ckq]/y, 'ك'],
  [/[bp]/y, 'ب'],
  [/d/y, 'د'],
  [/[fv]/y, 'ف'],
  [/[gj]/y, 'ج'],
  [/l/y, 'ل'],
  [/m/y, 'م'],
  [/n/y, 'ن'],
  [/r/y, 'ر'],
  [/s/y, 'س'],
  [/t/y, 'ت'],
  [/z/y, 'ز'],
]
const FIRST_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/[aeiou]/, 'ا'],
  [/h/, 'ه'],
  [/w/, 'و'],
  [/y/, 'ي'],
  [/x/, 'ز'],
]

/**
 * The keys of a Latin INN in Arabic letters: "clarithromycin" has that of "كلاريثرومايسين". An "s" between vowels is
 * written س or ز. None for a name of few consonants, which other words share.
 */
export function arabicSpellingKeys(inn: string): string[] {
  const first = FIRST_LETTERS.find(([letter]) => letter.test(inn[0] ?? ''))
  const letters = (isVoiced: boolean) => {
    let [at, written] = [first ? 1 : 0, first?.[1] ?? '']
    while (at < inn.length) {
      const between = isVoiced && /^[aeiouy]s[aeiouy]/.test(inn.slice(at - 1))
      const found = ARABIC_CONSONANTS.find(([letter]) => {
        letter.lastIndex = at
        return letter.test(inn)
      })
      if (between) written += 'ز'
      else written += found?.[1] ?? ''
      at = found && !between ? found[0].lastIndex : at + 1
    }
    return written
  }
  if (!/^[a-z]+$/.test(inn)) return []
  const keys = [letters(false), letters(true)].map(arabicKey)
  return [...new Set(keys)].filter((key) => key.length >= SHORTEST_SKELETON)
}
