import { type SqlBool, sql } from 'kysely'
import { clinicsSearched, searchedWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import { isAdmin } from '~/shared/actor'

export const inClinicMatchSql = (clinicId: string | undefined) =>
  clinicId ? [sql<SqlBool>`match.clinics @> array[${clinicId}::uuid]`] : []

/** The known patients who are not deleted, once each. */
export function searched({ actor }: Pick<Context, 'actor'>, clinicId?: string) {
  const clinics = clinicsSearched(actor, clinicId)
  if (!clinics) {
    // the condition on the clinics is read first; without one, PostgreSQL can stop at the most that is counted
    const fence = isAdmin(actor) ? sql`` : sql` offset 0`
    return sql`(select patient_id, null::timestamptz as created_at from patient_search match
      where ${sql.join([searchedWhere(actor), ...inClinicMatchSql(clinicId)], sql` and `)}${fence})`
  }
  return clinics.length === 1
    ? sql`(select patient_id, created_at from clinic_patients where clinic_id = ${clinics[0]})`
    : sql`(select distinct patient_id, created_at from clinic_patients
        where clinic_id = any(${clinics}::uuid[]))`
}
