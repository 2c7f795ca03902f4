import { sql } from 'kysely'
import {
  sqlDay,
  ofClinics,
  ofNoVisit,
  ofPatient,
  type SourceSql,
  within,
  withinDays,
} from './source.server'

const none = sql.raw('null::uuid')

/** Patients by the time of their registration. */
export const registrations: SourceSql<'registrations'> = {
  opens: ['patients'],
  rows: (scope, wanted) => sql`
    select t.id, t.id as patient_id, ${none} as visit_id, t.primary_clinic_id as clinic_id,
      t.created_at as at, ${sqlDay(scope, sql.raw('t.created_at'))} as day
    from patients t
    where not t.is_deleted and ${within(scope, wanted.range, sql.raw('t.created_at'))}
      and ${ofClinics(scope, wanted, sql.raw('t.primary_clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.id'))} and ${ofNoVisit(wanted)}`,
  fields: {},
}

/** Patients by the day of their death. */
export const deaths: SourceSql<'deaths'> = {
  opens: ['patients'],
  rows: (scope, wanted) => sql`
    select t.id, t.id as patient_id, ${none} as visit_id, t.primary_clinic_id as clinic_id,
      t.died_on::timestamp at time zone ${scope.zone}::text as at, t.died_on as day
    from patients t
    where not t.is_deleted and t.died_on is not null
      and ${withinDays(wanted.range, sql.raw('t.died_on'))}
      and ${ofClinics(scope, wanted, sql.raw('t.primary_clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.id'))} and ${ofNoVisit(wanted)}`,
  fields: {},
}
