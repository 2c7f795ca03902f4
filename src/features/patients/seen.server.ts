import { type Expression, type SqlBool, sql } from 'kysely'
import type { Context } from '~/server/operation'
import { type Actor, can, clinicsWhere, mayIn } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import type { Permission } from '~/shared/permissions'

/** Why a clinic has to do with a patient, beyond somebody having linked him there by hand. */
const BY_CARE = ['primary', 'registered', 'visit', 'appointment', 'prescription']

/** A `where` that keeps the patients whom the actor may know: name, sex, birth, phone, ids, photo (decided, "Who may do what"). */
export const known = (actor: Actor, patientId = 'patients.id') =>
  linked(actor, patientId, ['can_register_patients', 'can_view_history'])

/**
 * The same as `known`, for people who come from `patient_search` as `match`: their clinics stand there. Through patient_links
 * a search for a common name took four times as long, and so did counting. A test holds the two to the same answer.
 */
export function knownMatch(actor: Actor): Expression<SqlBool> {
  if (can(actor, 'read_all-patient')) return sql<boolean>`true`
  const clinics = clinicsWhere(actor, 'can_register_patients', 'can_view_history') as string[]
  return sql<boolean>`match.clinics && ${clinics}::uuid[]`
}

/** A `where` that keeps the patients who they are the actor may change: with `update_patient`, which the caller checks. */
export const changeable = (actor: Actor, patientId = 'patients.id') =>
  linked(actor, patientId, ['can_register_patients', 'can_edit_records'])

/** A `where` that keeps the patients whose history the actor may read: visits, events, vital signs, problems, prescriptions. */
export const historyOpen = (actor: Actor, patientId = 'patients.id') =>
  linked(actor, patientId, ['can_view_history'], BY_CARE)

/** A `where` that keeps the patients who are cared for in a clinic in which the actor holds the permission. */
export const caredForWhere = (actor: Actor, permission: Permission, patientId = 'patients.id') =>
  linked(actor, patientId, [permission], BY_CARE)

/** A `where` that keeps the patients with a prescription at a clinic where the actor dispenses: he must know their allergies. */
export const dispensesFor = (actor: Actor, patientId = 'patients.id') =>
  linked(actor, patientId, ['can_dispense_medications'], ['prescription'])

function linked(actor: Actor, patientId: string, permissions: Permission[], sources?: string[]): Expression<SqlBool> {
  if (can(actor, 'read_all-patient')) return sql<boolean>`true`
  if (!can(actor, 'read_patient')) return sql<boolean>`false`
  const clinics = clinicsWhere(actor, ...permissions) as string[]
  const bySource = sources ? sql`and link.source = any(${sources})` : sql``
  return sql<boolean>`exists (select from patient_links link where link.patient_id = ${sql.ref(patientId)}
    and link.until is null and link.clinic_id = any(${clinics}::uuid[]) ${bySource})`
}

/** Throws `not_found` unless there is such a patient and the actor may see that much of him. */
export async function requirePatient(
  { db, actor }: Context,
  id: string,
  see: typeof known | typeof historyOpen = known,
) {
  const patient = await db
    .selectFrom('patients')
    .select(['id', 'given_name', 'surname', 'sex', 'date_of_birth', 'metadata', 'primary_clinic_id'])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .where(see(actor))
    .executeTakeFirst()
  if (!patient) throw notFound('patients.notFound')
  return patient
}

/**
 * May write what belongs to a patient's history: where the record belongs to a visit, in the visit's clinic; else in a
 * clinic that cares for him. Needs the patient's history to be open to the actor as well.
 */
export async function mayWriteFor(
  { db, actor }: Context,
  permission: Permission,
  patientId: string,
  visitId?: string | null,
) {
  if (visitId) {
    const visit = await db
      .selectFrom('visits')
      .select('clinic_id')
      .where('id', '=', visitId)
      .where('patient_id', '=', patientId)
      .where('is_deleted', '=', false)
      .where(historyOpen(actor, 'visits.patient_id'))
      .executeTakeFirst()
    return visit !== undefined && mayIn(actor, permission, visit.clinic_id)
  }
  const patient = await db
    .selectFrom('patients')
    .select('id')
    .where('id', '=', patientId)
    .where('is_deleted', '=', false)
    .where(historyOpen(actor))
    .where(caredForWhere(actor, permission))
    .executeTakeFirst()
  return patient !== undefined
}
