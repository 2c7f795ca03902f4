import { oneOfOptions, page, defineSearch, textParam } from '~/shared/search-params'

export const REFERRAL_STATES = ['open', 'overdue', 'all'] as const
/** `search`: the number on a letter or slip. */
export const referralSearch = defineSearch({
  state: oneOfOptions(REFERRAL_STATES),
  search: textParam(40),
  page,
})
