import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { readForm } from '~/features/forms/event-forms/event-forms.server'
import { readBirthPrecision, patientName, PatientIdInput } from '~/features/people/patients/patient'
import { knownCodes } from '~/features/care/problem-codes/codes.server'
import type { Diagnosis, AnswersByField } from '~/forms/answers'
import type { EventFormField } from '~/forms/definition'
import { readFormAnswers } from '~/forms/form-answers'
import { historyRow, namedPatient, namedVisit, type RequiredPatient } from '~/policy/on.server'
import { dueDateOn } from '~/features/care/pregnancies/pregnancies.server'
import { mayWriteHistory } from '~/policy/require.server'
import {
  deleteHistory,
  editHistory,
  editOthersEvents,
  openVisit,
  type PatientRule,
  readHistory,
} from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { deleteRecord } from '~/server/record'
import { AppError, notFound } from '~/shared/errors'
import type { Language } from '~/shared/language'
import { PAGE_SIZE, RecordId } from '~/shared/record'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { sentBy } from '~/server/scope'
import { ListEvents, NewEvent } from './event'
import { checkEventMedicines } from './event-medicines.server'
import { filesOfEvent } from './event-files.server'
import { happenedAt } from './happened.server'
import { shown, loadFormVersions } from './shown.server'

const live = (db: Kysely<DB>) => db.selectFrom('events').where('events.is_deleted', '=', false)
const recorded = (db: Kysely<DB>) =>
  live(db)
    .leftJoin('users', 'users.id', 'events.recorded_by_user_id')
    .leftJoin('event_forms as forms', 'forms.id', 'events.form_id')
    .innerJoin('patients', 'patients.id', 'events.patient_id')
    .leftJoin('visits', 'visits.id', 'events.visit_id')
    .select([
      'events.id',
      'events.patient_id',
      'events.visit_id',
      'events.form_id',
      'form_version',
      'event_type',
    ])
    .select(['form_data', 'recorded_by_user_id', 'users.name as recorded_by', 'events.created_at'])
    .select(sentBy('events', 'recorded_by_user_id'))
    .select(['events.updated_at', 'events.last_modified', 'forms.is_editable'])
    .select(['patients.sex', 'patients.date_of_birth', 'patients.metadata'])
    .select(['visits.check_in_timestamp', happenedAt.as('happened_at')])

type Row = Awaited<ReturnType<ReturnType<typeof recorded>['execute']>>[number]

async function asShown(db: Kysely<DB>, rows: Row[], language: Language) {
  const versionOf = await loadFormVersions(db, rows)
  return rows.map((row) => shown(row, versionOf(row), language))
}

/** What was recorded of a patient, newest first; `formId`: through one form. */
export const listEvents = query('events.list', {
  access: 'events',
  on: namedPatient(readHistory),
  input: ListEvents,
  async run({ db, actor }, { patientId, formId, page }) {
    const { rows, pagination } = await loadListPage(
      recorded(db)
        .where('events.patient_id', '=', patientId)
        .where(rowsWhere(actor, 'events'))
        .$if(!!formId, (q) => q.where('events.form_id', '=', formId!))
        .orderBy(happenedAt, 'desc')
        .orderBy('events.created_at', 'desc')
        .orderBy('events.id', 'desc'),
      live(db)
        .where('patient_id', '=', patientId)
        .where(rowsWhere(actor, 'events'))
        .$if(!!formId, (q) => q.where('form_id', '=', formId!)),
      page,
      { ofPatient: true },
    )
    return { rows: await asShown(db, rows, actor.language), pagination }
  },
})

