import {
  oneOfOptions,
  page,
  type RouteSearch,
  defineSearch,
  textParam,
  trimmed,
} from '~/shared/search-params'

export const listParams = {
  search: trimmed(200),
  page,
  sort: textParam(60),
  direction: oneOfOptions(['asc', 'desc']),
}
/**
 * The search parameters of a list: `validateSearch: listSearch`. For filters besides:
 * `searchOf({ ...listParams, status: oneOf([...]) })`.
 */
export const listSearch = defineSearch(listParams)
export type ListSearch = RouteSearch<typeof listSearch>

/** The address after a press on a heading: ascending, then descending, then the default order. */
export function nextSort(current: ListSearch, column: string): ListSearch {
  const unsorted = { ...current, page: undefined, sort: undefined, direction: undefined }
  if (current.sort !== column) return { ...unsorted, sort: column, direction: 'asc' }
  return current.direction === 'asc' ? { ...unsorted, sort: column, direction: 'desc' } : unsorted
}
