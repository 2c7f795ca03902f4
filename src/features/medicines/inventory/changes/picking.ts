import type { MessageKey } from '~/shared/language'

/** A batch of one medicine, with its stock in one clinic. Days are `yyyy-MM-dd`. */
export type StockedBatch = {
  batch_id: string
  batch_number: string
  expiry_date: string
  is_quarantined: boolean
  /** On hand, including what is reserved. */
  quantity_available: number
  /** Reserved for other prescriptions. */
  held: number
}

type PickedBatch = {
  batch_id: string
  batch_number: string
  expiry_date: string
  quantity: number
  /** Why this batch, as a sentence of the message files. */
  reason: MessageKey
  /** The batch expires before the treatment ends. */
  expiresInCourse: boolean
}
type PassedOver = {
  batch_id: string
  batch_number: string
  expiry_date: string
  reason: MessageKey
}
export type Picking = {
  picks: PickedBatch[]
  /** The part of the wanted quantity that no batch covers. */
  missing: number
  /** Batches with stock that were not used, and why. */
  passedOver: PassedOver[]
}

type Wanted = { quantity: number; today: string; courseEnds?: string | null }

/** A quantity has at most three decimals. Sums need rounding: 0.1 + 0.2 is 0.30000000000000004. */
export const roundQuantity = (quantity: number) => Math.round(quantity * 1000) / 1000

/** What can be dispensed or reserved now. */
export const freeQuantity = ({ quantity_available, held }: StockedBatch) =>
  Math.max(0, roundQuantity(quantity_available - held))

/** Why the batch cannot be dispensed; null if it can. A batch can be dispensed on its expiry date. */
export function barred(
  { expiry_date, is_quarantined }: Pick<StockedBatch, 'expiry_date' | 'is_quarantined'>,
  today: string,
): MessageKey | null {
  if (is_quarantined) return 'inventory.barredQuarantined'
  return expiry_date < today ? 'inventory.barredExpired' : null
}

/**
 * The batches to dispense from, first expired first out: none that is expired or quarantined, and
 * nothing that is reserved for other prescriptions.
 */
export function pickFrom(
  batches: readonly StockedBatch[],
  { quantity, today, courseEnds }: Wanted,
): Picking {
  const inOrder = batches
    .filter(({ quantity_available }) => quantity_available > 0)
    .toSorted((a, b) => order(a.expiry_date, b.expiry_date) || order(a.batch_id, b.batch_id))
  const picks: PickedBatch[] = []
  const passedOver: PassedOver[] = []
  let missing = roundQuantity(quantity)
  for (const batch of inOrder) {
    const { batch_id, batch_number, expiry_date } = batch
    const free = freeQuantity(batch)
    const obstacle = barred(batch, today) ?? (free === 0 ? 'inventory.barredHeld' : null)
    if (obstacle || missing === 0) {
      passedOver.push({
        batch_id,
        batch_number,
        expiry_date,
        reason: obstacle ?? 'inventory.barredLater',
      })
      continue
    }
    const taken = Math.min(free, missing)
    missing = roundQuantity(missing - taken)
    picks.push({
      batch_id,
      batch_number,
      expiry_date,
      quantity: taken,
      reason: picks.length > 0 ? 'inventory.pickedNext' : 'inventory.pickedFirst',
      expiresInCourse: Boolean(courseEnds && expiry_date < courseEnds),
    })
  }
  if (picks.length === 1 && passedOver.length === 0) picks[0]!.reason = 'inventory.pickedOnly'
  return { picks, missing, passedOver }
}

const order = (a: string, b: string) => (a < b ? -1 : Number(a > b))
