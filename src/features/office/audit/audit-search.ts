import { day, id, page, type Search, searchOf, text } from '~/shared/search-params'

const filters = {
  userId: id,
  action: text(100),
  table: text(100),
  recordId: id,
  patientId: id,
  clinicId: id,
  from: day,
  to: day,
}
/** Includes `recordId`, which only an address sets. */
export const AUDIT_FILTERS = Object.keys(filters)
/** A mangled address shows everything rather than an error. */
export const auditSearch = searchOf({ page, ...filters })
export type AuditSearch = Search<typeof auditSearch>
