import { keysIn } from '~/shared/object'
import { isDay } from '~/shared/zone'
import { type MatchReason, MATCH_REASONS } from './duplicates'
import { jaroWinkler, lettersApart } from './letters'
import weights from './likeness-weights.json'
import { isOtherGivenName, type NameWord, WORD_LEVELS, type WordLevel, wordLevel } from './names'

/** The columns that are compared as folded texts. Each has its weights in likeness-weights.json. */
export const FOLDED_COLUMNS = {
  government: 'government_id',
  external: 'external_patient_id',
  hometown: 'hometown',
} as const
export type FoldedName = keyof typeof FOLDED_COLUMNS
export const FOLDED_NAMES = keysIn(FOLDED_COLUMNS)

/** The values of a patient that are compared, folded by the database. */
export type ComparedProfile = Record<FoldedName, string | null> & {
  given: readonly NameWord[]
  surname: readonly NameWord[]
  /** `yyyy-MM-dd` */
  birth: string | null
  isApproximate: boolean
  sex: string | null
  /** Digits, without leading zeros. */
  phones: readonly string[]
}

/**
 * The number of patients who could be the sought one, and how common names and towns are among
 * them.
 */
export type Population = {
  people: number
  /** Patients with that word in their name, or with one that sounds like it. */
  bearers: (word: NameWord, isByEar: boolean) => number
  /** The patients who are compared. */
  compared: readonly ComparedProfile[]
}

const { fields, expected, thresholds, termFrequency, oneLanguage, swappedNames, unknownWord } =
  weights

/**
 * How often a level occurs if two records are of one person, strangers, siblings, parent and child,
 * twins.
 */
type Odds = readonly [
  one: number,
  strangers: number,
  siblings: number,
  parents: number,
  twins: number,
]
type Table = Record<string, readonly (number | null)[]>
const nothing: Odds = [1, 1, 1, 1, 1]
const both = (a: Odds, b: Odds) => a.map((each, at) => each * b[at]!) as unknown as Odds // map forgets lengths
const odds = (table: Table, level: string, share = 0) =>
  table[level]!.map((each) => each ?? share) as unknown as Odds // as above

/**
 * Binary logarithm of the odds that two records are of one person; 0 is even. From `POSSIBLE` on,
 * users are warned.
 */
export const POSSIBLE = thresholds.possible
export const LIKELY = thresholds.likely

type Finding = { level: string; odds: Odds; reasons: readonly MatchReason[] }
const finding = (table: Table, level: string, reason?: MatchReason, share?: number): Finding => ({
  level,
  odds: odds(table, level, share),
  reasons: reason ? [reason] : [],
})

/**
 * Compares two patients by the model of Fellegi and Sunter (likeness-weights.json). A missing value
 * has no weight. A match competes with strangers, and with relatives and twins, who share surname,
 * phone and town without being one person.
 */
export function computeLikeness(a: ComparedProfile, b: ComparedProfile, population: Population) {
  const findings = {
    government: compareGovernmentIds(a, b),
    external: compareExternalIds(a, b),
    phone: comparePhones(a, b),
    name: compareNames(a, b, population),
    birth: compareBirths(a, b),
    sex: a.sex && b.sex ? finding(fields.sex, a.sex === b.sex ? 'same' : 'other') : null,
    hometown: compareHometowns(a, b, population),
  }
  const [one, strangers, siblings, parents, twins] = Object.values(findings).reduce(
    (product, each) => (each ? both(product, each.odds) : product),
    nothing,
  )
  const people = Math.max(population.people, expected.leastPeople)
  const others =
    people * strangers +
    expected.siblings * siblings +
    expected.parents * parents +
    expected.twins * twins
  const score = Math.log2(one / others)
  const found = new Set(Object.values(findings).flatMap((each) => each?.reasons ?? []))
  return {
    score: Math.round(score * 10) / 10,
    reasons: MATCH_REASONS.filter((reason) => found.has(reason)),
    /** The level of each field, for estimating the weights. */
    levels: Object.fromEntries(
      Object.entries(findings).map(([field, each]) => [field, each?.level ?? 'missing']),
    ),
  }
}

