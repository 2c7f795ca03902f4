import { groupedNumber } from '~/records/strength'
import { inWords } from '~/shared/in-words'
import { canonicalIngredient } from './ingredients'
import type { CheckedDrug, RuleTable, RuleWarning, PublishedSource, WrittenDose } from './rule'
import table from '../tables/doses.json'

/**
 * Slips of unit and decimal point that no clinical limit is needed for: a dose that nobody swallows or injects at once.
 * They are asked about for every medicine, also for one on no list.
 */
type Rule = {
  id: string
  most: number
  /** The lower limit for a medicine whose dose no list limits for this patient, or whose dose is above `usual`. */
  unlimited?: number
  of: (written: WrittenDose) => number | null
}
/** Pieces of one dose, doses a day, pieces of a whole course: more are asked about. */
export const MOST_AT_ONCE = 10
export const MOST_TIMES = 6
export const MOST_FOR_COURSE = 1000
const RULES = [
  { id: 'many_pieces', most: MOST_AT_ONCE, unlimited: 8, of: ({ pieces }: WrittenDose) => pieces },
  // 2 g of vials of 1 g are no slip
  { id: 'many_vials', most: 10, unlimited: 2, of: ({ vials }: WrittenDose) => vials },
  {
    id: 'many_contents',
    most: Infinity,
    unlimited: 8,
    of: ({ ampouleContents }: WrittenDose) => ampouleContents,
  },
  { id: 'many_times', most: MOST_TIMES, of: ({ timesPerDay }: WrittenDose) => timesPerDay },
  {
    id: 'large_injection',
    most: 10,
    of: ({ injectedMl, isIntoVein }: WrittenDose) => (isIntoVein ? null : injectedMl),
  },
  {
    id: 'large_below_skin',
    most: Infinity,
    unlimited: 5,
    of: ({ injectedMl, isBelowSkin }: WrittenDose) => (isBelowSkin ? injectedMl : null),
  },
  // what is diluted before it runs into a vein is judged by its milligrams, where a list has them
  {
    id: 'large_into_vein',
    most: Infinity,
    unlimited: 10,
    of: ({ injectedMl, isIntoVein }: WrittenDose) => (isIntoVein ? injectedMl : null),
  },
  {
    id: 'large_drink',
    most: Infinity,
    unlimited: 60,
    of: ({ swallowedMl }: WrittenDose) => swallowedMl,
  },
  // children with asthma breathe in ten or twelve
  { id: 'many_puffs', most: 12, of: ({ puffs }: WrittenDose) => puffs },
  { id: 'many_drops', most: 10, of: ({ drops }: WrittenDose) => drops },
  { id: 'many_eye_drops', most: 5, of: ({ eyeDrops }: WrittenDose) => eyeDrops },
  { id: 'many_applied', most: 3, of: ({ applied }: WrittenDose) => applied },
  { id: 'many_units', most: 100, of: ({ insulinUnits }: WrittenDose) => insulinUnits },
  { id: 'large_quantity', most: MOST_FOR_COURSE, of: ({ quantity }: WrittenDose) => quantity },
  // "250 mg" of a tablet of 250 micrograms; "1 g" of 500 mg is two tablets, and no slip
  {
    id: 'other_unit',
    most: 10,
    of: ({ portionsByLargerUnit }: WrittenDose) => portionsByLargerUnit,
  },
  { id: 'other_kind', most: 0, of: ({ isOtherKind }: WrittenDose) => (isOtherKind ? 1 : 0) },
  { id: 'other_form', most: 0, of: ({ isOtherForm }: WrittenDose) => (isOtherForm ? 1 : 0) },
  { id: 'other_route', most: 0, of: ({ isOtherRoute }: WrittenDose) => (isOtherRoute ? 1 : 0) },
] as const satisfies readonly Rule[]
type Slip = (typeof RULES)[number]['id']

/** Ten times beyond what is asked about is asked about a second time. */
const GROSS = 10

const source: PublishedSource = table.slips.source
const plainText = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** What is made for a muscle or for below the skin: by words of the name, or every injection of a substance. */
type NotIntoVein = {
  named?: string
  words?: string[]
  members?: string[]
  deaths?: boolean
  source: PublishedSource
}
const notIntoVein: NotIntoVein[] = table.slips.notIntoVein.map(
  ({ words, ...one }: NotIntoVein) => ({
    ...one,
    ...(words && { words: words.map(plainText) }),
  }),
)
const DEPOT = 'depot_into_vein'

export const SLIP_ROWS: RuleTable['rows'] = [
  ...RULES.map(({ id }) => ({
    id,
    title: inWords(`safety.sentence.slip_${id}_title`),
    members: [],
    source,
  })),
  {
    id: DEPOT,
    title: inWords('safety.sentence.slip_depot_into_vein_title'),
    members: [],
    source: notIntoVein[0]!.source,
  },
]

/** What a row of doses says against slips. */
export type OfSlips = {
  /** The row is of the medicines alone whose name has such a word, or has none: the dose of a depot is another one. */
  named?: keyof typeof table.names
  notNamed?: keyof typeof table.names
  /** Up to this dose the limit is near. Above it slips are looked for as if no list had one. */
  usual?: number
}

/** Whether a row is of this medicine, by its name or the salts of its substances. */
export const isNamed = (drug: CheckedDrug, { named, notNamed }: OfSlips) =>
  (!named || holdsWord(drug, NAMES[named]!)) && (!notNamed || !holdsWord(drug, NAMES[notNamed]!))

