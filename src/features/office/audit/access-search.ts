import { day, id, oneOfOptions, page, type RouteSearch, defineSearch } from '~/shared/search-params'
import { ACCESS_KINDS } from '~/shared/access-kinds'

export const OUTCOMES = ['shown', 'refused', 'not_found', 'lost'] as const

const ofUserAndDays = { userId: id, from: day, to: day }
const filters = {
  ...ofUserAndDays,
  kind: oneOfOptions(ACCESS_KINDS),
  patientId: id,
  clinicId: id,
  outcome: oneOfOptions(OUTCOMES),
}
export const ACCESS_FILTERS = Object.keys(filters)
export const PATIENT_ACCESS_FILTERS = Object.keys(ofUserAndDays)

/** An invalid value in an address shows all entries instead of an error. */
export const patientAccessSearch = defineSearch({ page, ...ofUserAndDays })
export const accessSearch = defineSearch({ page, ...filters })
export type AccessSearch = RouteSearch<typeof accessSearch>
