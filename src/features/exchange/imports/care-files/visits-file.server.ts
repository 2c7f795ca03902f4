import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { saveVisit } from '~/features/record/visits/visits.server'
import { visitRecord } from '~/records/visit'
import { latinDigits } from '~/fields/typed'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import { headingsOfTargets, labelIn } from '../reader/headings.server'
import { several } from '../record-files/clinics-file.server'
import type { ImportedList, ResolvedRow } from '../record-files/record-file.server'
import headings from './visit-headings.json'
import { type When, whenIn } from './moments'
import {
  PATIENT_IDENTITIES,
  identityHeadings,
  patientIn,
  findNamedPatients,
  patientTargets,
} from './patients-named.server'
import { providersNamed } from './providers.server'

/**
 * Visits of earlier days, each by patient, clinic and day. Without a time of leaving, a visit of an earlier day ends
 * when it began, and says that no user said when.
 */
export function visitsFile(): ImportedList {
  const targets = [
    ...patientTargets(),
    {
      name: 'check_in',
      label: labelIn('imports.visitDay'),
      required: true,
      holds: 'dates' as const,
    },
    { name: 'time', label: labelIn('appointments.time'), required: false },
    { name: 'left', label: labelIn('imports.visitLeft'), required: false, holds: 'dates' as const },
    { name: 'provider', label: labelIn('visits.provider'), required: false },
    { name: 'reason', label: labelIn(visitRecord.fields.reason.label), required: false },
  ]
  return {
    table: 'visits',
    targets,
    headings: headingsOfTargets(targets, [headings, identityHeadings()]),
    identities: PATIENT_IDENTITIES,
    texts: new Set(['reason']),
    targetOf: { check_in_timestamp: 'check_in', closed_at: 'left', provider_id: 'provider' },
    marksImport: true,
    read(cells, about) {
      const named = patientIn(cells, about)
      if ('refused' in named) return named
      const columns = { headings: about.headings, formats: about.file.formats }
      const when = whenIn(cells, 'check_in', columns)
      if ('refused' in when) return when
      const left = cells['left'] ? leftIn(cells['left'], when, columns) : null
      if (left && 'refused' in left) return left
      return {
        values: {
          patient: named.patient,
          when,
          ...(left && { left }),
          ...(cells['provider'] && { provider: cells['provider'] }),
          ...(cells['reason'] && { reason: cells['reason'] }),
        },
      }
    },
    async resolve(db, rows, { clinicId, fileName }) {
      const patients = await findNamedPatients(db, rows, clinicId)
      const providers = await providersNamed(db, rows)
      const ids = patients.flatMap((one) => ('patientId' in one ? [one.patientId] : []))
      const stored = await db
        .selectFrom('visits')
        .select([
          ...(['id', 'last_modified', 'patient_id', 'clinic_id', 'provider_id'] as const),
          ...(['check_in_timestamp', 'closed_at', 'closed_as', 'reason', 'is_revisit'] as const),
          ...(['provider_name', 'metadata'] as const),
        ])
        .where(sql<boolean>`patient_id = any(${ids}::uuid[])`)
        .where('clinic_id', '=', clinicId!)
        .where('is_deleted', '=', false)
        .orderBy('check_in_timestamp')
        .execute()
      return rows.map((row, at): ResolvedRow => {
        const patient = patients[at]!
        const provider = providers[at]!
        if ('refused' in patient) return patient
        if ('refused' in provider) return provider
        const when = row['when'] as When
        const left = row['left'] as When | undefined
        const own = stored.filter((visit) => visit.patient_id === patient.patientId)
        const matches = when.hasTime
          ? own
              .filter((visit) => visit.check_in_timestamp.getTime() === when.at.getTime())
              .slice(0, 1)
          : likeliest(
              own.filter((visit) => dayIn(visit.check_in_timestamp, clinicTimeZone()) === when.day),
              fileName,
            )
        if (matches.length > 1) return { refused: several(when.day) }
        const [found] = matches
        const { id, last_modified, ...kept } = found ?? { id: '', last_modified: new Date() }
        return {
          values: {
            patient_id: patient.patientId,
            clinic_id: clinicId,
            check_in_timestamp: found?.check_in_timestamp ?? beganAt(when, left),
            ...(provider.providerId && { provider_id: provider.providerId }),
            ...(row['reason'] !== undefined && { reason: row['reason'] }),
            ...(left && {
              closed_at: left.hasTime || !found ? departureMoment(left, when) : found.closed_at,
            }),
          },
          key: `${patient.patientId} ${when.hasTime ? when.at.toISOString() : when.day}`,
          known: found ? { id, last_modified, values: kept } : null,
        }
      })
    },
    async save(ctx, values, known) {
      const stated = values as { check_in_timestamp: Date; closed_at?: Date | null }
      const isEarlier = dayIn(stated.check_in_timestamp, clinicTimeZone()) < clinicToday()
      const isAssumed = !known && isEarlier && stated.closed_at === undefined
      const saved = await saveVisit(ctx, {
        provider_id: null,
        reason: null,
        ...known?.values,
        ...(isAssumed && { closed_at: stated.check_in_timestamp }),
        ...values,
        id: known?.id ?? uuidv7(),
        last_modified: known?.last_modified ?? null,
      } as Parameters<typeof saveVisit>[1])
      if (!isAssumed) return saved
      return ctx.db
        .updateTable('visits')
        .set({ closed_as: 'arrival' })
        .where('id', '=', saved.id)
        .returning(['id', 'last_modified'])
        .executeTakeFirstOrThrow()
    },
  }
}

/** Of several visits of a day without a time, those that this list made, else those of any list, else all. */
export function likeliest<R extends { metadata: unknown }>(found: readonly R[], fileName: string) {
  const importOrigin = ({ metadata }: R) =>
    (Object(metadata) as { import?: { file?: string } }).import
  const ofFile = found.filter((row) => importOrigin(row)?.file === fileName)
  const ofLists = found.filter((row) => importOrigin(row))
  if (ofFile.length > 0) return ofFile
  if (ofLists.length > 0) return ofLists
  return found
}

/** "11:45" alone is a time of the day of the visit. */
const leftIn = (cell: string, when: When, columns: Parameters<typeof whenIn>[2]) =>
  whenIn(
    TIME_ALONE.test(latinDigits(cell).trim()) ? { left: when.day, time: cell } : { left: cell },
    'left',
    { ...columns, headings: { ...columns.headings, time: columns.headings['left']! } },
  )
const TIME_ALONE = /^\d{1,2}:\d{2}[^/-]*$/

/** A visit without a time, which is taken for noon, began at the latest when the patient left. */
const beganAt = (when: When, left: When | undefined) =>
  !when.hasTime && left?.hasTime && left.day === when.day && left.at < when.at ? left.at : when.at

/** A day alone says that the patient left on that day: not before the visit began. */
const departureMoment = (left: When, when: When) =>
  !left.hasTime && left.at < when.at && left.day === when.day ? when.at : left.at
