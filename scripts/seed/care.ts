import { stableId } from '~/features/imports/stable-id'
import { DAY, type Person, YEAR } from './people'

export type Visit = { id: string; at: Date; closed: Date; provider: { id: string; name: string }; reason: string }
export type Problem = { code: string; label: string; onset: Date; end: Date | null }
export type Vitals = Partial<
  Record<
    | 'systolic_bp'
    | 'diastolic_bp'
    | 'heart_rate'
    | 'respiratory_rate'
    | 'oxygen_saturation'
    | 'temperature_celsius'
    | 'height_cm'
    | 'weight_kg'
    | 'bmi',
    number
  >
>
export type Care = { visits: { visit: Visit; vitals: Vitals }[]; problems: Problem[] }

/** ICD-10, WHO version. */
const chronic = {
  hypertension: ['I10', 'Essential (primary) hypertension'],
  diabetes: ['E11.9', 'Type 2 diabetes mellitus without complications'],
  asthma: ['J45.9', 'Asthma, unspecified'],
} as const
const acute = [
  ['J06.9', 'Acute upper respiratory infection, unspecified'],
  ['A09', 'Infectious gastroenteritis and colitis, unspecified'],
  ['N39.0', 'Urinary tract infection, site not specified'],
  ['M54.5', 'Low back pain'],
  ['K29.7', 'Gastritis, unspecified'],
  ['L20.9', 'Atopic dermatitis, unspecified'],
] as const

/** What was recorded about a person from his registration until today: people with chronic illness come again and again. */
export function careOf(person: Person, seed: string, today: Date): Care {
  const { random, born, registered, clinic, number } = person
  const age = (today.getTime() - born.getTime()) / YEAR
  const isHypertensive = random.chance(age > 60 ? 0.5 : age > 40 ? 0.28 : age > 25 ? 0.04 : 0)
  const isDiabetic = random.chance(age > 40 ? 0.18 : age > 25 ? 0.03 : 0)
  const hasAsthma = random.chance(0.05)
  const isChronic = isHypertensive || isDiabetic
  const problems: Problem[] = []
  const add = ([code, label]: readonly [string, string], onset: Date, end: Date | null = null) =>
    problems.push({ code, label, onset, end })
  const before = () => new Date(Math.max(born.getTime(), registered.getTime() - random.between(0, 8) * YEAR))
  if (isHypertensive) add(chronic.hypertension, before())
  if (isDiabetic) add(chronic.diabetes, before())
  if (hasAsthma) add(chronic.asthma, before())

  const body = bodyOf(person)
  const visits: Care['visits'] = []
  const gap = isChronic ? 75 : 400
  let at = atTheClinic(person, registered)
  for (let i = 0; at < today && i < 60; i += 1) {
    const treated = Math.min(1, (at.getTime() - registered.getTime()) / YEAR)
    const illness = isChronic && random.chance(0.8) ? undefined : random.pick(acute)
    if (illness && random.chance(0.4)) add(illness, at, new Date(at.getTime() + random.whole(4, 20) * DAY))
    visits.push({
      visit: {
        id: stableId('seed', seed, 'visit', String(number), String(i)),
        at,
        closed: new Date(at.getTime() + random.whole(8, 50) * 60_000),
        provider: random.pick(clinic.staff),
        reason: illness?.[1] ?? 'Follow-up',
      },
      vitals: vitalsOf(person, body, at, { isHypertensive, treated, isFeverish: illness?.[0] === 'J06.9' }),
    })
    at = atTheClinic(person, new Date(at.getTime() + random.between(0.4, 1.8) * gap * DAY))
  }
  return { visits, problems: problems.filter(({ end }) => !end || end < today) }
}

/** Between eight and four, not on Fridays and Saturdays. */
function atTheClinic({ random }: Person, day: Date): Date {
  const at = new Date(day)
  at.setUTCHours(random.whole(6, 13), random.whole(0, 59), random.whole(0, 59), 0)
  while (at.getUTCDay() === 5 || at.getUTCDay() === 6) at.setTime(at.getTime() + DAY)
  return at
}

type Body = { height: number; bmi: number; baseline: number }

const bodyOf = ({ random, sex }: Person): Body => ({
  height: random.around(sex === 'male' ? 173 : 160, 6.5),
  bmi: random.around(26, 4),
  baseline: random.around(0, 7),
})

type State = { isHypertensive: boolean; treated: number; isFeverish: boolean }

/** In the ranges that people are measured in; pressure falls in the first year of treatment, more for some than for others. */
function vitalsOf(
  { random, born }: Person,
  body: Body,
  at: Date,
  { isHypertensive, treated, isFeverish }: State,
): Vitals {
  const age = (at.getTime() - born.getTime()) / YEAR
  const share = Math.min(1, growth(age))
  const height = body.height * share
  const bmi = age < 18 ? 14 + (body.bmi - 20) * 0.25 + age * 0.35 : body.bmi
  const weight = (bmi * height * height) / 10_000 + random.around(0, 0.8) * share
  const pulse = random.around(age < 1 ? 130 : age < 6 ? 105 : age < 12 ? 88 : 74, 8) + (isFeverish ? 12 : 0)
  const vitals: Vitals = {
    heart_rate: Math.round(pulse),
    respiratory_rate: Math.round(random.around(age < 1 ? 38 : age < 6 ? 26 : 16, 2)),
    oxygen_saturation: Math.min(100, Math.round(random.around(97.5, 1))),
    temperature_celsius: round(isFeverish ? random.around(38.4, 0.5) : random.around(36.7, 0.25)),
    weight_kg: round(Math.max(2.5, weight)),
  }
  if (age < 18 || random.chance(0.4)) vitals.height_cm = round(height)
  if (vitals.height_cm) vitals.bmi = round(vitals.weight_kg! / (vitals.height_cm / 100) ** 2)
  if (age < 12) return vitals
  const systolic = 112 + Math.max(0, age - 30) * 0.35 + body.baseline + (isHypertensive ? 32 - 22 * treated : 0)
  vitals.systolic_bp = Math.round(random.around(systolic, 6))
  vitals.diastolic_bp = Math.round(vitals.systolic_bp * random.around(0.63, 0.03))
  return vitals
}

/** The share of the adult height at an age, roughly: 30 % at birth, half at two, all at eighteen. */
const growth = (age: number) => (age < 2 ? 0.3 + age * 0.1 : age < 18 ? 0.5 + ((age - 2) / 16) * 0.5 : 1)

const round = (value: number) => Math.round(value * 10) / 10
