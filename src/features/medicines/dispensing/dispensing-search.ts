import { STATUSES } from '~/records/prescription-status'
import { id, oneOf, page, type Search, searchOf, trimmed } from '~/shared/search-params'

/** The search parameters of the screen; invalid ones are ignored. */
export const dispensingSearch = searchOf({
  search: trimmed(200),
  page,
  clinicId: id,
  status: oneOf(STATUSES),
  show: oneOf(['queue', 'records']),
})
export type DispensingSearch = Search<typeof dispensingSearch>