function compareGovernmentIds(
  { government: a }: ComparedProfile,
  { government: b }: ComparedProfile,
): Finding | null {
  if (!a || !b) return null
  const table = fields.government
  if (a === b) return a.length > 3 ? finding(table, 'same', 'sameGovernmentId') : null
  const length = Math.min(a.length, b.length)
  const apart = length > 5 ? lettersApart(a, b) : Infinity
  if (apart === 1) return finding(table, 'slip', 'governmentIdSlip')
  return apart === 2 ? finding(table, 'near', 'governmentIdNear') : finding(table, 'other')
}

function compareExternalIds(
  { external: a }: ComparedProfile,
  { external: b }: ComparedProfile,
): Finding | null {
  if (!a || !b) return null
  return a === b
    ? finding(fields.external, 'same', 'sameExternalId')
    : finding(fields.external, 'other')
}

function comparePhones(a: ComparedProfile, b: ComparedProfile): Finding | null {
  if (a.phones.length === 0 || b.phones.length === 0) return null
  const some = (same: (x: string, y: string) => boolean) =>
    a.phones.some((x) => b.phones.some((y) => same(x, y)))
  // one of them may lack the country code
  if (some((x, y) => Math.min(x.length, y.length) > 6 && (x.endsWith(y) || y.endsWith(x))))
    return finding(fields.phone, 'same', 'samePhone')
  return some((x, y) => x.length > 7 && lettersApart(x.slice(-9), y.slice(-9)) === 1)
    ? finding(fields.phone, 'slip', 'phoneSlip')
    : finding(fields.phone, 'other')
}

function compareHometowns(
  { hometown: a }: ComparedProfile,
  { hometown: b }: ComparedProfile,
  { compared }: Population,
): Finding | null {
  if (!a || !b) return null
  if (a === b) {
    const known = compared.flatMap(({ hometown }) => hometown ?? [])
    const { usualTown, townSample } = termFrequency
    const share =
      (known.filter((town) => town === a).length + usualTown * townSample) /
      (known.length + townSample)
    return finding(fields.hometown, 'same', 'sameHometown', share)
  }
  return lettersApart(a, b) <= (Math.min(a.length, b.length) > 7 ? 2 : 1) ||
    jaroWinkler(a, b) > 0.94
    ? finding(fields.hometown, 'alike', 'hometownAlike')
    : finding(fields.hometown, 'other')
}

// Names

const notNames = new Set(weights.notNames)
/** "Baby Haddad" has no given name. */
const calledBy = (words: readonly NameWord[]) => (notNames.has(words[0]?.text ?? '') ? [] : words)

export type ProfileNames = Pick<ComparedProfile, 'given' | 'surname'>

/** A full name in one field is split into given name and surname. */
function splitNames({ given, surname }: ProfileNames) {
  const [some, none] = given.length > 0 ? [given, surname] : [surname, given]
  return none.length === 0 && some.length > 1
    ? { given: calledBy(some.slice(0, -1)), surname: some.slice(-1) }
    : { given: calledBy(given), surname }
}

/**
 * Two words that agree and their places in the two names; -1 if the whole name is taken as one
 * word.
 */
type Part = { level: WordLevel; word: NameWord; places: readonly [number, number] } | null

function compareNames(
  a: ComparedProfile,
  b: ComparedProfile,
  population: Population,
): Finding | null {
  const [mine, theirs] = [splitNames(a), splitNames(b)]
  const straight = orientation(mine, theirs, population)
  const swapped = orientation(mine, { given: theirs.surname, surname: theirs.given }, population)
  if (!straight && !swapped) return null
  // a JSON file has lists of any length, also below
  const [asWritten, turned] = [swappedNames.straight, swappedNames.swapped] as unknown as [
    Odds,
    Odds,
  ]
  const ways = [
    ...(straight ? [{ ...straight, odds: both(straight.odds, asWritten), isSwapped: false }] : []),
    ...(swapped?.isWhole
      ? [{ ...swapped, odds: both(swapped.odds, turned), isSwapped: true }]
      : []),
  ]
  const best = ways.toSorted((x, y) => y.odds[0] / y.odds[1] - x.odds[0] / x.odds[1])[0]
  if (!best) return null
  const { given, surname, isSwapped } = best
  return {
    level: [
      given?.level ?? 'missing',
      surname?.level ?? 'missing',
      ...(best.second ? [best.second] : []),
      ...(isSwapped ? ['swapped'] : []),
    ].join(' '),
    odds: best.odds,
    reasons: [...nameReasons(given, surname), ...(isSwapped ? (['namesSwapped'] as const) : [])],
  }
}