/** "non-liposomal" and "lipid-free" name no liposome. */
const DENIED =
  /\b(?:non?|not|sin)[\s-]+\p{L}+|\bnon(?:lipo|lipid)\p{L}*|\blip(?:id|osome)s?[\s-]*free|غير \p{L}+/gu

/** "Haldol LA 50 mg", "L-A": long-acting. Within a Spanish name it is an article. */
const LONG_ACTING = /(?<!\p{L})l\.?-?a\.?(?=\s*(?:[\p{N}(]|$))/u

type Words = { words: readonly string[]; isOfDepots?: boolean }
const NAMES = Object.fromEntries(
  Object.entries(table.names).map(([name, words]) => [
    name,
    { words: words.map(plainText), isOfDepots: name === 'depot' },
  ]),
)

const holdsWord = ({ name, ingredients }: CheckedDrug, { words, isOfDepots }: Words) =>
  [name, ...ingredients]
    .map((text) => plainText(text).replaceAll(DENIED, ''))
    .some(
      (text) => (isOfDepots && LONG_ACTING.test(text)) || words.some((word) => text.includes(word)),
    )

const isNotIntoVein = (drug: CheckedDrug, { named, words, members }: NotIntoVein) =>
  (!named || holdsWord(drug, NAMES[named]!)) &&
  (!words || holdsWord(drug, { words })) &&
  (!members || drug.ingredients.some((name) => members.includes(canonicalIngredient(name))))

/** A suspension, an oil or a depot by a route into a vein. Its substance alone may often be given there. */
export function depotIntoVein(drug: CheckedDrug): RuleWarning[] {
  const { drugId, name, route } = drug
  if (route !== 'intravenous') return []
  const found = notIntoVein.find((one) => isNotIntoVein(drug, one))
  if (!found) return []
  return [
    {
      kind: 'dose',
      key: `dose:${drugId}:${DEPOT}`,
      drugId,
      drug: name,
      rule: DEPOT,
      version: table.version,
      level: 'must_not',
      text: found.deaths
        ? inWords('safety.sentence.slip_depot_into_vein', { drug: name })
        : inWords('safety.sentence.slip_oil_into_vein', { drug: name }),
      todo: inWords('safety.sentence.slip_depot_into_vein_todo'),
      source: found.source,
    },
  ]
}

/**
 * The slips that the written dose of a medicine looks like. `isLimited`: a list has its highest dose, and the dose is
 * not above `usual`.
 */
export function slipsIn(drug: CheckedDrug, isLimited: boolean): RuleWarning[] {
  const { written } = drug
  if (!written) return []
  const looked = RULES.flatMap((rule: Rule & { id: Slip }) => {
    const { id, of } = rule
    const most = isLimited ? rule.most : (rule.unlimited ?? rule.most)
    const value = of(written)
    return value !== null && value > most ? [{ id, value, part: value / (most || 1) }] : []
  })
  const holdsAny = ({ members }: { members: readonly string[] }) =>
    drug.ingredients.some((name) => members.includes(canonicalIngredient(name)))
  const isTakenOften = holdsAny(table.slips.oftenTaken)
  const isDrunkByGlass = holdsAny(table.slips.drunkByGlass)
  // a limit by weight tells more of an infiltration than millilitres do
  const isInfiltrated = isLimited && holdsAny(table.slips.infiltrated)
  // a bottle of "100 mg/mL" is ordered in grams
  const isInGrams = isLimited && holdsAny(table.slips.inGrams)
  const found = looked.filter(({ id }) => !(isInGrams && id === 'other_unit'))
  // one slip is said once: many tablets because of the unit are not said as many tablets as well
  const isOfUnit = found.some(({ id }) => id === 'other_unit')
  const isLarge = found.some(({ id }) => id === 'large_injection')
  return found
    .filter(({ id }) => !(isTakenOften && id === 'many_times'))
    .filter(({ id }) => !(isDrunkByGlass && id === 'large_drink'))
    .filter(({ id }) => !(isInfiltrated && id === 'large_injection'))
    .filter(({ id }) => !isOfUnit || id === 'other_unit' || id === 'large_quantity')
    .filter(({ id }) => !isLarge || id !== 'large_below_skin')
    .map(({ id, value, part }) => slipWarning(drug, id, value, part))
}

function slipWarning(drug: CheckedDrug, id: Slip, value: number, part: number): RuleWarning {
  const level = part > GROSS ? 'must_not' : 'avoid'
  const { dose, strength } = drug.written!
  const count = Number(value.toPrecision(4))
  return {
    kind: 'dose',
    key: `dose:${drug.drugId}:${id}:${level}:${count}`,
    drugId: drug.drugId,
    drug: drug.name,
    rule: id,
    version: table.version,
    level,
    text: inWords(`safety.sentence.slip_${id}`, {
      drug: drug.name,
      n: groupedNumber(count),
      dose,
      strength,
    }),
    todo: inWords('safety.sentence.slipTodo'),
    source,
  }
}

/**
 * A child is given by weight: where no dose of children is listed, what is many times more per kilogram than the
 * highest dose of an adult of 50 kg is asked about. It is a slip, and no limit: the dose counts as not compared.
 */
export function slipOfChild(
  given: { single: number; day: number },
  ofAdult: { single?: number; day?: number },
  kg: number,
  isInfant: boolean,
): { what: 'single' | 'day'; times: number } | null {
  // infants are given more per kilogram than older children
  const times = isInfant ? 5 : 2.5
  const what = (['single', 'day'] as const).find((one) => {
    const most = ofAdult[one]
    return most !== undefined && given[one] / kg > (times * most) / LIGHT_ADULT
  })
  return what ? { what, times } : null
}
const LIGHT_ADULT = 50
