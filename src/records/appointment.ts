import { longText, number, optional, reference, select } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { record } from './record'

export const APPOINTMENT_REASONS = [
  'doctor-visit',
  'screening',
  'referral',
  'checkup',
  'follow-up',
  'counselling',
  'procedure',
  'investigation',
  'other',
] as const

const notes = optional(longText('appointments.notes'))

export const appointmentRecord = record('appointments', {
  patient_id: {
    field: reference('appointments.patient', { requiredMessage: 'appointments.patientRequired' }),
    device: 'id',
  },
  clinic_id: {
    field: reference('clinics.one', { requiredMessage: 'appointments.clinicRequired' }),
    device: 'id',
  },
  provider_id: { field: optional(reference('appointments.provider')), device: 'id?' },
  user_id: { device: 'id' },
  current_visit_id: { device: 'id' },
  fulfilled_visit_id: { device: 'id?' },
  timestamp: { device: 'moment' },
  duration: {
    field: number('appointments.duration', { min: 5, max: 1440 }),
    device: 'number?',
  },
  reason: {
    field: select(
      'appointments.reason',
      APPOINTMENT_REASONS,
      (reason): MessageKey => `appointments.reasons.${reason}`,
    ),
    device: 'requiredText',
  },
  notes: {
    field: { ...notes, schema: notes.schema.transform((typed) => typed ?? '') },
    device: 'requiredText',
  },
  is_walk_in: { device: 'boolean' },
  departments: { device: 'jsonList' },
  status: { device: 'requiredText' },
  urgency: {},
  metadata: { device: 'json' },
})