function orientation(
  a: { given: readonly NameWord[]; surname: readonly NameWord[] },
  b: { given: readonly NameWord[]; surname: readonly NameWord[] },
  population: Population,
) {
  const given = bestWordPair(a.given, b.given, true)
  const surname = bestWordPair(a.surname, b.surname, false)
  if (!given && !surname) return null
  // smoothing: adds patients whose names are as rare as names usually are
  const { nameSample, usualGivenName, usualSurname } = termFrequency
  const bearerShare = ({ word, level }: NonNullable<Part>, usual: number) =>
    Math.min(
      1,
      (population.bearers(word, level !== 'same') + usual * nameSample) /
        (population.people + nameSample),
    )
  const wordOdds = (part: Part, table: Table, usual: number) => {
    if (!part) return nothing
    const found = odds(table, part.level, bearerShare(part, usual))
    // a word that is no patient's name is more likely a misspelling
    const isMisspelled = part.level === 'typo' || part.level === 'close'
    if (!isMisspelled || population.people < unknownWord.leastPeople) return found
    const isUnknown = population.bearers(part.word, false) === 0
    return both(
      found,
      (isUnknown ? unknownWord.borneByNone : unknownWord.borneBySome) as unknown as Odds, // a list of the file
    )
  }
  const isWhole = agrees(given) && agrees(surname)
  const names = both(
    wordOdds(given, fields.given, usualGivenName),
    wordOdds(surname, fields.surname, usualSurname),
  )
  const second = agrees(surname) ? compareSecondSurname(a.surname, b.surname, surname) : null
  const whole = second
    ? both(names, odds(fields.secondSurname, second.level, bearerShare(second.part, usualSurname)))
    : names
  return {
    given,
    surname,
    second: second?.level,
    // names of one language occur together: Tariq and Barakat, for example
    odds: isWhole ? both(whole, [1, oneLanguage.bothNames, 1, 1, 1]) : whole,
    isWhole,
  }
}

/**
 * If both have two surnames and one agrees, compares the other: cousins and strangers often share
 * one of two.
 */
function compareSecondSurname(a: readonly NameWord[], b: readonly NameWord[], first: Part) {
  if (!first || a.length !== 2 || b.length !== 2 || first.places[0] < 0) return null
  const part = bestWordPair([a[1 - first.places[0]]!], [b[1 - first.places[1]]!], false)!
  const level = agrees(part) ? 'alike' : 'other'
  return { part, level: part.level === 'same' ? 'same' : level }
}

const agrees = (part: Part) =>
  part !== null && WORD_LEVELS.indexOf(part.level) < WORD_LEVELS.indexOf('sibling')

/**
 * The pair of words that agrees best: one of two surnames is enough. Null if one of the two has no
 * words.
 */
function bestWordPair(a: readonly NameWord[], b: readonly NameWord[], isGiven: boolean): Part {
  let best: Part = null
  const better = (level: WordLevel, word: NameWord, places: readonly [number, number]) => {
    if (!best || WORD_LEVELS.indexOf(level) < WORD_LEVELS.indexOf(best.level))
      best = { level, word, places }
  }
  for (const [i, word] of a.entries())
    for (const [j, other] of b.entries()) {
      const level = wordLevel(word, other)
      const isOther =
        isGiven && level !== 'same' && level !== 'alike' && isOtherGivenName(word, other)
      const ownLevel = !isGiven && level === 'sibling' ? 'close' : level
      const known = isOther && level !== 'other' ? 'sibling' : ownLevel
      // a middle name that equals another patient's first name is weak evidence
      better(
        isGiven && i !== j && known === 'same' && a.length === b.length ? 'part' : known,
        word,
        [i, j],
      )
    }
  if (a.length !== b.length && a.length > 0 && b.length > 0) {
    const whole = (words: readonly NameWord[]) => ({
      text: words.map(({ text }) => text).join(''),
      sounds: [],
    })
    better(wordLevel(whole(a), whole(b)), a[0]!, [-1, -1])
  }
  return best
}

