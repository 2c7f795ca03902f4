import { type Kysely, type RawBuilder, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { type Link, permits, permitsIn, permitsRow } from '~/policy/facts'
import {
  type ClinicRule,
  deleteHistory,
  deletePatient,
  deleteVisitRule,
  dispenseAt,
  editHistory,
  editOthersEvents,
  editPatient,
  mayMoveFrom,
  knowPatient,
  LINK_SOURCES,
  type PatientRule,
  prescribeFor,
  seeAppointments,
} from '~/policy/rules'
import type { Context } from '~/server/operation'
import { type Actor, can, isAdmin, mayAnywhere, mayIn } from '~/shared/actor'
import { largest } from '~/shared/any-length'
import { authorColumns, newAuthors } from './authors'
import type { RefusalReason } from './incoming'
import type { Wire } from '../schema/kinds'
import type { PushedName } from '../schema/tables'

/** Facts about the records that rows refer to; they decide whether the actor may write the rows. */
export type RightsFacts = {
  patients: Map<string, PatientFacts>
  visits: Map<string, { clinic_id: string; patient_id: string; is_deleted: boolean }>
  prescriptions: Map<string, { pickup_clinic_id: string | null; is_deleted: boolean }>
  /** Prescription items, with the pickup clinic of their prescription. */
  items: Map<string, { pickup_clinic_id: string | null; is_deleted: boolean }>
  /** Events that vital signs name. */
  events: Map<string, { patient_id: string; recorded_clinic_id: string | null }>
  forms: Map<string, { is_editable: boolean }>
  /** Users, other than the sender, that rows name as authors. */
  authors: Map<string, { isColleague: boolean }>
}
type PatientFacts = {
  is_deleted: boolean
  isKnown: boolean
  /** Whether the actor may read a row that the clinic recorded. */
  readsRow: (recordedClinicId: string | null) => boolean
  isChangeable: boolean
  isDeletable: boolean
  mayEdit: boolean
  /** May edit records in a clinic with any link to the patient: what is recorded there opens nothing. */
  mayRecord: boolean
  mayDelete: boolean
  mayPrescribe: boolean
  mayPrescribeHere: boolean
}

type Values = Readonly<Record<string, Wire>>
type RowRefusal = { reason: RefusalReason; detail?: string } | null
const refused = (reason: RefusalReason, detail?: string): RowRefusal => ({ reason, detail })
const NOT_PERMITTED = refused('sync.reason_notPermitted')

/** Reads the facts in one statement, whatever the number of rows. */
export async function factsFor(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  rows: readonly Values[],
  table: PushedName,
): Promise<RightsFacts> {
  const collectIds = (...columns: string[]) => [
    ...new Set(
      rows
        .flatMap((row) => columns.map((column) => row[column]))
        .filter((id): id is string => Boolean(id)),
    ),
  ]
  const ids = {
    patients: table === 'patients' ? collectIds('id') : collectIds('patient_id'),
    visits: collectIds('visit_id', 'current_visit_id', 'fulfilled_visit_id'),
    prescriptions: collectIds('prescription_id'),
    items: table === 'dispensing_records' ? collectIds('prescription_item_id') : [],
    events: table === 'patient_vitals' ? collectIds('event_id') : [],
    forms: table === 'events' ? collectIds('form_id') : [],
    authors: collectIds(...authorColumns(table)).filter((id) => id !== actor.userId),
  }
  const { patients, visits, prescriptions, items, events, forms, authors } = await readFacts(
    db,
    actor,
    ids,
  )
  return {
    patients: patientFacts(actor, patients),
    visits: byId(visits),
    prescriptions: byId(prescriptions),
    items: byId(items),
    events: byId(events),
    forms: byId(forms),
    authors: byId(authors),
  }
}

type Stored = { patients: { id: string; is_deleted: boolean; links: Link[] }[] } & {
  [Kind in Exclude<keyof RightsFacts, 'patients'>]: (ValueOf<RightsFacts[Kind]> & { id: string })[]
}
type ValueOf<M> = M extends Map<string, infer V> ? V : never

/** SQL for the facts of each kind; the ids follow. */
const reading = (actor: Actor): Record<keyof RightsFacts, RawBuilder<unknown>> => ({
  patients: sql`select id, is_deleted, (
      select coalesce(
        json_agg(json_build_object('clinic_id', clinic_id, 'source', source)), '[]')
      from patient_links where patient_id = patients.id and until is null) as links
    from patients where id`,
  visits: sql`select id, clinic_id, patient_id, is_deleted from visits where id`,
  prescriptions: sql`select id, pickup_clinic_id, is_deleted from prescriptions where id`,
  items: sql`select i.id, p.pickup_clinic_id, i.is_deleted
    from prescription_items i join prescriptions p on p.id = i.prescription_id where i.id`,
  events: sql`select id, patient_id, recorded_clinic_id from events where id`,
  forms: sql`select id, is_editable from event_forms where id`,
  authors: sql`select id, ${isColleague(actor)} as "isColleague" from users where id`,
})

/**
 * A colleague works, or worked, in a clinic of the actor: a phone may send what was recorded before
 * someone moved. Administrators work in every clinic.
 */
function isColleague(actor: Actor) {
  const clinics = isAdmin(actor) ? [] : [...Object.keys(actor.grants), ...own(actor)]
  return sql<boolean>`${isAdmin(actor)} or role in ('admin', 'super_admin')
    or coalesce(clinic_id = any(${clinics}::uuid[]), false)
    or exists (select from user_clinic_permissions p
      where p.user_id = users.id and p.clinic_id = any(${clinics}::uuid[]))`
}
const own = ({ clinicId }: Actor) => (clinicId ? [clinicId] : [])

async function readFacts(
  db: Kysely<DB>,
  actor: Actor,
  idsOf: Record<keyof RightsFacts, string[]>,
): Promise<Stored> {
  const facts = reading(actor)
  const none = {
    patients: [],
    visits: [],
    prescriptions: [],
    items: [],
    events: [],
    forms: [],
    authors: [],
  }
  const parts = Object.entries(idsOf)
    .filter(([, ids]) => ids.length > 0)
    .map(
      ([kind, ids]) => sql`(select coalesce(json_agg(r), '[]')
        from (${facts[kind as keyof RightsFacts]} = any(${ids}::uuid[])) r) as ${sql.ref(kind)}`,
    )
  if (parts.length === 0) return none
  const count = largest(Object.values(idsOf).map((ids) => ids.length))
  const { rows } = await sql<
    Partial<Stored>
  >`${asPrepared(count)} select ${sql.join(parts)}`.execute(db)
  return { ...none, ...rows[0] }
}

const byId = <R extends { id: string }>(rows: R[]) => new Map(rows.map((row) => [row.id, row]))

/** A new row of a phone belongs to the sender's clinic, so that a link made by hand is enough. */
const recordHere: PatientRule = { ...editHistory, links: LINK_SOURCES }
const prescribeHere: PatientRule = { ...prescribeFor, links: LINK_SOURCES }

/** The policy's rules over the open links of each patient. */
export const patientFacts = (actor: Actor, patients: Stored['patients']) =>
  byId(
    patients.map(({ links, ...patient }) => ({
      ...patient,
      isKnown: permits(knowPatient, actor, links),
      readsRow: (recordedClinicId: string | null) => permitsRow(actor, recordedClinicId, links),
      isChangeable: permits(editPatient, actor, links),
      isDeletable: permits(deletePatient, actor, links),
      mayEdit: permits(editHistory, actor, links),
      mayRecord: permits(recordHere, actor, links),
      mayDelete: permits(deleteHistory, actor, links),
      mayPrescribe: permits(prescribeFor, actor, links),
      mayPrescribeHere: permits(prescribeHere, actor, links),
    })),
  )

/**
 * Why the actor may not write a row, or null. The rules are those of the web, applied to the row as
 * it would be and, if it is stored already, as it is. `before` is null for a new row.
 */
export function whyNotSave(
  actor: Actor,
  table: PushedName,
  after: Values,
  before: Values | null,
  facts: RightsFacts,
): RowRefusal {
  if (table === 'patients') return whyNotSavePatient(actor, after, before, facts)
  const missing = whatIsMissing(after, facts)
  if (missing) return missing
  const rule = saving[table]
  if (before && !rule(actor, before, before, facts)) return NOT_PERMITTED
  if (!rule(actor, after, before, facts)) return NOT_PERMITTED
  const stranger = strangerAmong(newAuthors(table, after, before), actor, facts)
  if (stranger) return stranger
  const form = table === 'events' && before && facts.forms.get(String(before['form_id']))
  if (form && !form.is_editable && before['form_data'] !== after['form_data'])
    return refused('sync.reason_formClosed')
  return null
}

function whyNotSavePatient(
  actor: Actor,
  after: Values,
  before: Values | null,
  facts: RightsFacts,
): RowRefusal {
  const clinic = after['primary_clinic_id'] as string | null
  if (!before) {
    const mayThere = clinic
      ? mayIn(actor, 'can_register_patients', clinic)
      : mayAnywhere(actor, 'can_register_patients')
    return can(actor, 'create_patient') && mayThere ? null : NOT_PERMITTED
  }
  if (!can(actor, 'update_patient') || !facts.patients.get(String(after['id']))?.isChangeable)
    return NOT_PERMITTED
  const moves = clinic !== (before['primary_clinic_id'] ?? null)
  if (!moves) return null
  const mayThere = !clinic || mayIn(actor, 'can_register_patients', clinic)
  return mayThere && mayMoveFrom(actor, before['primary_clinic_id'] as string | null)
    ? null
    : NOT_PERMITTED
}

/** A record that the row refers to is unknown or deleted. */
function whatIsMissing(row: Values, facts: RightsFacts): RowRefusal {
  const patient = facts.patients.get(String(row['patient_id']))
  if (!patient) return refused('sync.reason_unknownPatient', String(row['patient_id']))
  if (patient.is_deleted) return refused('sync.reason_deletedPatient', String(row['patient_id']))
  const visitId = row['visit_id']
  if (visitId) {
    const visit = facts.visits.get(String(visitId))
    if (!visit || visit.patient_id !== row['patient_id'])
      return refused('sync.reason_unknownVisit', String(visitId))
    if (visit.is_deleted) return refused('sync.reason_deletedVisit', String(visitId))
  }
  for (const [column, found] of [
    ['prescription_id', facts.prescriptions],
    ['prescription_item_id', facts.items],
  ] as const) {
    const id = row[column]
    if (!id) continue
    const record = found.get(String(id))
    if (!record) return refused('sync.reason_unknownReference', String(id))
    if (record.is_deleted) return refused('sync.reason_deletedPrescription', String(id))
  }
  return null
}

/** The author that a row names is kept as sent, if it is a known user of one of the sender's clinics. */
function strangerAmong(authors: readonly string[], actor: Actor, facts: RightsFacts): RowRefusal {
  for (const id of authors) {
    if (id === actor.userId) continue
    const author = facts.authors.get(id)
    if (!author) return refused('sync.reason_unknownReference', id)
    if (!author.isColleague) return refused('sync.reason_authorElsewhere', id)
  }
  return null
}

type Rule = (actor: Actor, row: Values, before: Values | null, facts: RightsFacts) => boolean

const rowPatient = (row: Values, facts: RightsFacts) =>
  facts.patients.get(String(row['patient_id']))

/**
 * In the clinic of the record's visit; without a visit, a new record in a clinic that knows the patient, and a stored
 * one, which the actor must be able to read, in any clinic that cares for the patient.
 */
const inHistory = (
  actor: Actor,
  rule: PatientRule,
  row: Values,
  before: Values | null,
  facts: RightsFacts,
) => {
  const patient = rowPatient(row, facts)
  if (!patient || !isOpen(patient, before)) return false
  const visit = row['visit_id'] ? facts.visits.get(String(row['visit_id'])) : undefined
  if (visit) return permitsIn(rule.permissions, actor, visit.clinic_id)
  if (rule === deleteHistory) return patient.mayDelete
  return before ? patient.mayEdit || patient.mayRecord : patient.mayRecord
}
/** A stored row can be read; for a new one it is enough to know the patient. */
const isOpen = (patient: PatientFacts, before: Values | null) =>
  before
    ? patient.readsRow((before['recorded_clinic_id'] as string | null) ?? null)
    : patient.isKnown
const inClinic = (actor: Actor, rule: ClinicRule, clinic: Wire | undefined) =>
  typeof clinic === 'string' && clinic !== '' && permitsIn(rule, actor, clinic)

const mayDispense = (actor: Actor, clinic: Wire | undefined) => inClinic(actor, dispenseAt, clinic)

/** Statuses that only users who dispense may set. */
const DISPENSED: readonly unknown[] = [
  'prepared',
  'picked-up',
  'not-picked-up',
  'partially-picked-up',
]

const saving: Record<Exclude<PushedName, 'patients'>, Rule> = {
  patient_additional_attributes: (actor, row, _before, facts) =>
    can(actor, 'update_patient') && Boolean(rowPatient(row, facts)?.isChangeable),
  // a new visit opens nothing of what other clinics recorded: to know the patient is enough
  visits(actor, row, before, facts) {
    const patient = rowPatient(row, facts)
    return (
      patient !== undefined &&
      isOpen(patient, before) &&
      inClinic(actor, editHistory.permissions, row['clinic_id'])
    )
  },
  // to send what a colleague recorded is no edit of it
  events: (actor, row, before, facts) =>
    inHistory(actor, editHistory, row, before, facts) &&
    (!before?.['recorded_by_user_id'] ||
      before['recorded_by_user_id'] === actor.userId ||
      mayEditOthers(actor, row, facts)),
  patient_vitals: (actor, row, before, facts) =>
    inHistory(actor, editHistory, row, before, facts) && isOfOwnEvent(actor, row, facts),
  patient_problems: (actor, row, before, facts) =>
    inHistory(actor, editHistory, row, before, facts),
  appointments: (actor, row, _before, facts) =>
    Boolean(rowPatient(row, facts)?.isKnown) && inClinic(actor, seeAppointments, row['clinic_id']),
  prescriptions(actor, row, before, facts) {
    const isStatusChanged = row['status'] !== (before?.['status'] ?? 'pending')
    if (isStatusChanged && DISPENSED.includes(row['status']))
      return mayDispense(actor, row['pickup_clinic_id'])
    return (
      mayPrescribe(actor, row, before, facts) || mayDispense(actor, before?.['pickup_clinic_id'])
    )
  },
  prescription_items: (actor, row, before, facts) =>
    mayPrescribe(actor, row, before, facts) ||
    mayDispense(actor, facts.prescriptions.get(String(row['prescription_id']))?.pickup_clinic_id),
  dispensing_records(actor, row, _before, facts) {
    const item = row['prescription_item_id']
      ? facts.items.get(String(row['prescription_item_id']))
      : undefined
    const isAccessible =
      Boolean(rowPatient(row, facts)?.isKnown) || item?.pickup_clinic_id === row['clinic_id']
    return isAccessible && mayDispense(actor, row['clinic_id'])
  },
}

/** A stored prescription must be readable; a new one may name a visit of the prescriber's clinics only. */
const mayPrescribe = (actor: Actor, row: Values, before: Values | null, facts: RightsFacts) => {
  const patient = rowPatient(row, facts)
  if (!patient || !isOpen(patient, before)) return false
  const visit = row['visit_id'] ? facts.visits.get(String(row['visit_id'])) : undefined
  const isAnothers =
    visit !== undefined &&
    visit.clinic_id !== before?.['recorded_clinic_id'] &&
    !permitsIn([...editHistory.permissions, ...prescribeFor.permissions], actor, visit.clinic_id)
  return !isAnothers && (before ? patient.mayPrescribe : patient.mayPrescribeHere)
}

/** An event that vital signs name is one of the sender's clinics, or unknown here. */
const isOfOwnEvent = (actor: Actor, row: Values, facts: RightsFacts) => {
  const event = row['event_id'] ? facts.events.get(String(row['event_id'])) : undefined
  if (!event) return true
  const clinic = event.recorded_clinic_id
  return (
    event.patient_id === row['patient_id'] &&
    clinic !== null &&
    permitsIn(editHistory.permissions, actor, clinic)
  )
}

const mayEditOthers = (actor: Actor, row: Values, facts: RightsFacts) => {
  const visit = facts.visits.get(String(row['visit_id']))
  return visit
    ? permitsIn(editOthersEvents.permissions, actor, visit.clinic_id)
    : mayAnywhere(actor, ...editOthersEvents.permissions)
}

/** Whether the actor may delete a stored row. */
export function mayDelete(
  actor: Actor,
  table: PushedName,
  row: Values,
  facts: RightsFacts,
): boolean {
  switch (table) {
    case 'patients':
      return (
        can(actor, 'delete_patient') && Boolean(facts.patients.get(String(row['id']))?.isDeletable)
      )
    case 'visits':
      return (
        Boolean(rowPatient(row, facts)?.readsRow((row['recorded_clinic_id'] as string) ?? null)) &&
        inClinic(actor, deleteVisitRule, row['clinic_id'])
      )
    case 'patient_additional_attributes':
      return saving[table](actor, row, row, facts)
    case 'appointments':
      return (
        Boolean(rowPatient(row, facts)?.isKnown) &&
        inClinic(actor, deleteHistory.permissions, row['clinic_id'])
      )
    case 'dispensing_records':
      return saving[table](actor, row, row, facts)
    default:
      return inHistory(actor, deleteHistory, row, row, facts)
  }
}
