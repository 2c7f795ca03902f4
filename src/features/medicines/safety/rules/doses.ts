// Longer than others: one table of doses has many kinds of limits, and they are compared together.
import { ageRangeInMonths } from '~/fields/birth'
import { amountText } from '~/records/strength'
import { smallest } from '~/shared/any-length'
import { clinicTimeZone, dayIn, daysBetween } from '~/shared/zone'
import table from '../tables/doses.json'
import { canonicalIngredient } from './ingredients'
import { inEach, inWords, sayIn } from '~/shared/in-words'
import type {
  CheckedDrug,
  Level,
  CheckedPatient,
  RuleTable,
  RuleWarning,
  PublishedSource,
  RuleText,
} from './rule'
import { depotIntoVein, isNamed, type OfSlips, SLIP_ROWS, slipOfChild, slipsIn } from './slips'
import { moreThanSeldom, moreThanWeekly, mostEveryDay, type OfWeek } from './weekly'
import { weighText } from './unusable-weight'

/** In mg or units, of one dose and of one day. */
type DoseRow = {
  id: string
  ingredient: string
  /** mg without it. */
  unit?: 'units'
  routes?: string[]
  /** Of this form alone. */
  form?: string
  /** Under 12 years, by weight, never beyond `most`; its own `mostDay` comes before that of `most`. */
  child?: {
    perKg?: number
    /** Of a single time, as a loading dose. */
    perKgOnce?: number
    perKgDay?: number
    mostSingle?: number
    mostDay?: number
    mostSingleUnder?: { months: number; single: number }[]
    /** The lowest published dose, per kg. */
    leastPerKg?: number
    /** What a chart gives by bands of weight is not too high, although more per kg; `isLimit`: no dose to propose. */
    bands?: { fromKg: number; underKg: number; single?: number; day: number; isLimit?: true }[]
  }
  /** Adults by weight, never beyond `most`. */
  adult?: { perKg?: number; perKgDay?: number }
  /** The day of adults below this weight. */
  light?: { underKg: number; perKgDay: number }
  most: { single?: number; day?: number }
  /** The lowest published single dose of an adult. */
  least?: number
  source: PublishedSource
} & OfWeek &
  OfSlips
const rows: readonly DoseRow[] = table.rows as DoseRow[]

/**
 * Months of age below which a dose is by weight (WHO Model List of Essential Medicines for
 * Children: up to 12 years).
 */
const CHILD = 144
const INFANT = 24

/** Beyond this part of the highest single dose, or of a day by weight, a prescription is asked about. */
const SLACK = 1.1
/** Beyond this it is asked about a second time: a slip by a factor, not a judgement. */
const GROSS = 2
/** At this part of the lowest published dose, or below, a prescription is asked about: a slip of the decimal point. */
const TOO_LITTLE = 0.1

function doseRows(drug: CheckedDrug, ingredient: string) {
  const { route } = drug
  const name = canonicalIngredient(ingredient)
  return rows
    .filter((row) => row.ingredient === name && isNamed(drug, row))
    .filter(({ routes }) => !routes || !route || routes.includes(route))
    .filter(({ form }) => !form || form === drug.form)
}

/** How often a patch is changed is compared without what it holds. */
const patchesTooOften = (drug: CheckedDrug, isOn: (row: string) => boolean) =>
  drug.ingredients.flatMap((ingredient) =>
    doseRows(drug, ingredient)
      .filter(({ id }) => isOn(id))
      .flatMap((row) => seldomWarning(drug, row, null)),
  )

function seldomWarning(drug: CheckedDrug, row: DoseRow, quantity: number | null): RuleWarning[] {
  const oftener = moreThanSeldom(drug, quantity, row)
  const key = `dose:${drug.drugId}:${row.id}:${oftener?.level}`
  return oftener ? [{ ...base(drug, row), key, ...oftener }] : []
}

