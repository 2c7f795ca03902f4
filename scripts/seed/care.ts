import { stableId } from '~/features/exchange/imports/stable-id'
import { arabic, spanish } from './names'
import { DAY, type SeedPerson, YEAR } from './people'

export type Illness = { code: string; label: string }
/** `illness`: the reason for the visit; undefined for a planned follow-up. */
export type SeedVisit = {
  id: string
  at: Date
  closed: Date
  provider: { id: string; name: string }
  reason: string
  illness?: Illness
}
type Problem = { code: string; label: string; onset: Date; end: Date | null }
export type SeedVitals = Partial<
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
type Care = { visits: { visit: SeedVisit; vitals: SeedVitals }[]; problems: Problem[] }

type Named = readonly [code: string, en: string, ar: string, es: string]

/** ICD-10, WHO version, in the words of our code list: what is from the list is shown in the reader's language. */
const chronic = {
  hypertension: ['I10', 'Hypertension', 'ارتفاع ضغط الدم', 'Hipertensión arterial'],
  diabetes: ['E11.9', 'Type 2 diabetes', 'داء السكري من النوع الثاني', 'Diabetes tipo 2'],
  asthma: ['J45.9', 'Asthma', 'الربو', 'Asma'],
} satisfies Record<string, Named>
const acute: readonly Named[] = [
  [
    'J06.9',
    'Upper respiratory infection',
    'عدوى الجهاز التنفسي العلوي',
    'Infección respiratoria alta',
  ],
  [
    'A09',
    'Gastroenteritis, infectious',
    'التهاب المعدة والأمعاء المعدي',
    'Gastroenteritis infecciosa',
  ],
  ['N39.0', 'Urinary tract infection', 'عدوى المسالك البولية', 'Infección urinaria'],
  ['M54.5', 'Low back pain', 'ألم أسفل الظهر', 'Dolor lumbar'],
  ['K29.7', 'Gastritis', 'التهاب المعدة', 'Gastritis'],
  ['L20.9', 'Atopic eczema', 'الأكزيما التأتبية', 'Eccema atópico'],
]
const followUp = ['', 'Follow-up', 'متابعة', 'Control'] satisfies Named

export type SpokenWords = readonly [en: string, ar: string, es: string]

/** A reason is recorded in the patient's words. */
export const inPatientsLanguage = ({ region }: SeedPerson, [en, ar, es]: SpokenWords): string =>
  region === spanish ? es : region === arabic ? ar : en

/**
 * The records of a patient from registration until today: patients with a chronic illness have
 * many visits.
 */
export function buildCare(person: SeedPerson, seed: string, today: Date): Care {
  const { random, born, registered, clinic, number } = person
  const age = (today.getTime() - born.getTime()) / YEAR
  const isHypertensive = random.chance(age > 60 ? 0.5 : age > 40 ? 0.28 : age > 25 ? 0.04 : 0)
  const isDiabetic = random.chance(age > 40 ? 0.18 : age > 25 ? 0.03 : 0)
  const hasAsthma = random.chance(0.05)
  const isChronic = isHypertensive || isDiabetic
  const problems: Problem[] = []
  const add = ([code, label]: Named, onset: Date, end: Date | null = null) =>
    problems.push({ code, label, onset, end })
  const before = () =>
    new Date(Math.max(born.getTime(), registered.getTime() - random.between(0, 8) * YEAR))
  if (isHypertensive) add(chronic.hypertension, before())
  if (isDiabetic) add(chronic.diabetes, before())
  if (hasAsthma) add(chronic.asthma, before())

  const body = randomBody(person)
  const visits: Care['visits'] = []
  const gap = isChronic ? 75 : 400
  let at = atTheClinic(person, registered)
  for (let i = 0; at < today && i < 60; i += 1) {
    const treated = Math.min(1, (at.getTime() - registered.getTime()) / YEAR)
    const illness = isChronic && random.chance(0.8) ? undefined : random.pick(acute)
    const [, ...came] = illness ?? followUp
    if (illness && random.chance(0.4))
      add(illness, at, new Date(at.getTime() + random.whole(4, 20) * DAY))
    visits.push({
      visit: {
        id: stableId('seed', seed, 'visit', String(number), String(i)),
        at,
        closed: new Date(at.getTime() + random.whole(8, 50) * 60_000),
        provider: random.pick(clinic.staff),
        reason: inPatientsLanguage(person, came),
        illness: illness && { code: illness[0], label: illness[1] },
      },
      vitals: randomVitals(person, body, at, {
        isHypertensive,
        treated,
        isFeverish: illness?.[0] === 'J06.9',
      }),
    })
    at = atTheClinic(person, new Date(at.getTime() + random.between(0.4, 1.8) * gap * DAY))
  }
  return { visits, problems: problems.filter(({ end }) => !end || end < today) }
}