/** Whether two names can be those of one person, as written or turned. A part that one of them lacks says nothing. */
export function canBeOneName(one: ProfileNames, other: ProfileNames): boolean {
  const [a, b] = [splitNames(one), splitNames(other)]
  const straight = [bestWordPair(a.given, b.given, true), bestWordPair(a.surname, b.surname, false)]
  const turned = [bestWordPair(a.given, b.surname, true), bestWordPair(a.surname, b.given, false)]
  const disagrees = (part: Part) => part !== null && !agrees(part)
  return !straight.some(disagrees) || (turned.some(agrees) && !turned.some(disagrees))
}

function nameReasons(given: Part, surname: Part): MatchReason[] {
  if (agrees(given) && (agrees(surname) || !surname)) {
    const levels = [given, surname].flatMap((part) => (part ? [part.level] : []))
    if (!surname) return ['sameFirstName']
    if (levels.every((level) => level === 'same')) return ['sameName']
    return levels.every((level) => level === 'same' || level === 'alike')
      ? ['nameAlike']
      : ['nameClose']
  }
  if (agrees(given)) return ['sameFirstName']
  return agrees(surname) ? ['sameSurname'] : []
}

// Births

function compareBirths(a: ComparedProfile, b: ComparedProfile): Finding | null {
  if (!a.birth || !b.birth) return null
  const [[yearA, monthA, dayA], [yearB, monthB, dayB]] = [a.birth.split('-'), b.birth.split('-')]
  const years = Math.abs(Number(yearA) - Number(yearB))
  // documents state 1 January if only the year was known
  const isYearOnly =
    a.isApproximate || b.isApproximate || (a.birth === b.birth && a.birth.endsWith('-01-01'))
  if (isYearOnly) {
    if (years === 0) return finding(fields.birthYear, 'sameYear', 'sameYear')
    if (years <= 3) return finding(fields.birthYear, 'nearYears', 'yearClose')
    return finding(fields.birthYear, years > 12 ? 'generation' : 'farYears')
  }
  const table = fields.birth
  if (a.birth === b.birth) return finding(table, 'sameDay', 'sameBirth')
  if (years === 0 && monthA === dayB && dayA === monthB)
    return finding(table, 'swapped', 'birthSwapped')
  if (years === 0 && monthA === monthB) return finding(table, 'otherDay', 'birthSlip')
  if (years === 0 && dayA === dayB) return finding(table, 'otherMonth', 'birthSlip')
  if (monthA === monthB && dayA === dayB && isYearSlip(yearA!, yearB!))
    return finding(table, 'yearSlip', 'birthSlip')
  if (years === 0) return finding(table, 'sameYear', 'sameYear')
  if (years === 1) return finding(table, 'nextYear')
  return finding(table, years > 12 ? 'generation' : 'farYears')
}

/** 1987 for 1978, 1990 for 1991, 1983 for 1993. */
const isYearSlip = (a: string, b: string) =>
  lettersApart(a, b) === 1 || [1, 10].includes(Math.abs(Number(a) - Number(b)))

/**
 * Dates that a typing error may have turned into this one: day and month swapped, or one of day,
 * month, year wrong.
 */
export function birthSlips(birth: string): string[] {
  const [year, month, day] = birth.split('-') as [string, string, string]
  const two = (number: number) => String(number).padStart(2, '0')
  const upTo = (last: number) => Array.from({ length: last }, (_, at) => two(at + 1))
  const years = Array.from({ length: 41 }, (_, at) => String(Number(year) - 20 + at))
  const all = [
    `${year}-${day}-${month}`,
    ...upTo(31).map((each) => `${year}-${month}-${each}`),
    ...upTo(12).map((each) => `${year}-${each}-${day}`),
    ...years
      .filter((each) => each === year || isYearSlip(each, year))
      .map((each) => `${each}-${month}-${day}`),
  ]
  return [...new Set(all)].filter((each) => isDay(each))
}
