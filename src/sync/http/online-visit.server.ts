import { type SqlBool, sql } from 'kysely'
import { permitsIn } from '~/policy/facts'
import { clinicsMeetingRule, openVisit } from '~/policy/rules'
import type { Context } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { conflict, forbidden } from '~/shared/errors'
import { newId, isId } from '~/shared/id'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import { saveDecided } from '../push/settle.server'
import { storedIds } from '../push/write.server'
import { finalRefusal, rowFrom } from './online-row'
import type { Params } from './call'
import type { PushedName } from '../schema/tables'

/**
 * The visit of a record that the app sends without one. Its screens of a new visit send a form with `visit_id` null,
 * and expect the visit in the answer: an open visit of today in the user's clinic, else a new one. Vital signs and
 * problems, which the app also records outside of a visit, are only placed in an open one. Undefined if there is none.
 */
export async function visitFor(
  ctx: Context,
  name: PushedName,
  params: { id: string; patient_id: string } & Params,
): Promise<string | undefined> {
  if (isId(params['visit_id']) || !PLACED.includes(name)) return undefined
  // a repeated request: the record has its visit
  if ((await storedIds(ctx.db, [{ table: name, id: params.id }])).has(params.id)) return undefined
  if (name !== 'events' && !isOfToday(params['timestamp'])) return undefined
  // two forms of one patient that arrive together belong to one visit
  await sql`select pg_advisory_xact_lock(hashtext('sanad.online.visit'), hashtext(${params.patient_id}))`.execute(
    ctx.db,
  )
  const open = await openVisitOfToday(ctx, params.patient_id)
  return open ?? (name === 'events' ? newVisit(ctx, params.patient_id) : undefined)
}

const PLACED: readonly PushedName[] = ['events', 'patient_vitals', 'patient_problems']

/** A record without a time is of now. */
function isOfToday(at: unknown): boolean {
  if (at === undefined || at === null || at === '') return true
  const moment = new Date(at as string | number)
  return !Number.isNaN(moment.getTime()) && dayIn(moment, clinicTimeZone()) === clinicToday()
}

/** In the clinic of the user's account if they open visits there, else in any clinic where they do. */
async function openVisitOfToday({ db, actor }: Context, patientId: string) {
  const own = ownClinic(actor)
  const clinics = own ? [own] : clinicsMeetingRule(openVisit, actor)
  const isThere =
    clinics === 'all' ? sql<SqlBool>`true` : sql<SqlBool>`clinic_id = any(${clinics}::uuid[])`
  const found = await db
    .selectFrom('visits')
    .select(['id', 'check_in_timestamp'])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .where('closed_at', 'is', null)
    .where(isThere)
    .orderBy('check_in_timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found && dayIn(found.check_in_timestamp, clinicTimeZone()) === clinicToday()
    ? found.id
    : undefined
}

const ownClinic = (actor: Actor) =>
  actor.clinicId && permitsIn(openVisit, actor, actor.clinicId) ? actor.clinicId : null

async function newVisit(ctx: Context, patientId: string): Promise<string> {
  const id = newId()
  const now = new Date().toISOString()
  const row = rowFrom('visits', {
    id,
    patient_id: patientId,
    clinic_id: await clinicFor(ctx, patientId),
    provider_id: ctx.actor.userId,
    provider_name: ctx.actor.name,
    check_in_timestamp: now,
    metadata: {},
    created_at: now,
    updated_at: now,
  })
  await saveDecided(ctx, { ...row, state: 'new' }, finalRefusal)
  return id
}

/** The clinic of the user's account, the patient's clinic, or the only one where the user opens visits. */
async function clinicFor({ db, actor }: Context, patientId: string): Promise<string> {
  const own = ownClinic(actor)
  if (own) return own
  const patient = await db
    .selectFrom('patients')
    .select('primary_clinic_id')
    .where('id', '=', patientId)
    .executeTakeFirst()
  const primary = patient?.primary_clinic_id
  if (primary && permitsIn(openVisit, actor, primary)) return primary
  const clinics = clinicsMeetingRule(openVisit, actor)
  if (clinics === 'all' || clinics.length > 1) throw conflict('sync.noClinic')
  if (clinics.length === 0) throw forbidden()
  return clinics[0]!
}
