import { type Expression, type SqlBool, sql } from 'kysely'
import { prescribeFor } from '~/policy/rules'
import { historyWhere, patientsWhere } from '~/policy/sql.server'
import { inClinicsOf } from '~/server/scope'
import type { Actor } from '~/shared/actor'

/**
 * A `where` for patients: the actor may prescribe for them; `knowPatient` is checked separately.
 */
export const prescribable = (actor: Actor, patientId = 'patients.id') =>
  patientsWhere(prescribeFor, actor, patientId)

/**
 * A `where` for the prescriptions that the actor may read: of readable histories, and those that
 * the actor may dispense.
 */
export const prescriptionSeen = (actor: Actor): Expression<SqlBool> =>
  sql<boolean>`(${historyWhere(actor, 'prescriptions')}
    or ${inClinicsOf(actor, 'prescriptions.pickup_clinic_id', 'can_dispense_medications')})`
