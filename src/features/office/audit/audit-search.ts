import { day, id, page, type RouteSearch, defineSearch, textParam } from '~/shared/search-params'

const filters = {
  userId: id,
  action: textParam(100),
  table: textParam(100),
  recordId: id,
  patientId: id,
  clinicId: id,
  from: day,
  to: day,
}
/** Includes `recordId`, which only an address sets. */
export const AUDIT_FILTERS = Object.keys(filters)
/** A mangled address shows everything rather than an error. */
export const auditSearch = defineSearch({ page, ...filters })
export type AuditSearch = RouteSearch<typeof auditSearch>
