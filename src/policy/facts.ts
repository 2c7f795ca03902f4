import { type Actor, can, isAdmin } from '~/shared/actor'
import { type ClinicRule, clinicsOf, type LinkSource, type PatientRule } from './rules'

export type Link = { clinic_id: string; source: string }

/** The rule as a boolean over a patient's open links. */
export function permits(rule: PatientRule, actor: Actor, links: readonly Link[]): boolean {
  if (isAdmin(actor)) return true
  if (!can(actor, rule.capability)) return false
  const clinics = clinicsOf(rule, actor)
  const counted = links.filter(({ source }) => rule.links.includes(source as LinkSource))
  const isHeld = ({ clinic_id }: Link) => clinics.includes(clinic_id)
  return rule.clinics === 'some'
    ? counted.some(isHeld)
    : counted.length > 0 && counted.every(isHeld)
}

/** The rule as a boolean, for one clinic. */
export function permitsIn(rule: ClinicRule, actor: Actor, clinicId: string): boolean {
  const clinics = clinicsOf(rule, actor)
  return clinics === 'all' || clinics.includes(clinicId)
}

/** Whether the actor may meet the rule, or one of several, for some row: `false` refuses the call as a whole. */
export function permitsSomewhere(rule: Rule | readonly Rule[], actor: Actor): boolean {
  if (isRule(rule)) {
    const clinics = clinicsOf(rule, actor)
    const hasRole = !('capability' in rule) || can(actor, rule.capability)
    return hasRole && (clinics === 'all' || clinics.length > 0)
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
