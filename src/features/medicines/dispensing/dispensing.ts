import * as z from 'zod'
import { AllergiesReason, Overrides } from '~/features/medicines/safety/override'
import { PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import { OnEarlierDay } from '~/shared/earlier-day'
import { reasonText } from '~/shared/reason'
import { ListInput, orNull } from '~/shared/record'

/** Statuses of prescriptions that the pharmacy may still dispense. */
export const OPEN_STATUSES = [
  'pending',
  'prepared',
  'partially-picked-up',
  'not-picked-up',
] as const

const quantity = z
  .number('validation.wrongType')
  .positive('dispensing.quantityPositive')
  .max(1_000_000, 'validation.tooLarge')
  // the ledger keeps three decimals
  .refine(
    (value) => Math.abs(value * 1000 - Math.round(value * 1000)) < 1e-6,
    'validation.wrongType',
  )
/** How many days a quantity lasts. */
export const DAYS_SUPPLY = orNull(
  z.number('validation.wrongType').min(1, 'validation.tooSmall').max(3650, 'validation.tooLarge'),
)

/** `search`: a patient's name or ids, a medicine, or the number of the prescription. */
export const ListQueue = ListInput.extend({
  clinicId: z.uuid('validation.id').optional(),
  status: z.enum(PRESCRIPTION_STATUSES, 'validation.option').optional(),
})
export const ListRecords = ListInput.omit({ search: true }).extend({
  clinicId: z.uuid('validation.id').optional(),
  patientId: z.uuid('validation.id').optional(),
})
export const PrescriptionToDispense = z.object({ id: z.uuid('validation.id') })

export const ProposeBatches = z.object({
  itemId: z.uuid('validation.id'),
  quantity,
  days_supply: DAYS_SUPPLY,
})

/**
 * One record for each batch that is taken from; its id is the caller's, so that a repeated request
 * dispenses once. For an earlier day the batch may be unknown, and its receipt may be entered after it.
 */
export const Dispense = OnEarlierDay.extend({
  prescriptionId: z.uuid('validation.id'),
  items: z
    .array(
      z.object({
        itemId: z.uuid('validation.id'),
        days_supply: DAYS_SUPPLY,
        /** Why more than is due, or a controlled medicine before the last supply is used up. */
        reason: orNull(reasonText({ missing: 'dispensing.reasonRequired' })),
        records: z
          .array(
            z.object({
              id: z.uuid('validation.id'),
              batchId: z.uuid('dispensing.batchRequired').nullable(),
              quantity,
            }),
            'validation.wrongType',
          )
          .min(1, 'dispensing.batchRequired')
          .max(20, 'validation.tooMany'),
      }),
      'validation.wrongType',
    )
    .min(1, 'dispensing.nothingChosen')
    .max(50, 'validation.tooMany')
    .refine(
      (items) => new Set(items.map(({ itemId }) => itemId)).size === items.length,
      'validation.id',
    ),
  overrides: Overrides,
  /** Why nobody asked about allergies; asked for once a day of a patient who was never asked. */
  allergies_reason: AllergiesReason,
})

export const Reverse = OnEarlierDay.extend({
  /** The id of the new counter-entry. */
  id: z.uuid('validation.id'),
  recordId: z.uuid('validation.id'),
  reason: reasonText({ missing: 'dispensing.reasonRequired' }),
})