/**
 * Why a dose was compared with no limit: it is text; the catalogue lacks the strength; the table has no limit for this
 * medicine or for patients of this age; the age, or a weight to dose by, is not known.
 */
export type DoseLack = 'text' | 'strength' | 'limit' | 'age' | 'weight'

export type ComparedDose = {
  drug: CheckedDrug
  warnings: RuleWarning[]
  /** The substances whose dose was compared with no limit of this patient. */
  notCompared: { ingredient: string; lack: DoseLack }[]
  /** The rows whose limits are those of this patient. */
  sources: PublishedSource[]
  /** Whether the dose of each substance was compared with the lowest published one as well. */
  hasLeast: boolean
}

/**
 * Doses against the highest published ones, and what was compared: every sentence about doses is made of this one
 * comparison. `isOn`: whether a row is not switched off.
 */
export const compareDoses = (
  drugs: readonly CheckedDrug[],
  patient: CheckedPatient | undefined,
  isOn: (row: string) => boolean = () => true,
  taken: readonly CheckedDrug[] = [],
): ComparedDose[] => {
  const together = new Set(
    [...drugs, ...taken].flatMap(({ ingredients }) => ingredients.map(canonicalIngredient)),
  )
  return drugs.map((drug) => {
    const slips = (isLimited: boolean) =>
      [...depotIntoVein(drug), ...slipsIn(drug, isLimited)].filter(({ rule }) => isOn(rule))
    const perDose = drug.dosing?.perDose ?? []
    if (perDose.length === 0) {
      // of a patch, how often it is changed is known, and no list has its strengths
      const lackOfWritten = drug.written ? ('strength' as const) : ('text' as const)
      const lack = drug.dosing ? ('limit' as const) : lackOfWritten
      const notCompared = drug.ingredients.map((ingredient) => ({ ingredient, lack }))
      const warnings = [...patchesTooOften(drug, isOn), ...slips(false)]
      return { drug, warnings, notCompared, sources: [], hasLeast: false }
    }
    const found = perDose.map((given) => ({
      ingredient: given.ingredient,
      results: doseRows(drug, given.ingredient)
        .filter(({ id }) => isOn(id))
        .map((row) => compareWith(drug, row, given, patient, together)),
    }))
    const compared = found.map(({ results }) => results.filter(({ lack }) => lack === null))
    return {
      drug,
      warnings: [
        ...found.flatMap(({ results }) => results.flatMap(({ warnings }) => warnings)),
        ...slips(compared.every((some) => some.length > 0 && some.every(({ isUsual }) => isUsual))),
      ],
      notCompared: found.flatMap(({ ingredient, results }) =>
        results.some(({ lack }) => lack === null)
          ? []
          : [{ ingredient, lack: results[0]?.lack ?? 'limit' }],
      ),
      sources: compared.flat().map(({ source }) => source),
      hasLeast: compared.every((results) => results.some(({ hasLeast }) => hasLeast)),
    }
  })
}

/** A dose was compared if that of each of its substances was. */
const isDoseCompared = ({ drug, notCompared }: ComparedDose) =>
  (drug.dosing?.perDose.length ?? 0) > 0 && notCompared.length === 0

/** The medicines whose dose was not compared; of a combination, with the substances that were not. */
export const dosesUnchecked = (compared: readonly ComparedDose[]): string[] => [
  ...new Set(
    compared
      .filter((one) => !isDoseCompared(one))
      .map(({ drug, notCompared }) =>
        notCompared.length < (drug.dosing?.perDose.length ?? 0)
          ? `${drug.name} (${notCompared.map(({ ingredient }) => ingredient).join(', ')})`
          : drug.name,
      ),
  ),
]

type Given = NonNullable<CheckedDrug['dosing']>['perDose'][number]
type Result = {
  warnings: RuleWarning[]
  lack: DoseLack | null
  source: PublishedSource
  hasLeast: boolean
  isUsual?: boolean
}

