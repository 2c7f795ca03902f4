import { sql } from 'kysely'
import { SENSITIVE_CODES } from '~/features/care/programs/programs'
import { setDeath } from '~/features/care/programs/programs.server'
import {
  LISTED_BATCHES,
  lockFollowUps,
  settleFollowUps,
} from '~/features/care/programs/stale.server'
import { saveAppointment } from '~/features/day/appointments/booking.server'
import { askIfTaken } from '~/features/day/appointments/overlaps.server'
import { permitsIn } from '~/policy/facts'
import { namedPatient } from '~/policy/on.server'
import { requirePatient } from '~/policy/require.server'
import { knowPatient, readHistory, seeAppointments } from '~/policy/rules'
import { audit } from '~/server/audit'
import { type Context, mutation } from '~/server/operation'
import { ask, type EarlierDayQuestion } from '~/shared/earlier-day'
import { conflict, forbidden, invalid, notFound } from '~/shared/errors'
import { impossibleDay, unusualDay } from '~/shared/planned-days'
import { addDays, clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import type { CallResultCode } from '~/records/call-results'
import { CounterCall, RecordCall, REMIND_AFTER } from './followup'
import { reversal, seesFollowUps } from './followups.server'

/**
 * Records a call to a patient who is on the overdue list, about one program or several. With an agreed day it can book
 * the appointment; a death needs the right to edit records, and ends all programs.
 */
export const recordCall = mutation('followups.call', {
  input: RecordCall,
  on: namedPatient(knowPatient),
  async run(
    ctx,
    { appointment, died_on, cancel_appointments, confirmed, called_at, also = [], ...call },
    { patient },
  ) {
    const { db, actor } = ctx
    await lockFollowUps(db)
    const known = await db
      .selectFrom('follow_up_calls')
      .select(['id', 'patient_id', 'called_by', 'appointment_id'])
      .where(
        'id',
        'in',
        [call, ...also].map(({ id }) => id),
      )
      .execute()
    const isOwn = (each: (typeof known)[number]) =>
      each.patient_id === call.patient_id && each.called_by === actor.userId
    if (!known.every(isOwn)) throw notFound('followups.notFound')
    // the answer was lost: programs that were added since are recorded; a death has ended them all
    const first = known.find(({ id }) => id === call.id)
    const missing = [call, ...also].filter(({ id }) => known.every((each) => each.id !== id))
    if (missing.length === 0 || (first && call.reason === 'died'))
      return { id: call.id, appointment_id: first?.appointment_id ?? null }
    await settleFollowUps(ctx, undefined, { patientId: patient.id })
    const zone = clinicTimeZone()
    const now = new Date()
    const at = called_at ?? now
    if (at > now) throw invalid({ called_at: { key: 'validation.inFuture' } })
    const day = dayIn(at, zone)
    const isNow = called_at === undefined || called_at === null
    const about = await Promise.all(
      missing.map(async ({ id, program }) => ({
        id,
        item: await listedOn(ctx, { patient_id: call.patient_id, program }, day, isNow),
      })),
    )
    if (!about.every(({ item }) => permitsIn(seeAppointments, actor, item.clinic_id)))
      throw forbidden()
    const values = resultColumns(call, day)
    checkDates(values, day, isNow ? confirmed : undefined)
    // the call comes first: a death ends the item
    let booked = first ? first.appointment_id : null
    if (!first && appointment && call.result === 'agreed_to_visit')
      booked = await book(
        ctx,
        { ...call, agreed_on: call.agreed_on! },
        appointment,
        about[0]!.item.clinic_id,
        isNow ? confirmed : undefined,
      )
    await db
      .insertInto('follow_up_calls')
      .values(
        about.map(({ id, item }) => ({
          id,
          patient_id: patient.id,
          item_id: item.id,
          program: item.program,
          schedule_code: item.schedule_code,
          step: item.step,
          due_on: item.due_on,
          clinic_id: item.clinic_id,
          called_at: at,
          called_by: actor.userId,
          result: call.result,
          notes: call.notes || null,
          appointment_id: booked,
          ...values,
        })),
      )
      .execute()
    for (const { id, item } of about)
      await audit(ctx, {
        action: 'followups.call',
        table: 'follow_up_calls',
        recordId: id,
        clinicId: item.clinic_id,
        patientId: patient.id,
        changes: {
          result: [null, call.result],
          program: [null, item.program],
          notes: [null, call.notes || null],
        },
      })
    if (call.reason === 'died' && call.result === 'removed_from_overdue_list')
      await setDeath(ctx, { id: patient.id, died_on: died_on!, cancel_appointments, confirmed })
    await settleFollowUps(ctx, undefined, { patientId: patient.id })
    return { id: call.id, appointment_id: booked }
  },
})

type Given = {
  patient_id: string
  program: string
  result: CallResultCode
  agreed_on?: string | null
  remind_on?: string | null
  no_answer: boolean
  reason?: string | null
}

/** The fields of the result, as the database wants them. */
function resultColumns({ result, agreed_on, remind_on, no_answer, reason }: Given, day: string) {
  const none = { agreed_on: null, remind_on: null, reason: null, no_answer: false }
  if (result === 'agreed_to_visit') {
    if (agreed_on! < day) throw invalid({ agreed_on: { key: 'followups.beforeCall' } })
    return { ...none, agreed_on: agreed_on! }
  }
  if (result === 'remind_to_call_later') {
    const until = remind_on ?? addDays(day, REMIND_AFTER)
    if (until <= day) throw invalid({ remind_on: { key: 'followups.afterCall' } })
    return { ...none, remind_on: until, no_answer }
  }
  return { ...none, reason: reason! }
}

/**
 * A day that hides the patient from the list: more than ten years away is refused, more than a year ahead asked about,
 * unless the call is entered for a moment that is over.
 */
function checkDates(
  { agreed_on, remind_on }: Pick<ReturnType<typeof resultColumns>, 'agreed_on' | 'remind_on'>,
  day: string,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  for (const [field, on] of Object.entries({ agreed_on, remind_on })) {
    if (on === null) continue
    const impossible = impossibleDay('appointment', on, day)
    if (impossible) throw invalid({ [field]: { key: impossible } })
    const doubt = unusualDay('appointment', on, day)
    if (doubt && confirmed && !confirmed.includes('unlikely_date'))
      throw ask('unlikely_date', field, { key: doubt })
  }
}

/**
 * The item that was overdue on the day of the call: only patients on the list are called here. A call of today needs
 * one that is listed now.
 */
export async function listedOn(
  { db, actor }: Context,
  { patient_id, program }: Pick<Given, 'patient_id' | 'program'>,
  day: string,
  isNow: boolean,
) {
  const item = await db
    .selectFrom('follow_up_items')
    .select(['id', 'program', 'schedule_code', 'step', 'due_on', 'clinic_id'])
    .where('patient_id', '=', patient_id)
    .where('program', '=', program)
    .where('overdue_from', '<=', day)
    .where(sql<boolean>`(status = 'open' or (not ${isNow} and status_on >= ${day}::date))`)
    .where(sql<boolean>`(not ${isNow} or (is_lead and coalesce(hidden_until <= ${day}::date, true)
      and coalesce(expires_on > ${day}::date, true)))`)
    .orderBy('overdue_from', 'desc')
    .orderBy('id')
    .executeTakeFirst()
  // a sensitive program answers as if the patient were not listed
  const mayKnow =
    !SENSITIVE_CODES.includes(program) ||
    (item && permitsIn(readHistory.permissions, actor, item.clinic_id))
  if (!item || !mayKnow) throw conflict('followups.notListed')
  return item
}

async function book(
  ctx: Context,
  { patient_id, agreed_on }: { patient_id: string; agreed_on: string },
  { id, time, duration }: { id: string; time: string; duration: number },
  clinic_id: string,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  const timestamp = momentAt(`${agreed_on}T${time}`, clinicTimeZone())!
  const place = { id, patient_id, provider_id: null, timestamp, duration }
  await askIfTaken(ctx, place, confirmed, 'time')
  await saveAppointment(ctx, {
    id,
    patient_id,
    clinic_id,
    timestamp,
    duration,
    reason: 'follow-up',
  })
  return id
}

/** Takes a wrong call back: both rows stay, and nothing counts the call any more. */
export const counterCall = mutation('followups.counter', {
  input: CounterCall,
  allow: seesFollowUps,
  async run(ctx, { id, call_id }) {
    const { db, actor } = ctx
    await lockFollowUps(db)
    const call = await db
      .selectFrom('follow_up_calls as c')
      .selectAll('c')
      .where('c.id', '=', call_id)
      .where('c.counters_id', 'is', null)
      .executeTakeFirst()
    if (!call) throw notFound('followups.notFound')
    await requirePatient(ctx, call.patient_id)
    if (!permitsIn(reversal(actor, call.called_by), actor, call.clinic_id)) throw forbidden()
    const known = await db
      .selectFrom('follow_up_calls')
      .select('id')
      .where('counters_id', '=', call_id)
      .executeTakeFirst()
    if (known) {
      if (known.id === id) return { id, patient_id: call.patient_id }
      throw conflict('followups.countered')
    }
    const { server_created_at: _at, ...row } = call
    await db
      .insertInto('follow_up_calls')
      .values({ ...row, id, counters_id: call_id, called_at: new Date(), called_by: actor.userId })
      .execute()
    await audit(ctx, {
      action: 'followups.counter',
      table: 'follow_up_calls',
      recordId: call_id,
      clinicId: call.clinic_id,
      patientId: call.patient_id,
      changes: { result: [call.result, null], program: [call.program, null] },
    })
    await settleFollowUps(ctx, undefined, { batches: LISTED_BATCHES })
    return { id, patient_id: call.patient_id }
  },
})
