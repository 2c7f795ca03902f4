import { isCurrentProblem } from '~/features/care/problem-codes/diagnosed.server'
import { type Kysely, sql } from 'kysely'
import { columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import { ageRangeInMonths, ageOn, type Birth } from '~/fields/birth'
import { type Sex, parseSex } from '~/fields/sex'
import { patientBirth } from '~/features/people/patients/patient'
import { pregnanciesOfRow } from '~/features/care/pregnancies/pregnancies.server'
import {
  isPregnancyRelevant,
  type PregnancyAnswer,
  pregnancyOn,
} from '~/features/care/pregnancies/pregnancy'
import { EGFR_FROM_YEARS, computeEgfr } from '~/features/care/vitals/egfr'
import { usableWeight } from '~/features/care/vitals/usable-weight'
import { confirmedWeight, toWeighed } from '~/features/care/vitals/weighed.server'
import { notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import type { CheckedPatient } from './rules/rule'
import { codesOfWritten, worstKidneyStage } from './rules/problem-codes'

/**
 * What the checks know of a patient, from every clinic: a weight measured in another clinic is still the patient's
 * weight. The caller has checked the right to prescribe or dispense.
 */
export async function loadPatientFacts(db: Kysely<DB>, patientId: string): Promise<CheckedPatient> {
  const facts = (await loadPatientFactsById(db, [patientId])).get(patientId)
  if (!facts) throw notFound('patients.notFound')
  return facts
}

/** The same of many patients in one statement, by their id. */
export async function loadPatientFactsById(
  db: Kysely<DB>,
  patientIds: readonly string[],
): Promise<Map<string, CheckedPatient>> {
  const rows = await db
    .selectFrom('patients')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('patient_vitals')
          .select(['creatinine_umol_l', 'timestamp as creatinine_at'])
          .whereRef('patient_id', '=', 'patients.id')
          .where('is_deleted', '=', false)
          .where('creatinine_umol_l', '>', 0)
          .orderBy('timestamp', 'desc')
          .limit(1)
          .as('k'),
      (join) => join.onTrue(),
    )
    .select(['patients.id', 'date_of_birth', 'died_on', 'metadata', 'sex', 'weeks_at_birth'])
    .select(['creatinine_umol_l', 'creatinine_at'])
    .select(
      sql<
        RecordedProblem[]
      >`coalesce((select jsonb_agg(jsonb_build_object('system', p.problem_code_system,
        'code', p.problem_code, 'label', p.problem_label)) from (select p.problem_code_system, p.problem_code,
        p.problem_label from patient_problems p
        where p.patient_id = patients.id and ${isCurrentProblem('p')}
        order by p.id limit 500) p), '[]')`.as('problems'),
    )
    .select(
      sql<RecordedWeight[]>`coalesce((select jsonb_agg(to_jsonb(w)) from (
        select weight_kg, timestamp, ${confirmedWeight} as confirmed from patient_vitals
        where patient_id = patients.id and not is_deleted and weight_kg is not null
        order by timestamp desc limit ${WEIGHTS}) w), '[]')`.as('weights'),
    )
    .select(pregnanciesOfRow(db, sql<string>`patients.id`))
    .where(columnInIds('patients.id', patientIds))
    .execute()
  const today = clinicToday()
  return new Map(rows.map((row) => [row.id, factsIn(row, today)]))
}

type Recorded = Parameters<typeof patientBirth>[0] & {
  sex: string | null
  died_on: string | null
  creatinine_umol_l: number | null
  creatinine_at: Date | null
  problems: readonly RecordedProblem[]
  weights: readonly RecordedWeight[]
  pregnancies: readonly PregnancyAnswer[]
}

function factsIn(row: Recorded, today: string): CheckedPatient {
  const { creatinine_umol_l, creatinine_at } = row
  const [birth, sex, zone] = [patientBirth(row), parseSex(row.sex), clinicTimeZone()]
  const codes = problemIcdCodes(row.problems)
  const creatinine =
    creatinine_umol_l && creatinine_at ? { umol: creatinine_umol_l, at: creatinine_at } : null
  return {
    birth,
    sex,
    today,
    ...weightFacts(row.weights, { birth, sex }),
    pregnancy: pregnancyFact(row.pregnancies, isPregnancyRelevant(row.sex, birth, today), today),
    kidneys: creatinine && kidneyFunction(creatinine, birth, sex, dayIn(creatinine.at, zone)),
    creatinine,
    diedOn: row.died_on,
    problems: codes,
    kidneyStage: worstKidneyStage(codes)?.name ?? null,
  }
}

type RecordedProblem = { system: string; code: string; label: string }

/** ICD-10 codes that say "chronic kidney disease" without its stage. */
const UNSTAGED = ['N18', 'N18.9']

/** ICD-10 codes as they are recorded, and those of problems whose words say it clearly. */
const problemIcdCodes = (problems: readonly RecordedProblem[]) =>
  [
    ...new Set(
      problems.flatMap(({ system, code, label }) => {
        if (system !== 'icd10' && system !== 'icd10cm') return codesOfWritten(label)
        return UNSTAGED.includes(code)
          ? [code, ...codesOfWritten(label).filter((one) => one.startsWith('N18'))]
          : [code]
      }),
    ),
  ].toSorted()

/** Enough to find the last one that is no mistake. */
const WEIGHTS = 12

/** As JSON holds it: the time as text. */
type RecordedWeight = { weight_kg: number; timestamp: string; confirmed: string | null }

function weightFacts(
  rows: readonly RecordedWeight[],
  whose: Parameters<typeof usableWeight>[0],
): Pick<CheckedPatient, 'weight' | 'unusableWeight'> {
  const weights = rows.map(({ weight_kg, timestamp, confirmed }) =>
    toWeighed(weight_kg, new Date(timestamp), confirmed),
  )
  const { weight, unusable } = usableWeight(whose, weights)
  return { weight: weight && { kg: weight.kg, at: weight.at }, unusableWeight: unusable }
}

function pregnancyFact(answers: readonly PregnancyAnswer[], isAsked: boolean, today: string) {
  const known = pregnancyOn(answers, today)
  // a recorded answer counts for every patient; without one, "not known" is only for patients who are asked
  if (known.askedOn === null)
    return { state: isAsked ? 'not_known' : 'not_pregnant', weeks: null, at: null } as const
  const isPossible = answers[0]?.state !== 'not_possible'
  return {
    state: known.state,
    weeks: known.weeks,
    at: new Date(`${known.askedOn}T12:00:00Z`),
    isPossible,
  }
}

/**
 * By the age on the day of the blood sample; null when the patient may have been a child, or age or
 * sex are not recorded.
 */
function kidneyFunction(
  creatinine: { umol: number; at: Date },
  birth: Birth | null,
  sex: Sex | null,
  on: string,
) {
  if (!birth || !sex || ageRangeInMonths(birth, on)[0] < EGFR_FROM_YEARS * 12) return null
  const egfr = computeEgfr(creatinine.umol, ageOn(birth.day, on), sex)
  return egfr === null ? null : { egfr, at: creatinine.at }
}
