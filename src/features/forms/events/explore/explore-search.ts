import { day, id, oneOf, page, type Search, searchOf, text } from '~/shared/search-params'

/** The filter of the answers in an address; what is mangled is left out. */
export const exploreSearch = searchOf({
  page,
  sort: text(100),
  direction: oneOf(['asc', 'desc']),
  clinicId: id,
  from: day,
  to: day,
  patientId: id,
  field: text(100),
  value: text(200),
  least: text(30),
  most: text(30),
  view: oneOf(['table', 'charts']),
})
export type ExploreSearch = Search<typeof exploreSearch>
