/** The programs of `programs.json`, in its order: the rest of that table stays out of the first script. */
export const PROGRAM_CODES: readonly [string, ...string[]] = [
  'hypertension',
  'diabetes',
  'pregnancy',
  'child-immunization',
  'tuberculosis',
  'hiv',
  'asthma-copd',
  'epilepsy',
  'mental-health',
  'malnutrition',
]
