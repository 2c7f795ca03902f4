import * as z from 'zod'
import { AllergiesReason, Overrides } from '~/features/medicines/safety/override'
import { type ItemStatus, prescriptionItemRecord, prescriptionRecord } from '~/records/prescription'
import { type PrescriptionStatus, PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import { reasonText } from '~/shared/reason'
import { orNull } from '~/shared/record'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { SentMoment } from '~/shared/moment'
import { Dose } from './writing/dose'

const usual: Partial<Record<PrescriptionStatus, readonly PrescriptionStatus[]>> = {
  pending: ['prepared'],
  prepared: ['picked-up', 'partially-picked-up', 'not-picked-up'],
  'partially-picked-up': ['picked-up'],
  'not-picked-up': ['prepared'],
}

/**
 * The usual steps of a prescription; any other is possible, asks first and is marked. The database
 * has the same rule.
 */
export const isUsualStep = (was: PrescriptionStatus, becomes: PrescriptionStatus) =>
  was === becomes ||
  was === 'other' ||
  becomes === 'other' ||
  (becomes === 'cancelled' && was !== 'picked-up') ||
  (usual[was]?.includes(becomes) ?? false)

/** Statuses that the pharmacy sets, not the prescriber. */
export const isDispensingStatus = (status: PrescriptionStatus) =>
  ['prepared', 'picked-up', 'not-picked-up', 'partially-picked-up'].includes(status)

type Handed = { status: PrescriptionStatus; is_dispensed: boolean }

const isPickedUp = (status: PrescriptionStatus) =>
  status === 'picked-up' || status === 'partially-picked-up'

/** Setting it to "picked up", in whole or in part, although nothing was dispensed here needs a reason. */
export const needsStatusReason = ({ status, is_dispensed }: Handed, becomes: PrescriptionStatus) =>
  isPickedUp(becomes) && status !== becomes && !is_dispensed

type Step = Handed & { unusual_from: PrescriptionStatus | null; status_reason: string | null }

/**
 * Set to "picked up", in whole or in part, with nothing dispensed here. Imported ones, dispensed
 * elsewhere long ago, took no such step.
 */
export const isUndispensed = ({ status, is_dispensed, unusual_from, status_reason }: Step) =>
  isPickedUp(status) && !is_dispensed && (unusual_from !== null || status_reason !== null)

const MOST_ITEMS = 50

const PrescriptionItem = prescriptionItemRecord.save.omit({ last_modified: true }).extend({
  /** The dose as numbers: the instructions are made of it, in the language of the caller. */
  dose: Dose.nullish().transform((dose) => dose ?? null),
})
export type ItemInput = z.output<typeof PrescriptionItem>

/** Why the status is "picked up" although nothing was dispensed here. */
const reason = orNull(reasonText({ missing: 'dispensing.reasonRequired' }))

/**
 * `expiration_date` is a day, `yyyy-MM-dd`. `overrides` holds the reasons for overridden warnings.
 */
export const SavePrescription = prescriptionRecord.save.extend({
  visit_id: orNull(z.uuid('validation.id')),
  /** The problem of the patient that it is for. Absent, the stored one stays: programs of before do not send it. */
  problem_id: z.uuid('validation.id').nullish(),
  prescribed_at: orNull(SentMoment),
  /** The earlier day on which it was written, instead of `prescribed_at`. */
  day: orNull(z.iso.date('validation.date')),
  /** What the user answered; a program is not asked. */
  confirmed: ConfirmedIfAsked,
  items: z
    .array(PrescriptionItem, 'prescriptions.noItems')
    .min(1, 'prescriptions.noItems')
    .max(MOST_ITEMS, 'validation.tooMany')
    .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, 'validation.id'),
  overrides: Overrides,
  /** Why nobody asked about allergies; asked for once a day of a patient who was never asked. */
  allergies_reason: AllergiesReason,
  reason,
})

export const PrescriptionId = z.object({ id: z.uuid('validation.id') })
export const SetPrescriptionStatus = z.object({
  id: z.uuid('validation.id'),
  status: z.enum(PRESCRIPTION_STATUSES, 'validation.option'),
  reason,
})

export const CheckDrugs = z.object({
  patientId: z.uuid('validation.id'),
  drugIds: z
    .array(z.uuid('validation.id'), 'validation.wrongType')
    .max(MOST_ITEMS, 'validation.tooMany'),
  /** Of some of them, the doses that are being written. */
  doses: z
    .array(z.object({ drugId: z.uuid('validation.id'), dose: Dose }), 'validation.wrongType')
    .max(MOST_ITEMS, 'validation.tooMany')
    .optional(),
  /** The prescription that is being written: its own medicines are not compared with themselves. */
  prescriptionId: z.uuid('validation.id').optional(),
  /** The item or the medicine from elsewhere whose place it takes. */
  replacedId: z.uuid('validation.id').optional(),
})

type Progress = {
  quantity_prescribed: number
  quantity_dispensed: number
  refills_authorized: number
  item_status: ItemStatus
}

/** What may still be dispensed in all, including refills. */
export const remainingQuantity = ({
  quantity_prescribed,
  quantity_dispensed,
  refills_authorized,
  item_status,
}: Progress) =>
  item_status === 'cancelled'
    ? 0
    : Math.max(
        0,
        inThousandths(quantity_prescribed * (1 + refills_authorized) - quantity_dispensed),
      )

/** What is left of the current fill; after a whole fill, the next refill. */
export const dueQuantity = (item: Progress) =>
  Math.min(remainingQuantity(item), inThousandths(item.quantity_prescribed - begunFill(item)))

/** The ledger keeps three decimals; the rest is what binary fractions leave over. */
const inThousandths = (quantity: number) => Math.round(quantity * 1000) / 1000

/**
 * What was dispensed of the current fill; in thousandths, or the remainder of 2.2 by 1.1 would not
 * be 0.
 */
const begunFill = ({ quantity_prescribed, quantity_dispensed }: Progress) =>
  (Math.round(quantity_dispensed * 1000) % Math.round(quantity_prescribed * 1000)) / 1000
