import { type Actor, can, isAdmin } from '~/shared/actor'
import {
  type ClinicRule,
  clinicsMeetingRule,
  type LinkSource,
  type PatientRule,
  othersRows,
  readHistory,
} from './rules'

export type Link = { clinic_id: string; source: LinkSource }

/** The rule as a boolean over a patient's open links; `patientId` where emergency access counts. */
export function permits(
  rule: PatientRule,
  actor: Actor,
  links: readonly Link[],
  patientId?: string,
): boolean {
  if (isAdmin(actor)) return true
  if (!can(actor, rule.capability)) return false
  if (patientId && inEmergency(rule, actor).includes(patientId)) return true
  const clinics = clinicsMeetingRule(rule, actor)
  const counted = links.filter(({ source }) => rule.links.includes(source))
  const isHeld = ({ clinic_id }: Link) => clinics.includes(clinic_id)
  return rule.clinics === 'some'
    ? counted.some(isHeld)
    : counted.length > 0 && counted.every(isHeld)
}

/** The patients to which emergency access gives the rights of this rule. */
export const inEmergency = (rule: PatientRule, actor: Actor): readonly string[] =>
  (rule.inEmergency && actor.emergency) || []

/** Whether the actor may read a row of a patient's history, by the clinic that recorded it. */
export function permitsRow(
  actor: Actor,
  recordedClinicId: string | null,
  links: readonly Link[],
  patientId?: string,
): boolean {
  if (!permits(readHistory, actor, links, patientId)) return false
  const isOwn =
    recordedClinicId !== null && permitsIn(readHistory.permissions, actor, recordedClinicId)
  return isOwn || permits(othersRows(actor), actor, links, patientId)
}

/** The rule as a boolean, for one clinic. */
export function permitsIn(rule: ClinicRule, actor: Actor, clinicId: string): boolean {
  const clinics = clinicsMeetingRule(rule, actor)
  return clinics === 'all' || clinics.includes(clinicId)
}

/** Whether the actor may meet the rule, or one of several, for some row: `false` refuses the call as a whole. */
export function permitsSomewhere(rule: Rule | readonly Rule[], actor: Actor): boolean {
  if (isRule(rule)) {
    const clinics = clinicsMeetingRule(rule, actor)
    const hasRole = !('capability' in rule) || can(actor, rule.capability)
    const inNeed = 'links' in rule && inEmergency(rule, actor).length > 0
    return hasRole && (clinics === 'all' || clinics.length > 0 || inNeed)
  }
  return rule.some((one) => permitsSomewhere(one, actor))
}
type Rule = PatientRule | ClinicRule
/** A clinic rule is a list of permissions; a list of rules is not. */
const isRule = (rule: Rule | readonly Rule[]): rule is Rule =>
  'permissions' in rule || typeof rule[0] === 'string'

/** `allow` of an operation whose rows are filtered in its own SQL: the actor meets one of the rules in some clinic. */
export const somewhere =
  (...rules: Rule[]) =>
  ({ actor }: { actor: Actor }): boolean =>
    permitsSomewhere(rules, actor)
