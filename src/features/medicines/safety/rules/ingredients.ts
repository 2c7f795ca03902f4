import { membersOf } from './drug-classes'
import { arabicSpellingKeys, spellingKey } from './spelling'
import names from '../tables/substance-names.json'

/** A substance as the rules compare it. An unknown name was not checked, and the checks say so. */
type Ingredient = { name: string; isKnown: boolean }

/** Words of salts and hydrates, which do not change what a substance does. */
const SALTS = new Set(names.salts.map(spellingKey))

/** Minerals keep their salt, which is part of the medicine's name: ferrous sulfate, sodium chloride. */
const MINERALS = [
  'sodium|trisodium|potassium|calcium|magnesium|ferrous|ferric|iron|zinc|aluminium|aluminum',
  'lithium|barium|silver|copper|selenium|ammonium|bismuth',
]
const MINERAL = new RegExp(String.raw`^(?:${MINERALS.join('|')})\b`)

const tidy = (name: string) => name.trim().toLowerCase().replaceAll(/\s+/g, ' ')

/** The key of a spelling -> the substances it stands for; a combination ("co-amoxiclav") stands for several. */
const index = new Map<string, readonly string[]>()

for (const name of new Set(Object.values(membersOf).flat())) index.set(spellingKey(name), [name])
const aliases = names.aliases.flatMap(
  (table) => Object.entries<string | string[]>(table.names as never), // each table has keys of its own
)
for (const [alias, substances] of aliases) index.set(spellingKey(alias), [substances].flat())
for (const name of names.known.flatMap((list) => list.names)) {
  const key = spellingKey(name)
  if (index.has(key)) continue
  const bare = withoutSalts(name)
  const substances = index.get(spellingKey(bare)) ?? [bare]
  index.set(key, substances).set(spellingKey(bare), substances)
}

// the Arabic spelling of an INN follows from its consonants, if no other name has the same
const written = Map.groupBy(
  [...new Set([...index.values()].flat())].flatMap((name) =>
    arabicSpellingKeys(name).map((key) => ({ key, name })),
  ),
  ({ key }) => key,
)
for (const [key, spellings] of written)
  if (!index.has(key) && new Set(spellings.map(({ name }) => name)).size === 1)
    index.set(key, [spellings[0]!.name])

/** Every spelling that the checks know, by its key, and what it stands for. */
export const SPELLINGS: ReadonlyMap<string, readonly string[]> = index

/** The keys of brands, which have nothing in common with their substance. */
export const BRANDS: ReadonlySet<string> = new Set(
  names.aliases
    .filter(({ source }) => source.startsWith('Brands'))
    .flatMap((table) => Object.keys(table.names).map(spellingKey)),
)

/**
 * The names to choose from where ingredients are typed, most of them of the WHO Model List of
 * Essential Medicines (2023).
 */
export const SUGGESTED_NAMES: readonly string[] = names.known
  .filter(({ suggested }) => suggested)
  .flatMap((list) => list.names)

/** Every substance that the checks know, sorted. */
export const KNOWN_INGREDIENTS: readonly string[] = [
  ...new Set([...index.values()].flat()),
].toSorted((a, b) => a.localeCompare(b, 'en'))

/**
 * The substances of a name as written, without its strength, without its brackets or their content, or without
 * its salt: the first form that is known. Undefined if none is.
 */
export function substancesNamed(name: string): readonly string[] | undefined {
  const text = tidy(name)
  const spellings = [
    text,
    withoutStrength(text),
    text.replaceAll(/[()[\]]/g, ' '),
    text.replaceAll(/[([][^)\]]*[)\]]?/g, ' '),
    bareMedicineName(text),
  ]
  for (const spelling of new Set(spellings.map(tidy))) {
    const found = index.get(spellingKey(spelling)) ?? unsalted(spelling)
    if (found) return found
  }
  return undefined
}

/**
 * The substance without the words of its salt: "amoxicilina trihidrato", "sodium diclofenac",
 * "clorhidrato de metformina".
 */