function compareWith(
  drug: CheckedDrug,
  row: DoseRow,
  { quantity, unit }: Given,
  patient: CheckedPatient | undefined,
  together: ReadonlySet<string>,
): Result {
  const { source } = row
  const oftener =
    moreThanSeldom(drug, quantity, row) ?? moreThanWeekly(drug, quantity, row, together)
  const key = `dose:${drug.drugId}:${row.id}:${oftener?.level}`
  const tooOften = oftener ? [{ ...base(drug, row), key, ...oftener }] : []
  if (unit !== (row.unit ?? 'mg'))
    return { warnings: tooOften, lack: 'limit', source, hasLeast: false }
  const limits = limitsFor(row, patient, drug.dosing!.everyDays === null)
  const isUnder = (months: number) => isYounger(patient, months)
  limits.day = smallestKnown([
    limits.day,
    mostEveryDay(drug, row, isUnder, isUnder(CHILD), limits.weight?.kg),
  ])
  const day = quantity * drug.dosing!.dosesPerDay
  const beyond = [
    {
      part: limits.single && quantity / limits.single,
      slack: SLACK,
      what: 'single' as const,
      given: quantity,
      most: limits.single,
    },
    {
      part: limits.day && day / limits.day,
      slack: limits.day === limits.dayByWeight ? SLACK : 1.000_001,
      what: 'day' as const,
      given: day,
      most: limits.day,
    },
  ].flatMap(({ part, most, ...one }) =>
    part && most && part > one.slack ? [{ ...one, part, most }] : [],
  )
  const worst = beyond.toSorted((a, b) => b.part - a.part)[0]
  // of an adult the line beside the medicine says that no weight is recorded
  const isToWeigh = isYounger(patient, CHILD) && (limits.lack === 'weight' || limits.weight?.isOld)
  const { least } = limits
  return {
    warnings: [
      ...tooOften,
      ...(worst ? [tooMuch(drug, row, worst, limits.weight?.kg)] : []),
      ...(limits.lack === 'limit' && !worst
        ? childSlip(drug, row, { single: quantity, day }, patient)
        : []),
      ...(least !== undefined && quantity <= least * TOO_LITTLE * 1.000_001
        ? [tooLittle(drug, row, quantity, least)]
        : []),
      ...(isToWeigh ? [toWeigh(drug, row, patient, limits.weight)] : []),
    ],
    lack: limits.lack,
    source,
    hasLeast: least !== undefined,
    isUsual: quantity <= (row.usual ?? Infinity),
  }
}

type Limits = {
  single?: number | undefined
  day?: number | undefined
  dayByWeight?: number | undefined
  /** The lowest published single dose. */
  least?: number | undefined
  /** The weight that the limits are of, if they go by weight. */
  weight?: Weight | null
  /** The limits are not those of this patient. What is beyond the highest dose of anybody is too much all the same. */
  lack: DoseLack | null
}

/**
 * The limits of a row for this patient. A row for children says nothing about an adult, one for adults nothing about a
 * child, and one by weight nothing about a child who was not weighed.
 */
function limitsFor(row: DoseRow, patient: CheckedPatient | undefined, isOnce: boolean): Limits {
  const { child, most } = row
  if (!patient?.birth) return { ...most, lack: 'age' }
  if (!isYounger(patient, CHILD)) return limitsOfAdult(row, patient)
  if (!child) return { ...most, lack: 'limit' }
  const isByWeight = Boolean(child.perKg ?? child.perKgDay ?? child.bands)
  const weight = isByWeight ? dosingWeight(patient) : null
  const band = weight && child.bands?.find((one) => isIn(one, weight.kg))
  const byWeight = (perKg: number | undefined, ofBand: number | undefined) =>
    perKg === undefined || !weight ? ofBand : Math.max(perKg * weight.kg, ofBand ?? 0)
  const dayByWeight = byWeight(child.perKgDay, band?.day)
  const hasNone = isByWeight && (!weight || (!band && !(child.perKg ?? child.perKgDay)))
  return {
    single: smallestKnown([
      most.single,
      child.mostSingle,
      ...(child.mostSingleUnder ?? [])
        .filter(({ months }) => isYounger(patient, months))
        .map(({ single }) => single),
      byWeight((isOnce ? child.perKgOnce : undefined) ?? child.perKg, band?.single),
    ]),
    day: smallestKnown([child.mostDay ?? most.day, dayByWeight]),
    dayByWeight,
    least: weight && child.leastPerKg ? child.leastPerKg * weight.kg : undefined,
    weight,
    lack: (hasNone && (weight ? 'limit' : 'weight')) || null,
  }
}

