import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { isBeforeBirth, nameOf, OfPatient } from '~/features/patients/patient'
import { requireHistoryWrite, requirePatient } from '~/policy/require.server'
import { deleteHistory, editHistory, readHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { mayAnywhere } from '~/shared/actor'
import { invalid, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import {
  type ClinicalStatus,
  type CodeSystem,
  ProblemId,
  SaveProblem,
  type VerificationStatus,
} from './problem'

const live = (db: Kysely<DB>) =>
  db.selectFrom('patient_problems').where('patient_problems.is_deleted', '=', false)
const recorded = (db: Kysely<DB>) =>
  live(db)
    .leftJoin('users', 'users.id', 'patient_problems.recorded_by_user_id')
    .leftJoin('problem_codes', (join) =>
      join
        .onRef('problem_codes.system', '=', 'patient_problems.problem_code_system')
        .onRef('problem_codes.code', '=', 'patient_problems.problem_code'),
    )
    .select([
      'patient_problems.id',
      'patient_problems.patient_id',
      'visit_id',
      'problem_code_system',
      'problem_code',
    ])
    .select([
      'problem_label',
      'clinical_status',
      'verification_status',
      'severity_score',
      'onset_date',
      'end_date',
    ])
    .select([
      'patient_problems.created_at',
      'patient_problems.last_modified',
      'users.name as recorded_by',
    ])
    .select(['label_en', 'label_ar', 'label_es'])

type Row = Awaited<ReturnType<ReturnType<typeof recorded>['execute']>>[number]
/** Dates as the calendar of the clinic has them; `labels` from the code list, in the languages that it knows. */
const asProblem = ({ label_en, label_ar, label_es, ...row }: Row) => ({
  ...row,
  problem_code_system: row.problem_code_system as CodeSystem,
  clinical_status: row.clinical_status as ClinicalStatus,
  verification_status: row.verification_status as VerificationStatus,
  onset_date: row.onset_date && dayIn(row.onset_date, clinicTimeZone()),
  end_date: row.end_date && dayIn(row.end_date, clinicTimeZone()),
  labels: { en: label_en ?? undefined, ar: label_ar ?? undefined, es: label_es ?? undefined },
})

/** Somebody with more problems than this has been merged with a crowd. */
const MOST = 500

/** Active ones first, then in remission, then resolved; the newest of each first. */
export const listProblems = query('problems.list', {
  input: OfPatient,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { patientId }) {
    await requirePatient(ctx, patientId, readHistory)
    const rows = await recorded(ctx.db)
      .where('patient_problems.patient_id', '=', patientId)
      .orderBy(({ fn, val, ref }) =>
        fn('array_position', [val(['active', 'remission', 'resolved']), ref('clinical_status')]),
      )
      .orderBy(
        ({ fn, ref }) => fn.coalesce(ref('onset_date'), ref('patient_problems.created_at')),
        'desc',
      )
      .orderBy('patient_problems.id')
      .limit(MOST)
      .execute()
    return rows.map(asProblem)
  },
})

export const getProblem = query('problems.get', {
  input: ProblemId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run({ db, actor }, { id }) {
    const row = await recorded(db)
      .where('patient_problems.id', '=', id)
      .where(patientsWhere(readHistory, actor, 'patient_problems.patient_id'))
      .executeTakeFirst()
    if (!row) throw notFound('problems.notFound')
    return asProblem(row)
  },
})

/** `onset_date` and `end_date` are days, `yyyy-MM-dd`; stored as the moment at which they begin in the clinic. */
export const saveProblem = mutation('problems.save', {
  input: SaveProblem,
  allow: ({ actor }) => mayAnywhere(actor, 'can_edit_records'),
  async run(ctx, problem) {
    const { id, patient_id, visit_id, last_modified, onset_date, end_date } = problem
    const patient = await requireHistoryWrite(ctx, editHistory, patient_id, visit_id)
    if (onset_date && isBeforeBirth(patient, onset_date)) {
      throw invalid({ onset_date: { key: 'problems.beforeBirth' } })
    }
    const existing = last_modified ? await requireProblem(ctx, id) : undefined
    if (existing && existing.patient_id !== patient_id) throw notFound('problems.notFound')
    if (existing) await requireHistoryWrite(ctx, editHistory, patient_id, existing.visit_id)
    return saveRecord(
      ctx,
      'patient_problems',
      {
        ...problem,
        onset_date: keptOrBegin(existing?.onset_date, onset_date),
        end_date: keptOrBegin(existing?.end_date, end_date),
        ...(!existing && { recorded_by_user_id: ctx.actor.userId }),
      },
      'problems.notFound',
    )
  },
})

export const deleteProblem = mutation('problems.delete', {
  input: ProblemId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_delete_records'),
  async run(ctx, { id }) {
    const { patient_id, visit_id, problem_label } = await requireProblem(ctx, id)
    const patient = await requireHistoryWrite(ctx, deleteHistory, patient_id, visit_id)
    return deleteRecord(
      ctx,
      'patient_problems',
      id,
      `${nameOf(patient)}, ${problem_label}`,
      'problems.notFound',
    )
  },
})

/** The moment that a phone chose stays while its day stays. */
function keptOrBegin(existing: Date | null | undefined, day: string | null): Date | null {
  if (!day) return null
  if (existing && dayIn(existing, clinicTimeZone()) === day) return existing
  return momentAt(`${day}T00:00`, clinicTimeZone())
}

/** The live problem, if its patient's history is open to the actor. */
async function requireProblem({ db, actor }: Context, id: string) {
  const problem = await live(db)
    .select(['patient_id', 'visit_id', 'problem_label', 'onset_date', 'end_date'])
    .where('id', '=', id)
    .where(patientsWhere(readHistory, actor, 'patient_problems.patient_id'))
    .executeTakeFirst()
  if (!problem) throw notFound('problems.notFound')
  return problem
}

/** Of visits that the caller has already been allowed to see. */
export const problemsOfVisits = (db: Kysely<DB>, visitIds: string[]) =>
  problemsWhere(recorded(db).where('visit_id', 'in', visitIds), visitIds)

/** By their ids, of a patient whose history the caller has already been allowed to see. */
export const problemsOf = (db: Kysely<DB>, ids: string[]) =>
  problemsWhere(recorded(db).where('patient_problems.id', 'in', ids), ids)

async function problemsWhere(problems: ReturnType<typeof recorded>, ids: string[]) {
  if (ids.length === 0) return []
  return (
    await problems
      .orderBy('patient_problems.created_at')
      .orderBy('patient_problems.id')
      .limit(MOST)
      .execute()
  ).map(asProblem)
}

export type Problem = ReturnType<typeof asProblem>
