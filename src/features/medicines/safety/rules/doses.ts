import { ageSpanOf } from '~/fields/birth'
import { smallest } from '~/shared/any-length'
import type { Language } from '~/shared/language'
import { clinicTimeZone, dayIn, daysBetween } from '~/shared/zone'
import table from '../tables/doses.json'
import { canonical } from './ingredients'
import type {
  CheckedDrug,
  Level,
  PatientFacts,
  RuleTable,
  RuleWarning,
  Source,
  Words,
} from './rule'
import { unusableWeightWords } from './unusable-weight'

/** In mg, of one dose and of one day. `child`: under 12 years, by weight, never beyond `most`. */
type DoseRow = {
  id: string
  ingredient: string
  routes?: string[]
  child?: { perKg?: number; perKgDay?: number; mostDay?: number }
  most: { single?: number; day?: number }
  /** Taken once a week; every day it has killed. */
  weekly?: boolean
  source: Source
}
const rows: readonly DoseRow[] = table.rows

/**
 * Months of age below which a dose is by weight (WHO Model List of Essential Medicines for
 * Children: up to 12 years).
 */
const CHILD = 144
const INFANT = 24

/** Beyond this part of the highest single dose a prescription is asked about; of the day, beyond all of it. */
const SINGLE_SLACK = 1.1
/** Beyond this it is asked about a second time: a slip by a factor, not a judgement. */
const GROSS = 2

const rowsOf = (drug: CheckedDrug, ingredient: string) =>
  rows.filter(
    (row) =>
      row.ingredient === canonical(ingredient) &&
      (!row.routes || !drug.route || row.routes.includes(drug.route)),
  )

/**
 * Why a dose was compared with no limit: it is free text or the catalogue lacks the strength; the table has no limit
 * for this medicine or for patients of this age; the age, or a weight to dose by, is not known.
 */
type Lack = 'structure' | 'limit' | 'age' | 'weight'

export type ComparedDose = {
  drug: CheckedDrug
  warnings: RuleWarning[]
  /** The substances whose dose was compared with no limit of this patient. */
  notCompared: { ingredient: string; lack: Lack }[]
}

/**
 * Doses against the highest published ones, and what was compared: every sentence about doses is made of this one
 * comparison. `isOn`: whether a row is not switched off.
 */
export const compareDoses = (
  drugs: readonly CheckedDrug[],
  patient: PatientFacts | undefined,
  isOn: (row: string) => boolean = () => true,
): ComparedDose[] =>
  drugs.map((drug) => {
    const perDose = drug.dosing?.perDose ?? []
    if (perDose.length === 0) {
      const notCompared = drug.ingredients.map((ingredient) => ({
        ingredient,
        lack: 'structure' as const,
      }))
      return { drug, warnings: [], notCompared }
    }
    const found = perDose.map((given) => ({
      ingredient: given.ingredient,
      results: rowsOf(drug, given.ingredient)
        .filter(({ id }) => isOn(id))
        .map((row) => compareWith(drug, row, given, patient)),
    }))
    return {
      drug,
      warnings: found.flatMap(({ results }) => results.flatMap(({ warnings }) => warnings)),
      notCompared: found.flatMap(({ ingredient, results }) =>
        results.some(({ lack }) => lack === null)
          ? []
          : [{ ingredient, lack: results[0]?.lack ?? 'limit' }],
      ),
    }
  })

/** A dose was compared if that of each of its substances was. */
export const isDoseCompared = ({ drug, notCompared }: ComparedDose) =>
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
type Result = { warnings: RuleWarning[]; lack: Lack | null }

function compareWith(
  drug: CheckedDrug,
  row: DoseRow,
  { quantity, unit }: Given,
  patient: PatientFacts | undefined,
): Result {
  // how often is compared, and the amount with nothing
  if (row.weekly) return { warnings: weekly(drug, row), lack: 'limit' }
  if (unit !== 'mg') return { warnings: [], lack: 'limit' }
  const limits = limitsFor(row, patient)
  const day = quantity * drug.dosing!.dosesPerDay
  const beyond = [
    {
      part: limits.single && quantity / limits.single,
      slack: SINGLE_SLACK,
      what: 'single' as const,
      given: quantity,
      most: limits.single,
    },
    {
      part: limits.day && day / limits.day,
      slack: 1.000_001,
      what: 'day' as const,
      given: day,
      most: limits.day,
    },
  ].flatMap(({ part, most, ...one }) =>
    part && most && part > one.slack ? [{ ...one, part, most }] : [],
  )
  const worst = beyond.toSorted((a, b) => b.part - a.part)[0]
  const isToWeigh = limits.lack === 'weight' || limits.weight?.isOld
  return {
    warnings: [
      ...(worst ? [tooMuch(drug, row, worst, limits.weight?.kg)] : []),
      ...(isToWeigh ? [toWeigh(drug, row, patient, limits.weight)] : []),
    ],
    lack: limits.lack,
  }
}

