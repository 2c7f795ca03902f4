import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { ageSpanOf, ageOn, type Birth } from '~/fields/birth'
import { type Sex, sexOf } from '~/fields/sex'
import { birthOf } from '~/features/people/patients/patient'
import { pregnanciesOf } from '~/features/care/pregnancies/pregnancies.server'
import { mayBePregnant, pregnancyOn } from '~/features/care/pregnancies/pregnancy'
import { EGFR_FROM_YEARS, egfrOf } from '~/features/care/vitals/egfr'
import { usableWeight } from '~/features/care/vitals/usable-weight'
import { confirmedWeight, weighedOf } from '~/features/care/vitals/weighed.server'
import { notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import type { PatientFacts } from './rules/rule'
import { codesOfWritten, stageOf } from './rules/problem-codes'

/**
 * What the checks know of a patient, from every clinic: a weight measured in another clinic is still the patient's
 * weight. The caller has checked the right to prescribe or dispense.
 */
export async function factsOf(db: Kysely<DB>, patientId: string): Promise<PatientFacts> {
  const row = await db
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
    .select(['date_of_birth', 'died_on', 'metadata', 'sex', 'weeks_at_birth'])
    .select(['creatinine_umol_l', 'creatinine_at'])
    .select(
      sql<
        RecordedProblem[]
      >`coalesce((select jsonb_agg(jsonb_build_object('system', p.problem_code_system,
        'code', p.problem_code, 'label', p.problem_label)) from (select p.problem_code_system, p.problem_code,
        p.problem_label from patient_problems p
        where p.patient_id = patients.id and not p.is_deleted and p.clinical_status in ('active', 'unknown')
        and p.verification_status <> 'refuted' order by p.id limit 500) p), '[]')`.as('problems'),
    )
    .where('patients.id', '=', patientId)
    .executeTakeFirst()
  if (!row) throw notFound('patients.notFound')
  const { creatinine_umol_l, creatinine_at, problems } = row
  const [birth, sex, zone] = [birthOf(row), sexOf(row.sex), clinicTimeZone()]
  const today = dayIn(new Date(), zone)
  const codes = problemCodesOf(problems)
  const creatinine =
    creatinine_umol_l && creatinine_at ? { umol: creatinine_umol_l, at: creatinine_at } : null
  return {
    birth,
    sex,
    today,
    ...(await weightFacts(db, patientId, { birth, sex })),
    pregnancy: await pregnancyFact(db, patientId, mayBePregnant(row.sex, birth, today), today),
    kidneys: creatinine && kidneysOf(creatinine, birth, sex, dayIn(creatinine.at, zone)),
    creatinine,
    diedOn: row.died_on,
    problems: codes,
    kidneyStage: stageOf(codes)?.name ?? null,
  }
}

type RecordedProblem = { system: string; code: string; label: string }

/** ICD-10 codes that say "chronic kidney disease" without its stage. */
const UNSTAGED = ['N18', 'N18.9']

/** ICD-10 codes as they are recorded, and those of problems whose words say it clearly. */
const problemCodesOf = (problems: readonly RecordedProblem[]) =>
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

async function weightFacts(
  db: Kysely<DB>,
  patientId: string,
  whose: Parameters<typeof usableWeight>[0],
): Promise<Pick<PatientFacts, 'weight' | 'unusableWeight'>> {
  const rows = await db
    .selectFrom('patient_vitals')
    .select(['weight_kg', 'timestamp', confirmedWeight.as('confirmed')])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .where('weight_kg', 'is not', null)
    .orderBy('timestamp', 'desc')
    .limit(WEIGHTS)
    .execute()
  const weights = rows.map(({ weight_kg, timestamp, confirmed }) =>
    weighedOf(weight_kg!, timestamp, confirmed),
  )
  const { weight, unusable } = usableWeight(whose, weights)
  return { weight: weight && { kg: weight.kg, at: weight.at }, unusableWeight: unusable }
}

async function pregnancyFact(db: Kysely<DB>, patientId: string, isAsked: boolean, today: string) {
  const answers = await pregnanciesOf(db, patientId)
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
function kidneysOf(
  creatinine: { umol: number; at: Date },
  birth: Birth | null,
  sex: Sex | null,
  on: string,
) {
  if (!birth || !sex || ageSpanOf(birth, on)[0] < EGFR_FROM_YEARS * 12) return null
  const egfr = egfrOf(creatinine.umol, ageOn(birth.day, on), sex)
  return egfr === null ? null : { egfr, at: creatinine.at }
}
