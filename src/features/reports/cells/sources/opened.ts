export type Opened = {
  at: string
  isDay?: true
  /** On the day of its visit, as `recordedRows` does; `at` is the day of a row without one. */
  ofVisit?: true
  clinic?: string
  kept?: true
  patient?: string
}

/**
 * Tables whose rows open behind the number of a report: the day of a row, and the clinic in whose history it is, by
 * default the one that recorded it. `kept`: rows are never deleted. `patient`: the patient today, if a merge leaves the
 * row as it was.
 */
export const OPENED_TABLES = {
  patients: { at: 'created_at', clinic: 'primary_clinic_id', patient: 'row.id', kept: true },
  visits: { at: 'check_in_timestamp' },
  events: { at: 'created_at', ofVisit: true },
  patient_vitals: { at: 'timestamp', ofVisit: true },
  patient_problems: { at: 'created_at', ofVisit: true },
  patient_immunizations: { at: 'given_on', isDay: true },
  prescription_items: { at: 'created_at' },
  dispensing_records: { at: 'dispensed_at' },
  appointments: { at: 'timestamp' },
  referrals: { at: 'sent_at', ofVisit: true },
  program_enrollments: { at: 'enrolled_on', isDay: true },
  follow_up_items: { at: 'due_on', isDay: true, clinic: 'clinic_id', kept: true },
  follow_up_calls: {
    at: 'called_at',
    clinic: 'clinic_id',
    kept: true,
    patient: 'living_patient(row.patient_id)',
  },
} as const satisfies Record<string, Opened>
export type OpenedTable = keyof typeof OPENED_TABLES
