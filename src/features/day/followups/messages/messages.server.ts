import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { SETTLED_FROM, settleFollowUps } from '~/features/care/programs/stale.server'
import { spokenWith } from '~/features/people/patients/language/paper.server'
import { readBirthPrecision, patientName, PatientIdInput } from '~/features/people/patients/patient'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { namedPatient, type RequiredPatient } from '~/policy/on.server'
import { requirePatient } from '~/policy/require.server'
import { knowPatient, seeAppointments } from '~/policy/rules'
import { audit } from '~/server/audit'
import { askFor } from '~/server/jobs.server'
import { type Context, mutation, type On, query } from '~/server/operation'
import { clinicsWhere } from '~/shared/actor'
import { conflict, forbidden, notFound } from '~/shared/errors'
import { type Language, LANGUAGES } from '~/shared/language'
import { RecordId } from '~/shared/record'
import { clinicTimeZone, clinicToday } from '~/shared/zone'
import { listedOn } from '../calls.server'
import { loadConsents } from './consents.server'
import { configuredGateway } from './gateway.server'
import { dialled } from './gateway'
import { CreateMessage, PrepareMessage, WAYS } from './message'
import { sendableFrom, type MessageSendingError } from './sending'
import { dayText, fillText } from './text'
import { loadMessageTexts } from './texts.server'

/** The texts for a patient on the overdue list, and what stands in the way of a message. */
export const prepareMessage = query('messages.prepare', {
  access: 'followUp',
  reads: ['contact_consents', 'follow_up_items', 'message_texts', 'messages'],
  looksUp: [
    'clinics',
    'follow_up_calls',
    'message_gateway',
    'program_enrollments',
    ...SETTLED_FROM,
  ],
  on: namedPatient(knowPatient),
  input: PrepareMessage,
  async run(ctx, { program }, { patient }) {
    const { clinic, phone, texts } = await textsFor(ctx, patient, program)
    const { rows } = await sql<{ created_at: Date }>`
      select created_at from messages m
      where patient_id in (select former_id from former_patients(array[${patient.id}::uuid]))
        and program = ${program} and created_on > ${clinicToday()}::date - 7 and may_have_arrived(m)
      order by created_at desc limit 1`.execute(ctx.db)
    const gateway = await configuredGateway(ctx.db)
    return {
      phone,
      hasGateway: gateway !== null,
      /** As the gateway gets it; null if it cannot. */
      sendsTo: gateway && dialled(phone, gateway.country),
      clinicPhone: clinic.phone,
      agreed: await loadConsents(ctx.db, patient.id),
      texts,
      /** The language that is spoken with the patient; null if neither it nor that of the clinic is recorded. */
      language: await spokenWith(ctx.db, patient.id),
      /** When the last one was made, if it is too recent for another one. */
      recent: rows[0]?.created_at ?? null,
    }
  },
})
export type PreparedMessage = Awaited<ReturnType<typeof prepareMessage>>

/** By language; the patient is on the list of a clinic of the user. */
async function textsFor(ctx: Context, patient: RequiredPatient, program: string) {
  const { db, actor } = ctx
  await settleFollowUps(ctx, undefined, { patientId: patient.id })
  const item = await listedOn(ctx, { patient_id: patient.id, program }, clinicToday(), true)
  if (!permitsIn(seeAppointments, actor, item.clinic_id)) throw forbidden()
  const { patientPhone, ...clinic } = await db
    .selectFrom('clinics')
    .innerJoin('patients as p', (join) => join.on('p.id', '=', patient.id))
    .select(['clinics.name', 'clinics.phone', 'p.phone as patientPhone'])
    .where('clinics.id', '=', item.clinic_id)
    .executeTakeFirstOrThrow()
  const bodies = await loadMessageTexts(db, item.schedule_code)
  const filled = LANGUAGES.map((language) => [
    language,
    fillText(bodies[language], {
      name: patientName(patient),
      clinic: clinic.name,
      date: dayText(item.due_on, language),
      phone: clinic.phone?.trim() || null,
    }),
  ])
  return {
    item,
    clinic,
    phone: patientPhone,
    texts: Object.fromEntries(filled) as Record<Language, string>,
  }
}

