import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Actor, can, isAdmin } from '~/shared/actor'
import { inEmergency } from './facts'
import {
  type ClinicRule,
  clinicsMeetingRule,
  knowPatient,
  LINK_SOURCES,
  type PatientRule,
  othersRows,
  PATIENT_RULES,
  readHistory,
} from './rules'

/** A `where` for patients: the actor meets the rule, or one of the rules. */
export const patientsWhere = (
  rules: PatientRule | readonly PatientRule[],
  actor: Actor,
  patientId = 'patients.id',
): Expression<SqlBool> =>
  'links' in rules
    ? whereRule(rules, actor, patientId)
    : sql<boolean>`(${sql.join(
        rules.map((rule) => whereRule(rule, actor, patientId)),
        sql` or `,
      )})`

function whereRule(rule: PatientRule, actor: Actor, patientId: string): Expression<SqlBool> {
  const bySource =
    rule.links.length === LINK_SOURCES.length ? sql`` : sql`and link.source = any(${rule.links})`
  const open = sql`from patient_links link
    where link.patient_id = ${sql.ref(patientId)} and link.until is null ${bySource}`
  return orInEmergency(rule, actor, patientId, (isHeld) =>
    rule.clinics === 'every'
      ? sql`coalesce((select bool_and(${isHeld}) ${open}), false)`
      : sql`exists (select ${open} and ${isHeld})`,
  )
}

/**
 * `patientsWhere` for the rules that any open link meets, over patients who are not deleted: `clinic_patients` has one
 * row where `patient_links` has one for each reason.
 */
export const livingWhere = (
  name: 'knowPatient' | 'readHistory',
  actor: Actor,
  patientId = 'patients.id',
): Expression<SqlBool> =>
  orInEmergency(
    PATIENT_RULES[name],
    actor,
    patientId,
    (isHeld) => sql`exists (select from clinic_patients link
      where link.patient_id = ${sql.ref(patientId)} and ${isHeld})`,
  )

/** `linked`: SQL for "the patient is linked as the rule says"; `isHeld` is about the clinic of a `link`. */
function orInEmergency(
  rule: PatientRule,
  actor: Actor,
  patientId: string,
  linked: (isHeld: RawBuilder<unknown>) => RawBuilder<unknown>,
): Expression<SqlBool> {
  if (isAdmin(actor)) return sql<boolean>`true`
  if (!can(actor, rule.capability)) return sql<boolean>`false`
  const isLinked = linked(sql`link.clinic_id = any(${clinicsMeetingRule(rule, actor)}::uuid[])`)
  const emergency = inEmergency(rule, actor)
  return emergency.length === 0
    ? sql<boolean>`${isLinked}`
    : sql<boolean>`(${isLinked} or ${sql.ref(patientId)} = any(${emergency}::uuid[]))`
}

/**
 * A `where` that keeps the rows of a history that the actor may read, where `readHistory` has been checked for the
 * patient: those of the actor's clinics, and of other clinics what is open. `row`: the table or its alias.
 */
export function rowsWhere(actor: Actor, row: string): Expression<SqlBool> {
  if (isAdmin(actor)) return sql<boolean>`true`
  const own = sql`${clinicsMeetingRule(readHistory, actor)}::uuid[]`
  return sql<boolean>`(${sql.ref(`${row}.recorded_clinic_id`)} = any(${own})
    or ${whereRule(othersRows(actor), actor, `${row}.patient_id`)})`
}

/** Of more clinics, all rows are read at once: an index has those of each in order. */
const READ_APART = 8

/** The parts of `rowsWhere`, none of which has a row of another, so that each can be read by an index of its own. */
export function rowsWays(actor: Actor, row: string): Expression<SqlBool>[] {
  const clinics = clinicsMeetingRule(readHistory, actor)
  if (isAdmin(actor) || clinics === 'all') return [sql<boolean>`true`]
  const recorded = sql.ref(`${row}.recorded_clinic_id`)
  const own = sql<boolean>`${recorded} = any(${clinics}::uuid[])`
  return [
    ...(clinics.length > READ_APART
      ? [own]
      : clinics.map((id) => sql<boolean>`${recorded} = ${id}`)),
    sql<boolean>`((${own}) is not true and ${whereRule(othersRows(actor), actor, `${row}.patient_id`)})`,
  ]
}

/** As `rowsWhere`, with the check of the patient. */
export const historyWhere = (actor: Actor, row: string): Expression<SqlBool> =>
  sql<boolean>`(${patientsWhere(readHistory, actor, `${row}.patient_id`)} and ${rowsWhere(actor, row)})`

/**
 * `knowPatient` for rows of `patient_search` as `match`, which holds the clinics of all links. Through patient_links a
 * search for a common name took four times as long, and so did counting.
 */
export function searchedWhere(actor: Actor): Expression<SqlBool> {
  if (isAdmin(actor)) return sql<boolean>`true`
  if (!can(actor, knowPatient.capability)) return sql<boolean>`false`
  const isLinked = sql<boolean>`match.clinics && ${clinicsMeetingRule(knowPatient, actor)}::uuid[]`
  const emergency = inEmergency(knowPatient, actor)
  return emergency.length === 0
    ? isLinked
    : sql<boolean>`(${isLinked} or match.patient_id = any(${emergency}::uuid[]))`
}

/**
 * The clinics of which any open link lets `searchedWhere` and the filter by a clinic find a patient; undefined if the
 * links of one clinic do not decide.
 */
export function clinicsSearched(actor: Actor, clinicId?: string): string[] | undefined {
  const clinics = clinicsMeetingRule(knowPatient, actor)
  if (isAdmin(actor) || clinics === 'all') return clinicId ? [clinicId] : undefined
  if (!can(actor, knowPatient.capability) || inEmergency(knowPatient, actor).length > 0)
    return undefined
  if (!clinicId) return clinics
  return clinics.includes(clinicId) ? [clinicId] : undefined
}

/** Whether each patient of the clinics of `clinicsSearched` meets `readHistory`, too. */
export const isHistoryRead = (actor: Actor, clinicId?: string): boolean => {
  const clinics = clinicsMeetingRule(readHistory, actor)
  return (
    clinics !== 'all' &&
    can(actor, readHistory.capability) &&
    clinicsSearched(actor, clinicId)?.every((id) => clinics.includes(id)) === true
  )
}

/**
 * A `where` that keeps the users who meet the rule in the clinic or, without one, in any:
 * `permitsIn`, for many users.
 */
export const usersWhere = (rule: ClinicRule, clinicId?: string) => sql<boolean>`(
  users.role in ('admin', 'super_admin') or exists (
    select from user_clinic_permissions held where held.user_id = users.id and not held.is_deleted
      and ${clinicId ? sql`held.clinic_id = ${clinicId}::uuid` : sql`true`} and ${holdsOne('held', rule)}))`

/** One of the rule's permissions is set in a row of `user_clinic_permissions`. */
export const holdsOne = (table: string, rule: ClinicRule): RawBuilder<boolean> =>
  sql`(${sql.join(
    rule.map((permission) => sql.ref(`${table}.${permission}`)),
    sql` or `,
  )})`
