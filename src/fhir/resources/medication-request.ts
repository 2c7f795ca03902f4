import { type RawBuilder, sql } from 'kysely'
import { parseFreeText } from '~/features/medicines/prescriptions/check/text-lines'
import { prescriptionSeen } from '~/features/medicines/prescriptions/rights.server'
import { mayAnywhere } from '~/shared/actor'
import { bySubject, conditionalCodes, moment, referenceParameter } from '../parameters'
import { note, presentValues } from '../parts'
import { compact, type Fhir, instant, refer, resource } from '../resource'
import { isId } from '~/shared/id'

/** A medicine of a prescription (`prescription_items`), or a line of free text of a phone (`item_status` null). */
type MedicationRequestRow = {
  prescription_id: string
  patient_id: string
  visit_id: string | null
  provider_id: string | null
  pickup_clinic_id: string | null
  item_status: string | null
  status: string
  status_reason: string | null
  priority: string
  prescribed_at: Date
  expiration_date: Date | null
  /** The last day on which it can be dispensed is over. */
  is_expired: boolean
  /** A review of current medicines stopped the line of text. */
  is_stopped: boolean
  drug_id: string | null
  generic_name: string | null
  /** Of a phone: text, or an object of texts. */
  free_text: unknown
  dosage_instructions: string | null
  quantity_prescribed: number | null
  refills_authorized: number | null
  item_notes: string | null
  notes: string | null
  recorded_by_user_id: string | null
  problem_id: string | null
  problem_label: string | null
}

/** The status of the medicine counts before that of its prescription. */
function requestStatus({
  item_status,
  status,
  is_expired,
  is_stopped,
}: Pick<MedicationRequestRow, 'item_status' | 'status' | 'is_expired' | 'is_stopped'>) {
  if (item_status === 'cancelled' || status === 'cancelled') return 'cancelled'
  if (is_stopped) return 'stopped'
  if (item_status === 'completed') return 'completed'
  if (status === 'not-picked-up') return 'stopped'
  if (item_status === null && status === 'picked-up') return 'completed'
  // nothing of it can be dispensed any more
  if (is_expired) return 'stopped'
  return status === 'other' ? 'unknown' : 'active'
}

/** https://hl7.org/fhir/R4/valueset-request-priority.html */
const PRIORITIES: Readonly<Record<string, string>> = {
  low: 'routine',
  normal: 'routine',
  high: 'urgent',
  emergency: 'stat',
}

function toFhir(row: MedicationRequestRow): Fhir {
  const text = row.drug_id ? null : parseFreeText([row.free_text])[0]
  return {
    resourceType: 'MedicationRequest',
    ...compact({
      status: requestStatus(row),
      statusReason: row.status_reason && { text: row.status_reason },
      intent: 'order',
      priority: PRIORITIES[row.priority],
      ...(row.drug_id
        ? { medicationReference: refer('Medication', row.drug_id, row.generic_name) }
        : { medicationCodeableConcept: { text: text ?? '-' } }),
      subject: refer('Patient', row.patient_id),
      encounter: refer('Encounter', row.visit_id),
      authoredOn: instant(row.prescribed_at),
      reasonReference: presentValues(refer('Condition', row.problem_id, row.problem_label)),
      requester: refer('Practitioner', row.provider_id),
      recorder: refer('Practitioner', row.recorded_by_user_id),
      groupIdentifier: { system: 'urn:ietf:rfc:3986', value: `urn:uuid:${row.prescription_id}` },
      note: presentValues(...(note(row.item_notes) ?? []), ...(note(row.notes) ?? [])),
      dosageInstruction: [{ text: row.dosage_instructions }],
      dispenseRequest: {
        validityPeriod: row.expiration_date && {
          start: instant(row.prescribed_at),
          end: instant(row.expiration_date),
        },
        numberOfRepeatsAllowed: row.refills_authorized,
        quantity: row.quantity_prescribed === null ? null : { value: row.quantity_prescribed },
        performer: refer('Organization', row.pickup_clinic_id),
      },
    }),
  }
}

const FREE_TEXT = /^([0-9a-f-]{36})-f([1-9]\d{0,3})$/i

/** The rows with an id of one of the two kinds. */
function hasId(id: string): RawBuilder<boolean> | null {
  const [, prescription = '', line] = FREE_TEXT.exec(id) ?? []
  if (isId(id)) return sql<boolean>`(r.id = ${id}::uuid and r.line is null)`
  return isId(prescription)
    ? sql<boolean>`(r.id = ${prescription}::uuid and r.line = ${Number(line)}::int)`
    : null
}

const isExpired = sql<boolean>`coalesce(
  clinic_day(prescriptions.expiration_date) < (select clinic_day(now())), false)`

