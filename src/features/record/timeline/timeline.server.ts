import { loadEvents } from '~/features/forms/events/events.server'
import {
  asPrescription,
  selectPrescriptions,
} from '~/features/medicines/prescriptions/listing.server'
import { loadImmunizations } from '~/features/care/immunizations/immunizations.server'
import { loadProblems } from '~/features/care/problems/problems.server'
import { loadVisits } from '~/features/record/visits/visits.server'
import { loadVitals } from '~/features/care/vitals/vitals.server'
import { namedPatient } from '~/policy/on.server'
import { readHistory } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { type Context, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { ListTimeline } from './timeline'

/** Everything that happened to a patient, newest first: one query for the page of the view, one for each kind on it. */
export const listTimeline = query('timeline.list', {
  access: 'record',
  reads: [
    'events',
    'patient_immunizations',
    'patient_pregnancies',
    'program_enrollments',
    'patient_problems',
    'patient_vitals',
    'prescription_items',
    'prescriptions',
    'visits',
  ],
  looksUp: [
    'app_config',
    'appointment_departments',
    'appointments',
    'clinics',
    'drug_catalogue',
    'event_forms',
    'patients',
    'report_bindings',
    'users',
  ],
  on: namedPatient(readHistory),
  input: ListTimeline,
  async run(ctx, { patientId, page }, { patient }) {
    const of = ctx.db
      .selectFrom('patient_timeline')
      .where('patient_id', '=', patientId)
      .where(rowsWhere(ctx.actor, 'patient_timeline'))
    const { rows: entries, pagination } = await loadListPage(
      of.select(['kind', 'id', 'at']).orderBy('at', 'desc').orderBy('id', 'desc'),
      of,
      page,
      { ofPatient: true },
    )
    const ids = (kind: string) =>
      entries.flatMap((entry) => (entry.kind === kind && entry.id ? [entry.id] : []))
    const { db } = ctx
    const found = {
      visit: byId(await loadVisits(db, ids('visits'))),
      vital: byId(await loadVitals(db, ids('patient_vitals'), patient)),
      problem: byId(await loadProblems(db, ids('patient_problems'))),
      immunization: byId(await loadImmunizations(db, ids('patient_immunizations'))),
      event: byId(await loadEvents(db, ids('events'), ctx.actor.language)),
      prescription: byId(await loadPrescriptions(ctx, ids('prescriptions'))),
    }
    const rows = entries.map(({ id, at, kind }) => ({
      id: id!,
      at: at!,
      kind: kind as Kind,
      visit: found.visit.get(id!),
      vital: found.vital.get(id!),
      problem: found.problem.get(id!),
      immunization: found.immunization.get(id!),
      event: found.event.get(id!),
      prescription: found.prescription.get(id!),
    }))
    return { rows, pagination }
  },
})

type Kind =
  | 'visits'
  | 'patient_vitals'
  | 'patient_problems'
  | 'patient_immunizations'
  | 'events'
  | 'prescriptions'

const byId = <Row extends { id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]))

const loadPrescriptions = async ({ db }: Context, ids: string[]) =>
  ids.length === 0
    ? []
    : (await selectPrescriptions(db).where('prescriptions.id', 'in', ids).execute()).map((row) =>
        asPrescription(row),
      )

export type TimelineEntry = Awaited<ReturnType<typeof listTimeline>>['rows'][number]
