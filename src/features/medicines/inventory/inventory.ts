import * as z from 'zod'
import { longText, number, optional, fieldsSchema, select, text } from '~/fields/field'
import { batchRecord } from '~/records/batch'
import { LARGEST_QUANTITY } from '~/records/drug'
import type { MessageKey } from '~/shared/language'
import { Confirmed, OnEarlierDay } from '~/shared/earlier-day'
import { hasNoExpiry, NO_BATCH_NUMBER } from '~/records/no-expiry'
import { reasonText } from '~/shared/reason'
import { LastModified, ListInput, orNull } from '~/shared/record'
import { INVENTORY_VIEWS, MOVEMENT_TYPES } from './stock-search'

/** The limit of one request, and the delay of the search box. */
export const INVENTORY_LIMIT = 1000
export const SEARCH_DEBOUNCE_MS = 1000
/** Batches that expire within this many days are listed. */
export const EXPIRING_DAYS = 90

const id = z.uuid('validation.id')
const searched = z.string('validation.wrongType').trim().max(200, 'validation.tooLong')
const whole = (max: number) =>
  z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'validation.tooSmall')
    .max(max, 'validation.tooLarge')

const DECIMALS = 1000
/** The rest of 3.2 after three decimals is noise: 3.2 * 1000 is 3200.0000000000005. */
const isExact = (quantity: number) =>
  Math.abs(quantity * DECIMALS - Math.round(quantity * DECIMALS)) < 1e-6
const amount = (label: MessageKey, min: number) => {
  const field = number(label, { min, max: LARGEST_QUANTITY })
  return { ...field, schema: field.schema.refine(isExact, 'inventory.threeDecimals') }
}
/** A quantity to move, and one that was counted, which may be none. */
export const quantityField = amount('inventory.quantity', 0.001)
export const countedField = amount('inventory.counted', 0)

export const ListInventory = z.object({
  clinicId: id,
  searchQuery: searched.optional(),
  only: z.enum(INVENTORY_VIEWS, 'validation.option').optional(),
  limit: whole(INVENTORY_LIMIT).min(1, 'validation.tooSmall').default(INVENTORY_LIMIT),
  offset: whole(10_000_000).default(0),
})
export const Attention = z.object({
  /** Without: all clinics of the caller. */
  clinicId: id.optional(),
  days: whole(3650).default(EXPIRING_DAYS),
  limit: whole(100).min(1, 'validation.tooSmall').default(10),
})
export const ClinicStock = z.object({ clinicId: id })

export const ListBatches = z.object({
  drugId: id,
  /** Only what may be dispensed: not expired, not in quarantine, not all reserved. */
  onlyAvailable: z.boolean('validation.wrongType').default(false),
  clinicId: id.optional(),
})

/** At most so many batches in one stock-take or transfer. */
const MOST_LINES = 500
export const ListClinicBatches = z.object({
  clinicId: id,
  searchQuery: searched.optional(),
  /** Those of which nothing is left, too: a stock-take may find some. */
  withEmpty: z.boolean('validation.wrongType').default(false),
  /** The stock at the end of this day instead of now. */
  day: z.iso.date('validation.date').optional(),
  limit: whole(MOST_LINES).min(1, 'validation.tooSmall').default(MOST_LINES),
  offset: whole(10_000_000).default(0),
})

export const receiveFields = { quantity: quantityField, ...batchRecord.fields }

type Days = { expiry_date: string; manufacture_date: string | null }
const isMadeBefore = ({ expiry_date, manufacture_date }: Days) =>
  !manufacture_date || manufacture_date <= expiry_date
/** A batch without a number has no expiry date. */
const isReceivable = ({ batch_number, expiry_date }: Days & { batch_number: string }) =>
  batch_number !== NO_BATCH_NUMBER || hasNoExpiry(expiry_date)
const halfBatch = { path: ['expiry_date'], message: 'batches.noExpiryHalf' }
const madeAfter = { path: ['manufacture_date'], message: 'batches.madeAfterExpiry' }

