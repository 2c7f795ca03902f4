import { record } from './record'

/**
 * The stock of a batch in a clinic. Movements change it; phones also get the number and expiry date
 * of the batch.
 */
export const stockRecord = record('clinic_inventory', {
  clinic_id: { device: 'id' },
  drug_id: { device: 'id' },
  batch_id: { device: 'id' },
  quantity_available: { device: 'stockNumber' },
  reserved_quantity: { device: 'number' },
  last_counted_at: { device: 'moment?' },
  recorded_by_user_id: { device: 'id?' },
  metadata: { device: 'json' },
  batch_number: { device: 'requiredText' },
  batch_expiry_date: { device: 'dayAsMoment' },
})
