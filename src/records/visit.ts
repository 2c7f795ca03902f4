import { longText, optional, reference } from '~/fields/field'
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
  closed_at: {},
  metadata: { device: 'json' },
})
