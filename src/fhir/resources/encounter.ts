import { sql } from 'kysely'
import { saveVisit } from '~/features/record/visits/visits.server'
import { permitsSomewhere } from '~/policy/facts'
import { readHistory } from '~/policy/rules'
import { historyWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import type { Element } from '../element'
import { unsupportedElements, invalidElement } from '../outcome'
import { bySubject, conditionalCodes, period, referenceParameter } from '../parameters'
import { readKnownCode, concept, presentValues, readDateTime, requireElement } from '../parts'
import { compact, type Fhir, instant, refer, resource, type FhirRow } from '../resource'

export type EncounterRow = {
  patient_id: string
  clinic_id: string
  provider_id: string | null
  provider_name: string | null
  check_in_timestamp: Date
  closed_at: Date | null
  reason: string | null
}

const CLASSES = 'http://terminology.hl7.org/CodeSystem/v3-ActCode'
const STATUSES = ['in-progress', 'finished'] as const

export const encounterToFhir = (row: EncounterRow): Fhir => {
  const provider = refer('Practitioner', row.provider_id, row.provider_name)
  const individual = provider ?? (row.provider_name ? { display: row.provider_name } : undefined)
  return {
    resourceType: 'Encounter',
    ...compact({
      status: row.closed_at ? 'finished' : 'in-progress',
      class: { system: CLASSES, code: 'AMB', display: 'ambulatory' },
      subject: refer('Patient', row.patient_id),
      participant: presentValues(individual && { individual }),
      period: compact({
        start: instant(row.check_in_timestamp),
        end: instant(row.closed_at),
      }),
      reasonCode: presentValues(concept(row.reason)),
      serviceProvider: refer('Organization', row.clinic_id),
    }),
  }
}

/** The input of `visits.save`. */
export function encounterFromFhir(element: Element) {
  const status = requireElement(readKnownCode(element, 'status', STATUSES), element.at('status'))
  requireAmbulatory(element)
  const stated = requireElement(element.one('period'), element.at('period'))
  const closed_at = readDateTime(stated, 'end') ?? null
  if ((status === 'finished') !== (closed_at !== null))
    throw invalidElement(stated.at('end'), 'A finished encounter has an end, and no other has one.')
  return {
    patient_id: requireElement(element.reference('subject', 'Patient'), element.at('subject')),
    clinic_id: requireElement(
      element.reference('serviceProvider', 'Organization'),
      element.at('serviceProvider'),
    ),
    provider_id: element.only('participant')?.reference('individual', 'Practitioner') ?? null,
    check_in_timestamp: requireElement(readDateTime(stated, 'start'), stated.at('start')),
    closed_at,
    reason: element.only('reasonCode')?.text('text') ?? null,
  }
}
type Input = ReturnType<typeof encounterFromFhir>

/** Sanad has outpatient visits only. */
function requireAmbulatory(element: Element) {
  const given = requireElement(element.one('class'), element.at('class'))
  given.ignore('display')
  if (given.text('system') !== CLASSES || given.text('code') !== 'AMB')
    throw unsupportedElements([given.expression])
}

const participant = referenceParameter('participant.individual', sql`r.provider_id`, [
  'Practitioner',
])

export const encounter = resource<EncounterRow>({
  type: 'Encounter',
  from: sql`visits r`,
  columns: sql`r.patient_id, r.clinic_id, r.provider_id, r.provider_name, r.check_in_timestamp, r.closed_at, r.reason`,
  permits: (actor) => permitsSomewhere(readHistory, actor),
  where: (actor) => historyWhere(actor, 'r'),
  patient: 'patient_id',
  toFhir: encounterToFhir,
  search: {
    ...bySubject,
    date: period('period', sql`r.check_in_timestamp`, sql`r.closed_at`),
    status: conditionalCodes(
      'status',
      {
        finished: sql<boolean>`r.closed_at is not null`,
        'in-progress': sql<boolean>`r.closed_at is null`,
      },
      'http://hl7.org/fhir/encounter-status',
    ),
    class: conditionalCodes('class', { AMB: sql<boolean>`true` }, CLASSES),
    participant,
    practitioner: participant,
    'service-provider': referenceParameter('serviceProvider', sql`r.clinic_id`, ['Organization']),
  },
  writes: {
    table: 'visits',
    fromFhir: encounterFromFhir,
    create: (ctx: Context, visit: Input, id: string) => saveVisit(ctx, { ...visit, id }),
    update: (ctx: Context, visit: Input, row: EncounterRow & FhirRow) =>
      saveVisit(ctx, { ...visit, id: row.fhir_id, last_modified: row.fhir_modified }),
    expressions: {
      patient_id: 'Encounter.subject',
      clinic_id: 'Encounter.serviceProvider',
      provider_id: 'Encounter.participant[0].individual',
      check_in_timestamp: 'Encounter.period.start',
      closed_at: 'Encounter.period.end',
      reason: 'Encounter.reasonCode[0].text',
    },
  },
})
