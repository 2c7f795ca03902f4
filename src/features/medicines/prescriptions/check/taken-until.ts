import { addDays, clinicTimeZone, dayIn, startOfDay } from '~/shared/zone'

/** Where nobody recorded for how long a medicine lasts, it counts as taken for this long. */
const DAYS_WITHOUT_SUPPLY = 90
/** An open medicine without a last day, since it was prescribed or last dispensed: what is not known lowers no risk. */
const DAYS_OPEN = 180
/** A supply lasts no longer, whatever was typed. */
const MOST_DAYS = 3650
const DAY_MS = 86_400_000

/**
 * What was handed over at a time. `days`: null where nobody recorded how long it lasts; `pieces` are then one a day.
 */
export type Supply = { at: Date; days: number | null; pieces?: number | null }

/** The stored state of a medicine of a prescription. */
type ItemState = { status: string; item_status: string }
export const isCancelled = ({ status, item_status }: ItemState) =>
  status === 'cancelled' || item_status === 'cancelled'
/** It can still be dispensed. */
export const isOpenItem = (row: ItemState) =>
  !isCancelled(row) &&
  (row.item_status === 'active' || row.item_status === 'partially_dispensed') &&
  row.status !== 'not-picked-up'
/** A line of text has no state of its own. */
export const isOpenText = ({ status }: { status: string }) =>
  status !== 'cancelled' && status !== 'not-picked-up'

/** The end of that day in the clinic. */
export const endOfDay = (at: Date) => startOfDay(addDays(dayIn(at, clinicTimeZone()), 1))

/** A prescribed or dispensed medicine, as far as its end follows from it. */
export type Course = {
  /** It can still be dispensed: not cancelled, not completed, and not left at the pharmacy. */
  isOpen: boolean
  prescribedAt: Date
  /** The end of the last day on which it can be dispensed; null: no such day was recorded. */
  validUntil: Date | null
  supplies: readonly Supply[]
}

/**
 * `isAssumed`: the end is not known, and `DAYS_WITHOUT_SUPPLY` or, while it can be dispensed, `DAYS_OPEN`
 * stand in for it. `isOpenEnded`: because more of it can still be dispensed, and not because nobody
 * recorded how long a supply lasts.
 */
export type Taken = { until: Date; isAssumed: boolean; isOpenEnded: boolean }

/**
 * Until when a medicine counts as taken (docs/rules.md, "Medicines taken now"): until its validity or its supply ends,
 * whichever is later. Null: it was never open and nothing of it was handed over.
 */
export function takenUntil({ isOpen, prescribedAt, validUntil, supplies }: Course): Taken | null {
  const supplied = suppliedUntil(supplies)
  if (!isOpen) return supplied
  const last = supplies.reduce((latest, { at }) => (at > latest ? at : latest), prescribedAt)
  const open = validUntil
    ? { until: validUntil, isAssumed: false, isOpenEnded: false }
    : {
        until: daysAfter(last, DAYS_OPEN),
        isAssumed: true,
        isOpenEnded: supplies.every(({ days }) => days !== null),
      }
  return supplied && supplied.until >= open.until ? supplied : open
}

/**
 * A supply that is fetched before the last one is used up lasts after it. The later end counts: a supply with days says
 * nothing of an earlier one whose days nobody recorded.
 */
export function suppliedUntil(supplies: readonly Supply[]): Taken | null {
  let recorded: Date | null = null
  let assumed: Date | null = null
  for (const supply of supplies.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const { at, days, pieces } = supply
    if (days === null) {
      const until = daysAfter(at, Math.max(DAYS_WITHOUT_SUPPLY, pieces ?? 0))
      if (!assumed || until > assumed) assumed = until
    } else {
      const from: Date = recorded && recorded > at ? recorded : at
      recorded = daysAfter(from, Math.min(days, MOST_DAYS))
    }
  }
  if (assumed && (!recorded || assumed > recorded))
    return { until: assumed, isAssumed: true, isOpenEnded: false }
  return recorded && { until: recorded, isAssumed: false, isOpenEnded: false }
}

const daysAfter = (at: Date, days: number) => new Date(at.getTime() + days * DAY_MS)

type Named = { name: string; ingredients: readonly string[] }

/** "Coumadin (warfarin)": the name on a package from elsewhere says nothing to the next clinic. */
export function withIngredients({ name, ingredients }: Named): string {
  const more = ingredients.filter((one) => !name.toLowerCase().includes(one.toLowerCase()))
  return more.length > 0 ? `${name} (${more.join(' + ')})` : name
}
