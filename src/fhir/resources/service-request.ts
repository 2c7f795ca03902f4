import { sql } from 'kysely'
import { permitsSomewhere } from '~/policy/facts'
import { readHistory } from '~/policy/rules'
import { historyWhere } from '~/policy/sql.server'
import { bySubject, conditionalCodes, code, moment, referenceParameter } from '../parameters'
import { concept, presentValues, note } from '../parts'
import { compact, type Fhir, instant, refer, resource } from '../resource'

type ReferralRow = {
  patient_id: string
  visit_id: string | null
  number: string
  to_name: string
  urgency: string
  reason: string
  status: string
  sent_at: Date
  /** yyyy-MM-dd */
  due_on: string | null
  reply: string | null
  recorded_by_user_id: string | null
}

/** SNOMED CT, in the examples of https://hl7.org/fhir/R4/valueset-servicerequest-category.html and its hierarchy. */
const REFERRAL = {
  system: 'http://snomed.info/sct',
  code: '3457005',
  display: 'Patient referral',
}
const STATUS = 'http://hl7.org/fhir/request-status'
/** https://hl7.org/fhir/R4/valueset-request-priority.html */
const PRIORITIES: Readonly<Record<string, string>> = {
  routine: 'routine',
  urgent: 'urgent',
  emergency: 'stat',
}

const isOpen = (status: string) => status === 'sent' || status === 'seen'

/** A referral to another place; its reply is a note. */
const toFhir = (row: ReferralRow): Fhir => ({
  resourceType: 'ServiceRequest',
  ...compact({
    identifier: presentValues({ value: row.number }),
    status: isOpen(row.status) ? 'active' : 'completed',
    intent: 'order',
    priority: PRIORITIES[row.urgency],
    code: concept(REFERRAL.display, REFERRAL),
    subject: refer('Patient', row.patient_id),
    encounter: refer('Encounter', row.visit_id),
    occurrenceDateTime: row.due_on,
    authoredOn: instant(row.sent_at),
    requester: refer('Practitioner', row.recorded_by_user_id),
    performer: presentValues({ display: row.to_name }),
    reasonCode: presentValues(concept(row.reason)),
    note: note(row.reply),
  }),
})

const open = sql<boolean>`r.status in ('sent', 'seen')`

export const serviceRequest = resource<ReferralRow>({
  type: 'ServiceRequest',
  from: sql`referrals r`,
  columns: sql`r.patient_id, r.visit_id, r.number, r.to_name, r.urgency, r.reason, r.status, r.sent_at, r.due_on,
    r.reply, r.recorded_by_user_id`,
  permits: (actor) => permitsSomewhere(readHistory, actor),
  where: (actor) => historyWhere(actor, 'r'),
  patient: 'patient_id',
  toFhir,
  search: {
    ...bySubject,
    status: conditionalCodes(
      'status',
      { active: open, completed: sql<boolean>`not ${open}` },
      STATUS,
    ),
    identifier: { ...code('identifier', sql`r.number`), isNumber: true },
    authored: moment('authoredOn', sql`r.sent_at`),
    encounter: referenceParameter('encounter', sql`r.visit_id`, ['Encounter']),
  },
})
