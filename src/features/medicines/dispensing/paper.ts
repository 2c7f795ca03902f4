import * as z from 'zod'
import { OnEarlierDay } from '~/shared/earlier-day'
import { reference } from '~/fields/field'
import { quantityField } from '~/features/medicines/inventory/inventory'
import { DAYS_SUPPLY } from './dispensing'

/** A line of the paper register; `id` is the record's: the same request again records nothing twice. */
export const RecordPaper = OnEarlierDay.extend({
  id: z.uuid('validation.id'),
  clinicId: z.uuid('validation.id'),
  patientId: reference('prescriptions.patient', {
    requiredMessage: 'prescriptions.patientRequired',
  }).schema,
  drugId: reference('prescriptions.medication', {
    requiredMessage: 'prescriptions.selectMedication',
  }).schema,
  /** Null: not written down; the batch that expired first is taken. */
  batchId: z.uuid('validation.id').nullish(),
  quantity: quantityField.schema,
  days_supply: DAYS_SUPPLY.optional(),
})
