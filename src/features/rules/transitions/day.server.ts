/** The rules of the day in one file, so that no door can use a part of them: longer than most for that reason. */

import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import type { Context } from '~/server/operation'
import { deleteRecord } from '~/server/record'
import { inPermittedClinics } from '~/server/scope'
import { seeAppointments } from '~/policy/rules'
import { conflict } from '~/shared/errors'
import { newId } from '~/shared/id'
import { clinicTimeZone, dayIn, startOfDay, clinicToday } from '~/shared/zone'
import { type AppointmentDepartment, departmentsIn, stepsAfter } from './departments'
import {
  type AppointmentStatus,
  type Transition,
  transitionBetween,
  TRANSITIONS,
} from './transitions'
import { moreUrgent, type Urgency, parseUrgency } from './urgency'

/** An appointment before a transition; the caller has locked it. */
type Followed = {
  id: string
  patient_id: string
  clinic_id: string
  provider_id: string | null
  status: AppointmentStatus
  departments: AppointmentDepartment[]
  current_visit_id: string | null
  fulfilled_visit_id: string | null
}
type Links = { current_visit_id?: string | null; fulfilled_visit_id?: string | null }

/** Sets the clinic's time zone for this transaction: queue numbers start again each day. */
export const tellDay = (db: Kysely<DB>) =>
  sql`select set_config('sanad.time_zone', ${clinicTimeZone()}, true)`.execute(db)

/**
 * Applies what a transition does to the visit (`TRANSITIONS`). Returns the links and departments that the appointment
 * has after it; the caller writes them with the status. `isLinkKept`: a phone names the visit that is open again, and
 * no other one is put in its place.
 */
export async function followTransition(
  ctx: Context,
  transition: Transition,
  before: Followed,
  at = new Date(),
  isLinkKept = false,
): Promise<Links & { departments: AppointmentDepartment[] }> {
  await lockDay(ctx.db, before.patient_id)
  return {
    ...(await linksAfter(ctx, transition, before, at, isLinkKept)),
    departments: stepsAfter(transition, before),
  }
}

async function linksAfter(
  ctx: Context,
  transition: Transition,
  before: Followed,
  at: Date,
  isLinkKept: boolean,
): Promise<Links> {
  const { current_visit_id, fulfilled_visit_id } = before
  const wasHere = before.status === 'checked_in'
  switch (TRANSITIONS[transition].visit) {
    case 'joins':
      return {
        current_visit_id: await visitOfArrival(ctx, before, at),
        fulfilled_visit_id: null,
      }
    case 'closes':
      if (current_visit_id) await leaveVisit(ctx, before, current_visit_id, at)
      return { fulfilled_visit_id: current_visit_id }
    case 'ends':
      if (wasHere && current_visit_id)
        await leaveVisit(ctx, before, current_visit_id, at, { isEmptyTrashed: true })
      return { fulfilled_visit_id: null }
    case 'undoes':
      if (current_visit_id)
        await leaveVisit(ctx, before, current_visit_id, at, {
          isEmptyTrashed: true,
          staysOpen: true,
        })
      return { fulfilled_visit_id: null }
    case 'reopens':
    case 'restoredOpen': {
      const was = fulfilled_visit_id ?? current_visit_id
      const other = was && !isLinkKept && (await openVisitInstead(ctx.db, was))
      if (other) return { current_visit_id: other, fulfilled_visit_id: null }
      const isThere = was !== null && (await setLeft(ctx.db, was, null))
      return {
        current_visit_id: isThere ? was : await visitOfArrival(ctx, before, at),
        fulfilled_visit_id: null,
      }
    }
    default:
      return transition === 'rebook' ? { fulfilled_visit_id: null } : {}
  }
}

