import { oneOf, page, searchOf, text } from '~/shared/search-params'

export const REFERRAL_STATES = ['open', 'overdue', 'all'] as const
/** `search`: the number on a letter or slip. */
export const referralSearch = searchOf({ state: oneOf(REFERRAL_STATES), search: text(40), page })