type Limits = {
  single?: number | undefined
  day?: number | undefined
  /** The weight that the limits are of, if they go by weight. */
  weight?: Weight | null
  /** The limits are not those of this patient. What is beyond the highest dose of anybody is too much all the same. */
  lack: Lack | null
}

/**
 * The limits of a row for this patient. A row for children says nothing about an adult, one for adults nothing about a
 * child, and one by weight nothing about a child who was not weighed.
 */
function limitsFor(row: DoseRow, patient: PatientFacts | undefined): Limits {
  const { child, most } = row
  if (!patient?.birth) return { ...most, lack: 'age' }
  if (!isYounger(patient, CHILD))
    return { ...most, lack: most.single === undefined && most.day === undefined ? 'limit' : null }
  if (!child) return { ...most, lack: 'limit' }
  const isByWeight = child.perKg !== undefined || child.perKgDay !== undefined
  const weight = isByWeight ? weightOf(patient) : null
  const byWeight = (perKg: number | undefined) =>
    perKg !== undefined && weight ? perKg * weight.kg : undefined
  const least = (...values: (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined)
    return known.length > 0 ? smallest(known) : undefined
  }
  return {
    single: least(most.single, byWeight(child.perKg)),
    day: least(most.day, child.mostDay, byWeight(child.perKgDay)),
    weight,
    lack: isByWeight && !weight ? 'weight' : null,
  }
}

/** True when the patient may be younger: of an uncertain birth the youngest possible age counts. */
function isYounger(patient: PatientFacts | undefined, months: number): boolean {
  return Boolean(patient?.birth && ageSpanOf(patient.birth, patient.today)[0] < months)
}

type Weight = { kg: number; day: string; isOld: boolean }
function weightOf(patient: PatientFacts | undefined): Weight | null {
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
  const [dose, limit] = [milligrams(given), milligrams(most)]
  const forWeight = (before: string, after: string) =>
    kg === undefined ? '' : ` ${before} ${kg} kg${after}`
  const text: Words =
    what === 'single'
      ? {
          en:
            `${drug.name}: one dose of ${dose.en} is more than the highest published dose of ` +
            `${limit.en}${forWeight('for', '')}.`,
          ar:
            `${drug.name}: الجرعة الواحدة ${dose.ar} أعلى من أقصى جرعة منشورة وهي ` +
            `${limit.ar}${kg === undefined ? '' : ` لوزن ${kg} كغ`}.`,
          es:
            `${drug.name}: una dosis de ${dose.es} supera la dosis máxima publicada de ` +
            `${limit.es}${forWeight('para', '')}.`,
        }
      : {
          en:
            `${drug.name}: ${dose.en} a day is more than the highest published dose of ` +
            `${limit.en} a day${forWeight('for', '')}.`,
          ar:
            `${drug.name}: ‏${dose.ar} في اليوم أعلى من أقصى جرعة يومية منشورة وهي ` +
            `${limit.ar}${kg === undefined ? '' : ` لوزن ${kg} كغ`}.`,
          es:
            `${drug.name}: ${dose.es} al día superan la dosis máxima publicada de ` +
            `${limit.es} al día${forWeight('para', '')}.`,
        }
  const todo: Words =
    level === 'must_not'
      ? {
          en: 'It is more than twice as much: check amount, unit, strength and weight.',
          ar: 'وهي أكثر من الضعف: راجع المقدار والوحدة والتركيز والوزن.',
          es: 'Es más del doble: revise la cantidad, la unidad, la concentración y el peso.',
        }
      : {
          en: 'Reduce the dose, or give the reason for it.',
          ar: 'خفّض الجرعة أو اذكر السبب.',
          es: 'Reduzca la dosis o indique el motivo.',
        }
  return {
    ...base(drug, row),
    key: `dose:${drug.drugId}:${row.id}:${level}:${what}:${dose.en}`,
    level,
    text,
    todo,
  }
}

