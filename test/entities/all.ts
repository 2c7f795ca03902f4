import { allergies } from './allergies'
import { immunizations } from './immunizations'
import { medicines } from './medicines'
import { referrals } from './referrals'
import { relatedPersons } from './related-persons'

/** By the name of one: of its factory and of a clinic's row. */
export const ENTITIES = {
  allergy: allergies,
  immunization: immunizations,
  medicine: medicines,
  referral: referrals,
  relatedPerson: relatedPersons,
}
