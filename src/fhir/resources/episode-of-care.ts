import { sql } from 'kysely'
import { enrolmentsWhere } from '~/features/care/programs/enrolments-seen.server'
import { programName } from '~/features/care/programs/programs'
import { permitsSomewhere } from '~/policy/facts'
import { readHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import type { EndReason } from '~/records/enrollment'
import { conditionalCodes, code, referenceParameter } from '../parameters'
import { concept, presentValues } from '../parts'
import { compact, type Fhir, refer, resource } from '../resource'

type EnrolmentRow = {
  patient_id: string
  program: string
  clinic_id: string
  /** yyyy-MM-dd */
  enrolled_on: string
  ended_on: string | null
  end_reason: string | null
  has_ended: boolean
}

/** Sanad's own codes; no published system has all programs and outcomes. */
const PROGRAM = 'urn:sanad:program'
/** Why the enrolment ended: an element that EpisodeOfCare does not have. */
const END_REASON = 'urn:sanad:program-end'
/** `EndReason` of an enrolment that should not have been. */
const MISTAKEN = 'mistaken' satisfies EndReason
const isMistaken = sql<boolean>`coalesce(r.end_reason = ${MISTAKEN}, false)`
const STATUS = 'http://hl7.org/fhir/episode-of-care-status'

function statusOf({ end_reason, has_ended }: EnrolmentRow) {
  if (end_reason === MISTAKEN) return 'entered-in-error'
  return has_ended ? 'finished' : 'active'
}

/** An enrolment in a program. */
const toFhir = (row: EnrolmentRow): Fhir => ({
  resourceType: 'EpisodeOfCare',
  ...compact({
    extension: presentValues(row.end_reason && { url: END_REASON, valueCode: row.end_reason }),
    status: statusOf(row),
    type: presentValues(
      concept(programName(row.program, 'en'), {
        system: PROGRAM,
        code: row.program,
        display: programName(row.program, 'en'),
      }),
    ),
    patient: refer('Patient', row.patient_id),
    managingOrganization: refer('Organization', row.clinic_id),
    period: { start: row.enrolled_on, end: row.ended_on },
  }),
})

const hasEnded = sql<boolean>`coalesce(r.ended_on <= (select clinic_day(now())), false)`

export const episodeOfCare = resource<EnrolmentRow>({
  type: 'EpisodeOfCare',
  from: sql`program_enrollments r`,
  columns: () => sql`r.patient_id, r.program, r.clinic_id, r.enrolled_on, r.ended_on, r.end_reason,
    ${hasEnded} as has_ended`,
  permits: (actor) => permitsSomewhere(readHistory, actor),
  where: (actor) =>
    sql<boolean>`(${patientsWhere(readHistory, actor, 'r.patient_id')} and ${enrolmentsWhere(actor, 'r')})`,
  patient: 'patient_id',
  toFhir,
  search: {
    patient: referenceParameter('patient', sql`r.patient_id`, ['Patient']),
    status: conditionalCodes(
      'status',
      {
        'entered-in-error': isMistaken,
        active: sql<boolean>`(not ${isMistaken} and not ${hasEnded})`,
        finished: sql<boolean>`(not ${isMistaken} and ${hasEnded})`,
      },
      STATUS,
    ),
    type: code('type', sql`r.program`, sql<string>`${PROGRAM}::text`),
    organization: referenceParameter('managingOrganization', sql`r.clinic_id`, ['Organization']),
  },
})
