import { oneOf, page, searchOf, word } from '~/shared/search-params'

export const REFERRAL_STATES = ['open', 'overdue', 'all'] as const
/** `search`: the number on a letter or slip. */
export const referralSearch = searchOf({ state: oneOf(REFERRAL_STATES), search: word(40), page })
