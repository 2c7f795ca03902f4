import type { Kysely } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import type { Context, RequestFacts } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { AppError, conflict, forbidden, invalid, notFound } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { permitsIn } from './facts'
import { type ClinicRule, editHistory, knowPatient, type PatientRule, readHistory } from './rules'
import { historyWhere, patientsWhere, usersWhere } from './sql.server'

type PatientRules = PatientRule | readonly PatientRule[]

/** Throws `not_found` unless the patient exists and the actor meets the rule, or one of them. */
export async function requirePatient(
  ctx: Context,
  id: string,
  rules: PatientRules = knowPatient,
): Promise<Checked> {
  const patient = await (ctx.request.isPage && !ctx.db.isTransaction
    ? checkedOnce(ctx, id, rules)
    : checked(ctx, id, rules))
  if (!patient) throw notFound('patients.notFound')
  return patient
}

type Checked = NonNullable<Awaited<ReturnType<typeof checked>>>
const ofPages = new WeakMap<RequestFacts, Map<string, ReturnType<typeof checked>>>()

/** The fifteen operations of a page about one patient check the same rule: it is asked once. */
function checkedOnce(ctx: Context, id: string, rules: PatientRules) {
  const known = ofPages.get(ctx.request) ?? new Map<string, ReturnType<typeof checked>>()
  ofPages.set(ctx.request, known)
  const key = JSON.stringify([id, rules])
  const patient = known.get(key) ?? checked(ctx, id, rules)
  known.set(key, patient)
  return patient
}

const checked = ({ db, actor }: Context, id: string, rules: PatientRules) =>
  db
    .selectFrom('patients')
    .modifyFront(asPrepared())
    .select([
      'id',
      'given_name',
      'surname',
      'sex',
      'date_of_birth',
      'metadata',
      'primary_clinic_id',
      'died_on',
      'weeks_at_birth',
    ])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .where(patientsWhere(rules, actor))
    .executeTakeFirst()

/** The patient that a field of a form names. A patient that the actor may not see is refused beside the field. */
export async function requireNamedPatient(ctx: Context, id: string, field: string) {
  try {
    return await requirePatient(ctx, id, knowPatient)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalid({ [field]: { key: 'patients.notFound' } })
  }
}

/**
 * Whether the actor may write a record of a patient's history: by the rule in the clinic of its
 * visit or, without a visit, in one that cares for the patient.
 */
export async function mayWriteHistory(
  { db, actor }: Context,
  rule: PatientRule,
  patientId: string,
  visitId?: string | null,
) {
  if (visitId) {
    const visit = await db
      .selectFrom('visits')
      .modifyFront(asPrepared())
      .select('clinic_id')
      .where('id', '=', visitId)
      .where('patient_id', '=', patientId)
      .where('is_deleted', '=', false)
      .where(historyWhere(actor, 'visits'))
      .executeTakeFirst()
    return visit !== undefined && permitsIn(rule.permissions, actor, visit.clinic_id)
  }
  const patient = await db
    .selectFrom('patients')
    .modifyFront(asPrepared())
    .select('id')
    .where('id', '=', patientId)
    .where('is_deleted', '=', false)
    .where(patientsWhere(readHistory, actor))
    .where(patientsWhere(rule, actor))
    .executeTakeFirst()
  return patient !== undefined
}

/**
 * Throws `not_found` unless the actor reads the patient's history and the visit is the patient's,
 * `forbidden` unless the actor may write there.
 */
export async function requireHistoryWrite(
  ctx: Context,
  rule: PatientRule,
  patientId: string,
  visitId?: string | null,
) {
  const patient = await requirePatient(ctx, patientId, readHistory)
  if (!(await mayWriteHistory(ctx, rule, patientId, visitId))) {
    throw visitId && !(await hasVisit(ctx, patientId, visitId))
      ? notFound('visits.notFound')
      : forbidden()
  }
  return patient
}

async function hasVisit({ db }: Context, patientId: string, visitId: string) {
  const visit = await db
    .selectFrom('visits')
    .select('id')
    .where('id', '=', visitId)
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  return visit !== undefined
}

/**
 * Throws unless the clinic exists: beside the field that names it, if one does. It cannot be deleted before the commit.
 * `open`: an archived one is refused; without it, the tables know what may still be done there.
 */
export async function requireClinic(
  db: Kysely<DB>,
  id: string,
  field?: string,
  { open = false } = {},
): Promise<void> {
  const clinic = await db
    .selectFrom('clinics')
    .modifyFront(asPrepared())
    .select('is_archived')
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .forShare()
    .executeTakeFirst()
  if (!clinic)
    throw field ? invalid({ [field]: { key: 'clinics.notFound' } }) : notFound('clinics.notFound')
  if (!open || !clinic.is_archived) return
  throw field
    ? invalid({ [field]: { key: 'clinics.archivedReadOnly' } })
    : conflict('clinics.archivedReadOnly')
}

type ProviderRule = {
  id: string
  rule: ClinicRule
  /** What to say of a user who does not meet the rule. */
  otherwise: MessageKey
  /** Of users who name themselves, the rights are known. */
  actor?: Actor
}

/** Visits and appointments are with users who may edit records in the clinic. */
export const seesPatientsAt = (id: string): ProviderRule => ({
  id,
  rule: editHistory.permissions,
  otherwise: 'appointments.providerCannot',
})

/** Throws `invalid` at `provider_id` unless the user exists and meets the rule in the clinic. */
export async function requireProvider(
  db: Kysely<DB>,
  id: string,
  clinic: ProviderRule,
): Promise<{ name: string }> {
  const user = await db
    .selectFrom('users')
    .select(['name', usersWhere(clinic.rule, clinic.id).as('permitted')])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (!user) throw invalid({ provider_id: { key: 'users.notFound' } })
  const { actor } = clinic
  const isPermitted =
    actor?.userId === id ? permitsIn(clinic.rule, actor, clinic.id) : user.permitted
  if (!isPermitted) throw invalid({ provider_id: { key: clinic.otherwise } })
  return { name: user.name }
}
