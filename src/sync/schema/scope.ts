import {
  type ClinicRule,
  clinicsMeetingRule,
  knowPatient,
  type PatientRule,
  readHistory,
  workAt,
} from '~/policy/rules'
import { linkCounts, rowCounts, uuids } from '~/policy/sql-text'
import { type Actor, isAdmin } from '~/shared/actor'
import type { SyncTable, TableName } from './tables'

/**
 * The access of a user at one moment, with clinics in the order of their ids. Stored with each
 * pull.
 */
export type PersonScope = {
  everything: boolean
  /** Clinics where the user may know who a patient is. */
  known: string[]
  /** Clinics where the user may read histories. */
  history: string[]
  /** Clinics where the user holds any permission. */
  any: string[]
  /** Clinics show each other what they recorded. Absent in pulls of earlier versions. */
  shares?: boolean
}

export function personScope(actor: Actor): PersonScope {
  const where = (rule: PatientRule | ClinicRule) => {
    const clinics = clinicsMeetingRule(rule, actor)
    return clinics === 'all' ? [] : clinics.toSorted()
  }
  return {
    everything: isAdmin(actor),
    known: where(knowPatient),
    history: where(readHistory),
    any: where(workAt),
    shares: actor.sharesHistory === true,
  }
}

/** The union of two scopes. */
export const union = (one: PersonScope, other: PersonScope): PersonScope => ({
  everything: one.everything || other.everything,
  known: merged(one.known, other.known),
  history: merged(one.history, other.history),
  any: merged(one.any, other.any),
  shares: isSharing(one) || isSharing(other),
})
const isSharing = ({ shares }: PersonScope) => shares === true
const merged = (one: string[], other: string[]) => [...new Set([...one, ...other])].toSorted()

export const isSameScope = (one: PersonScope, other: PersonScope) =>
  one.everything === other.everything &&
  isSharing(one) === isSharing(other) &&
  (['known', 'history', 'any'] as const).every((part) => one[part].join() === other[part].join())

/** SQL: the user may see the row of `t`. `when`: which links count. */
export function personScopeSql(
  table: SyncTable,
  scope: PersonScope,
  userId: string,
  when = 'l.until is null',
): string {
  const { any, known } = scope
  if (table.scope === 'own') return `t.user_id = '${userId}'::uuid`
  if (table.scope === 'everybody' || scope.everything) return 'true'
  switch (table.scope) {
    case 'person':
    case 'known':
    case 'history':
      return visible(table, scope, when)
    case 'appointment':
      return `t.clinic_id = any(${uuids(known)})`
    case 'clinic':
      return `t.id = any(${uuids(any)})`
    case 'ofClinic':
      return `t.clinic_id = any(${uuids(any)})`
    case 'ofClinicOrAll':
      return any.length > 0 ? `(t.clinic_id is null or t.clinic_id = any(${uuids(any)}))` : 'false'
    case 'form':
      return any.length > 0 ? `(t.clinic_ids = '{}' or t.clinic_ids && ${uuids(any)})` : 'false'
    case 'staff':
      return any.length > 0 ? 'true' : 'false'
  }
}

/** Tables whose rows follow the patient's links. */
export const isOfPatient = ({ scope }: SyncTable) => ['person', 'known', 'history'].includes(scope)

/** Tables whose rows name the clinic that recorded them. */
export const isRecorded = ({ scope }: SyncTable) => scope === 'history'

/** The column with the row's patient. */
export const patientIdColumn = (name: TableName) => (name === 'patients' ? 't.id' : 't.patient_id')

/**
 * SQL: the row's patient has a link of the table's kind to one of the actor's clinics, and `more`
 * holds.
 */
export function linked(table: Pick<SyncTable, 'scope'>, scope: PersonScope, more: string): string {
  const patient = table.scope === 'person' ? 't.id' : 't.patient_id'
  return `exists (select from patient_links l where l.patient_id = ${patient} and ${counts(table, scope)} and ${more})`
}

/** SQL: as `linked`, and the user may see the row of `t` itself. `when`: which links count. */
export const visible = (table: SyncTable, scope: PersonScope, when: string): string =>
  `(${linked(table, scope, when)} and ${rowsOpen(table, scope, 't', when)})`

/** SQL: the user may see the row, by the clinic that recorded it; the patient has been checked. */
export const rowsOpen = (
  table: SyncTable,
  scope: PersonScope,
  row = 'w',
  when = 'l.until is null',
) =>
  isRecorded(table) && !scope.everything
    ? rowCounts(row, { clinics: scope.history, sharesHistory: isSharing(scope) }, when)
    : 'true'

/** SQL for the patients with a link of the table's kind for which `more` holds. */
export const patientsLinked = (table: SyncTable, scope: PersonScope, more: string): string =>
  `select l.patient_id from patient_links l where ${more} and ${counts(table, scope)}`

function counts(
  { scope: kind }: Pick<SyncTable, 'scope'>,
  { everything, history, known }: PersonScope,
) {
  const rule = kind === 'history' ? readHistory : knowPatient
  const links = kind === 'history' ? history : known
  return linkCounts(rule, everything ? 'all' : links)
}
