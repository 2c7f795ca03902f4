import { day, id, oneOf, page, type Search, searchOf, text, word } from '~/shared/search-params'

/** The filter of the answers in an address; what is mangled is left out. */
export const exploreSearch = searchOf({
  page,
  sort: text(100),
  direction: oneOf(['asc', 'desc']),
  clinicId: id,
  from: day,
  to: day,
  patientId: id,
  field: word(100),
  value: word(200),
  least: word(30),
  most: word(30),
  view: oneOf(['table', 'charts']),
})
export type ExploreSearch = Search<typeof exploreSearch>
