import {
  day,
  id,
  oneOfOptions,
  page,
  type RouteSearch,
  defineSearch,
  textParam,
} from '~/shared/search-params'

/** The filter of the answers in an address; what is mangled is left out. */
export const exploreSearch = defineSearch({
  page,
  sort: textParam(100),
  direction: oneOfOptions(['asc', 'desc']),
  clinicId: id,
  from: day,
  to: day,
  patientId: id,
  field: textParam(100),
  value: textParam(200),
  least: textParam(30),
  most: textParam(30),
  view: oneOfOptions(['table', 'charts']),
})
export type ExploreSearch = RouteSearch<typeof exploreSearch>