/**
 * A line of text has no row to end: what a review decided about it says whether it was stopped (`stopsOfEach`). The
 * resource changed when the decision was recorded or taken back.
 */
const stopOfLine = sql`select max(s.last_modified) as changed_at, coalesce(bool_or(not s.is_deleted
    and clinic_day(p.prescribed_at) <= s.decided_on
    and p.last_modified <= s.server_created_at), false) as is_stopped
  from medicine_decisions s
  where s.patient_id = p.patient_id and s.kind = 'text' and s.decision = 'stop' and s.name = line_text(text.entry)`

export const medicationRequest = resource<MedicationRequestRow>({
  type: 'MedicationRequest',
  from: sql`(select i.id, null::int as line, i.prescription_id, i.drug_id, i.item_status, null::jsonb as free_text,
        i.dosage_instructions, i.quantity_prescribed, i.refills_authorized, i.notes as item_notes,
        i.recorded_by_user_id, i.is_deleted, i.last_modified, i.patient_id, false as is_stopped
      from prescription_items i
      union all
      select p.id, text.line::int, p.id, null::uuid, null::text, text.entry, null::text, null::numeric, null::numeric,
        null::text, null::uuid, p.is_deleted, greatest(p.last_modified, stop.changed_at), p.patient_id,
        stop.is_stopped
      from prescriptions p cross join lateral jsonb_array_elements(
        case jsonb_typeof(p.items) when 'array' then p.items else '[]' end) with ordinality text(entry, line)
      cross join lateral (${stopOfLine}) stop
    ) r
    join prescriptions on prescriptions.id = r.prescription_id left join drug_catalogue d on d.id = r.drug_id
    left join patient_problems problem on problem.id = prescriptions.problem_id and not problem.is_deleted`,
  columns:
    () => sql`r.prescription_id, r.patient_id, prescriptions.visit_id, prescriptions.provider_id,
    prescriptions.pickup_clinic_id, r.item_status, prescriptions.status, prescriptions.status_reason,
    prescriptions.priority, prescriptions.prescribed_at, prescriptions.expiration_date, ${isExpired} as is_expired,
    r.is_stopped, r.drug_id, d.generic_name,
    r.free_text, r.dosage_instructions, r.quantity_prescribed::float8, r.refills_authorized::float8, r.item_notes,
    prescriptions.notes, r.recorded_by_user_id, problem.id as problem_id, problem.problem_label`,
  id: sql`(r.id::text || coalesce('-f' || r.line, ''))`,
  hasId,
  order: [sql`r.id`, sql`coalesce(r.line, 0)`],
  deleted: sql<boolean>`(r.is_deleted or prescriptions.is_deleted)`,
  modified: sql<Date>`greatest(r.last_modified, prescriptions.last_modified)`,
  permits: (actor) => mayAnywhere(actor, 'can_view_history', 'can_dispense_medications'),
  where: prescriptionSeen,
  patient: 'patient_id',
  toFhir,
  search: {
    ...bySubject,
    status: conditionalCodes(
      'status',
      statusCases(),
      'http://hl7.org/fhir/CodeSystem/medicationrequest-status',
    ),
    intent: conditionalCodes(
      'intent',
      { order: sql<boolean>`true` },
      'http://hl7.org/fhir/CodeSystem/medicationrequest-intent',
    ),
    authoredon: moment('authoredOn', sql`prescriptions.prescribed_at`),
    encounter: referenceParameter('encounter', sql`prescriptions.visit_id`, ['Encounter']),
    requester: referenceParameter('requester', sql`prescriptions.provider_id`, ['Practitioner']),
    medication: referenceParameter('medicationReference', sql`r.drug_id`, ['Medication']),
  },
})

/** `requestStatus` as conditions. */
function statusCases() {
  const isCancelled = sql`(r.item_status is not distinct from 'cancelled' or prescriptions.status = 'cancelled')`
  const isDone = sql`r.item_status is not distinct from 'completed'`
  const isTaken = sql`(r.item_status is null and prescriptions.status = 'picked-up')`
  const open = sql`not ${isCancelled} and not ${isDone}`
  const isStopped = sql`(r.is_stopped or prescriptions.status = 'not-picked-up'
    or (not ${isTaken} and ${isExpired}))`
  return {
    cancelled: sql<boolean>`${isCancelled}`,
    completed: sql<boolean>`(not ${isCancelled} and not r.is_stopped and (${isDone} or ${isTaken}))`,
    stopped: sql<boolean>`(${open} and ${isStopped})`,
    unknown: sql<boolean>`(${open} and not ${isStopped} and prescriptions.status = 'other')`,
    active: sql<boolean>`(${open} and not ${isTaken} and not ${isStopped} and prescriptions.status <> 'other')`,
  }
}