/** The limits of an adult: absolute, by weight, or both. */
function limitsOfAdult({ most, least, adult, light }: DoseRow, patient: CheckedPatient): Limits {
  const weight = adult || light ? dosingWeight(patient) : null
  const byWeight = (perKg: number | undefined) => weight && perKg && perKg * weight.kg
  // an old weight makes nobody light
  const isLight = light && weight && !weight.isOld && weight.kg < light.underKg
  const isByWeight = adult !== undefined && most.single === undefined && most.day === undefined
  if (isByWeight && !weight) return { least, weight, lack: 'weight' }
  const dayByWeight = byWeight(adult?.perKgDay) ?? undefined
  return {
    single: smallestKnown([most.single, byWeight(adult?.perKg)]),
    day: smallestKnown([most.day, dayByWeight, isLight ? byWeight(light.perKgDay) : undefined]),
    dayByWeight,
    least,
    ...((adult || isLight) && { weight }),
    lack: !adult && most.single === undefined && most.day === undefined ? 'limit' : null,
  }
}

function childSlip(
  drug: CheckedDrug,
  row: DoseRow,
  given: { single: number; day: number },
  patient: CheckedPatient | undefined,
): RuleWarning[] {
  const weight = isYounger(patient, CHILD) ? dosingWeight(patient) : null
  if (!weight || weight.isOld) return []
  const slip = slipOfChild(given, row.most, weight.kg, isYounger(patient, INFANT))
  if (!slip) return []
  const { what, times } = slip
  const values = {
    drug: drug.name,
    dose: amount(given[what], row),
    kg: weight.kg,
    n: inEach((language) => new Intl.NumberFormat(language).format(times)),
  }
  return [
    {
      ...base(drug, row),
      key: `dose:${drug.drugId}:${row.id}:child:${what}:${rounded(given[what])} ${row.unit ?? 'mg'}`,
      level: 'avoid',
      text: inWords(
        what === 'single' ? 'safety.sentence.childSlip' : 'safety.sentence.childSlipDaily',
        values,
      ),
      todo: inWords('safety.sentence.childSlipTodo'),
    },
  ]
}

const smallestKnown = (values: readonly (number | null | undefined)[]) => {
  const known = values.filter((value) => typeof value === 'number')
  return known.length > 0 ? smallest(known) : undefined
}

/** Whether the patient may be of an age at which a dose is by weight. */
export const isChild = (patient: CheckedPatient) => isYounger(patient, CHILD)

/** The published band of weight of one substance by this route, in mg. */
export function findDoseBand(
  drug: { route: string | null },
  ingredient: string,
  kg: number,
  isOn: (row: string) => boolean,
) {
  const row = rows.find(
    ({ ingredient: of, routes, unit, child, id }) =>
      of === canonicalIngredient(ingredient) &&
      unit === undefined &&
      child?.bands !== undefined &&
      drug.route !== null &&
      (!routes || routes.includes(drug.route)) &&
      isOn(id),
  )
  const band = row?.child?.bands?.find((one) => !one.isLimit && isIn(one, kg))
  return row && band?.single ? { ...band, single: band.single, source: row.source } : null
}

const isIn = ({ fromKg, underKg }: { fromKg: number; underKg: number }, kg: number) =>
  kg >= fromKg && kg < underKg