/** Keeps what is copied, printed or sent to a patient on the overdue list; what is sent leaves by the queue. */
export const createMessage = mutation('messages.create', {
  input: CreateMessage,
  on: namedPatient(knowPatient),
  async run(ctx, { id, program, language, way, body }, { patient }) {
    const { db, actor } = ctx
    const known = await db
      .selectFrom('messages')
      .select(['patient_id', 'created_by'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (known?.patient_id === patient.id && known.created_by === actor.userId) return { id }
    if (known) throw notFound('messages.notFound')
    const { item, phone, texts } = await textsFor(ctx, patient, program)
    if (texts[language] !== body) throw conflict('messages.changed')
    const now = new Date()
    const zone = clinicTimeZone()
    const copied = way === 'copy' ? phone : null
    await db
      .insertInto('messages')
      .values({
        id,
        patient_id: patient.id,
        item_id: item.id,
        program: item.program,
        schedule_code: item.schedule_code,
        due_on: item.due_on,
        clinic_id: item.clinic_id,
        channel: way === 'print' ? 'letter' : 'sms',
        language,
        phone: way === 'send' ? await requireDialledNumber(db, phone) : copied,
        body,
        zone,
        created_at: now,
        due_at: way === 'send' ? sendableFrom(now, zone) : null,
        created_by: actor.userId,
        state: WAYS[way],
      })
      .execute()
    await audit(ctx, {
      action: 'messages.create',
      table: 'messages',
      recordId: id,
      clinicId: item.clinic_id,
      patientId: patient.id,
      changes: { state: [null, WAYS[way]], program: [null, item.program] },
    })
    if (way === 'send') await askFor(db, 'send_messages')
    return { id }
  },
})

/** The number for the gateway. */
async function requireDialledNumber(db: Kysely<DB>, phone: string | null): Promise<string> {
  const gateway = await configuredGateway(db)
  if (!gateway) throw conflict('messages.error_no_gateway')
  const number = dialled(phone, gateway.country)
  if (!number) throw conflict('messages.badPhone')
  return number
}

/** A stored message, to users who run the desk of its clinic and know the patient. */
const namedMessage: On<{ id: string }, { message: Stored; patient: RequiredPatient }> = {
  permits: (actor) => permitsSomewhere(knowPatient, actor),
  async rows(ctx, { id }) {
    const message = await storedMessage(ctx.db, id)
    if (!message || !permitsIn(seeAppointments, ctx.actor, message.clinic_id))
      throw notFound('messages.notFound')
    return { message, patient: await requirePatient(ctx, message.living_id, knowPatient) }
  },
}
type Stored = NonNullable<Awaited<ReturnType<typeof storedMessage>>>

const storedMessage = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('messages as m')
    .innerJoin('clinics', 'clinics.id', 'm.clinic_id')
    .select(['m.id', 'm.clinic_id', 'm.channel', 'm.language', 'm.body', 'm.state', 'm.created_at'])
    .select(['clinics.name as clinic', 'clinics.phone', 'clinics.address'])
    .select(sql<string>`living_patient(m.patient_id)`.as('living_id'))
    .where('m.id', '=', id)
    .executeTakeFirst()

/** To print it. */
export const getMessage = query('messages.get', {
  access: 'followUp',
  reads: ['messages'],
  looksUp: ['clinics', 'patients'],
  on: namedMessage,
  input: RecordId,
  run: (_ctx, _input, { message: { living_id, language, state, ...message }, patient }) =>
    Promise.resolve({
      ...message,
      patient_id: living_id,
      patient: patientName(patient),
      date_of_birth: patient.date_of_birth,
      birth_precision: readBirthPrecision(patient.metadata),
      language,
      state,
    }),
})
export type PrintedMessage = Awaited<ReturnType<typeof getMessage>>

/** The messages of the user's clinics to a patient, the newest first. */
export const messagesOfPatient = query('messages.ofPatient', {
  access: 'followUp',
  reads: ['messages'],
  looksUp: ['patients', 'users'],
  on: namedPatient(knowPatient),
  input: PatientIdInput,
  async run({ db, actor }, { patientId }) {
    const clinics = clinicsWhere(actor, ...seeAppointments)
    const isMine = clinics === 'all' ? sql`true` : sql`m.clinic_id = any(${clinics}::uuid[])`
    const rows = await db
      .selectFrom('messages as m')
      .leftJoin('users', 'users.id', 'm.created_by')
      .select([
        'm.id',
        'body',
        'm.language',
        'state',
        'state_at',
        'error',
        'reason',
        'm.created_at',
      ])
      .select(['accepted_at', 'users.name as created_by'])
      .select(sql<boolean>`may_have_arrived(m)`.as('may_have_arrived'))
      .where(
        sql<boolean>`m.patient_id in (
          select former_id from former_patients(array[${patientId}::uuid])) and ${isMine}`,
      )
      .orderBy('m.created_at', 'desc')
      .orderBy('m.id', 'desc')
      .limit(50)
      .execute()
    return rows.map(({ accepted_at, ...row }) => ({
      ...row,
      error: row.error as MessageSendingError | null,
      mayCancel: row.state === 'queued' && accepted_at === null,
    }))
  },
})
export type PatientMessage = Awaited<ReturnType<typeof messagesOfPatient>>[number]

/** A message that has not been given to the gateway is not sent. */
export const cancelMessage = mutation('messages.cancel', {
  input: RecordId,
  on: namedMessage,
  async run(ctx, { id }, { message, patient }) {
    const cancelled = await ctx.db
      .updateTable('messages')
      .set({ state: 'cancelled', error: 'cancelled', due_at: null, state_at: new Date() })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .where('accepted_at', 'is', null)
      .where(sql<boolean>`coalesce(leased_until < clock_timestamp(), true)`)
      .returning('id')
      .executeTakeFirst()
    if (!cancelled) throw conflict('messages.notQueued')
    await audit(ctx, {
      action: 'messages.cancel',
      table: 'messages',
      recordId: id,
      clinicId: message.clinic_id,
      patientId: patient.id,
    })
    return { id }
  },
})
