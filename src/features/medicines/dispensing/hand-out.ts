import { daysSupply } from '~/features/medicines/prescriptions/writing/dose'
import { newId } from '~/shared/id'
import {
  barred,
  freeQuantity,
  type Picking,
  type StockedBatch,
} from '~/features/medicines/inventory/changes/picking'
import type { Message } from '~/shared/errors'
import type { ItemToDispense } from './queue.server'

/** The choice for one item at the counter. */
export type HandOut = {
  isChosen: boolean
  quantity: number | ''
  days: number | ''
  /** The proposed batches. */
  picking: Picking
  /** Required for more than is due, and for a controlled medicine before it is due. */
  reason: string
  /** Quantities by batch, once the user chooses the batches. */
  own: Record<string, number | ''> | null
  /** The ids of the records by batch, created once: a repeated request dispenses once. */
  ids: Record<string, string>
}

/** The initial choice: everything that is due and available. */
export function initialHandOut(item: ItemToDispense): HandOut | undefined {
  if (item.due === 0 || !item.picking) return undefined
  const available = item.picking.picks.reduce((sum, { quantity }) => sum + quantity, 0)
  const quantity = available > 0 ? available : item.due
  return {
    isChosen: available > 0,
    quantity,
    days: daysFor(item, quantity),
    picking: item.picking,
    reason: '',
    own: null,
    ids: {},
  }
}

/** How many days a quantity lasts; for a medicine that is not counted in pieces, in proportion to the whole. */
function daysFor(item: ItemToDispense, quantity: number): number | '' {
  const { dose, quantity_prescribed: whole } = item
  const [days, ofWhole] = [quantity, whole].map((each) => dose && daysSupply(dose, item, each))
  if (!days) return ''
  return quantity < whole && days === ofWhole
    ? Math.max(1, Math.floor((days * quantity) / whole))
    : days
}

/** Another quantity lasts for other days, unless the days were typed. */
export const withQuantity = (
  item: ItemToDispense,
  { quantity: before, days }: HandOut,
  quantity: number | '',
): Pick<HandOut, 'quantity' | 'days'> => ({
  quantity,
  days:
    quantity !== '' && quantity > 0 && days === daysFor(item, before || item.due)
      ? daysFor(item, quantity)
      : days,
})

/**
 * Whether the choice needs a reason: more than is due, or a controlled medicine too early today. For an earlier day
 * the server knows whether it was too early.
 */
export const needsReasonFor = (
  item: Pick<ItemToDispense, 'due' | 'earliest'>,
  { quantity }: Pick<HandOut, 'quantity'>,
  isEarlier: boolean,
) => (!isEarlier && item.earliest !== null) || (quantity !== '' && quantity > item.due)

/** Whether a reason can be given, which an earlier day of a controlled medicine may need. */
export const takesReasonFor = (
  item: Pick<ItemToDispense, 'due' | 'earliest' | 'is_controlled'>,
  handOut: Pick<HandOut, 'quantity'>,
  isEarlier: boolean,
) => needsReasonFor(item, handOut, isEarlier) || (isEarlier && item.is_controlled)

/** The path of the reason's error in the form, below the item: a change of the item corrects it. */
export const reasonPath = (itemId: string) => `${itemId}.reason`

/** Errors of the operation about the n-th item that was sent, at the paths of the form. */
export const atItems = (
  errors: Readonly<Record<string, Message>>,
  itemIds: readonly string[],
): Record<string, Message> =>
  Object.fromEntries(
    Object.entries(errors).map(([path, error]): [string, Message] => {
      const [, at, name] = /^items\.(\d+)(?:\.(reason|records)\b.*)?$/.exec(path) ?? []
      const itemId = itemIds[Number(at)]
      if (itemId === undefined) return [path, error]
      return [name === 'reason' ? reasonPath(itemId) : itemId, error]
    }),
  )

/** Whether the proposed batches can still be taken, and cover the quantity. */
export const isPossible = (
  { picks, missing }: Pick<Picking, 'picks' | 'missing'>,
  batches: readonly StockedBatch[],
  today: string,
) =>
  missing === 0 &&
  picks.every(({ batch_id, quantity }) => {
    const batch = batches.find((one) => one.batch_id === batch_id)
    return batch !== undefined && !barred(batch, today) && freeQuantity(batch) >= quantity
  })

/** The current quantities by batch. */
export const chosenBatches = ({ own, picking }: HandOut): { batchId: string; quantity: number }[] =>
  own
    ? Object.entries(own).flatMap(([batchId, quantity]) =>
        quantity !== '' && quantity > 0 ? [{ batchId, quantity }] : [],
      )
    : picking.picks.map(({ batch_id, quantity }) => ({ batchId: batch_id, quantity }))

export const handOutQuantity = (handOut: HandOut) =>
  Math.round(chosenBatches(handOut).reduce((sum, { quantity }) => sum + quantity, 0) * 1000) / 1000

/** The record of a quantity whose batch is not known; no batch has this id. */
const NO_BATCH = ''

/** Whether the quantities of the batches add up; of an earlier day, no batch need be known. */
export const addsUp = (handOut: HandOut, isEarlier: boolean) =>
  handOutQuantity(handOut) === handOut.quantity ||
  (isEarlier && (handOut.own === null || handOutQuantity(handOut) < Number(handOut.quantity)))

/** What the batches lack. On an earlier day it was dispensed all the same. */
const withoutBatch = (handOut: HandOut) => {
  const quantity = Math.round((Number(handOut.quantity) - handOutQuantity(handOut)) * 1000) / 1000
  return quantity > 0 ? [{ batchId: null, quantity }] : []
}

/** On an earlier day only batches that the user chose are known: those proposed now are of today's stock. */
const recordedBatches = (handOut: HandOut, isEarlier: boolean) => {
  if (!isEarlier) return chosenBatches(handOut)
  return handOut.own === null
    ? [{ batchId: null, quantity: Number(handOut.quantity) }]
    : [...chosenBatches(handOut), ...withoutBatch(handOut)]
}

/** The input of the operation for this item. */
export const toDispenseInput = (itemId: string, handOut: HandOut, isEarlier: boolean) => ({
  itemId,
  days_supply: handOut.days === '' ? null : handOut.days,
  reason: handOut.reason.trim() || null,
  records: recordedBatches(handOut, isEarlier).map(({ batchId, quantity }) => ({
    id: (handOut.ids[batchId ?? NO_BATCH] ??= newId()),
    batchId,
    quantity,
  })),
})
