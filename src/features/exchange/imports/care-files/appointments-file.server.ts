import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { asObject } from '~/shared/object'
import { newAppointment } from '~/features/day/appointments/appointment'
import { saveAppointment } from '~/features/day/appointments/booking.server'
import { plainWords } from '~/fields/plain-words'
import { numberFrom } from '~/fields/typed'
import { appointmentRecord, APPOINTMENT_REASONS } from '~/records/appointment'
import type { Message } from '~/shared/errors'
import { headingsOfTargets, labelIn, translatedTexts } from '../reader/headings.server'
import type { ImportedList, ResolvedRow } from '../record-files/record-file.server'
import headings from './appointment-headings.json'
import { type When, whenIn } from './moments'
import {
  PATIENT_IDENTITIES,
  identityHeadings,
  patientIn,
  findNamedPatients,
  patientTargets,
} from './patients-named.server'
import { providersNamed } from './providers.server'

/** Appointments to come, each by patient, clinic and time. Those of the past are visits, or were missed. */
export function appointmentsFile(): ImportedList {
  const { duration, reason, notes } = appointmentRecord.fields
  const targets = [
    ...patientTargets(),
    { name: 'at', label: labelIn('appointments.when'), required: true, holds: 'dates' as const },
    { name: 'time', label: labelIn('appointments.time'), required: false },
    {
      name: 'duration',
      label: labelIn(duration.label),
      required: false,
      holds: 'numbers' as const,
    },
    { name: 'provider', label: labelIn('appointments.provider'), required: false },
    { name: 'reason', label: labelIn(reason.label), required: false },
    { name: 'notes', label: labelIn(notes.label), required: false },
  ]
  return {
    table: 'appointments',
    targets,
    headings: headingsOfTargets(targets, [headings, identityHeadings()]),
    identities: PATIENT_IDENTITIES,
    texts: new Set(['notes', 'reason']),
    targetOf: { timestamp: 'at', provider_id: 'provider' },
    marksImport: true,
    read(cells, about) {
      const named = patientIn(cells, about)
      if ('refused' in named) return named
      const columns = { headings: about.headings, formats: about.file.formats }
      const when = whenIn(cells, 'at', columns)
      if ('refused' in when) return when
      const column = about.headings['at']!
      if (!when.hasTime) return refuse('imports.reasons.noTime', cells['at']!, column)
      const past =
        when.at.getTime() < Date.now()
          ? refuse('imports.reasons.pastAppointment', cells['at']!, column)
          : null
      const minutes = cells['duration'] === undefined ? undefined : numberFrom(cells['duration'])
      if (typeof minutes === 'string')
        return refuse('imports.reasons.number', minutes, about.headings['duration']!)
      const chosen = cells['reason'] ? reasonIn(cells['reason']) : null
      // a word that is no reason asserts none: it is kept as it is
      const kept = [chosen === undefined ? cells['reason'] : '', cells['notes']].filter(Boolean)
      return {
        values: {
          patient: named.patient,
          when,
          past,
          ...(minutes && { duration: minutes }),
          ...(cells['reason'] && { reason: chosen ?? 'other' }),
          ...(kept.length > 0 && { notes: kept.join('. ') }),
          ...(cells['provider'] && { provider: cells['provider'] }),
        },
      }
    },
    async resolve(db, rows, { clinicId }) {
      const patients = await findNamedPatients(db, rows, clinicId)
      const providers = await providersNamed(db, rows)
      const ids = patients.flatMap((one) => ('patientId' in one ? [one.patientId] : []))
      const moments = rows.map(({ when }) => (when as When).at)
      const stored = await db
        .selectFrom('appointments')
        .select([
          ...([
            'id',
            'last_modified',
            'patient_id',
            'clinic_id',
            'provider_id',
            'timestamp',
          ] as const),
          ...(['duration', 'reason', 'notes', 'is_walk_in', 'departments', 'metadata'] as const),
        ])
        .where(sql<boolean>`patient_id = any(${ids}::uuid[])`)
        .where(sql<boolean>`"timestamp" = any(${moments}::timestamptz[])`)
        .where('clinic_id', '=', clinicId!)
        .where('status', '<>', 'cancelled')
        .where('is_deleted', '=', false)
        .execute()
      return rows.map((row, at): ResolvedRow => {
        const patient = patients[at]!
        const provider = providers[at]!
        if ('refused' in patient) return patient
        if ('refused' in provider) return provider
        const { patient: _named, provider: _provider, when, past, ...values } = row
        const moment = (when as When).at
        const found = stored.find(
          (one) =>
            one.patient_id === patient.patientId && one.timestamp.getTime() === moment.getTime(),
        )
        // the same list again names appointments that have passed since
        if (past && !found) return past as { refused: Message }
        const { id, last_modified, ...kept } = found ?? { id: '', last_modified: new Date() }
        return {
          values: {
            ...values,
            patient_id: patient.patientId,
            clinic_id: clinicId,
            timestamp: moment,
            ...(provider.providerId && { provider_id: provider.providerId }),
          },
          key: `${patient.patientId} ${moment.toISOString()}`,
          known: found ? { id, last_modified, values: kept } : null,
        }
      })
    },
    async save(ctx, values, known) {
      const id = known?.id ?? uuidv7()
      await saveAppointment(ctx, {
        ...newAppointment,
        provider_id: null,
        notes: null,
        ...known?.values,
        department_ids: departmentIds(known?.values['departments']),
        ...values,
        id,
        last_modified: known?.last_modified ?? null,
      } as Parameters<typeof saveAppointment>[1])
      return ctx.db
        .selectFrom('appointments')
        .select(['id', 'last_modified'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    },
  }
}

/** The reason that a word means in one of the languages; undefined for every other word. */
function reasonIn(cell: string) {
  const word = plainWords(cell)
  return APPOINTMENT_REASONS.find((reason) =>
    [reason, ...translatedTexts(labelIn(`appointments.reasons.${reason}`))].some(
      (text) => plainWords(text) === word,
    ),
  )
}

const refuse = (key: Message['key'], value: string, column: string) => ({
  refused: { key, values: { value: value.slice(0, 60), column } },
})

const departmentIds = (departments: unknown) =>
  Array.isArray(departments)
    ? departments.flatMap((one) => {
        const { id } = asObject(one)
        return typeof id === 'string' ? [id] : []
      })
    : []
