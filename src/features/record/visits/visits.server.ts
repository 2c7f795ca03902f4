import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import {
  closeAllBefore,
  closeEarlier,
  finishVisitAppointments,
  requireOnlyOpen,
  requirePlaceOfNumber,
  resumeVisitAppointments,
  setLeft,
} from '~/features/rules/transitions/day.server'
import { eventsOfVisits } from '~/features/forms/events/events.server'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { isBeforeBirth, patientName, PatientIdInput } from '~/features/people/patients/patient'
import { problemsOfVisits } from '~/features/care/problems/problems.server'
import { vitalsOfVisits } from '~/features/care/vitals/vitals.server'
import {
  historyRead,
  inClinic,
  namedPatient,
  type TableRow as Stored,
  visitRow,
  visitSave,
} from '~/policy/on.server'
import { requireProvider, seesPatientsAt } from '~/policy/require.server'
import { deleteVisitRule as mayDeleteVisit, openVisit, readHistory } from '~/policy/rules'
import { permitsSomewhere } from '~/policy/facts'
import { rowsWhere } from '~/policy/sql.server'
import { contactColumns } from '~/records/clinic'
import { qualified } from '~/records/qualified'
import { visitRecord } from '~/records/visit'
import { type Context, mutation, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { enteredLater, isOnAnotherDay } from '~/shared/earlier-day'
import { invalid, notFound } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { inPermittedClinics } from '~/server/scope'
import { patientsOfRows } from '~/server/shown'
import { clinicTimeZone, dayIn, startOfDay } from '~/shared/zone'
import { SEEN_FROM } from '~/records/seen'
import {
  CloseBefore,
  CloseVisit,
  ListOpenVisits,
  ListVisits,
  ReopenVisit,
  SaveVisit,
} from './visit'

const live = (db: Kysely<DB>) => db.selectFrom('visits').where('visits.is_deleted', '=', false)
/** A revisit as recorded, else by the patient's visits to this clinic in the 14 days before; as reports count it. */
export const isReturn = sql<boolean>`coalesce(visits.is_revisit, exists (
  select from visits earlier
  where earlier.patient_id = visits.patient_id and earlier.clinic_id = visits.clinic_id
    and not earlier.is_deleted
    and not visit_only_waits(earlier.id, earlier.closed_at, earlier.closed_as)
    and earlier.check_in_timestamp < visits.check_in_timestamp
    and earlier.check_in_timestamp >= visits.check_in_timestamp - interval '16 days'
    and clinic_day(earlier.check_in_timestamp) >= clinic_day(visits.check_in_timestamp) - 14))`

const recorded = (db: Kysely<DB>) =>
  live(db)
    .innerJoin('clinics', 'clinics.id', 'visits.clinic_id')
    .leftJoin('users as typist', 'typist.id', 'visits.entered_by_user_id')
    .select(['visits.entered_on', 'typist.name as entered_by'])
    .select(sql<string | null>`visits.metadata -> 'import' ->> 'file'`.as('imported_from'))
    .select(qualified('visits', [...visitRecord.selected, 'patient_id', 'provider_name']))
    .select(isReturn.as('is_return'))
    .select(['check_in_timestamp', 'closed_at', 'closed_as', 'clinics.name as clinic'])
    .select('clinics.is_archived')

type Whose = { id: string; date_of_birth: string | null; metadata: unknown; sex: string | null }
type Row = Awaited<ReturnType<ReturnType<typeof recorded>['execute']>>[number]

/** Each visit with the vital signs, problems and filled-in forms that were recorded in it. */
async function withRecords({ db, actor }: Context, visits: Row[], whose: Whose) {
  const ids = visits.map(({ id }) => id)
  const [vitals, problems] = [await vitalsOfVisits(db, ids, whose), await problemsOfVisits(db, ids)]
  const events = await eventsOfVisits(db, ids, actor.language)
  return visits.map((visit) => ({
    ...visit,
    events: events.filter(({ visit_id }) => visit_id === visit.id),
    vitals: vitals.filter(({ visit_id }) => visit_id === visit.id),
    problems: problems.filter(({ visit_id }) => visit_id === visit.id),
  }))
}

/** Newest first. */
export const listVisits = query('visits.list', {
  access: 'visits',
  reads: [
    'events',
    'patient_pregnancies',
    'patient_problems',
    'patient_vitals',
    'program_enrollments',
    'visits',
  ],
  looksUp: [
    'appointment_departments',
    'appointments',
    'clinics',
    'event_forms',
    'patients',
    'prescriptions',
    'report_bindings',
    'users',
  ],
  on: namedPatient(readHistory),
  input: ListVisits,
  async run(ctx, { patientId, page }, { patient }) {
    const { rows, pagination } = await loadListPage(
      recorded(ctx.db)
        .where('visits.patient_id', '=', patientId)
        .where(rowsWhere(ctx.actor, 'visits'))
        .orderBy('check_in_timestamp', 'desc')
        .orderBy('visits.id', 'desc'),
      live(ctx.db).where('patient_id', '=', patientId).where(rowsWhere(ctx.actor, 'visits')),
      page,
      { ofPatient: true },
    )
    return { rows: await withRecords(ctx, rows, patient), pagination }
  },
})

/** No patient is in more clinics at once. */
const OPEN_AT_MOST = 20

/** The open visits, newest first: what is recorded now belongs to one of them. */
export const openVisits = query('visits.open', {
  access: 'visits',
  reads: ['visits'],
  looksUp: ['clinics', 'patients', 'users', ...SEEN_FROM],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  run: ({ db, actor }, { patientId }) =>
    recorded(db)
      .modifyFront(asPrepared())
      .where('visits.patient_id', '=', patientId)
      .where(rowsWhere(actor, 'visits'))
      .where('closed_at', 'is', null)
      .where('clinics.is_archived', '=', false)
      .orderBy('check_in_timestamp', 'desc')
      .orderBy('visits.id', 'desc')
      .limit(OPEN_AT_MOST)
      .execute(),
})

export const getVisit = query('visits.get', {
  access: 'visits',
  on: historyRead('visits'),
  input: RecordId,
  async run(ctx, { id }, { isReadable }) {
    const row = await recorded(ctx.db)
      .innerJoin('patients', 'patients.id', 'visits.patient_id')
      .select(['patients.sex', 'patients.date_of_birth', 'patients.metadata'])
      .select(contactColumns('clinics'))
      .where('visits.id', '=', id)
      .where(isReadable)
      .executeTakeFirst()
    if (!row) throw notFound('visits.notFound')
    const { sex, date_of_birth, metadata, ...visit } = row
    const whose = { id: visit.patient_id, sex, date_of_birth, metadata }
    const [shown] = await withRecords(ctx, [visit], whose)
    return { ...visit, ...shown! }
  },
})

/** Opens a visit, or corrects one. The provider's name is stored as it is now, whatever becomes of the user. */
export const saveVisit = mutation('visits.save', {
  on: visitSave,
  input: SaveVisit,
  async run(ctx, { confirmed, ...visit }, { patient, existing }) {
    if (isBeforeBirth(patient, dayIn(visit.check_in_timestamp, clinicTimeZone())))
      throw invalid({ check_in_timestamp: { key: 'visits.beforeBirth' } })
    if (isOnAnotherDay(existing?.check_in_timestamp, visit.check_in_timestamp))
      requireLivingOn(patient, dayIn(visit.check_in_timestamp, clinicTimeZone()), 'patient_id')
    const closed_at =
      visit.closed_at === undefined ? (existing?.closed_at ?? null) : visit.closed_at
    requireOrder({ ...visit, closed_at })
    if (closed_at === null) await requireOnlyOpen(ctx, visit)
    const isSame =
      existing?.provider_id === visit.provider_id && existing.clinic_id === visit.clinic_id
    const provider_name = isSame ? existing.provider_name : await nameOfProvider(ctx, visit)
    const isClosing = closed_at?.getTime() !== existing?.closed_at?.getTime()
    const { check_in_timestamp: at } = visit
    const isMoved = isOnAnotherDay(existing?.check_in_timestamp, at)
    const isElsewhere = isMoved || existing?.clinic_id !== visit.clinic_id
    if (existing && isElsewhere && !closed_at) await requirePlaceOfNumber(ctx, visit)
    const saved = await saveRecord(ctx, 'visits', {
      ...visit,
      ...(isMoved && enteredLater(at, ctx.actor.userId, 'check_in_timestamp', confirmed)),
      provider_name,
      ...(isClosing && { closed_at, closed_as: null }),
    })
    if (closed_at) await finishVisitAppointments(ctx.db, [visit.id])
    else await closeEarlier(ctx.db, [visit.id])
    return saved
  },
})

/** One rule, whichever of the two times is changed; the database has it, too. */
function requireOrder({
  check_in_timestamp,
  closed_at,
}: {
  check_in_timestamp: Date
  closed_at: Date | null
}) {
  if (closed_at && closed_at < check_in_timestamp)
    throw invalid({
      check_in_timestamp: { key: 'visits.openedAfterClosed' },
      closed_at: { key: 'visits.closedBeforeOpened' },
    })
}

/**
 * The patient has left, now or `at`; a closed visit keeps its time unless `at` says another. A visit of an earlier day
 * is closed as of its last entry unless `at` says when. This locks nothing: a later result or correction still belongs
 * to the visit. `completed`: the appointments that were checked in to it.
 */
export const closeVisit = mutation('visits.close', {
  on: visitRow(openVisit),
  input: CloseVisit,
  run(ctx, { at }, { existing }) {
    if (at && at < existing.check_in_timestamp)
      throw invalid({ at: { key: 'visits.closedBeforeOpened' } })
    return setClosed(ctx, existing, at)
  },
})

export const reopenVisit = mutation('visits.reopen', {
  on: visitRow(openVisit),
  input: ReopenVisit,
  async run(ctx, { appointmentIds }, { existing }) {
    const { id, closed_at, last_modified } = existing
    if (closed_at === null) return { id, closed_at, last_modified }
    await requireOnlyOpen(ctx, existing)
    await setLeft(ctx.db, id, null)
    await resumeVisitAppointments(ctx, id, appointmentIds)
    return loadVisitState(ctx, id)
  },
})

/** Open visits of the clinics whose histories the actor reads, oldest first. */
export const listOpenVisits = query('visits.listOpen', {
  access: 'visits',
  reads: ['visits'],
  looksUp: [
    'clinics',
    'events',
    'patient_immunizations',
    'patient_problems',
    'patient_vitals',
    'patients',
    'prescriptions',
    'referrals',
  ],
  allow: ({ actor }) => permitsSomewhere(readHistory, actor),
  input: ListOpenVisits,
  async run({ db, actor }, { clinicId, page }) {
    const found = live(db)
      .innerJoin('clinics', 'clinics.id', 'visits.clinic_id')
      .where('closed_at', 'is', null)
      .where('clinics.is_archived', '=', false)
      .where(inPermittedClinics(actor, 'visits.clinic_id', ...readHistory.permissions))
      .where(rowsWhere(actor, 'visits'))
      .$if(clinicId !== undefined, (q) => q.where('visits.clinic_id', '=', clinicId!))
    const { rows, pagination } = await loadListPage(
      found
        .innerJoin('patients', 'patients.id', 'visits.patient_id')
        .select(['visits.id', 'visits.patient_id', 'visits.clinic_id', 'clinics.name as clinic'])
        .select(['given_name', 'surname', 'died_on', 'provider_name', 'check_in_timestamp'])
        .select(sql<Date>`visit_last_entry(visits.id)`.as('last_entry'))
        .orderBy('check_in_timestamp')
        .orderBy('visits.id'),
      found,
      page,
    )
    return { rows: rows.map((row) => ({ ...row, patient: patientName(row) })), pagination }
  },
  shows: patientsOfRows,
})

/** Closes the open visits of a clinic that began before a day, each as of its last entry. */
export const closeVisitsBefore = mutation('visits.closeBefore', {
  on: inClinic(openVisit),
  input: CloseBefore,
  run: async (ctx, { clinicId, before }) => ({
    closed: await closeAllBefore(ctx, clinicId, startOfDay(before)),
  }),
})

/** With its vital signs, into the trash; its problems stay with the patient. */
export const deleteVisit = mutation('visits.delete', {
  on: visitRow(mayDeleteVisit),
  input: RecordId,
  run(ctx, { id }, { existing, patient }) {
    const day = dayIn(existing.check_in_timestamp, clinicTimeZone())
    return deleteRecord(ctx, 'visits', id, `${patientName(patient)}, ${day}`)
  },
})

async function setClosed(ctx: Context, visit: Stored<'visits'>, at: Date | undefined) {
  const { id, closed_at } = visit
  if (closed_at && (!at || at.getTime() === closed_at.getTime()))
    return { id, closed_at, last_modified: visit.last_modified, completed: [] }
  if (at)
    await ctx.db
      .updateTable('visits')
      .set({ closed_at: at, closed_as: null, updated_at: new Date() })
      .where('id', '=', id)
      .execute()
  else await setLeft(ctx.db, id, new Date())
  const completed = await finishVisitAppointments(ctx.db, [id])
  return { ...(await loadVisitState(ctx, id)), completed }
}

const loadVisitState = ({ db }: Context, id: string) =>
  db
    .selectFrom('visits')
    .select(['id', 'closed_at', 'last_modified'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Only users who may edit records in the clinic see patients there; the actor has been checked already. */
async function nameOfProvider(
  { db, actor }: Context,
  visit: { provider_id: string | null; clinic_id: string },
) {
  const { provider_id: id, clinic_id } = visit
  if (!id) return null
  if (id === actor.userId) return actor.name
  return (await requireProvider(db, id, seesPatientsAt(clinic_id))).name
}

/** By their ids, of a patient whose history the caller may read. */
export const loadVisits = async (db: Kysely<DB>, ids: string[]) =>
  ids.length === 0 ? [] : recorded(db).where('visits.id', 'in', ids).execute()

export type Visit = Awaited<ReturnType<typeof listVisits>>['rows'][number]
export type WholeVisit = Awaited<ReturnType<typeof getVisit>>
export type OpenVisit = Awaited<ReturnType<typeof openVisits>>[number]
export type ListedOpenVisit = Awaited<ReturnType<typeof listOpenVisits>>['rows'][number]
