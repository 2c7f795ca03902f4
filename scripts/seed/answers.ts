import type pg from 'pg'
import { v5 } from 'uuid'
import { stableId } from '~/features/exchange/imports/stable-id'
import type { Definition } from '~/forms/checked-definition'
import { buildFormData, settle } from '~/forms/form-answers'
import { STARTERS, withOwnIds } from '~/forms/starters'
import {
  type Illness,
  inPatientsLanguage,
  type SeedVisit,
  type SeedVitals,
  type SpokenWords,
} from './care'
import type { SeedRow, SeedSubject } from './subject'
import { DAY } from './people'
import { type Random, seededRandom } from './random'

/** The visit that a form is filled in for. */
type Encounter = {
  random: Random
  visit: SeedVisit
  vitals: SeedVitals
  say: (words: SpokenWords) => string
}
type Answers = Record<
  string,
  string | number | string[] | { code: string; desc: string }[] | undefined
>

/** A starter form as a clinic has it after setup, with the same ids in every seed. */
const starterForm = (
  key: string,
): { id: string; form: Definition; idOf: (field: string) => string } => {
  const id = stableId('seed', 'form', key)
  const seededFieldId = (field: string) => v5(field, id)
  return {
    id,
    idOf: seededFieldId,
    form: withOwnIds(STARTERS.find((starter) => starter.key === key)!.form, seededFieldId),
  }
}
const consultation = starterForm('general-consultation')
const pressure = starterForm('hypertension-follow-up')
const sugar = starterForm('diabetes-follow-up')

