import { PRIORITIES, PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import {
  day,
  id,
  oneOfOptions,
  page,
  type RouteSearch,
  defineSearch,
  trimmed,
} from '~/shared/search-params'

export const PRESCRIPTION_SORTS = [
  'prescribed_at',
  'patient',
  'provider',
  'priority',
  'status',
] as const
export type PrescriptionSort = (typeof PRESCRIPTION_SORTS)[number]

/** The list's address; invalid values are left out. */
export const prescriptionSearch = defineSearch({
  search: trimmed(200),
  page,
  status: oneOfOptions(PRESCRIPTION_STATUSES),
  priority: oneOfOptions(PRIORITIES),
  clinicId: id,
  providerId: id,
  from: day,
  to: day,
  sort: oneOfOptions(PRESCRIPTION_SORTS),
  direction: oneOfOptions(['asc', 'desc']),
})
export type PrescriptionSearch = RouteSearch<typeof prescriptionSearch>
