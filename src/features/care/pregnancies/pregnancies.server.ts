import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { isBeforeBirth, patientName, PatientIdInput } from '~/features/people/patients/patient'
import { historyRow, namedPatient, namedPatientWrite } from '~/policy/on.server'
import { deleteHistory, readForSafety } from '~/policy/rules'
import { mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { invalid } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { clinicToday } from '~/shared/zone'
import {
  type Dating,
  estimateDueDate,
  isPlausibleDueDate,
  pregnancyOn,
  type PregnancyState,
  RecordPregnancyInput,
} from './pregnancy'

/** The recorded answers, what completed forms say and antenatal care (db/schema/pregnancies.sql). */
const known = (db: Kysely<DB>) => db.selectFrom('pregnancy_answers as answer')

/** An answer a week for years; more than this indicates a wrong merge. */
const MOST = 500

/** The answers about pregnancy, the newest first. */
export const listPregnancies = query('pregnancies.list', {
  access: 'safety',
  reads: ['events', 'patient_pregnancies', 'program_enrollments'],
  looksUp: ['patients', 'report_bindings', 'users', 'visits'],
  on: namedPatient(readForSafety),
  input: PatientIdInput,
  async run({ db }, { patientId }) {
    return known(db)
      .modifyFront(asPrepared())
      .leftJoin('users', 'users.id', 'answer.recorded_by_user_id')
      .select(['answer.id', 'state', 'asked_on', 'due_on', 'dating', 'ended_on', 'event_id'])
      .select(['enrollment_id', 'answer.created_at', 'users.name as recorded_by'])
      .$narrowType<{ id: string; asked_on: string; created_at: Date }>()
      .$narrowType<{ state: PregnancyState; dating: Dating | null }>()
      .where('patient_id', '=', patientId)
      .orderBy('asked_on', 'desc')
      .orderBy('answer.created_at', 'desc')
      .orderBy('answer.id', 'desc')
      .limit(MOST)
      .execute()
  },
})
export type ListedPregnancy = Awaited<ReturnType<typeof listPregnancies>>[number]

/** Records an answer. Earlier answers stay: vital signs and prescriptions of their time were checked against them. */
export const recordPregnancy = mutation('pregnancies.record', {
  on: namedPatientWrite(),
  input: RecordPregnancyInput,
  async run(ctx, { id, patientId, state, ...given }, { patient }) {
    const today = clinicToday()
    const asked_on = given.asked_on ?? today
    const ended_on = given.ended_on ?? null
    const due = estimateDueDate({ ...given, asked_on })
    if (asked_on > today) throw invalid({ asked_on: { key: 'validation.inFuture' } })
    if (isBeforeBirth(patient, asked_on)) throw invalid({ asked_on: { key: 'vitals.beforeBirth' } })
    requireLivingOn(patient, asked_on, 'asked_on')
    if (due && !isPlausibleDueDate(due.due_on, asked_on)) {
      const field = { last_period: 'last_period_on', due_date: 'due_on', weeks: 'weeks' }[
        due.dating
      ]
      throw invalid({ [field]: { key: 'pregnancies.notPossible' } })
    }
    if (ended_on && ended_on > asked_on)
      throw invalid({ ended_on: { key: 'pregnancies.endedLater' } })
    const row = {
      state,
      asked_on,
      due_on: due?.due_on ?? null,
      dating: due?.dating ?? null,
      ended_on,
    }
    const recorded_by_user_id = ctx.actor.userId
    return saveRecord(ctx, 'patient_pregnancies', {
      id,
      patient_id: patientId,
      ...row,
      recorded_by_user_id,
    })
  },
})

/** For an answer that was never true of this patient. */
export const deletePregnancy = mutation('pregnancies.delete', {
  on: historyRow('patient_pregnancies', deleteHistory),
  input: RecordId,
  run: (ctx, { id }, { existing, patient }) =>
    deleteRecord(ctx, 'patient_pregnancies', id, `${patientName(patient)}, ${existing.asked_on}`),
})

/** A view's columns are nullable to the compiler; these are not. */
type Answers = { state: string; asked_on: string }
const selectPregnancyAnswers = (db: Kysely<DB>, patient: string | RawBuilder<string>) =>
  db
    .selectFrom(
      sql<Selectable<DB['pregnancy_answers']>>`pregnancy_answers_of(${patient}::uuid)`.as('answer'),
    )
    .modifyFront(asPrepared())
    .select(['state', 'asked_on', 'due_on', 'ended_on', 'event_id', 'enrollment_id'])
    .$narrowType<Answers>()
    .orderBy('asked_on', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST)

/** The due date of the pregnancy that is known on a day; null without one. `exceptEvent`: the form that asks. */
export async function dueDateOn(
  db: Kysely<DB>,
  patientId: string,
  day: string,
  exceptEvent?: string,
): Promise<string | null> {
  const answers = await selectPregnancyAnswers(db, patientId).execute()
  return pregnancyOn(
    answers.filter(({ event_id }) => exceptEvent === undefined || event_id !== exceptEvent),
    day,
  ).dueOn
}

/** Newest first. The caller has checked access to the patient. */
export const loadPregnancyAnswers = (db: Kysely<DB>, patientId: string) =>
  selectPregnancyAnswers(db, patientId).execute()

/** The same as a column of a statement about many patients; `patient` is their id in it. */
export const pregnanciesOfRow = (db: Kysely<DB>, patient: RawBuilder<string>) =>
  jsonArrayFrom(selectPregnancyAnswers(db, patient)).as('pregnancies')

/** The same as a column of another statement, which PostgreSQL reads once for all its rows. */
export const pregnanciesColumn = (db: Kysely<DB>, patientId: string) =>
  jsonArrayFrom(selectPregnancyAnswers(db, patientId)).as('pregnancies')
