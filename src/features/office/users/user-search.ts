import { ROLES } from '~/shared/permissions'
import { id, oneOf, searchOf } from '~/shared/search-params'
import { listParams } from '~/ui/listSearch'

export const SORTABLE = ['name', 'email', 'role'] as const
export const userSearch = searchOf({
  ...listParams,
  role: oneOf(ROLES),
  clinic: id,
  sort: oneOf(SORTABLE),
})
