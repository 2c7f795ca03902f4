import { record } from './record'

/** What was dispensed; never edited, so no column has a field. */
export const dispensingRecord = record('dispensing_records', {
  clinic_id: { device: 'id' },
  drug_id: { device: 'id' },
  batch_id: { device: 'id?' },
  prescription_item_id: { device: 'id?' },
  patient_id: { device: 'id' },
  quantity_dispensed: { device: 'number' },
  dosage_instructions: { device: 'text?' },
  days_supply: { device: 'number?' },
  dispensed_by: { device: 'id' },
  dispensed_at: { device: 'moment' },
  recorded_by_user_id: { device: 'id?' },
  // the user whose phone sent it; phones do not know it
  sent_by_user_id: {},
  metadata: { device: 'json' },
})
