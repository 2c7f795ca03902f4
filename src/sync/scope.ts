import { type Actor, clinicsWhere, isAdmin } from '~/shared/actor'
import { PERMISSIONS } from '~/shared/permissions'
import type { Table, TableName } from './tables'

/** What a person may see, at one moment: clinics in the order of their ids. Stored with each pull. */
export type PersonScope = {
  everything: boolean
  /** Clinics in which he may know who a patient is. */
  known: string[]
  /** Clinics in which he may read histories. */
  history: string[]
  /** Clinics in which he may do anything at all. */
  any: string[]
}

export function scopeOf(actor: Actor): PersonScope {
  const where = (...permissions: Parameters<typeof clinicsWhere>[1][]) => {
    const clinics = clinicsWhere(actor, ...permissions)
    return clinics === 'all' ? [] : clinics.toSorted()
  }
  return {
    everything: isAdmin(actor),
    known: where('can_register_patients', 'can_view_history'),
    history: where('can_view_history'),
    any: where(...PERMISSIONS),
  }
}

/** Everything that either may see. */
export const union = (one: PersonScope, other: PersonScope): PersonScope => ({
  everything: one.everything || other.everything,
  known: merged(one.known, other.known),
  history: merged(one.history, other.history),
  any: merged(one.any, other.any),
})
const merged = (one: string[], other: string[]) => [...new Set([...one, ...other])].toSorted()

export const isSameScope = (one: PersonScope, other: PersonScope) =>
  one.everything === other.everything &&
  (['known', 'history', 'any'] as const).every((part) => one[part].join() === other[part].join())

// COPY takes no parameters, so the clinics stand in the text: they are uuids of our own.
export const uuids = (ids: readonly string[]) => `'{${ids.join(',')}}'::uuid[]`

/** Why a clinic has to do with a patient, beyond somebody having linked him there by hand. */
const BY_CARE = `('primary', 'registered', 'visit', 'appointment', 'prescription')`

/** SQL for "the row of `t` belongs to what this person may see". */
export function inScope(table: Table, scope: PersonScope, userId: string): string {
  const { any, known } = scope
  if (table.scope === 'own') return `t.user_id = '${userId}'::uuid`
  if (table.scope === 'everybody' || scope.everything) return 'true'
  switch (table.scope) {
    case 'person':
    case 'known':
    case 'history':
      return linked(table, scope, 'l.until is null')
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

/** Tables whose rows come and go with a patient's links. */
export const isOfPatient = ({ scope }: Table) => ['person', 'known', 'history'].includes(scope)

/** The column that says whose the row is. */
export const patientColumn = (name: TableName) => (name === 'patients' ? 't.id' : 't.patient_id')

/** SQL for "a link of the row's patient to one of the person's clinics, of the kind that this table asks for, for which `more` holds". */
export function linked({ scope: kind }: Pick<Table, 'scope'>, scope: PersonScope, more: string): string {
  const isHistory = kind === 'history'
  const clinics = scope.everything ? '' : `and l.clinic_id = any(${uuids(isHistory ? scope.history : scope.known)})`
  const patient = kind === 'person' ? 't.id' : 't.patient_id'
  return `exists (select from patient_links l where l.patient_id = ${patient} ${clinics} ${isHistory ? `and l.source in ${BY_CARE}` : ''} and ${more})`
}

/** SQL for the patients who have, for such a table, a link for which `more` holds. */
export function patientsLinked({ scope: kind }: Table, scope: PersonScope, more: string): string {
  const isHistory = kind === 'history'
  const clinics = scope.everything ? '' : `and l.clinic_id = any(${uuids(isHistory ? scope.history : scope.known)})`
  return `select l.patient_id from patient_links l where ${more} ${clinics} ${isHistory ? `and l.source in ${BY_CARE}` : ''}`
}