/** Two arrivals of a patient at the same time find one visit. */
const lockDay = (db: Kysely<DB>, patientId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('sanad.day'), hashtext(${patientId}))`.execute(db)

/** The appointment by which a patient is checked in to a clinic today, with its number. */
export const arrivalToday = (db: Kysely<DB>, patientId: string, clinicId: string) =>
  db
    .selectFrom('appointments')
    .innerJoin('queue_tokens', 'queue_tokens.appointment_id', 'appointments.id')
    .select(['appointments.id', 'number'])
    .where('patient_id', '=', patientId)
    .where('appointments.clinic_id', '=', clinicId)
    .where('appointments.is_deleted', '=', false)
    .where('status', '=', 'checked_in')
    .where('queue_tokens.day', '=', clinicToday())
    .orderBy('number')
    .executeTakeFirst()

/**
 * The urgency with which a patient is checked in: the higher of the chosen one and what the appointment has from the
 * same day. What it has from an arrival on an earlier day says nothing about this one.
 */
export async function urgencyOfArrival(
  db: Kysely<DB>,
  { id, urgency }: { id: string; urgency: string },
  chosen: Urgency = 'routine',
): Promise<Urgency> {
  const earlier = await db
    .selectFrom('queue_tokens')
    .select('day')
    .where('appointment_id', '=', id)
    .where('day', '<', clinicToday())
    .executeTakeFirst()
  return earlier ? chosen : moreUrgent(parseUrgency(urgency), chosen)
}

/** A patient who waits already is not added as a walk-in once more, neither at the desk nor by any other door. */
export async function requireNotHere(
  db: Kysely<DB>,
  { id, patient_id, clinic_id }: { id: string; patient_id: string; clinic_id: string },
) {
  await lockDay(db, patient_id)
  const here = await arrivalToday(db, patient_id, clinic_id)
  if (here && here.id !== id) throw conflict('queue.alreadyHere', { token: here.number })
}

type Arrival = { patient_id: string; clinic_id: string; provider_id: string | null }

/**
 * The visit of a patient who has just been checked in: the open one of that day in this clinic, or a new one. Users who
 * check patients in need no right to write in their records. Visits of earlier days that nobody closed are closed.
 * Returns its id.
 */
export async function visitOfArrival(
  { db }: Pick<Context, 'db'>,
  { patient_id, clinic_id, provider_id }: Arrival,
  at = new Date(),
) {
  const day = dayIn(at, clinicTimeZone())
  const patient = await db
    .selectFrom('patients')
    .select('died_on')
    .where('id', '=', patient_id)
    .executeTakeFirst()
  if (patient?.died_on && day > patient.died_on) throw conflict('patients.hasDied')
  await lockDay(db, patient_id)
  const open = await openVisitOn(db, { patient_id, clinic_id }, day)
  if (open) {
    await closeEarlier(db, [open])
    return open
  }
  const id = newId()
  await db
    .insertInto('visits')
    .values(({ selectFrom }) => ({
      id,
      patient_id,
      clinic_id,
      provider_id,
      check_in_timestamp: at,
      provider_name: selectFrom('users').select('name').where('id', '=', provider_id),
    }))
    .execute()
  await closeEarlier(db, [id])
  return id
}

/** The open visit of a patient in a clinic that began on this day; undefined if there is none. */
async function openVisitOn(
  db: Kysely<DB>,
  { patient_id, clinic_id }: { patient_id: string; clinic_id: string },
  day: string,
  except?: string,
): Promise<string | undefined> {
  const open = await db
    .selectFrom('visits')
    .select('id')
    .where('patient_id', '=', patient_id)
    .where('clinic_id', '=', clinic_id)
    .where('is_deleted', '=', false)
    .where('closed_at', 'is', null)
    .where('check_in_timestamp', '>=', startOfDay(day))
    .where(sql<boolean>`check_in_timestamp < ${startOfDay(day)}::timestamptz + interval '26 hours'`)
    .where(sql<boolean>`(check_in_timestamp at time zone ${clinicTimeZone()})::date = ${day}::date`)
    .$if(except !== undefined, (q) => q.where('id', '<>', except!))
    .orderBy('check_in_timestamp', 'desc')
    .limit(1)
    .executeTakeFirst()
  return open?.id
}

/** Of a closed visit that would be opened again: the patient's other open one there of its day, if there is one. */
async function openVisitInstead(db: Kysely<DB>, visitId: string): Promise<string | undefined> {
  const closed = await db
    .selectFrom('visits')
    .select(['patient_id', 'clinic_id', 'check_in_timestamp'])
    .where('id', '=', visitId)
    .where('is_deleted', '=', false)
    .where('closed_at', 'is not', null)
    .executeTakeFirst()
  return closed && openVisitOn(db, closed, dayIn(closed.check_in_timestamp, clinicTimeZone()))
}

/**
 * A patient has one open visit in a clinic on a day: refuses a second one, whichever door it comes by but a phone's,
 * whose rows are kept as sent.
 */
export async function requireOnlyOpen(
  { db }: Pick<Context, 'db'>,
  visit: { id: string; patient_id: string; clinic_id: string; check_in_timestamp: Date },
) {
  await lockDay(db, visit.patient_id)
  const day = dayIn(visit.check_in_timestamp, clinicTimeZone())
  const other = await openVisitOn(db, visit, day, visit.id)
  if (other) throw conflict('visits.alreadyOpen')
}

/**
 * A number in the queue is of a clinic and a day, and so is the visit of its patient: refuses to move that elsewhere
 * while the patient is here. What a phone moves is kept as sent.
 */
export async function requirePlaceOfNumber(
  { db }: Pick<Context, 'db'>,
  {
    id,
    clinic_id,
    check_in_timestamp,
  }: { id: string; clinic_id: string; check_in_timestamp: Date },
) {
  const here = await db
    .selectFrom('appointments')
    .innerJoin('queue_tokens', 'queue_tokens.appointment_id', 'appointments.id')
    .select('number')
    .where('current_visit_id', '=', id)
    .where('appointments.is_deleted', '=', false)
    .where('status', '=', 'checked_in')
    .where((eb) =>
      eb.or([
        eb('queue_tokens.day', '<>', dayIn(check_in_timestamp, clinicTimeZone())),
        eb('appointments.clinic_id', '<>', clinic_id),
      ]),
    )
    .orderBy('number')
    .executeTakeFirst()
  if (here) throw conflict('visits.inQueue', { number: here.number })
}

/** SQL: the departments of an appointment that is over, as `withAllClosed` leaves them. */
const closedSteps = sql<string>`(select coalesce(jsonb_agg(step || jsonb_build_object('status',
    case when step ->> 'status' in ('in_progress', 'completed') then 'completed' else 'cancelled' end)
    order by at), '[]')
  from jsonb_array_elements(departments) with ordinality steps (step, at))`

/**
 * Closes the open visits of earlier days of the same patient and clinic, as of their last entry: the patient cannot
 * still be there. `ids`: visits that have just begun. A visit in the future closes nothing, because a phone's clock may
 * be wrong.
 */
export async function closeEarlier(db: Kysely<DB>, ids: readonly string[]) {
  if (ids.length === 0) return
  await tellDay(db)
  const { rows } = await sql<{ id: string }>`
    update visits v set closed_at = visit_last_entry(v.id), closed_as = 'last_entry', updated_at = now()
    from visits begun
    where begun.id = any(${ids}::uuid[]) and not begun.is_deleted and begun.closed_at is null
      and begun.check_in_timestamp < now() + interval '1 day'
      and v.patient_id = begun.patient_id and v.clinic_id = begun.clinic_id
      and not v.is_deleted and v.closed_at is null and v.check_in_timestamp < begun.check_in_timestamp
      and clinic_day(v.check_in_timestamp) < clinic_day(begun.check_in_timestamp)
    returning v.id`.execute(db)
  await finishVisitAppointments(
    db,
    rows.map(({ id }) => id),
  )
}

/** Completes the appointments that are checked in to visits that were closed. Returns their ids. */
export async function finishVisitAppointments(
  db: Kysely<DB>,
  visitIds: readonly string[],
): Promise<string[]> {
  if (visitIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    update appointments set status = 'completed', fulfilled_visit_id = current_visit_id,
      departments = ${closedSteps}, updated_at = now()
    where current_visit_id = any(${visitIds}::uuid[]) and status = 'checked_in' and not is_deleted
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of a visit that is open again: the patients of these appointments, which its closing completed, wait again. */
export async function resumeVisitAppointments(
  ctx: Context,
  visitId: string,
  ids: readonly string[],
) {
  const rows = await readFollowed(ctx.db, ids)
  for (const row of rows) {
    if (row.fulfilled_visit_id !== visitId || row.status !== 'completed') continue
    const departments = JSON.stringify(stepsAfter('resume', row))
    await ctx.db
      .updateTable('appointments')
      .set({ status: 'checked_in', fulfilled_visit_id: null, departments, updated_at: new Date() })
      .where('id', '=', row.id)
      .execute()
  }
}

/** Closes all open visits of a clinic that began before a moment, as of their last entry. Returns how many. */
export async function closeAllBefore(ctx: Context, clinicId: string, before: Date) {
  const { rows } = await sql<{ id: string }>`
    update visits v set closed_at = visit_last_entry(v.id), closed_as = 'last_entry', updated_at = now()
    where v.clinic_id = ${clinicId} and not v.is_deleted and v.closed_at is null
      and v.check_in_timestamp < ${before} and v.check_in_timestamp < now()
    returning v.id`.execute(ctx.db)
  const ids = rows.map(({ id }) => id)
  await finishVisitAppointments(ctx.db, ids)
  return ids.length
}

type Leaving = { isEmptyTrashed?: boolean; staysOpen?: boolean }

/** The appointment leaves its visit. While another number of the visit is here, the visit goes on. */
async function leaveVisit(
  ctx: Context,
  { id }: Pick<Followed, 'id'>,
  visitId: string,
  at: Date,
  { isEmptyTrashed = false, staysOpen = false }: Leaving = {},
) {
  const { rows } = await sql<{ is_here: boolean; was_here: boolean; is_empty: boolean }>`select
      exists (select from appointments a where a.current_visit_id = v.id and a.id <> ${id}
        and a.status = 'checked_in' and not a.is_deleted) as is_here,
      exists (select from appointments a where a.fulfilled_visit_id = v.id and a.id <> ${id}
        and not a.is_deleted) as was_here,
      ${isEmptyTrashed} and visit_is_empty(v.id) as is_empty
    from visits v where v.id = ${visitId} and not v.is_deleted`.execute(ctx.db)
  const [visit] = rows
  if (!visit || visit.is_here) return
  if (visit.is_empty && !visit.was_here) await trash(ctx, id, visitId)
  else if (!staysOpen || visit.was_here) await setLeft(ctx.db, visitId, at)
}

/** With the appointment, if that is being deleted: its undo restores both. */
async function trash(ctx: Context, appointmentId: string, visitId: string) {
  const { rows } = await sql<{ id: string }>`select id from deletions
    where table_name = 'appointments' and record_id = ${appointmentId} and restored_at is null`.execute(
    ctx.db,
  )
  const deletion = rows[0]?.id
  if (!deletion) {
    await deleteRecord(
      ctx,
      'visits',
      visitId,
      await loadVisitLabel(ctx.db, visitId),
      'visits.notFound',
    )
    return
  }
  await sql`with changed as (
      update visits set is_deleted = true where id = ${visitId} and not is_deleted returning id)
    insert into deletion_items (deletion_id, table_name, record_id)
    select ${deletion}, 'visits', id from changed`.execute(ctx.db)
}

async function loadVisitLabel(db: Kysely<DB>, visitId: string): Promise<string> {
  const { rows } = await sql<{ name: string; at: Date }>`
    select concat_ws(' ', given_name, surname) as name, check_in_timestamp as at
    from visits join patients on patients.id = visits.patient_id where visits.id = ${visitId}`.execute(
    db,
  )
  const [found] = rows
  return found ? `${found.name}, ${dayIn(found.at, clinicTimeZone())}` : ''
}

/**
 * The patient has left, or has not after all. A visit of an earlier day is closed as of its last entry: nobody knows
 * when its patient left. Returns whether there is such a visit.
 */
export async function setLeft(db: Kysely<DB>, visitId: string, at: Date | null): Promise<boolean> {
  const today = at && startOfDay(dayIn(at, clinicTimeZone()))
  const isEarlier = sql`check_in_timestamp < ${today}`
  const left = sql`greatest(${at}, check_in_timestamp)`
  const closedAt = at
    ? sql`case when ${isEarlier} then visit_last_entry(id) else ${left} end`
    : null
  const { rows } = await sql`
    with changed as (
      update visits set updated_at = now(),
        closed_at = ${closedAt ?? sql`null`},
        closed_as = ${at ? sql`case when ${isEarlier} then 'last_entry' end` : sql`null`}
      where id = ${visitId} and not is_deleted and closed_at is ${at ? sql`null` : sql`not null`})
    select from visits where id = ${visitId} and not is_deleted`.execute(db)
  return rows.length > 0
}

/** The caller is the provider of the visit from now on; with `onlyIfNone`, only if it has none. */
export const setProvider = (
  { db, actor }: Context,
  visitId: string,
  { onlyIfNone }: { onlyIfNone: boolean },
) =>
  db
    .updateTable('visits')
    .set({ provider_id: actor.userId, provider_name: actor.name, updated_at: new Date() })
    .where('id', '=', visitId)
    .where('is_deleted', '=', false)
    .where('provider_id', 'is distinct from', actor.userId)
    .$if(onlyIfNone, (q) =>
      q.where('provider_id', 'is', null).where(sql<boolean>`coalesce(provider_name, '') = ''`),
    )
    .execute()

// --- Several appointments -------------------------------------------------------------------------

/** SQL: what `cancel` sets in appointments that are pending or confirmed. */
export const cancelledBooking = {
  status: 'cancelled',
  departments: closedSteps,
  fulfilled_visit_id: null,
}

/** The appointments of a patient that are still to come, in the clinics whose appointments the actor sees. */
const toCome = (db: Kysely<DB>, actor: Actor, patientId: string) =>
  db
    .selectFrom('appointments')
    .where('patient_id', '=', patientId)
    .where('status', 'in', ['pending', 'confirmed'])
    .where('is_deleted', '=', false)
    .where('timestamp', '>=', startOfDay(clinicToday()))
    .where(inPermittedClinics(actor, 'appointments.clinic_id', ...seeAppointments))

/** How many appointments a patient has from today on, in the clinics of the actor. */
export async function countToCome({ db, actor }: Context, patientId: string): Promise<number> {
  const { count } = await toCome(db, actor, patientId)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** After a death: cancels the appointments to come. Returns how many. */
export async function cancelToCome({ db, actor }: Context, patientId: string): Promise<number> {
  const rows = await db
    .updateTable('appointments')
    .set({ ...cancelledBooking, updated_at: new Date() })
    .where('id', 'in', toCome(db, actor, patientId).select('appointments.id'))
    .returning('id')
    .execute()
  return rows.length
}

/**
 * Of an appointment that was taken out of the trash while its patient was checked in: the visit is open again. A visit
 * that is open again so is closed if another one has been opened since. Returns how many were closed.
 */
export async function followRestored(ctx: Context, deletionId: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`select a.id
    from deletions d join appointments a on a.id = d.record_id
    where d.id = ${deletionId} and d.table_name = 'appointments' and a.status = 'checked_in'
      and not a.is_deleted`.execute(ctx.db)
  const [restored] = await readFollowed(
    ctx.db,
    rows.map(({ id }) => id),
  )
  if (restored) await writeLinks(ctx, 'restore', restored, new Date())
  return closeRestored(ctx.db, deletionId)
}

/**
 * Who waits in the restored visit waits in the open one of the same day. Of an appointment, the restored visit is the
 * one that it is checked in to, beside which only a later day's counts. A visit in the future closes nothing, because a
 * phone's clock may be wrong.
 */
async function closeRestored(db: Kysely<DB>, deletionId: string): Promise<number> {
  const deletion = await db
    .selectFrom('deletions')
    .select('patient_id')
    .where('id', '=', deletionId)
    .where('table_name', '<>', 'patients')
    .executeTakeFirst()
  if (!deletion?.patient_id) return 0
  await lockDay(db, deletion.patient_id)
  await tellDay(db)
  const { rows } = await sql<{ id: string }>`
    with again as (
      select record_id as id, true as was_deleted from deletion_items
      where deletion_id = ${deletionId} and table_name = 'visits' and unlinked_column is null
      union all
      select a.current_visit_id, false from deletions d join appointments a on a.id = d.record_id
      where d.id = ${deletionId} and d.table_name = 'appointments' and a.status = 'checked_in'
        and not a.is_deleted
    ), restored as (
      select distinct on (v.id) v.id, other.id as open_id,
        other.day = clinic_day(v.check_in_timestamp) as is_same_day
      from again join visits v on v.id = again.id
      cross join lateral (
        select o.id, clinic_day(o.check_in_timestamp) as day from visits o
        where o.patient_id = v.patient_id and o.clinic_id = v.clinic_id and o.id <> v.id
          and not o.is_deleted and o.closed_at is null
          and o.check_in_timestamp < now() + interval '1 day'
          and clinic_day(o.check_in_timestamp) >= clinic_day(v.check_in_timestamp)
          and (was_deleted or clinic_day(o.check_in_timestamp) > clinic_day(v.check_in_timestamp))
        order by o.check_in_timestamp limit 1) other
      where not v.is_deleted and v.closed_at is null
      order by v.id, again.was_deleted desc
    ), moved as (
      update appointments set current_visit_id = open_id, updated_at = now() from restored
      where current_visit_id = restored.id and status = 'checked_in' and not is_deleted and is_same_day
    )
    update visits v set closed_at = visit_last_entry(v.id), closed_as = 'last_entry', updated_at = now()
    from restored where restored.id = v.id returning v.id`.execute(db)
  await finishVisitAppointments(
    db,
    rows.map(({ id }) => id),
  )
  return rows.length
}

/** The appointments of a provider that are still to come. */
const ofProvider = (db: Kysely<DB>, userId: string) =>
  db
    .selectFrom('appointments')
    .where('appointments.provider_id', '=', userId)
    .where('appointments.status', 'in', ['pending', 'confirmed'])
    .where('appointments.is_deleted', '=', false)
    .where('appointments.timestamp', '>=', startOfDay(clinicToday()))

/** How many a provider has to come, and the first of those that the actor may see. */
export async function providersToCome({ db, actor }: Context, userId: string, most: number) {
  const { count } = await ofProvider(db, userId)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  const rows = await ofProvider(db, userId)
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .select(['appointments.id', 'appointments.patient_id', 'appointments.timestamp'])
    .select(sql<string>`concat_ws(' ', given_name, surname)`.as('patient'))
    .where(inPermittedClinics(actor, 'appointments.clinic_id', ...seeAppointments))
    .orderBy('appointments.timestamp')
    .orderBy('appointments.id')
    .limit(most)
    .execute()
  return { count, rows }
}

/** A provider was deleted: the appointments to come stay booked without one, until the deletion is undone. */
export async function leaveWithoutProvider(
  { db }: Pick<Context, 'db'>,
  userId: string,
  deletionId: string,
) {
  await sql`with changed as (
      update appointments set provider_id = null, updated_at = now()
      where id in (${ofProvider(db, userId).select('appointments.id')}) returning id)
    insert into deletion_items (deletion_id, table_name, record_id, unlinked_column, unlinked_from)
    select ${deletionId}, 'appointments', id, 'provider_id', ${userId} from changed`.execute(db)
}

// --- Rows of phones -------------------------------------------------------------------------------

/** A row that a phone has written; `was` is null for a new one. */
export type WrittenRow = {
  id: string
  was: { status: string; isDeleted: boolean; visitId: string | null } | null
}

/**
 * What follows from rows that a phone sent: they are stored as sent, but for links to visits: those that the phone left
 * empty are filled in, and an arrival with the link of an earlier one gets the visit of today. A completion that a
 * phone takes back opens the visit that it names, beside another open one if there is one. Nothing here refuses a
 * row; a patient who died gets no visit.
 */
export async function followPhone(ctx: Context, written: readonly WrittenRow[]) {
  if (written.length === 0) return
  const before = new Map(written.map((row) => [row.id, row.was]))
  const rows = await readFollowed(ctx.db, [...before.keys()])
  for (const row of rows) {
    const was = before.get(row.id)
    const transition = transitionOfPhone(was ?? null, row)
    // a phone that has not pulled the visit sends the appointment without it
    const current_visit_id = row.current_visit_id ?? was?.visitId ?? null
    const isOver = row.died_on !== null && dayIn(row.updated_at, clinicTimeZone()) > row.died_on
    const effect = transition && TRANSITIONS[transition].visit
    const joins = effect === 'joins'
    // the phone names the visit of this arrival; one that the appointment had before may be closed or in the trash
    const isNamed = current_visit_id !== null && current_visit_id !== was?.visitId
    const status = (was?.status ?? row.status) as AppointmentStatus
    const at = row.updated_at.getTime() > Date.now() ? new Date() : row.updated_at
    const followed = { ...row, status, current_visit_id }
    if (!transition || ((joins || effect === 'reopens') && isNamed))
      await keepVisit(ctx, row, current_visit_id)
    else if (!joins || !isOver)
      await writeLinks(ctx, transition, followed, at, row.current_visit_id !== null)
  }
}

const keepVisit = async ({ db }: Context, row: StoredRow, visitId: string | null) => {
  if (row.current_visit_id || !visitId || row.status !== 'checked_in') return
  await db
    .updateTable('appointments')
    .set({ current_visit_id: visitId })
    .where('id', '=', row.id)
    .execute()
}

type StoredRow = Followed & { updated_at: Date; is_deleted: boolean; died_on: string | null }

function transitionOfPhone(was: WrittenRow['was'], now: StoredRow): Transition | null {
  const wasThere = was !== null && !was.isDeleted
  if (now.is_deleted) return wasThere ? 'remove' : null
  if (!wasThere) return now.status === 'checked_in' ? 'arrive' : null
  return transitionBetween(was.status as AppointmentStatus, now.status)
}

const readFollowed = async (db: Kysely<DB>, ids: readonly string[]): Promise<StoredRow[]> => {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('appointments')
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .innerJoin('clinics', 'clinics.id', 'appointments.clinic_id')
    .select(['appointments.id', 'appointments.patient_id', 'clinic_id', 'provider_id', 'status'])
    .select(['departments', 'current_visit_id', 'fulfilled_visit_id', 'appointments.updated_at'])
    .select(['appointments.is_deleted', 'patients.died_on'])
    .where(sql<boolean>`appointments.id = any(${ids}::uuid[])`)
    .where('clinics.is_archived', '=', false)
    .where('patients.is_deleted', '=', false)
    .orderBy('appointments.updated_at')
    .execute()
  return rows.map((row) => ({
    ...row,
    departments: departmentsIn(row.departments),
  }))
}

async function writeLinks(
  ctx: Context,
  transition: Transition,
  row: StoredRow,
  at: Date,
  isLinkKept = false,
) {
  const { departments: _asSent, ...links } = await followTransition(
    ctx,
    transition,
    row,
    at,
    isLinkKept,
  )
  const changed = Object.entries(links).filter(
    ([name, value]) => value !== row[name as keyof Links],
  )
  if (changed.length === 0) return
  await ctx.db
    .updateTable('appointments')
    .set(Object.fromEntries(changed))
    .where('id', '=', row.id)
    .execute()
}
