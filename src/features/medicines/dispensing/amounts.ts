import type { Message } from '~/shared/errors'
import { MOST_AT_ONCE, MOST_FOR_COURSE, MOST_TIMES } from '~/features/medicines/safety/rules/slips'

/**
 * Days that one piece lasts at most. A tablet: ibandronate is taken once a month (US label, DailyMed 6ca94cce). An
 * injection: zoledronic acid is given every two years in osteopenia (CMAJ 2017;189:E1130, PMC5595552). Of other forms
 * none is known: nothing is asked.
 */
const MOST_DAYS: Partial<Record<string, number>> = {
  tablet: 31,
  capsule: 31,
  injection: 731,
  ampule: 731,
}
const isSwallowedWhole = (form: string) => form === 'tablet' || form === 'capsule'

/** What is hardly right about an amount that one patient received, beside the days that it is to last. */
export function amountDoubt(
  quantity: number,
  days: number | null,
  form: string | null,
): Message | null {
  if (quantity > MOST_FOR_COURSE) return { key: 'dispensing.manyPieces', values: { quantity } }
  const most = form === null ? undefined : MOST_DAYS[form]
  if (days === null || form === null || most === undefined) return null
  if (days > quantity * most) return { key: 'dispensing.fewForDays', values: { quantity, days } }
  return isSwallowedWhole(form) && quantity > days * MOST_AT_ONCE * MOST_TIMES
    ? { key: 'dispensing.manyForDays', values: { quantity, days } }
    : null
}
