import { type Kysely, sql } from 'kysely'
import { asPrepared, columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import { askAboutAnother } from '~/features/care/problem-codes/another-problem.server'
import { codeLabels } from '~/features/care/problem-codes/code'
import { isOfLastingDisease } from '~/features/care/programs/programs'
import { requireAliveOn } from '~/features/people/patients/lifetime/lifetime'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import { historyRead, historyRow, historySave, namedPatient } from '~/policy/on.server'
import { deleteHistory, readHistory } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { CLINICAL_STATUSES, isCurrent, problemRecord } from '~/records/problem'
import { qualified } from '~/records/qualified'
import { typedBy } from '~/records/record'
import { mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { notFound } from '~/shared/errors'
import type { FromDocument } from '~/shared/from-document'
import { RecordId } from '~/shared/record'
import { clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import { sentBy } from '~/server/scope'
import { SaveProblem } from './problem'

/** Statuses in words of a former system that Sanad does not know, until a user has said what they are. */
const formerWords = sql<string | null>`nullif(concat_ws(', ',
  case when clinical_status = 'unknown' then patient_problems.metadata -> 'hikma' ->> 'clinical_status' end,
  case when verification_status = 'unconfirmed'
    then patient_problems.metadata -> 'hikma' ->> 'verification_status' end), '')`

const recorded = (db: Kysely<DB>) =>
  db
    .selectFrom('patient_problems')
    .modifyFront(asPrepared())
    .leftJoin('users', 'users.id', 'patient_problems.recorded_by_user_id')
    .leftJoin('problem_codes', (join) =>
      join
        .onRef('problem_codes.system', '=', 'patient_problems.problem_code_system')
        .onRef('problem_codes.code', '=', 'patient_problems.problem_code'),
    )
    .where('patient_problems.is_deleted', '=', false)
    .select(qualified('patient_problems', [...problemRecord.selected, 'patient_id', 'visit_id']))
    .select(['patient_problems.created_at', 'users.name as recorded_by'])
    .select(sentBy('patient_problems', 'recorded_by_user_id'))
    .select(['label_en', 'label_ar', 'label_es', formerWords.as('former_words')])
    .select(sql<FromDocument | null>`patient_problems.metadata -> 'document'`.as('from_document'))

type Row = Awaited<ReturnType<ReturnType<typeof recorded>['execute']>>[number]

const clinicDay = (at: Date | null) => at && dayIn(at, clinicTimeZone())

/** The dates as days of the clinic; `labels` from the code list, in its languages. */
const asProblem = ({ label_en, label_ar, label_es, onset_date, end_date, ...row }: Row) => ({
  ...typedBy(problemRecord, row),
  onset_date: clinicDay(onset_date),
  end_date: clinicDay(end_date),
  labels: codeLabels({ label_en, label_ar, label_es }),
})
export type Problem = ReturnType<typeof asProblem>

/** A merged record can have many; more than this indicates a wrong merge. */
const MOST = 500

const visitedAt = sql`(select check_in_timestamp from visits where id = visit_id)`
/** Active ones first, then those of unknown status, in remission, and over; the newest of each first. */
export const listProblems = query('problems.list', {
  access: 'problems',
  reads: ['patient_problems'],
  looksUp: ['patients', 'users', 'visits'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run({ db, actor }, { patientId }) {
    const rows = await recorded(db)
      .where('patient_problems.patient_id', '=', patientId)
      .where(rowsWhere(actor, 'patient_problems'))
      .orderBy(({ fn, val, ref }) =>
        fn('array_position', [val([...CLINICAL_STATUSES]), ref('clinical_status')]),
      )
      .orderBy(sql`coalesce(onset_date, ${visitedAt}, patient_problems.created_at)`, 'desc')
      .orderBy('patient_problems.id')
      .limit(MOST)
      .execute()
    return rows.map(asProblem)
  },
})

export const getProblem = query('problems.get', {
  access: 'problems',
  on: historyRead('patient_problems'),
  input: RecordId,
  async run({ db }, { id }, { isReadable }) {
    const row = await recorded(db)
      .where('patient_problems.id', '=', id)
      .where(isReadable)
      .executeTakeFirst()
    if (!row) throw notFound('problems.notFound')
    return asProblem(row)
  },
})

/** `onset_date` and `end_date` are days, `yyyy-MM-dd`; stored as the moment at which they begin in the clinic. */
export const saveProblem = mutation('problems.save', {
  on: historySave('patient_problems'),
  input: SaveProblem,
  async run(ctx, { onset_at, ended_at, confirmed, ...problem }, { patient, existing }) {
    for (const field of ['onset_date', 'end_date'] as const) {
      const day = problem[field]
      if (day && day !== clinicDay(existing?.[field] ?? null))
        requireAliveOn(patient, day, field, 'problems.beforeBirth')
    }
    if (!existing || !isCurrent(existing))
      await askAboutAnother(ctx, problem, confirmed, isOfLastingDisease)
    return saveRecord(ctx, 'patient_problems', {
      ...problem,
      onset_date: keptOrBegin(onset_at ?? existing?.onset_date, problem.onset_date),
      end_date: keptOrBegin(ended_at ?? existing?.end_date, problem.end_date),
      ...(!existing && { recorded_by_user_id: ctx.actor.userId }),
    })
  },
})

export const deleteProblem = mutation('problems.delete', {
  on: historyRow('patient_problems', deleteHistory),
  input: RecordId,
  run: (ctx, { id }, { existing, patient }) =>
    deleteRecord(ctx, 'patient_problems', id, `${patientName(patient)}, ${existing.problem_label}`),
})

/** The known moment if it is on the same day: a phone may have recorded the time. */
function keptOrBegin(known: Date | null | undefined, day: string | null): Date | null {
  if (!day) return null
  return known && clinicDay(known) === day ? known : momentAt(`${day}T00:00`, clinicTimeZone())
}

/** Of visits that the caller may see. */
export const problemsOfVisits = (db: Kysely<DB>, visitIds: string[]) =>
  problemsWhere(recorded(db).where(columnInIds('visit_id', visitIds)))

/** By their ids, of a patient whose history the caller may read. */
export const loadProblems = (db: Kysely<DB>, ids: string[]) =>
  problemsWhere(recorded(db).where(columnInIds('patient_problems.id', ids)))

async function problemsWhere(problems: ReturnType<typeof recorded>) {
  const rows = await problems
    .orderBy('patient_problems.created_at')
    .orderBy('patient_problems.id')
    .limit(MOST)
    .execute()
  return rows.map(asProblem)
}
