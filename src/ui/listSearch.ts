import * as z from 'zod'

/**
 * The search parameters of a list: `validateSearch: listSearch`. An invalid address shows the first page rather than an
 * error. Extend it for filters: `listSearch.extend({ status: z.enum([...]).optional().catch(undefined) })`.
 */
export const listSearch = z.object({
  search: z.string().trim().max(200).optional().catch(undefined),
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
  sort: z.string().max(60).optional().catch(undefined),
  direction: z.enum(['asc', 'desc']).optional().catch(undefined),
})
export type ListSearch = z.output<typeof listSearch>

/** The address after a press on a heading: ascending, then descending, then the default order. */
export function nextSort(current: ListSearch, column: string): ListSearch {
  const unsorted = { ...current, page: undefined, sort: undefined, direction: undefined }
  if (current.sort !== column) return { ...unsorted, sort: column, direction: 'asc' }
  return current.direction === 'asc' ? { ...unsorted, sort: column, direction: 'desc' } : unsorted
}