function milligrams(value: number): Record<Language, string> {
  const mg = Number(value.toPrecision(4))
  return { en: `${mg} mg`, ar: `${mg} ملغ`, es: `${mg} mg` }
}

/** Every day or several times a week: a week is between the doses, or it is one single dose. */
function weekly(drug: CheckedDrug, row: DoseRow): RuleWarning[] {
  const { everyDays, dosesPerDay } = drug.dosing!
  if (everyDays === null || (everyDays >= 7 && dosesPerDay <= 1)) return []
  return [
    {
      ...base(drug, row),
      key: `dose:${drug.drugId}:${row.id}:must_not`,
      level: 'must_not',
      text: {
        en: `${drug.name} is prescribed more often than once a week. Taken every day, low doses have been fatal.`,
        ar: `وُصف ${drug.name} أكثر من مرة في الأسبوع. تناوله كل يوم، ولو بجرعات منخفضة، أدى إلى الوفاة.`,
        es:
          `${drug.name} se receta más de una vez por semana. ` +
          'Tomado a diario, incluso en dosis bajas, ha causado muertes.',
      },
      todo: {
        en: 'Choose “once a week” and name the day, or give the reason (cancer treatment).',
        ar: 'اختر «مرة واحدة في الأسبوع» وحدد اليوم، أو اذكر السبب (علاج السرطان).',
        es: 'Elija «una vez a la semana» e indique el día, o escriba el motivo (tratamiento del cáncer).',
      },
    },
  ]
}

const TO_DO: Words = { en: 'Weigh the child.', ar: 'زِن الطفل.', es: 'Pese al niño.' }

function toWeigh(
  drug: CheckedDrug,
  row: DoseRow,
  patient: PatientFacts | undefined,
  weight: Weight | null | undefined,
): RuleWarning {
  const unusable =
    patient?.unusableWeight && unusableWeightWords(patient.unusableWeight, patient.birth)
  const used: Words = weight
    ? {
        en: `The weight of ${weight.kg} kg is of ${weight.day}; the dose of ${drug.name} was compared with it.`,
        ar: `الوزن ${weight.kg} كغ مسجل بتاريخ ${weight.day}، وبه قورنت جرعة ${drug.name}.`,
        es: `El peso de ${weight.kg} kg es del ${weight.day}; con él se comparó la dosis de ${drug.name}.`,
      }
    : {
        en: `The dose of ${drug.name} was not compared by weight.`,
        ar: `لم تُقارن جرعة ${drug.name} بالوزن.`,
        es: `La dosis de ${drug.name} no se comparó por peso.`,
      }
  const none: Words = {
    en: `No weight is recorded: the dose of ${drug.name} could not be compared by weight.`,
    ar: `لا يوجد وزن مسجل: لم تُقارن جرعة ${drug.name} بالوزن.`,
    es: `No hay peso registrado: la dosis de ${drug.name} no se pudo comparar por peso.`,
  }
  const both = (language: Language) => (unusable ? `${unusable[language]} ${used[language]}` : '')
  return {
    ...base(drug, row),
    key: `dose:${drug.drugId}:${row.id}:weigh`,
    level: 'caution',
    text: unusable ? { en: both('en'), ar: both('ar'), es: both('es') } : weight ? used : none,
    todo: TO_DO,
  }
}

const titleOf = (row: DoseRow): Words => ({
  en: `Highest dose: ${row.ingredient}`,
  ar: `أقصى جرعة: ${row.ingredient}`,
  es: `Dosis máxima: ${row.ingredient}`,
})
export const doseTable: RuleTable = {
  table: 'dose',
  version: table.version,
  source: table.source,
  needs: ['birth', 'weight'],
  rows: rows.map((row) => ({
    id: row.id,
    title: row.weekly
      ? {
          en: `Not every day: ${row.ingredient}`,
          ar: `ليس كل يوم: ${row.ingredient}`,
          es: `No a diario: ${row.ingredient}`,
        }
      : titleOf(row),
    members: [row.ingredient],
    source: row.source,
  })),
}
