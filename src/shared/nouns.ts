import type { MessageKey } from './language'

/** What messages call a record of the table, and say when it does not exist. `one`: users can delete and restore it. */
type Noun = { one?: MessageKey; missing: MessageKey }

export const NOUNS = {
  api_clients: { missing: 'apiClients.notFound' },
  app_config: { missing: 'settings.notFound' },
  appointments: { one: 'appointments.one', missing: 'appointments.notFound' },
  clinic_departments: { one: 'departments.one', missing: 'departments.notFound' },
  clinics: { one: 'clinics.one', missing: 'clinics.notFound' },
  drug_batches: { missing: 'batches.notFound' },
  drug_catalogue: { one: 'drugs.one', missing: 'drugs.notFound' },
  event_files: { missing: 'events.noFile' },
  event_forms: { one: 'eventForms.one', missing: 'eventForms.notFound' },
  events: { one: 'events.one', missing: 'events.notFound' },
  follow_up_schedules: { missing: 'followups.noSchedule' },
  medicine_decisions: { one: 'reconciliations.one', missing: 'reconciliations.notFound' },
  message_texts: { one: 'messageTexts.one', missing: 'messageTexts.notFound' },
  patient_allergies: { one: 'allergies.one', missing: 'allergies.notFound' },
  patient_documents: { one: 'documents.one', missing: 'documents.notFound' },
  patient_immunizations: { one: 'immunizations.one', missing: 'immunizations.notFound' },
  patient_medicines: { one: 'medicines.one', missing: 'medicines.notFound' },
  patient_pregnancies: { one: 'pregnancies.one', missing: 'pregnancies.notFound' },
  patient_problems: { one: 'problems.one', missing: 'problems.notFound' },
  patient_vitals: { one: 'vitals.one', missing: 'vitals.notFound' },
  patients: { one: 'patients.one', missing: 'patients.notFound' },
  prescription_sets: { one: 'prescriptionSets.one', missing: 'prescriptionSets.notFound' },
  prescriptions: { one: 'prescriptions.one', missing: 'prescriptions.notFound' },
  report_bindings: { one: 'reportBindings.one', missing: 'reportBindings.notFound' },
  report_definitions: { one: 'reportDefinitions.one', missing: 'reportDefinitions.notFound' },
  program_enrollments: { missing: 'programs.notFound' },
  referrals: { one: 'referrals.one', missing: 'referrals.notFound' },
  related_persons: { one: 'relatedPersons.one', missing: 'relatedPersons.notFound' },
  registration_forms: { missing: 'registration.noForm' },
  user_clinic_permissions: { missing: 'permissions.notFound' },
  users: { one: 'users.one', missing: 'users.notFound' },
  visits: { one: 'visits.one', missing: 'visits.notFound' },
} as const satisfies Record<string, Noun>
export type NamedTable = keyof typeof NOUNS

/** The message that a row of the table does not exist, or is not the actor's to see. */
export const missingIn = (table: NamedTable): MessageKey => NOUNS[table].missing
