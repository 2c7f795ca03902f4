import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { eventsOfVisits } from '~/features/events/events.server'
import { isBeforeBirth, nameOf, OfPatient } from '~/features/patients/patient'
import { problemsOfVisits } from '~/features/problems/problems.server'
import { vitalsOfVisits } from '~/features/vitals/vitals.server'
import {
  requireClinic,
  requirePatient,
  requireProvider,
  seesPatientsAt,
} from '~/policy/require.server'
import { knowPatient, readHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { paged } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { forbidden, invalid, notFound } from '~/shared/errors'
import type { Permission } from '~/shared/permissions'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { ListVisits, SaveVisit, VisitId } from './visit'

const live = (db: Kysely<DB>) => db.selectFrom('visits').where('visits.is_deleted', '=', false)
const recorded = (db: Kysely<DB>) =>
  live(db)
    .innerJoin('clinics', 'clinics.id', 'visits.clinic_id')
    .select([
      'visits.id',
      'visits.patient_id',
      'visits.clinic_id',
      'clinics.name as clinic',
      'clinics.is_archived',
    ])
    .select([
      'provider_id',
      'provider_name',
      'check_in_timestamp',
      'closed_at',
      'reason',
      'visits.last_modified',
    ])

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
  input: ListVisits,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { patientId, page }) {
    const patient = await requirePatient(ctx, patientId, readHistory)
    const { rows, pagination } = await paged(
      recorded(ctx.db)
        .where('visits.patient_id', '=', patientId)
        .orderBy('check_in_timestamp', 'desc')
        .orderBy('visits.id', 'desc'),
      live(ctx.db).where('patient_id', '=', patientId),
      page,
    )
    return { rows: await withRecords(ctx, rows, patient), pagination }
  },
})

/** Nobody is in more clinics at once. */
const OPEN_AT_MOST = 20

/** The visits that nobody has closed yet, newest first: what is recorded now belongs to one of them. */
export const openVisits = query('visits.open', {
  input: OfPatient,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { patientId }) {
    await requirePatient(ctx, patientId, readHistory)
    return recorded(ctx.db)
      .where('visits.patient_id', '=', patientId)
      .where('closed_at', 'is', null)
      .where('clinics.is_archived', '=', false)
      .orderBy('check_in_timestamp', 'desc')
      .orderBy('visits.id', 'desc')
      .limit(OPEN_AT_MOST)
      .execute()
  },
})

export const getVisit = query('visits.get', {
  input: VisitId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { id }) {
    const row = await recorded(ctx.db)
      .where('visits.id', '=', id)
      .where(patientsWhere(readHistory, ctx.actor, 'visits.patient_id'))
      .executeTakeFirst()
    if (!row) throw notFound('visits.notFound')
    const [visit] = await withRecords(
      ctx,
      [row],
      await requirePatient(ctx, row.patient_id, readHistory),
    )
    return visit!
  },
})

/**
 * Opens a visit, or corrects one. Opening needs only to know who the patient is: it is the visit that opens his history
 * to the clinic. The provider's name is kept as it is now, whatever becomes of the user.
 */
export const saveVisit = mutation('visits.save', {
  input: SaveVisit,
  allow: ({ actor }, { clinic_id }) => mayIn(actor, 'can_edit_records', clinic_id),
  async run(ctx, visit) {
    const { id, patient_id, provider_id, last_modified, check_in_timestamp } = visit
    const patient = await requirePatient(ctx, patient_id, last_modified ? readHistory : knowPatient)
    if (isBeforeBirth(patient, dayIn(check_in_timestamp, clinicTimeZone()))) {
      throw invalid({ check_in_timestamp: { key: 'visits.beforeBirth' } })
    }
    await requireClinic(ctx.db, visit.clinic_id, 'clinic_id')
    const existing = last_modified ? await requireVisit(ctx, id, 'can_edit_records') : undefined
    if (existing && existing.patient_id !== patient_id) throw notFound('visits.notFound')
    const isSame = existing?.provider_id === provider_id && existing.clinic_id === visit.clinic_id
    const provider_name = isSame ? existing.provider_name : await nameOfProvider(ctx, visit)
    return saveRecord(ctx, 'visits', { ...visit, provider_name }, 'visits.notFound')
  },
})

/** The person has left. Nothing is locked by it: what comes later, a result or a correction, still belongs to the visit. */
export const closeVisit = mutation('visits.close', {
  input: VisitId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_edit_records'),
  run: (ctx, { id }) => setClosed(ctx, id, new Date()),
})

export const reopenVisit = mutation('visits.reopen', {
  input: VisitId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_edit_records'),
  run: (ctx, { id }) => setClosed(ctx, id, null),
})

/** With its vital signs, into the trash; its problems stay with the patient. */
export const deleteVisit = mutation('visits.delete', {
  input: VisitId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_delete_patient_visits'),
  async run(ctx, { id }) {
    const { patient_id, check_in_timestamp } = await requireVisit(
      ctx,
      id,
      'can_delete_patient_visits',
    )
    const patient = await requirePatient(ctx, patient_id, readHistory)
    const label = `${nameOf(patient)}, ${dayIn(check_in_timestamp, clinicTimeZone())}`
    return deleteRecord(ctx, 'visits', id, label, 'visits.notFound')
  },
})

/** Closing what is closed leaves the first time. */
async function setClosed(ctx: Context, id: string, at: Date | null) {
  const { closed_at, last_modified } = await requireVisit(ctx, id, 'can_edit_records')
  if ((closed_at === null) === (at === null)) return { id, closed_at, last_modified }
  return ctx.db
    .updateTable('visits')
    .set({ closed_at: at, updated_at: new Date() })
    .where('id', '=', id)
    .returning(['id', 'closed_at', 'last_modified'])
    .executeTakeFirstOrThrow()
}

/** The live visit, if its patient's history is open to the actor; `forbidden` when the permission is not his in its clinic. */
async function requireVisit({ db, actor }: Context, id: string, permission: Permission) {
  const visit = await live(db)
    .select([
      'patient_id',
      'clinic_id',
      'provider_id',
      'provider_name',
      'check_in_timestamp',
      'closed_at',
      'last_modified',
    ])
    .where('id', '=', id)
    .where(patientsWhere(readHistory, actor, 'visits.patient_id'))
    .executeTakeFirst()
  if (!visit) throw notFound('visits.notFound')
  if (!mayIn(actor, permission, visit.clinic_id)) throw forbidden()
  return visit
}

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

/** By their ids, of a patient whose history the caller has already been allowed to see. */
export const visitsOf = async (db: Kysely<DB>, ids: string[]) =>
  ids.length === 0 ? [] : recorded(db).where('visits.id', 'in', ids).execute()

export type Visit = Awaited<ReturnType<typeof listVisits>>['rows'][number]
export type OpenVisit = Awaited<ReturnType<typeof openVisits>>[number]
