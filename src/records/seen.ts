/** What `visit_only_waits` reads besides the visit: the `looksUp` of queries that ask who was seen. */
export const SEEN_FROM = [
  'appointment_departments',
  'appointments',
  'events',
  'patient_problems',
  'patient_vitals',
  'prescriptions',
] as const
