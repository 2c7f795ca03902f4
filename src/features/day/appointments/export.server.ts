import type * as z from 'zod'
import { APPOINTMENT_REASONS } from '~/records/appointment'
import { auditExport } from '~/server/audit'
import type { ListSheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { countTotal } from '~/server/paged'
import { inPermittedClinics } from '~/server/scope'
import { patientsOfList } from '~/server/shown'
import { mayAnywhere } from '~/shared/actor'
import type { Language, MessageKey } from '~/shared/language'
import { asFile } from '~/shared/list-file'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, wallTime } from '~/shared/zone'
import { AppointmentFilter } from './appointment'
import {
  type Appointment,
  loadAppointments,
  selectMatchingAppointments,
  orderedBy,
} from './appointments.server'

const BATCH = 500

/** What the list's filter shows, as a file with headings in one language. */
export const ExportAppointments = AppointmentFilter.extend(asFile)
export type ExportAppointments = z.output<typeof ExportAppointments>

/** Only appointments of clinics where the actor may download are in a file. */
async function toExport(ctx: Context, filter: AppointmentFilter) {
  const found = await selectMatchingAppointments(ctx, filter)
  return found?.where(
    inPermittedClinics(ctx.actor, 'appointments.clinic_id', 'can_download_patient_reports'),
  )
}

/**
 * Returns how many appointments the file would hold, and writes the export into the audit trail.
 */
export const exportAppointments = mutation('appointments.export', {
  access: 'export',
  input: ExportAppointments,
  allow: ({ actor }) => mayAnywhere(actor, 'can_download_patient_reports'),
  async run(ctx, { format, language, ...filter }) {
    const found = await toExport(ctx, filter)
    const total = found ? await countTotal(found) : 0
    await auditExport(ctx, 'appointments', { format, language, total, ...filter })
    return { total }
  },
  async shows(_, { ctx, input: { format: _format, language: _language, ...filter } }) {
    const found = await toExport(ctx, filter)
    return patientsOfList(
      (await found?.select('appointments.patient_id').distinct().execute()) ?? [],
    )
  },
})

/** In the list's order. */
export async function appointmentSheet(
  ctx: Context,
  { format: _, language, ...filter }: ExportAppointments,
): Promise<ListSheet> {
  const found = await toExport(ctx, filter)
  const ids = found
    ? (await orderedBy(found.select('appointments.id'), filter).execute()).map(({ id }) => id)
    : []
  async function* rows() {
    for (let at = 0; at < ids.length; at += BATCH) {
      for (const row of await loadAppointments(ctx, ids.slice(at, at + BATCH)))
        yield toAppointmentLine(row, language)
    }
  }
  const headings = ['ID', ...HEADINGS.map((key) => sentence(language, { key }))]
  return {
    title: sentence(language, { key: 'appointments.title' }),
    headings,
    rows: rows(),
    kinds: ['text', 'moment', 'number'],
  }
}

const HEADINGS: MessageKey[] = [
  'appointments.when',
  'appointments.duration',
  'appointments.patient',
  'appointments.phone',
  'appointments.provider',
  'clinics.one',
  'appointments.departments',
  'appointments.reason',
  'appointments.status',
  'appointments.walkIn',
  'appointments.notes',
]

/** The clinic's own clock, as on every screen. */
const toAppointmentLine = (row: Appointment, language: Language): string[] => [
  row.id,
  wallTime(row.timestamp, clinicTimeZone()).replace('T', ' '),
  String(row.duration ?? ''),
  row.patient,
  row.phone ?? '',
  row.provider ?? '',
  row.clinic,
  row.departments.map(({ name }) => name).join('; '),
  reasonIn(row.reason, language),
  sentence(language, { key: `appointments.${row.status}` }),
  sentence(language, { key: row.is_walk_in ? 'common.yes' : 'common.no' }),
  row.notes,
]

/** A phone may have written a reason of its own. */
function reasonIn(reason: string, language: Language): string {
  const known = APPOINTMENT_REASONS.find((one) => one === reason)
  return known ? sentence(language, { key: `appointments.reasons.${known}` }) : reason
}