/** One event, whole: its answers, its files, the form's version, and whether the user may change it. */
export const getEvent = query('events.get', {
  access: 'events',
  reads: ['event_files', 'events'],
  looksUp: [
    'clinics',
    'event_forms',
    'patient_pregnancies',
    'program_enrollments',
    'patients',
    'report_bindings',
    'users',
    'visits',
  ],
  on: historyRow('events', readHistory),
  input: RecordId,
  async run(ctx, { id }, { patient }) {
    const { db, actor } = ctx
    const row = await recorded(db).where('events.id', '=', id).executeTakeFirst()
    if (!row) throw notFound('events.notFound')
    const form = (await loadFormVersions(db, [row]))(row)
    const { patient_id, visit_id } = row
    const visit = await findStartedVisit(db, visit_id)
    const isOwn = row.recorded_by_user_id === actor.userId
    const may = (rule: PatientRule) => mayWriteHistory(ctx, rule, patient_id, visit_id)
    const answered = shown(row, form, actor.language)
    return {
      ...answered,
      form,
      files: await filesOfEvent(db, id),
      codes: await knownCodes(db, codesIn(answered)),
      subject: await loadFormSubject(db, patient, visit_id, { ...row, fields: answered.fields }),
      safety: await checkEventMedicines(db, {
        id,
        patient_id,
        form_data: row.form_data,
        fields: form?.form_fields ?? [],
      }),
      visit,
      mayChange:
        row.is_editable !== false &&
        !visit?.is_archived &&
        (await may(editHistory)) &&
        (isOwn || (await may(editOthersEvents))),
      mayDelete: await may(deleteHistory),
    }
  },
})

/**
 * A form to fill in for a visit: its newest version, the patient, and for a form about the current status (a snapshot)
 * the last answers.
 */
export const newEvent = query('events.new', {
  access: 'events',
  on: namedVisit(openVisit),
  input: NewEvent,
  async run(ctx, { visitId, formId }, { patient }) {
    const visit = await findStartedVisit(ctx.db, visitId)
    if (!visit) throw notFound('visits.notFound')
    const subject = await loadFormSubject(ctx.db, patient, visitId)
    const { is_snapshot_form, version, clinic_ids, is_editable, ...form } = await readForm(
      ctx,
      formId,
    )
    requireFormForClinic(clinic_ids, visit.clinic_id)
    const last = is_snapshot_form ? await findLastAnswers(ctx, visit, formId) : undefined
    const start = last ? readFormAnswers(form.form_fields, last.form_data, clinicTimeZone()) : {}
    // files belong to the event that they were sent for
    const files = new Set(
      form.form_fields.filter(({ fieldType }) => fieldType === 'file').map(({ id }) => id),
    )
    const answers = Object.fromEntries(Object.entries(start).filter(([id]) => !files.has(id)))
    return {
      form,
      form_version: version,
      is_editable,
      visit,
      subject,
      answers,
      answeredAt: last?.happened_at ?? null,
    }
  },
})

/** Throws unless the form is for the clinic: users who work in several clinics read the forms of each. */
export function requireFormForClinic(clinicIds: readonly string[], clinicId: string) {
  if (clinicIds.length > 0 && !clinicIds.includes(clinicId))
    throw new AppError('conflict', { key: 'events.formOfOtherClinics' })
}

/** Of each form about the current status, the newest answers; by the form's name. */
export const listSnapshots = query('events.snapshots', {
  access: 'events',
  reads: ['events'],
  looksUp: ['event_forms', 'patients', 'users', 'visits'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }) {
    const rows = await recorded(ctx.db)
      .modifyFront(asPrepared())
      .where('events.patient_id', '=', patientId)
      .where(rowsWhere(ctx.actor, 'events'))
      .where('forms.is_snapshot_form', '=', true)
      .where('forms.is_deleted', '=', false)
      .distinctOn('events.form_id')
      .orderBy('events.form_id')
      .orderBy(happenedAt, 'desc')
      .orderBy('events.created_at', 'desc')
      .orderBy('events.id', 'desc')
      .limit(PAGE_SIZE)
      .execute()
    const snapshots = await asShown(ctx.db, rows, ctx.actor.language)
    return snapshots.toSorted((a, b) => a.title.localeCompare(b.title, ctx.actor.language))
  },
})

/** Into the trash, with its files. */
export const deleteEvent = mutation('events.delete', {
  on: historyRow('events', deleteHistory),
  input: RecordId,
  async run(ctx, { id }, { existing, patient }) {
    const visit = await findStartedVisit(ctx.db, existing.visit_id)
    const day = dayIn(visit?.check_in_timestamp ?? existing.created_at, clinicTimeZone())
    const label = [existing.event_type, patientName(patient), day].filter(Boolean).join(', ')
    return deleteRecord(ctx, 'events', id, label)
  },
})