function unsalted(text: string): readonly string[] | undefined {
  const words = text.split(' ')
  const isSalt = (word: string) =>
    word === '' || SALTS.has(spellingKey(word)) || /^[([]?as$/.test(word)
  let [from, to] = [0, words.length]
  while (to - from > 1 && isSalt(words[to - 1]!)) {
    to -= 1
    const found = index.get(spellingKey(words.slice(from, to).join(' ')))
    if (found) return found
  }
  ;[from, to] = [0, words.length]
  while (to - from > 1 && isSalt(words[from]!)) {
    from += 1
    const rest = words.slice(from, to).join(' ')
    const found =
      index.get(spellingKey(rest)) ??
      (isSalt(words[from]!) ? undefined : index.get(spellingKey(withoutSalts(rest))))
    if (found) return found
  }
  return undefined
}

function withoutSalts(name: string): string {
  const words = tidy(name)
  if (MINERAL.test(words)) return words
  const parts = words.split(' ')
  while (parts.length > 1 && SALTS.has(spellingKey(parts.at(-1)!))) parts.pop()
  return parts.join(' ')
}

const UNITS = [
  'mg|mcg|µg|μg|gm?|gr|kg|ml|cc|iu|ui|mu|mui|units?|unidades|meq|mmol|%',
  'مجم|ملغم?|مغ|جم|غم|غ|غرام|جرام|مل|وحدة',
]
const NUMBER = String.raw`[\p{Nd}]+(?:[.,٫][\p{Nd}]+)*`
const PER = String.raw`\s*\/\s*[\p{Nd}.,]*\s*(?:mg|ml|g|l|h|dosis|dose|مل)`
const STRENGTH = new RegExp(
  String.raw`(?<![\p{L}\p{Nd}])${NUMBER}\s*(?:${UNITS.join('|')})(?:${PER})?(?![\p{L}])\.?`,
  'giu',
)
/** A strength without its unit: "500", "875/125", "1:1000". */
const BARE_NUMBER = /^[#.]?[\p{Nd}]+(?:[.,:/x-]+[\p{Nd}]+)*$/u

const withoutStrength = (text: string) => text.replaceAll(STRENGTH, ' ')

/** Words of forms ("susp", "ampolla", "شراب"), routes and release. */
const FORM_WORDS = new Set(names.makes.names.map(spellingKey))

/** The name of a medicine without its strength and the words of its form. */
export const bareMedicineName = (text: string) =>
  withoutStrength(tidy(text))
    .split(/[\s,]+/)
    .filter((word) => !BARE_NUMBER.test(word) && !FORM_WORDS.has(spellingKey(word)))
    .join(' ')

export const isKnownIngredient = (name: string) => substancesNamed(name)?.length === 1

/** A substance as the rules compare it: its INN in lower case, without its salt. */
export function canonicalIngredient(name: string): string {
  const found = substancesNamed(name)
  return found?.length === 1 ? found[0]! : withoutSalts(name)
}

/** These are always between two substances. */
const SEPARATOR = /\s*(?:[/+,;&]|\band\b|\bplus\b|\bwith\b)\s*/
/** These may also be part of a name: they separate only if `every` part, or `some`, is then known. */
const POSSIBLE_SEPARATORS = [
  { pattern: /\s+(?:y|e|con|et|مع)\s+/, known: 'some' },
  { pattern: /\s+و\s*(?=\p{L})/u, known: 'some' },
  { pattern: /\s*[-–]\s*/, known: 'every' },
] as const

/** The substances of one entry of a catalogue: "amoxicillin/clavulanic acid" and "co-amoxiclav" are two. */
export function parseIngredients(entry: string): readonly Ingredient[] {
  const known = read.get(entry)
  if (known) return known
  if (read.size >= MOST_READ) read.clear()
  const ingredients = ingredientsIn(entry)
  read.set(entry, ingredients)
  return ingredients
}

/** Every rule asks for the substances of the same few names: a name is read once. */
const read = new Map<string, readonly Ingredient[]>()
const MOST_READ = 5000

function ingredientsIn(entry: string): readonly Ingredient[] {
  const found = substancesNamed(entry)
  if (found) return found.map((name) => ({ name, isKnown: true }))
  const parts = bareMedicineName(entry).split(SEPARATOR).filter(Boolean)
  if (parts.length > 1) return parts.flatMap(parseIngredients)
  for (const { pattern, known } of POSSIBLE_SEPARATORS) {
    const texts = tidy(entry).split(pattern).filter(Boolean)
    if (texts.length < 2) continue
    const ingredients = texts.flatMap(parseIngredients)
    const isSeparated =
      known === 'every'
        ? ingredients.every(({ isKnown }) => isKnown)
        : ingredients.some(({ isKnown }) => isKnown)
    if (isSeparated) return ingredients
  }
  return sideBySide(bareMedicineName(entry)) ?? [{ name: withoutSalts(entry), isKnown: false }]
}

/** "artemether lumefantrine": two names with nothing between them, if both are known. */
function sideBySide(text: string): readonly Ingredient[] | undefined {
  const words = text.split(' ')
  for (let at = 1; at < words.length; at += 1) {
    const first = substancesNamed(words.slice(0, at).join(' '))
    const rest = first && substancesNamed(words.slice(at).join(' '))
    if (rest) return [...first, ...rest].map((name) => ({ name, isKnown: true }))
  }
  return undefined
}

/** The names among these that the checks do not know. */
export const unknownNames = (entries: readonly string[]): string[] => [
  ...new Set(
    entries.flatMap(parseIngredients).flatMap(({ name, isKnown }) => (isKnown ? [] : [name])),
  ),
]

export const ingredientNames = ({ ingredients }: { ingredients: readonly string[] }) =>
  ingredients.flatMap(parseIngredients).map(({ name }) => name)
