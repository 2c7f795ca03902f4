import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { deleteVisit } from '~/features/record/visits/visits.server'
import { deleteVital } from '~/features/care/vitals/vitals.server'
import { deleteAppointment } from '~/features/day/appointments/booking.server'
import type { Context } from '~/server/operation'
import type { UndoOutcome } from './left'
import { undoRecords, withChildren } from './records.server'

/** The patient and the day. */
const labelAt = (column: string) => sql<string>`(
  select concat_ws(' ', p.given_name, p.surname) || ', ' || clinic_day(${sql.id('t', column)})
  from patients p where p.id = t.patient_id)`

const nothing = () => Promise.resolve(new Set<string>())

export const undoVitals = (
  db: Kysely<DB>,
  ctx: Context,
  importId: string,
  ids: readonly string[],
): Promise<UndoOutcome> =>
  undoRecords(
    { ...ctx, db },
    {
      table: 'patient_vitals',
      label: labelAt('timestamp'),
      remove: (inner, id) => deleteVital(inner, { id }),
      used: nothing,
    },
    importId,
    ids,
  )

/** Appointments whose patients have come stay. */
export const undoAppointments = (
  db: Kysely<DB>,
  ctx: Context,
  importId: string,
  ids: readonly string[],
): Promise<UndoOutcome> =>
  undoRecords(
    { ...ctx, db },
    {
      table: 'appointments',
      label: labelAt('timestamp'),
      remove: (inner, id) => deleteAppointment(inner, { id }),
      async used(inner, appointments) {
        const { rows } = await sql<{ id: string }>`
          select id from appointments where id = any(${appointments}::uuid[])
            and status not in ('pending', 'confirmed')`.execute(inner)
        return new Set(rows.map(({ id }) => id))
      },
    },
    importId,
    ids,
  )

/** Visits with records stay. */
export const undoVisits = (
  db: Kysely<DB>,
  ctx: Context,
  importId: string,
  ids: readonly string[],
): Promise<UndoOutcome> =>
  undoRecords(
    { ...ctx, db },
    {
      table: 'visits',
      label: labelAt('check_in_timestamp'),
      remove: (inner, id) => deleteVisit(inner, { id }),
      used: (inner, visits) => withChildren(inner, 'visits', visits),
    },
    importId,
    ids,
  )
