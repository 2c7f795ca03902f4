import type { MessageKey } from '~/shared/language'
import { clinicTimeZone, dayIn } from '~/shared/zone'

/** A batch of one medicine as one clinic holds it. Days are `yyyy-MM-dd`. */
export type HeldBatch = {
  batch_id: string
  batch_number: string
  expiry_date: string
  is_quarantined: boolean
  quantity_available: number
  /** Reserved for others. */
  held: number
}

type Pick = {
  batch_id: string
  batch_number: string
  expiry_date: string
  quantity: number
  /** Why this batch, as a sentence of the message files. */
  reason: MessageKey
  /** The patient would still be taking it after its last day. */
  expiresInCourse: boolean
}
type PassedOver = {
  batch_id: string
  batch_number: string
  expiry_date: string
  reason: MessageKey
}
export type Picking = {
  picks: Pick[]
  /** The quantity that is short. */
  missing: number
  /** Batches with stock that were not used, and why. */
  passedOver: PassedOver[]
}

type Wanted = { quantity: number; today: string; courseEnds?: string | null }

/** The calendar day in the clinic, `yyyy-MM-dd`: batches expire by it. */
export const todayHere = () => dayIn(new Date(), clinicTimeZone())

/** Quantities have at most three decimals; sums of binary fractions would not end. */
export const rounded = (quantity: number) => Math.round(quantity * 1000) / 1000
export const freeOf = ({ quantity_available, held }: HeldBatch) =>
  Math.max(0, rounded(quantity_available - held))

/**
 * Why the batch cannot be dispensed; null if it can. A batch is good to the end of its last day.
 */
export function barred(
  { expiry_date, is_quarantined }: HeldBatch,
  today: string,
): MessageKey | null {
  if (is_quarantined) return 'inventory.barredQuarantined'
  return expiry_date < today ? 'inventory.barredExpired' : null
}

/**
 * First expired, first out. Never from an expired or quarantined batch, nor from what is reserved
 * for others.
 */
export function pickFrom(
  batches: readonly HeldBatch[],
  { quantity, today, courseEnds }: Wanted,
): Picking {
  const inOrder = batches
    .filter(({ quantity_available }) => quantity_available > 0)
    .toSorted((a, b) => order(a.expiry_date, b.expiry_date) || order(a.batch_id, b.batch_id))
  const picks: Pick[] = []
  const passedOver: PassedOver[] = []
  let missing = rounded(quantity)
  for (const batch of inOrder) {
    const { batch_id, batch_number, expiry_date } = batch
    const free = freeOf(batch)
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
    missing = rounded(missing - taken)
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
