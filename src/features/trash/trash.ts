import * as z from 'zod'
import type { MessageKey } from '~/shared/language'
import { ListInput } from '~/shared/record'

/** The tables whose records go to the trash, and what people call one of them. Each noun adds itself here. */
export const TRASH_NOUNS: Record<string, MessageKey> = {
  clinics: 'clinics.one',
  clinic_departments: 'departments.one',
  users: 'users.one',
  patients: 'patients.one',
  visits: 'visits.one',
  event_forms: 'eventForms.one',
  events: 'events.one',
  patient_vitals: 'vitals.one',
  patient_problems: 'problems.one',
  patient_allergies: 'allergies.one',
  patient_pregnancies: 'pregnancies.one',
  patient_medicines: 'medicines.one',
  prescriptions: 'prescriptions.one',
  drug_catalogue: 'drugs.one',
  appointments: 'appointments.one',
}

export const ListTrash = ListInput.extend({
  table: z.string('validation.wrongType').max(100, 'validation.tooLong').optional(),
})
export const DeletionId = z.object({ id: z.uuid('validation.id') })
