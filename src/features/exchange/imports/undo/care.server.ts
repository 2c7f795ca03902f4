import { sql } from 'kysely'
import { deleteVisit } from '~/features/record/visits/visits.server'
import { deleteVital } from '~/features/care/vitals/vitals.server'
import { deleteAppointment } from '~/features/day/appointments/booking.server'
import { undoingRecords, withChildren } from './records.server'

/** The patient and the day. */
const labelAt = (column: string) => sql<string>`(
  select concat_ws(' ', p.given_name, p.surname) || ', ' || clinic_day(${sql.id('t', column)})
  from patients p where p.id = t.patient_id)`

export const undoVitals = undoingRecords({
  table: 'patient_vitals',
  label: labelAt('timestamp'),
  remove: (ctx, id) => deleteVital(ctx, { id }),
  used: () => Promise.resolve(new Set()),
})

/** Appointments whose patients have come stay. */
export const undoAppointments = undoingRecords({
  table: 'appointments',
  label: labelAt('timestamp'),
  remove: (ctx, id) => deleteAppointment(ctx, { id }),
  async used(db, appointments) {
    const { rows } = await sql<{ id: string }>`
      select id from appointments where id = any(${appointments}::uuid[])
        and status not in ('pending', 'confirmed')`.execute(db)
    return new Set(rows.map(({ id }) => id))
  },
})

/** Visits with records stay. */
export const undoVisits = undoingRecords({
  table: 'visits',
  label: labelAt('check_in_timestamp'),
  remove: (ctx, id) => deleteVisit(ctx, { id }),
  used: (db, visits) => withChildren(db, 'visits', visits),
})
