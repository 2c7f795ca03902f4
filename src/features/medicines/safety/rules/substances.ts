import allergyNames from '../tables/allergy-names.json'
import { DRUG_CLASSES, type DrugClass } from './drug-classes'
import {
  bareMedicineName as withoutForm,
  BRANDS,
  canonicalIngredient,
  parseIngredients,
  KNOWN_INGREDIENTS,
  substancesNamed,
  SPELLINGS,
} from './ingredients'
import { arabicSpellingKeys, beginningKey, isOneEditAway, spellingKey } from './spelling'

export const isDrugClass = (code: string): code is DrugClass =>
  (DRUG_CLASSES as readonly string[]).includes(code)

type Recognized =
  | { substance_kind: 'ingredient'; substance_code: string }
  | { substance_kind: 'drug_class'; substance_code: DrugClass }
  | { substance_kind: 'other'; substance_code: null }

/**
 * The classes and substances that a free-text allergy names, and the parts that the rules do not know: the whole text
 * if nothing in it is recognized.
 */
export type AllergySubstances = {
  classes: readonly DrugClass[]
  ingredients: readonly string[]
  unknown: readonly string[]
}

/** A typed name without case, accents and plural: `penicillin` and "Penicillins" are one. */
const foldedName = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .trim()
    .toLowerCase()
    .replace(/(?:s|ات)$/, '')

/** A shorter word is one letter away from too many names. */
const SHORTEST_MISSPELLED = 6
const isLong = (key: string) => key.length >= SHORTEST_MISSPELLED

type Meaning = { classes: readonly DrugClass[]; ingredients: readonly string[] }

const index = new Map<string, Meaning>()
/** Abbreviations as they are written: too short for one key of several spellings ("Azee" is not "ACE"). */
const abbreviations = new Map<string, Set<string>>()
const ABBREVIATION = /^[a-z]{1,4}$/i

function list(name: string, meaning: Meaning) {
  const key = spellingKey(name)
  const isAbbreviation = ABBREVIATION.test(name)
  if (isAbbreviation && !index.has(key)) abbreviations.set(key, new Set())
  if (isAbbreviation) abbreviations.get(key)?.add(name.toLowerCase())
  else abbreviations.delete(key)
  index.set(key, meaning)
}
for (const { names } of allergyNames.groups)
  for (const [group, ingredients] of Object.entries(names))
    list(group, { classes: [], ingredients })
for (const { classes, names } of allergyNames.several)
  for (const name of names) list(name, { classes: classes as DrugClass[], ingredients: [] })
for (const { names } of allergyNames.classes)
  for (const [drugClass, words] of Object.entries(names))
    for (const word of words) list(word, { classes: [drugClass as DrugClass], ingredients: [] })