/** Inserts the forms, before their answers. A form that exists, changed or deleted, is left as it is. */
export async function seedForms(client: pg.Client) {
  for (const { id, form } of [consultation, pressure, sugar]) {
    await client.query(
      `insert into event_forms (id, name, description, language, form_fields, translations)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
      [
        id,
        form.name,
        form.description,
        form.language,
        JSON.stringify(form.form_fields),
        JSON.stringify(form.translations),
      ],
    )
  }
}

/** The share of visits with a filled-in form. */
const ANSWERED = 0.4

export function buildEvents({ seed, person, visits, problems }: SeedSubject): SeedRow[] {
  const has = (code: string) => problems.some((problem) => problem.code === code && !problem.end)
  const say = (words: SpokenWords) => inPatientsLanguage(person, words)
  return visits.flatMap(({ visit, vitals }, i) => {
    const random = seededRandom(seed, 'answers', person.number, i)
    if (!random.chance(ANSWERED)) return []
    const encounter = { random, visit, vitals, say }
    const [{ id: form_id, form, idOf }, given] = visit.illness
      ? ([consultation, consulted(encounter, visit.illness)] as const)
      : has('E11.9') && (!has('I10') || random.chance(0.5))
        ? ([sugar, sugarAnswers(encounter)] as const)
        : ([pressure, pressureAnswers(encounter)] as const)
    const day = visit.at.toISOString().slice(0, 10)
    const byField = Object.fromEntries(
      Object.entries(given).map(([field, answer]) => [idOf(field), answer]),
    )
    const birth = person.born.toISOString().slice(0, 10)
    const { answers, problems: wrong } = settle(
      form.form_fields,
      byField,
      {},
      { sex: person.sex, birth, day },
    )
    if (Object.keys(wrong).length > 0)
      throw new Error(`${form.name} refuses an answer: ${JSON.stringify(wrong)}`)
    return [
      {
        id: stableId('seed', seed, 'event', String(person.number), String(i)),
        patient_id: person.id,
        visit_id: visit.id,
        form_id,
        form_version: 1,
        event_type: form.name,
        form_data: buildFormData(form.form_fields, answers, [], 'UTC'),
        recorded_by_user_id: visit.provider.id,
        created_at: visit.closed,
        updated_at: visit.closed,
      },
    ]
  })
}

const later = ({ visit }: Encounter, days: number) =>
  new Date(visit.at.getTime() + days * DAY).toISOString().slice(0, 10)

type Presentation = { complaint: SpokenWords; symptoms: string[]; advice: SpokenWords }

/** How patients present, by ICD-10 code. */
const presentations: Record<string, Presentation> = {
  'J06.9': {
    complaint: ['Cough and a runny nose', 'سعال ورشح', 'Tos y secreción nasal'],
    symptoms: ['fever', 'cough'],
    advice: ['Rest, plenty to drink', 'الراحة والإكثار من السوائل', 'Reposo y abundantes líquidos'],
  },
  A09: {
    complaint: ['Loose stools and cramps', 'إسهال ومغص', 'Diarrea y cólicos'],
    symptoms: ['diarrhoea', 'abdominal_pain', 'vomiting'],
    advice: [
      'Oral rehydration after each stool',
      'محلول الإرواء بعد كل إسهال',
      'Suero oral después de cada deposición',
    ],
  },
  'N39.0': {
    complaint: ['Burning when passing water', 'حرقة عند التبوّل', 'Ardor al orinar'],
    symptoms: ['abdominal_pain'],
    advice: [
      'Drink more; come back with fever',
      'الإكثار من الماء والعودة عند الحمّى',
      'Beber más; volver si hay fiebre',
    ],
  },
  'M54.5': {
    complaint: ['Pain in the lower back', 'ألم أسفل الظهر', 'Dolor en la parte baja de la espalda'],
    symptoms: [],
    advice: [
      'Stay in motion, lift with the knees',
      'متابعة الحركة والرفع بثني الركبتين',
      'Seguir en movimiento, levantar con las rodillas',
    ],
  },
  'K29.7': {
    complaint: [
      'Burning in the stomach after meals',
      'حرقة في المعدة بعد الطعام',
      'Ardor de estómago después de comer',
    ],
    symptoms: ['abdominal_pain'],
    advice: [
      'Small meals, no pain killers',
      'وجبات صغيرة وتجنّب المسكّنات',
      'Comidas pequeñas, sin analgésicos',
    ],
  },
  'L20.9': {
    complaint: ['Itching, dry skin', 'حكّة وجفاف في الجلد', 'Picor y piel seca'],
    symptoms: ['rash'],
    advice: ['Ointment after each wash', 'مرهم بعد كل غسل', 'Pomada después de cada lavado'],
  },
}

function consulted(encounter: Encounter, { code, label }: Illness): Answers {
  const { random, say } = encounter
  const { complaint, symptoms, advice } = presentations[code]!
  const present = symptoms.filter(() => random.chance(0.8))
  return {
    complaint: say(complaint),
    since: random.whole(1, 9),
    severity: random.pick(['mild', 'mild', 'moderate', 'moderate', 'severe']),
    symptoms: present.length > 0 ? present : undefined,
    allergy_asked: random.chance(0.9) ? 'yes' : 'no',
    diagnosis: [{ code, desc: label }],
    advice: say(advice),
    referred: 'no',
    next_visit: random.chance(0.3) ? later(encounter, random.whole(3, 14)) : undefined,
  }
}

/** The answers that both follow-up forms ask for. */
const followUp = ({ random, vitals: { weight_kg, height_cm } }: Encounter): Answers => ({
  weight: weight_kg,
  height: height_cm,
  smoking: random.pick(['never', 'never', 'never', 'former', 'current']),
  adherence: random.pick(['always', 'always', 'mostly', 'mostly', 'sometimes', 'not']),
})

function pressureAnswers(encounter: Encounter): Answers {
  const { random, vitals } = encounter
  const [systolic, diastolic] = [vitals.systolic_bp!, vitals.diastolic_bp!]
  return {
    ...followUp(encounter),
    systolic1: systolic + random.whole(0, 6),
    diastolic1: diastolic + random.whole(0, 4),
    systolic2: systolic - random.whole(0, 6),
    diastolic2: diastolic - random.whole(0, 4),
    pulse: vitals.heart_rate,
    symptoms: random.chance(0.25)
      ? [random.pick(['headache', 'dizzy', 'swelling', 'breathless'])]
      : undefined,
    salt: random.chance(0.6) ? 'yes' : 'no',
    activity: random.whole(0, 7),
    next_visit: later(encounter, random.whole(30, 90)),
  }
}

function sugarAnswers(encounter: Encounter): Answers {
  const { random, vitals } = encounter
  const hba1c = Math.max(5.2, random.around(7.4, 1.1))
  return {
    ...followUp(encounter),
    type: '2',
    measured: 'fasting',
    unit: 'mg',
    // the mean that belongs to such an HbA1c (ADAG, Diabetes Care 2008), lower before breakfast
    glucose_mg: Math.round(Math.max(60, 28.7 * hba1c - 46.7 - random.between(10, 35))),
    hba1c: Math.round(hba1c * 10) / 10,
    hypos: random.chance(0.1) ? 'yes' : 'no',
    systolic: vitals.systolic_bp,
    diastolic: vitals.diastolic_bp,
    feet: [random.chance(0.85) ? 'normal' : random.pick(['callus', 'numb', 'ulcer'])],
    eyes: random.pick(['normal', 'due', 'done']),
    next_visit: later(encounter, random.whole(30, 90)),
  }
}
