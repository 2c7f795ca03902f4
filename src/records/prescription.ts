import * as z from 'zod'
import { date, longText, number, optional, reference, select } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { cleanText } from '~/shared/typed-text'
import {
  PRIORITIES,
  type Priority,
  type PrescriptionStatus,
  PRESCRIPTION_STATUSES,
} from './prescription-status'
import { record } from './record'

export const ITEM_STATUSES = ['active', 'completed', 'cancelled', 'partially_dispensed'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

export const statusLabel = (status: PrescriptionStatus): MessageKey =>
  `prescriptions.statuses.${status}`
export const priorityLabel = (priority: Priority): MessageKey =>
  `prescriptions.priorities.${priority}`
export const itemStatusLabel = (status: ItemStatus): MessageKey =>
  `prescriptions.itemStatuses.${status}`

const upTo = (max: number) =>
  z.string('validation.wrongType').overwrite(cleanText).trim().max(max, 'validation.tooLong')

export const prescriptionRecord = record('prescriptions', {
  patient_id: {
    field: reference('prescriptions.patient', { requiredMessage: 'prescriptions.patientRequired' }),
    device: 'id',
  },
  provider_id: {
    field: reference('prescriptions.provider', {
      requiredMessage: 'prescriptions.providerRequired',
    }),
    device: 'id',
  },
  filled_by: { device: 'id?' },
  pickup_clinic_id: {
    field: reference('prescriptions.pickupClinic', {
      requiredMessage: 'prescriptions.pickupClinicRequired',
    }),
    device: 'id?',
  },
  visit_id: { device: 'id?' },
  priority: {
    field: {
      ...select('prescriptions.priority', PRIORITIES, priorityLabel),
      schema: z.enum(PRIORITIES, 'validation.option').default('normal'),
    },
    device: 'requiredText',
  },
  expiration_date: {
    field: optional({
      ...date('prescriptions.expirationDate'),
      schema: z.iso.date('validation.date'),
    }),
    device: 'momentOrZero',
  },
  prescribed_at: { device: 'moment' },
  filled_at: { device: 'moment?' },
  status: {
    field: {
      ...select('prescriptions.status', PRESCRIPTION_STATUSES, statusLabel),
      schema: z.enum(PRESCRIPTION_STATUSES, 'validation.option').default('pending'),
    },
    device: 'requiredText',
  },
  /** Free text that phones wrote; the medicines themselves are `prescription_items`. */
  items: { device: 'jsonList' },
  notes: {
    field: { ...longText('prescriptions.notes'), required: false, schema: upTo(4000) },
    device: 'requiredText',
  },
  metadata: { device: 'json' },
  // the user whose phone sent it; phones do not know it
  sent_by_user_id: {},
  // who entered a prescription of an earlier day, and when
  entered_on: {},
  entered_by_user_id: {},
  /** The problem that it is for; phones do not know it either. */
  problem_id: {},
})

/** No prescription orders more of a medicine at once. */
const MOST_UNITS = 1_000_000
const MOST_REFILLS = 1000

export const prescriptionItemRecord = record('prescription_items', {
  prescription_id: { device: 'id' },
  patient_id: { device: 'id' },
  drug_id: {
    field: reference('prescriptions.medication', {
      requiredMessage: 'prescriptions.selectMedication',
    }),
    device: 'id',
  },
  clinic_id: { device: 'id' },
  dosage_instructions: {
    field: {
      ...longText('prescriptions.dosageInstructions'),
      schema: z
        .string('prescriptions.dosageRequired')
        .trim()
        .min(1, 'prescriptions.dosageRequired')
        .max(1000, 'validation.tooLong'),
    },
    device: 'requiredText',
  },
  quantity_prescribed: {
    field: {
      ...number('prescriptions.quantity', { min: 1, max: MOST_UNITS }),
      schema: z
        .number('prescriptions.quantityAtLeast1')
        .min(1, 'prescriptions.quantityAtLeast1')
        .max(MOST_UNITS, 'validation.tooLarge')
        .default(1),
    },
    device: 'number',
  },
  quantity_dispensed: { device: 'fillQuantity', derived: true },
  refills_authorized: {
    field: {
      ...number('prescriptions.refills', { min: 0, max: MOST_REFILLS }),
      schema: z
        .number('validation.wrongType')
        .int('vitals.whole')
        .min(0, 'validation.tooSmall')
        .max(MOST_REFILLS, 'validation.tooLarge')
        .default(0),
    },
    device: 'number',
  },
  refills_used: { device: 'fillsUsed', derived: true },
  item_status: {
    field: {
      ...select('prescriptions.status', ITEM_STATUSES, itemStatusLabel),
      schema: z.enum(ITEM_STATUSES, 'validation.option').default('active'),
    },
    device: 'itemStatus',
  },
  notes: {
    field: {
      ...longText('prescriptions.itemNotes'),
      required: false,
      schema: upTo(1000)
        .nullish()
        .transform((notes) => notes || null),
    },
    device: 'text?',
  },
  recorded_by_user_id: { device: 'id?' },
  metadata: { device: 'json' },
  // the user whose phone sent it; phones do not know it
  sent_by_user_id: {},
})
