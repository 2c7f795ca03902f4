import { record } from './record'

/** A completed event form; what its answers may be, the form says. */
export const eventRecord = record('events', {
  patient_id: { device: 'id' },
  form_id: { device: 'id' },
  form_version: {},
  visit_id: { device: 'id' },
  event_type: { device: 'text' },
  form_data: { device: 'jsonList' },
  metadata: { device: 'json' },
  recorded_by_user_id: { device: 'id' },
  // the user whose phone sent it; phones do not know it
  sent_by_user_id: {},
})
