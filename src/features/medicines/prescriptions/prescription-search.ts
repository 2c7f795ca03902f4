import { PRIORITIES, STATUSES } from '~/records/prescription-status'
import { day, id, oneOf, page, type Search, searchOf, trimmed } from '~/shared/search-params'

export const PRESCRIPTION_SORTS = [
  'prescribed_at',
  'patient',
  'provider',
  'priority',
  'status',
] as const
export type PrescriptionSort = (typeof PRESCRIPTION_SORTS)[number]

/** The list's address; invalid values are left out. */
export const prescriptionSearch = searchOf({
  search: trimmed(200),
  page,
  status: oneOf(STATUSES),
  priority: oneOf(PRIORITIES),
  clinicId: id,
  providerId: id,
  from: day,
  to: day,
  sort: oneOf(PRESCRIPTION_SORTS),
  direction: oneOf(['asc', 'desc']),
})
export type PrescriptionSearch = Search<typeof prescriptionSearch>
