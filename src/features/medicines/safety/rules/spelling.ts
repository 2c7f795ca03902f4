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
    .replaceAll(/(?<=\p{L})[-‐‑](?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => (/\p{Script=Arabic}/u.test(word) ? arabicKey(word) : latinKey(word)))
  // "ácido fólico" is "folic acid", "حمض الفوليك" is "فوليك حمض"
  const acid = words.findIndex((word) => word === LATIN_ACID || word === ARABIC_ACID)
  return (acid === 0 && words.length > 1 ? [...words.slice(1), words[0]] : words).join(' ')
}

/** Each line makes the English and the Spanish spelling equal. */
function latinKey(word: string): string {
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
  const stem = spelled.replace(/[aeo]+$/, '')
  return (stem.length >= 3 ? stem : spelled).replaceAll(/c(?=[ei])/g, 's').replaceAll('z', 's')
}

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
