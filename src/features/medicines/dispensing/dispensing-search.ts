import { PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import {
  id,
  oneOfOptions,
  page,
  type RouteSearch,
  defineSearch,
  trimmed,
} from '~/shared/search-params'

/** The search parameters of the screen; invalid ones are ignored. */
export const dispensingSearch = defineSearch({
  search: trimmed(200),
  page,
  clinicId: id,
  status: oneOfOptions(PRESCRIPTION_STATUSES),
  show: oneOfOptions(['queue', 'records']),
})
export type DispensingSearch = RouteSearch<typeof dispensingSearch>