/** The codes of the diagnoses that were answered. */
const codesIn = ({
  fields,
  answers,
}: {
  fields: readonly EventFormField[]
  answers: AnswersByField
}) =>
  fields
    .filter(({ fieldType }) => fieldType === 'diagnosis')
    .flatMap(({ id }) => (answers[id] ?? []) as Diagnosis[])
    .flatMap(({ code }) => (code ? [code] : []))

/** The patient of the form, on the day of the visit: what its rules may ask. */
export async function loadFormSubject(
  db: Kysely<DB>,
  patient: RequiredPatient,
  visitId: string | null,
  event?: AnsweredEvent,
) {
  const visit = await findStartedVisit(db, visitId)
  const day = dayIn(visit?.check_in_timestamp ?? event?.created_at ?? new Date(), clinicTimeZone())
  return {
    sex: patient.sex,
    birth: patient.date_of_birth,
    precision: readBirthPrecision(patient.metadata),
    weeksAtBirth: patient.weeks_at_birth,
    day,
    dueOn: event && datesItself(event) ? null : await dueDateOn(db, patient.id, day, event?.id),
    patient_id: patient.id,
    patient: patientName(patient),
  }
}

type AnsweredEvent = {
  id: string
  created_at: Date
  form_data: unknown
  fields: readonly EventFormField[]
}

/** Whether an event answers what a pregnancy is counted from: then its rules do not ask the record. */
function datesItself({ fields, form_data }: AnsweredEvent): boolean {
  const answers = readFormAnswers(fields, form_data, clinicTimeZone())
  return fields
    .flatMap(({ rules }) => (rules?.compute?.function === 'dueDate' ? rules.compute.fields : []))
    .some((id) => answers[id] !== undefined)
}

const findStartedVisit = async (db: Kysely<DB>, id: string | null) =>
  id === null
    ? undefined
    : db
        .selectFrom('visits')
        .innerJoin('clinics', 'clinics.id', 'visits.clinic_id')
        .select(['visits.id', 'patient_id', 'clinic_id', 'check_in_timestamp'])
        .select(['clinics.name as clinic', 'clinics.is_archived'])
        .where('visits.id', '=', id)
        .where('visits.is_deleted', '=', false)
        .executeTakeFirst()

type StartedVisit = { patient_id: string; check_in_timestamp: Date }

/** The newest answers that were true by the visit: a form from paper does not begin with what came after it. */
const findLastAnswers = ({ db, actor }: Context, visit: StartedVisit, formId: string) =>
  live(db)
    .leftJoin('visits', 'visits.id', 'events.visit_id')
    .where(rowsWhere(actor, 'events'))
    .select(['form_data', happenedAt.as('happened_at')])
    .where('events.patient_id', '=', visit.patient_id)
    .where('form_id', '=', formId)
    .where(happenedAt, '<=', visit.check_in_timestamp)
    .orderBy(happenedAt, 'desc')
    .orderBy('events.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** As many as a page of visits may hold; a visit with more than ten forms is a stay in hospital. */
const MANY = 500

/** Of visits that the caller may see, oldest first. */
export async function eventsOfVisits(db: Kysely<DB>, visitIds: string[], language: Language) {
  if (visitIds.length === 0) return []
  const rows = await recorded(db)
    .modifyFront(asPrepared(visitIds.length))
    .where('events.visit_id', '=', sql<string>`any(${visitIds}::uuid[])`)
    .orderBy('events.created_at')
    .orderBy('events.id')
    .limit(MANY)
    .execute()
  return asShown(db, rows, language)
}

/** By their ids, of a patient whose history the caller may read. */
export const loadEvents = async (db: Kysely<DB>, ids: string[], language: Language) =>
  ids.length === 0
    ? []
    : asShown(db, await recorded(db).where('events.id', 'in', ids).execute(), language)

export type ShownEvent = Awaited<ReturnType<typeof loadEvents>>[number]
export type WholeEvent = Awaited<ReturnType<typeof getEvent>>
export type StartedEvent = Awaited<ReturnType<typeof newEvent>>
