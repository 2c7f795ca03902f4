import { oneOf, page, type Search, searchOf, text, trimmed } from '~/shared/search-params'

export const listParams = {
  search: trimmed(200),
  page,
  sort: text(60),
  direction: oneOf(['asc', 'desc']),
}
/**
 * The search parameters of a list: `validateSearch: listSearch`. For filters besides:
 * `searchOf({ ...listParams, status: oneOf([...]) })`.
 */
export const listSearch = searchOf(listParams)
export type ListSearch = Search<typeof listSearch>

/** The address after a press on a heading: ascending, then descending, then the default order. */
export function nextSort(current: ListSearch, column: string): ListSearch {
  const unsorted = { ...current, page: undefined, sort: undefined, direction: undefined }
  if (current.sort !== column) return { ...unsorted, sort: column, direction: 'asc' }
  return current.direction === 'asc' ? { ...unsorted, sort: column, direction: 'desc' } : unsorted
}