/** True when the patient may be younger: of an uncertain birth the youngest possible age counts. */
function isYounger(patient: CheckedPatient | undefined, months: number): boolean {
  return Boolean(patient?.birth && ageRangeInMonths(patient.birth, patient.today)[0] < months)
}

type Weight = { kg: number; day: string; isOld: boolean }
export function dosingWeight(patient: CheckedPatient | undefined): Weight | null {
  if (!patient?.weight) return null
  const day = dayIn(patient.weight.at, clinicTimeZone())
  const valid = isYounger(patient, INFANT)
    ? table.weightValidDays.under2
    : table.weightValidDays.child
  return { kg: patient.weight.kg, day, isOld: daysBetween(day, patient.today) > valid }
}

const base = (drug: CheckedDrug, row: DoseRow) => ({
  kind: 'dose' as const,
  drugId: drug.drugId,
  drug: drug.name,
  rule: row.id,
  version: table.version,
  source: row.source,
})

type Beyond = { what: 'single' | 'day'; given: number; most: number; part: number }

function tooMuch(
  drug: CheckedDrug,
  row: DoseRow,
  { what, given, most, part }: Beyond,
  kg?: number,
): RuleWarning {
  const level: Level = part > GROSS ? 'must_not' : 'avoid'
  const values = { drug: drug.name, dose: amount(given, row), limit: amount(most, row) }
  const key = {
    single: kg === undefined ? 'safety.sentence.tooMuchOnce' : 'safety.sentence.tooMuchOnceByKg',
    day: kg === undefined ? 'safety.sentence.tooMuchDaily' : 'safety.sentence.tooMuchDailyByKg',
  } as const
  return {
    ...base(drug, row),
    key: `dose:${drug.drugId}:${row.id}:${level}:${what}:${rounded(given)} ${row.unit ?? 'mg'}`,
    level,
    text: inWords(key[what], kg === undefined ? values : { ...values, kg }),
    todo: inWords(
      level === 'must_not' ? 'safety.sentence.grossTodo' : 'safety.sentence.tooMuchTodo',
    ),
  }
}

const tooLittle = (drug: CheckedDrug, row: DoseRow, given: number, least: number): RuleWarning => ({
  ...base(drug, row),
  key: `dose:${drug.drugId}:${row.id}:little:${rounded(given)} ${row.unit ?? 'mg'}`,
  level: 'avoid',
  text: inWords('safety.sentence.tooLittle', {
    drug: drug.name,
    dose: amount(given, row),
    limit: amount(least, row),
  }),
  todo: inWords('safety.sentence.tooLittleTodo'),
})

const rounded = (value: number) => Number(value.toPrecision(4))
const amount = (value: number, { unit }: DoseRow): RuleText =>
  inEach((language) => amountText(rounded(value), unit ?? 'mg', sayIn(language)))

function toWeigh(
  drug: CheckedDrug,
  row: DoseRow,
  patient: CheckedPatient | undefined,
  weight: Weight | null | undefined,
): RuleWarning {
  return {
    ...base(drug, row),
    key: `dose:${drug.drugId}:${row.id}:weigh`,
    level: 'caution',
    text: weighText(drug.name, patient, weight),
    todo: inWords('safety.sentence.weighTodo'),
  }
}

function titleKey(row: DoseRow) {
  if (row.weekly) return 'notWeeklyTitle'
  const hasNoHighest = !row.child && Object.keys(row.most).length === 0
  return row.seldom && hasNoHighest ? 'notSeldomTitle' : 'highestDoseTitle'
}

export const doseTable: RuleTable = {
  table: 'dose',
  version: table.version,
  source: table.source,
  needs: ['birth', 'weight'],
  rows: [
    ...rows.map((row) => ({
      id: row.id,
      title: inWords(`safety.sentence.${titleKey(row)}`, { ingredient: row.ingredient }),
      members: [row.ingredient],
      source: row.source,
    })),
    ...SLIP_ROWS,
  ],
}
