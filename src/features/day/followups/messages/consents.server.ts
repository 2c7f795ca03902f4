import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { PatientIdInput } from '~/features/people/patients/patient'
import { namedPatient } from '~/policy/on.server'
import { editPatient, knowPatient } from '~/policy/rules'
import { audit } from '~/server/audit'
import { mutation, query } from '~/server/operation'
import { can } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { type Channel, CHANNELS, SaveConsent, WORDING_VERSION } from './consent'

/** Whether the patient agrees to each channel, and the answers so far, the newest first. */
export const consentsOfPatient = query('consents.ofPatient', {
  access: 'record',
  reads: ['contact_consents'],
  looksUp: ['patients', 'users'],
  on: namedPatient(knowPatient),
  input: PatientIdInput,
  async run({ db }, { patientId }) {
    const answers = await db
      .selectFrom('contact_consents as c')
      .leftJoin('users', 'users.id', 'c.recorded_by')
      .select(['c.id', 'channel', 'agreed', 'wording_version', 'recorded_at'])
      .select('users.name as recorded_by')
      .where(
        sql<boolean>`c.patient_id in (
          select former_id from former_patients(array[${patientId}::uuid]))`,
      )
      .orderBy('recorded_at', 'desc')
      .orderBy('c.id', 'desc')
      .limit(50)
      .execute()
    return {
      agreed: await loadConsents(db, patientId),
      answers,
    }
  },
})
export type PatientConsentAnswers = Awaited<ReturnType<typeof consentsOfPatient>>

/** By channel; a patient who was not asked has not agreed. */
export async function loadConsents(db: Kysely<DB>, patientId: string) {
  const { rows } = await sql<Record<Channel, boolean>>`select ${sql.join(
    CHANNELS.map((channel) => sql`has_consent(${patientId}, ${channel}) as ${sql.ref(channel)}`),
  )}`.execute(db)
  return rows[0]!
}

/** Adds an answer. A withdrawal is an answer, too, and cancels what waits to be sent. */
export const saveConsent = mutation('consents.save', {
  input: SaveConsent,
  on: namedPatient(editPatient),
  allow: ({ actor }) => can(actor, 'update_patient'),
  async run(ctx, { id, channel, agreed }, { patient }) {
    const { db, actor } = ctx
    const made = await db
      .insertInto('contact_consents')
      .values({
        id,
        patient_id: patient.id,
        channel,
        agreed,
        wording_version: WORDING_VERSION,
        recorded_by: actor.userId,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) {
      await requireOwn(db, id, patient.id)
      return { id }
    }
    await audit(ctx, {
      action: 'consents.save',
      table: 'contact_consents',
      recordId: id,
      patientId: patient.id,
      changes: { channel: [null, channel], agreed: [null, agreed] },
    })
    if (!agreed) await cancelWaiting(db, channel, patient.id)
    return { id }
  },
})

/** Not the message of which an attempt runs: it may have left. */
const cancelWaiting = (db: Kysely<DB>, channel: Channel, patientId: string) =>
  db
    .updateTable('messages')
    .set({ state: 'cancelled', error: 'no_consent', due_at: null, state_at: new Date() })
    .where('channel', '=', channel)
    .where('state', '=', 'queued')
    .where('accepted_at', 'is', null)
    .where(sql<boolean>`coalesce(leased_until < clock_timestamp(), true)`)
    .where(
      sql<boolean>`patient_id in (
        select former_id from former_patients(array[living_patient(${patientId})]))`,
    )
    .execute()

/** A repeated request has the id of an answer of this patient. */
async function requireOwn(db: Kysely<DB>, id: string, patientId: string) {
  const known = await db
    .selectFrom('contact_consents')
    .select('id')
    .where('id', '=', id)
    .where('patient_id', '=', patientId)
    .executeTakeFirst()
  if (!known) throw notFound('consents.notFound')
}
