/**
 * Dosage forms, routes and units that the catalogue, prescriptions and form fields offer. Phones
 * use the same values.
 */
export const DOSAGE_FORMS = [
  'tablet',
  'syrup',
  'ampule',
  'suppository',
  'cream',
  'drops',
  'bottle',
  'spray',
  'gel',
  'lotion',
  'inhaler',
  'capsule',
  'injection',
  'patch',
  'other',
] as const
export type DosageForm = (typeof DOSAGE_FORMS)[number]

export const ROUTES = [
  'oral',
  'sublingual',
  'rectal',
  'topical',
  'inhalation',
  'intravenous',
  'intramuscular',
  'intradermal',
  'subcutaneous',
  'nasal',
  'ophthalmic',
  'otic',
  'vaginal',
  'transdermal',
  'other',
] as const
export type AdministrationRoute = (typeof ROUTES)[number]

export const DOSE_UNITS = ['mg', 'g', 'mcg', 'mL', 'L', 'units'] as const
export type DoseUnit = (typeof DOSE_UNITS)[number]