/** `id` is the receipt's: the same request again receives nothing twice. It counts on the day of `received_date`. */
export const CreateBatch = z
  .object({ id, drug_id: id, clinic_id: id, confirmed: Confirmed })
  .extend(fieldsSchema(receiveFields).shape)
  .refine(isMadeBefore, madeAfter)
  .refine(isReceivable, halfBatch)

const reason = {
  ...text('inventory.reason'),
  schema: reasonText({ missing: 'inventory.reasonRequired' }),
}
export const stockReasonFields = { reason }

/** A corrected expiry date needs the reason; other corrections do not. */
export const correctFields = {
  ...batchRecord.fields,
  reason: optional(text('batches.reasonForExpiry', { max: 500 })),
}
export const SaveBatch = batchRecord.save
  .extend({
    last_modified: LastModified,
    reason: orNull(reason.schema),
    confirmed: Confirmed,
  })
  .refine(isMadeBefore, madeAfter)
  .refine(isReceivable, halfBatch)

export const Quarantine = z.object({
  id,
  is_quarantined: z.boolean('validation.wrongType'),
  reason: reason.schema,
})

/**
 * `expected`: the quantity that the screen showed. If it has changed since, the request is refused.
 */
export const adjustFields = {
  quantity: { ...countedField, label: 'inventory.shouldBe' as const },
  reason,
}
export const SaveInventory = OnEarlierDay.extend({
  id,
  clinicId: id,
  batchId: id,
  expected: countedField.schema,
  quantity: countedField.schema,
  reason: reason.schema,
})

const WRITE_OFF_KINDS = ['expired', 'damaged', 'opened', 'to_supplier', 'donated'] as const
export const writeOffFields = {
  kind: select('inventory.kind', WRITE_OFF_KINDS, (kind): MessageKey => `inventory.kind_${kind}`),
  quantity: quantityField,
  reason,
}
export const WriteOff = OnEarlierDay.extend({ id, clinicId: id, batchId: id }).extend(
  fieldsSchema(writeOffFields).shape,
)

export const transferNote = optional(longText('inventory.note', { max: 500 }))
const note = transferNote
const batchLinesSchema = <S extends z.ZodType<{ batchId: string }>>(line: S) =>
  z
    .array(line, 'validation.wrongType')
    .min(1, 'inventory.noLines')
    .max(MOST_LINES, 'validation.tooMany')
    .refine(
      (lines) => new Set(lines.map(({ batchId }) => batchId)).size === lines.length,
      'inventory.batchTwice',
    )

export const CountStock = OnEarlierDay.extend({
  id,
  clinicId: id,
  counts: batchLinesSchema(
    z.object({ batchId: id, expected: countedField.schema, counted: countedField.schema }),
  ),
  note: note.schema,
})
export const TransferStock = OnEarlierDay.extend({
  id,
  fromClinicId: id,
  toClinicId: id,
  lines: batchLinesSchema(z.object({ batchId: id, quantity: quantityField.schema })),
  note: note.schema,
}).refine(({ fromClinicId, toClinicId }) => fromClinicId !== toClinicId, {
  path: ['toClinicId'],
  message: 'inventory.sameClinic',
})

export const ListLedger = ListInput.omit({ search: true }).extend({
  clinicId: id.optional(),
  drugId: id.optional(),
  batchId: id.optional(),
  type: z.enum(MOVEMENT_TYPES, 'validation.option').optional(),
  pageSize: whole(500).min(1, 'validation.tooSmall').default(50),
})

export const ListShortfalls = ListInput.omit({ search: true }).extend({
  clinicId: id.optional(),
  settled: z.boolean('validation.wrongType').default(false),
})
const SETTLEMENTS = ['posted', 'explained'] as const
export const settleFields = {
  settlement: select(
    'inventory.settlement',
    SETTLEMENTS,
    (one): MessageKey => `inventory.settle_${one}`,
  ),
  reason,
}
export const SettleShortfall = z.object({ id }).extend(fieldsSchema(settleFields).shape)
