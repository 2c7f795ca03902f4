import { type Expression, type SqlBool, sql } from 'kysely'
import { prescribeFor } from '~/policy/rules'
import { historyWhere, livingWhere, patientsWhere, rowsWays } from '~/policy/sql.server'
import { inPermittedClinics } from '~/server/scope'
import { type Actor, clinicsWhere, isAdmin } from '~/shared/actor'

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
    or ${inPermittedClinics(actor, 'prescriptions.pickup_clinic_id', 'can_dispense_medications')})`

/**
 * `prescriptionSeen` of prescriptions that are not deleted, in parts, none of which has a row of another: an index has
 * each in the order of the list.
 */
export function waysToSee(actor: Actor): Expression<SqlBool>[] {
  const history = livingWhere('readHistory', actor, 'prescriptions.patient_id')
  const dispensing = clinicsWhere(actor, 'can_dispense_medications')
  const pickups =
    isAdmin(actor) || dispensing === 'all'
      ? []
      : dispensing.map(
          (id) => sql<boolean>`(prescriptions.pickup_clinic_id = ${id}
            and (${historyWhere(actor, 'prescriptions')}) is not true)`,
        )
  return [
    ...rowsWays(actor, 'prescriptions').map((way) => sql<boolean>`(${way} and ${history})`),
    ...pickups,
  ]
}