/** Between eight and four, not on Fridays and Saturdays. */
function atTheClinic({ random }: SeedPerson, day: Date): Date {
  const at = new Date(day)
  at.setUTCHours(random.whole(6, 13), random.whole(0, 59), random.whole(0, 59), 0)
  while (at.getUTCDay() === 5 || at.getUTCDay() === 6) at.setTime(at.getTime() + DAY)
  return at
}

type Body = { height: number; bmi: number; baseline: number }

const randomBody = ({ random, sex }: SeedPerson): Body => ({
  height: random.around(sex === 'male' ? 173 : 160, 6.5),
  bmi: random.around(26, 4),
  baseline: random.around(0, 7),
})

type State = { isHypertensive: boolean; treated: number; isFeverish: boolean }

/**
 * In the ranges that people are measured in; pressure falls in the first year of treatment, more
 * for some than for others.
 */
function randomVitals(
  { random, born, sex }: SeedPerson,
  body: Body,
  at: Date,
  { isHypertensive, treated, isFeverish }: State,
): SeedVitals {
  const age = (at.getTime() - born.getTime()) / YEAR
  const share = between(heights[sex], age)
  const height = body.height * share
  const bmi = age < 18 ? between(thickness, age) + (body.bmi - 26) * 0.25 : body.bmi
  const weight = (bmi * height * height) / 10_000 + random.around(0, 0.8) * share
  const pulse =
    random.around(age < 1 ? 130 : age < 6 ? 105 : age < 12 ? 88 : 74, 8) + (isFeverish ? 12 : 0)
  const vitals: SeedVitals = {
    heart_rate: Math.round(pulse),
    respiratory_rate: Math.round(random.around(age < 1 ? 38 : age < 6 ? 26 : 16, 2)),
    oxygen_saturation: Math.min(100, Math.round(random.around(97.5, 1))),
    temperature_celsius: round(isFeverish ? random.around(38.4, 0.5) : random.around(36.7, 0.25)),
    weight_kg: round(Math.max(2.5, weight)),
  }
  if (age < 18 || random.chance(0.4)) vitals.height_cm = round(height)
  if (vitals.height_cm) vitals.bmi = round(vitals.weight_kg! / (vitals.height_cm / 100) ** 2)
  if (age < 12) return vitals
  const systolic =
    112 + Math.max(0, age - 30) * 0.35 + body.baseline + (isHypertensive ? 32 - 22 * treated : 0)
  vitals.systolic_bp = Math.round(random.around(systolic, 6))
  vitals.diastolic_bp = Math.round(vitals.systolic_bp * random.around(0.63, 0.03))
  return vitals
}

type Curve = readonly (readonly [age: number, value: number])[]

/**
 * The share of the adult height at an age, and the body mass index of children, roughly as the
 * WHO's medians have them.
 */
const heights: Record<SeedPerson['sex'], Curve> = {
  male: [
    [0, 0.29],
    [1, 0.435],
    [2, 0.5],
    [5, 0.63],
    [10, 0.79],
    [14, 0.93],
    [18, 1],
  ],
  female: [
    [0, 0.3],
    [1, 0.455],
    [2, 0.53],
    [5, 0.67],
    [10, 0.85],
    [13, 0.96],
    [16, 1],
  ],
}
const thickness: Curve = [
  [0, 13.4],
  [0.5, 17.2],
  [2, 15.9],
  [6, 15.3],
  [12, 17.8],
  [18, 21.5],
]

/** A curve's value, on the straight line between the two ages nearest. */
function between(curve: Curve, age: number): number {
  const next = curve.findIndex(([at]) => at > age)
  if (next < 1) return curve.at(next)![1]
  const [[before, low], [after, high]] = [curve[next - 1]!, curve[next]!]
  return low + ((age - before) / (after - before)) * (high - low)
}

const round = (value: number) => Math.round(value * 10) / 10
