import { longText, optional, reference, yesNo } from '~/fields/field'
import { record } from './record'

export const visitRecord = record('visits', {
  patient_id: { device: 'id' },
  clinic_id: {
    field: reference('clinics.one', { requiredMessage: 'visits.clinicRequired' }),
    device: 'id',
  },
  provider_id: { field: optional(reference('visits.provider')), device: 'id' },
  // kept as it was at the visit, whatever becomes of the user
  provider_name: { device: 'text' },
  check_in_timestamp: { device: 'moment' },
  reason: { field: optional(longText('visits.reason', { max: 500 })) },
  // null: derived, the patient was here in the 14 days before
  is_revisit: {
    field: optional(
      yesNo('visits.is_revisit', {
        hint: 'visits.revisitHint',
        options: [
          { value: '', label: 'visits.automatic' },
          { value: 'false', label: 'visits.new' },
          { value: 'true', label: 'visits.revisit' },
        ],
      }),
    ),
    keptIfAbsent: true,
  },
  closed_at: {},
  // `last_entry` or `arrival`: no user said when the patient left
  closed_as: {},
  // who entered a visit of an earlier day, and when
  entered_on: {},
  entered_by_user_id: {},
  metadata: { device: 'json' },
})
