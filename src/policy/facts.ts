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
