import { type Expression, type SqlBool, sql } from 'kysely'
import { prescribeFor, readHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { inClinicsOf } from '~/server/scope'
import type { Actor } from '~/shared/actor'

/** A `where` that keeps the patients for whom the actor may prescribe; that he may know them is asked separately. */
export const prescribable = (actor: Actor, patientId = 'patients.id') =>
  patientsWhere(prescribeFor, actor, patientId)

/** A `where` that keeps the prescriptions that the actor may read: of open histories, and those he may dispense. */
export const prescriptionSeen = (actor: Actor): Expression<SqlBool> =>
  sql<boolean>`(${patientsWhere(readHistory, actor, 'prescriptions.patient_id')}
    or ${inClinicsOf(actor, 'prescriptions.pickup_clinic_id', 'can_dispense_medications')})`