/** What is listed under a spelling of this text. */
function listedAs(text: string): Meaning | undefined {
  const key = spellingKey(text)
  const written = abbreviations.get(key)
  return written && !written.has(text.toLowerCase()) ? undefined : index.get(key)
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[[{]/g, '(')
    .replaceAll(/[\]}]/g, ')')
    .replaceAll(/["“”«»?¿!¡.:*]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const NOISE = new Set(allergyNames.words.names.map(wordKey))
const THINGS = new Set(allergyNames.things.names.map(wordKey))

const NONE = new Set(allergyNames.none.names.map(wholeKey))

/**
 * Whether a text recorded as an allergy says that there is none: "NKDA", "ninguna", "لا يوجد". It names no substance,
 * and it is no answer either until a user confirms it.
 */
export const saysNone = (typed: string) => NONE.has(wholeKey(typed))

function wholeKey(text: string) {
  return plain(text).split(' ').map(wordKey).join(' ')
}

function wordKey(word: string) {
  return word
    .normalize('NFKD')
    .replaceAll(/[\p{M}ـ]/gu, '')
    .toLowerCase()
    .replaceAll('ة', 'ه')
    .replaceAll('ى', 'ي')
    .replace(/^لل(?=..)/u, '')
}

/** Singular forms of a text: "cefalosporinas", "macrolides", "البنسلينات". */
const singulars = (text: string) => [
  text,
  text.replace(/e?s$/, ''),
  text.replace(/s$/, ''),
  text.replace(/(?:ات|ين)$/, ''),
]

function findMeaning(text: string): Meaning | undefined {
  if (text === '') return undefined
  // a name as it stands before a singular: "tetracycline" is a substance, "tetracyclines" is its class
  for (const form of new Set(singulars(text))) {
    const listed = listedAs(form)
    if (listed) return listed
    const ingredients = substancesNamed(form) ?? parseCombination(form)
    if (ingredients) return { classes: [], ingredients }
  }
  return undefined
}

/** "trimetoprima-sulfametoxazol", "amoxicillin clavulanic acid": several substances, if each of them is known. */
function parseCombination(text: string): readonly string[] | undefined {
  const isJoined = /\S[-–]\S/.test(text) && !/\s/.test(text)
  const isSideBySide = /\S \S/.test(text) && !/\s[-–]\s/.test(text)
  if ((!isJoined && !isSideBySide) || /[,;/+&]/.test(text)) return undefined
  const ingredients = parseIngredients(text)
  return ingredients.length > 1 && ingredients.every(({ isKnown }) => isKnown)
    ? ingredients.map(({ name }) => name)
    : undefined
}

/** A short word is one letter away from a brand by chance: "Softin" is not "Ceftin". */
const SHORTEST_BRAND = 8
const mayBeMeant = (key: string) =>
  isLong(key) && (key.length >= SHORTEST_BRAND || !BRANDS.has(key))

/** A misspelling: one letter away from exactly one name. Its own spelling stays unknown. */
function nearlyMeant(text: string): Meaning | undefined {
  const typed = [...new Set(singulars(text).map(spellingKey))].filter(isLong)
  const near = [
    ...index,
    ...[...SPELLINGS].map(([key, ingredients]) => [key, { classes: [], ingredients }] as const),
  ].filter(
    ([key]) =>
      mayBeMeant(key) &&
      typed.some((one) => isOneEditAway(one, key) && singleLetters(one) === singleLetters(key)),
  )
  const meanings = new Set(near.map(([, meaning]) => JSON.stringify(meaning)))
  return meanings.size === 1 ? near[0]![1] : undefined
}

/** "vitaminK" is no misspelling of vitamin C: a letter by itself is no slip. */
const singleLetters = (key: string) =>
  key
    .split(' ')
    .filter((word) => word.length === 1)
    .join(' ')

/**
 * A misspelling of several letters with the consonants of exactly one name, as they sound in Arabic, which has neither
 * "p" nor "v": "ibobrofen", "siprofloksasin". It stays unknown, too.
 */
function soundingLike(text: string): Meaning | undefined {
  const word = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const meanings = new Set(arabicSpellingKeys(word).flatMap((key) => [...(SOUNDS.get(key) ?? [])]))
  const [meaning] = meanings
  return meanings.size === 1 ? (JSON.parse(meaning!) as Meaning) : undefined
}
const LATIN_NAMES: readonly (readonly [string, Meaning])[] = [
  ...allergyNames.classes.flatMap(({ names }) =>
    Object.entries(names).flatMap(([drugClass, words]: [string, readonly string[]]) =>
      words.map((word) => [word, { classes: [drugClass as DrugClass], ingredients: [] }] as const),
    ),
  ),
  ...KNOWN_INGREDIENTS.map((name) => [name, { classes: [], ingredients: [name] }] as const),
]
const SOUNDS = new Map<string, Set<string>>()
for (const [name, meaning] of LATIN_NAMES)
  for (const key of arabicSpellingKeys(name))
    SOUNDS.set(key, (SOUNDS.get(key) ?? new Set()).add(JSON.stringify(meaning)))

/** An abbreviation: the beginning of exactly one substance, as "clarithro" of clarithromycin. It stays unknown, too. */
function begunWith(text: string): Meaning | undefined {
  if (!SHORTENED.test(text)) return undefined
  const typed = beginningKey(text)
  const begun = BEGINNINGS.flatMap(({ key, name }) => (key.startsWith(typed) ? [name] : []))
  return begun.length === 1 ? { classes: [], ingredients: begun } : undefined
}
const SHORTENED = /^[a-z]{5,}$/
const BEGINNINGS = KNOWN_INGREDIENTS.filter((name) => /^[a-z]+$/.test(name)).map((name) => ({
  key: beginningKey(name),
  name,
}))

/**
 * A substance beside a maker's name: "Emzor paracetamol". It warns, and the part stays unknown: the other word may name
 * a second substance.
 */
function namedWithin(part: string): Meaning | undefined {
  const words = part.split(/[\s-]+/)
  if (words.length < 2 || words.length > MOST_WORDS || words.some(isDenial)) return undefined
  const meanings = words
    .filter(isLong)
    .flatMap((word) => findMeaning(word) ?? nearlyMeant(word) ?? soundingLike(word) ?? [])
  if (meanings.length === 0) return undefined
  return {
    classes: meanings.flatMap(({ classes }) => classes),
    ingredients: meanings.flatMap(({ ingredients }) => ingredients),
  }
}

/** A longer text is a sentence, which may deny what it names. */
const MOST_WORDS = 3
const DENIALS = [
  /^(?:no|not|non|never|without|denie[sd]|toler.*|took|takes|taking|except|but)$/u,
  /^(?:sin|nunca|niega|toma|excepto|salvo|menos)$/u,
  /^(?:لا|ليس|غير|بدون|يتحمل|يأخذ|[إا]لا|ما?عدا|سوى)$/u,
]
const isDenial = (word: string) => DENIALS.some((denial) => denial.test(word))

const wordsIn = (text: string) =>
  text.split(' ').flatMap((word) => wordKey(word.replaceAll(/[()[\],;]/g, '')) || [])

const withoutNoise = (text: string) =>
  text
    .split(' ')
    .filter((word) => !NOISE.has(wordKey(word.replaceAll(/[()[\],;]/g, ''))))
    .join(' ')
    .trim()

/** True for "severe rash"; false for "other antibiotics", which names medicines without saying which. */
const isRemark = (part: string) => withoutNoise(part) === '' && !namesThings(part)

const SEPARATOR =
  /\s*[/+,;&\n]\s*|\s+[-–—]\s+|\s+(?:and|or|with|plus|y|e|o|u|et|con|أو|مع)\s+|\s+و\s*(?=\p{L})/u

/** The name that an allergy is about, without the words around it: "Amoxil allergy" is "amoxil". */
export const bareAllergyName = (typed: string) => withoutNoise(plain(typed))

const namesThings = (text: string) => wordsIn(text).some((word) => THINGS.has(word))

/** "penicillin antibiotics" is one name; "penicillin, antibiotics" is two, of which one is known. */
function find(text: string): Meaning | undefined {
  const meaning = findMeaning(text)
  if (meaning || (namesThings(text) && SEPARATOR.test(text))) return meaning
  const bare = withoutNoise(text)
  // "penicillin injection": the name of a class beside a form, as substances are looked up
  return findMeaning(bare) ?? findMeaning(withoutForm(bare))
}

/**
 * A name that brackets belong to: the label of a class, a salt or a strength ("amoxicillin (as trihydrate)"). Any other
 * text in brackets is a part of its own: "penicillin (Cataflam)" names two.
 */
function withBrackets(text: string): Meaning | undefined {
  const label = singulars(text)
    .map(listedAs)
    .find((meaning) => meaning !== undefined)
  const ingredients = substancesNamed(text.replaceAll(/[()]/g, ' '))
  return label ?? (ingredients && { classes: [], ingredients })
}

type Part = { part: string; meaning: Meaning | undefined }
const splitAllergyText = (text: string): Part[] => {
  const meaning = find(text)
  if (meaning) return [{ part: text, meaning }]
  return text.split(SEPARATOR).map((part) => ({ part, meaning: find(part) }))
}

/** What a typed allergy means, in any of the languages: classes, substances, and parts that the rules do not know. */
export function resolveAllergy(typed: string): AllergySubstances {
  const known = resolved.get(typed)
  if (known) return known
  if (resolved.size >= MOST_RESOLVED) resolved.clear()
  const meaning = resolvedIn(typed)
  resolved.set(typed, meaning)
  return meaning
}

/** A large check asks for the same texts of many patients. */
const resolved = new Map<string, AllergySubstances>()
const MOST_RESOLVED = 5000

function resolvedIn(typed: string): AllergySubstances {
  const text = plain(typed)
  const whole = text.includes('(') ? withBrackets(text) : find(text)
  if (whole) return { ...whole, unknown: [] }
  // "NSAIDs (ibuprofen)", "penicillin (rash)"
  const inside = [...text.matchAll(/\(([^)]*)\)?/g)].map(([, part = '']) => part.trim())
  const outside = text
    .replaceAll(/\([^)]*\)?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const parts = [outside, ...inside].flatMap(splitAllergyText)
  const meanings = parts.flatMap(
    ({ part, meaning }) =>
      meaning ??
      nearlyMeant(withoutNoise(part)) ??
      begunWith(withoutNoise(part)) ??
      soundingLike(withoutNoise(part)) ??
      namedWithin(part) ??
      [],
  )
  return {
    classes: [...new Set(meanings.flatMap(({ classes }) => classes))],
    ingredients: [...new Set(meanings.flatMap(({ ingredients }) => ingredients))],
    unknown:
      meanings.length > 0
        ? parts.flatMap(({ part, meaning }) => (meaning || isRemark(part) ? [] : [part]))
        : [typed.trim()],
  }
}

/** Whether the checks can compare anything of an allergy. */
export const isPartlyKnown = ({ classes, ingredients }: AllergySubstances) =>
  classes.length + ingredients.length > 0

/** Whether the checks can compare every part of an allergy. */
export const isFullyKnown = (one: AllergySubstances) =>
  one.unknown.length === 0 && isPartlyKnown(one)

/** How a typed substance is stored: several at once stay in the writer's words and are resolved at each check. */
export function recognize(typed: string): Recognized {
  const { classes, ingredients, unknown } = resolveAllergy(typed)
  const [drugClass] = classes
  const [ingredient] = ingredients
  if (unknown.length > 0 || classes.length + ingredients.length !== 1)
    return { substance_kind: 'other', substance_code: null }
  return drugClass
    ? { substance_kind: 'drug_class', substance_code: drugClass }
    : { substance_kind: 'ingredient', substance_code: canonicalIngredient(ingredient!) }
}

type Substance = { substance: string; substance_kind: string; substance_code: string | null }

/** The same code or, where the rules know only one of the two or neither, the same name. */
export const isSameSubstance = (a: Substance, b: Substance) =>
  a.substance_code !== null && b.substance_code !== null
    ? a.substance_kind === b.substance_kind && a.substance_code === b.substance_code
    : foldedName(a.substance) === foldedName(b.substance)
