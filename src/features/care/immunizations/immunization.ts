import * as z from 'zod'
import { immunizationRecord } from '~/records/immunization'
import { orNull } from '~/shared/record'
import type { Vaccine } from '~/shared/vaccines'
import facts from './vaccines.json'

export const SaveImmunization = immunizationRecord.save.extend({
  patient_id: z.uuid('validation.id'),
  visit_id: orNull(z.uuid('validation.id')),
  /** Refuse a second dose of the vaccine on one day, so that a screen can ask. Without it, it is stored and marked. */
  check_repeated: z.boolean('validation.wrongType').optional(),
  /** Refuse a dose that does not count, so that a screen can ask. Without it, the dose is stored and marked. */
  check_counted: z.boolean('validation.wrongType').optional(),
  /**
   * Refuse a live vaccine of today for who takes, or took until lately, what weakens the immune system, so that a
   * screen can ask.
   */
  check_medicines: z.boolean('validation.wrongType').optional(),
  /** The same for who takes a medicine that is on no list, and so was not compared. */
  check_unknown: z.boolean('validation.wrongType').optional(),
})

/** https://hl7.org/fhir/R4/cvx.html and https://terminology.hl7.org/CodeSystem-v3-WC.html */
export const CVX = 'http://hl7.org/fhir/sid/cvx'
export const ATC = 'http://www.whocc.no/atc'

/**
 * `cvx`: CDC, none for vitamin A. `atc`: WHO, a class where products differ. `cvxAlso`, `atcAlso` and `snomed` are read
 * only. `doses`: the usual numbers.
 */
type VaccineFacts = {
  cvx?: string
  cvxAlso?: readonly string[]
  atc: string
  atcAlso?: readonly string[]
  snomed?: readonly string[]
  doses: readonly number[]
}
export const vaccineFacts: Readonly<Record<Vaccine, VaccineFacts>> = facts.vaccines
