import { ROLES } from '~/shared/permissions'
import { id, oneOfOptions, defineSearch } from '~/shared/search-params'
import { listParams } from '~/ui/listSearch'

export const SORTABLE = ['name', 'email', 'role'] as const
export const userSearch = defineSearch({
  ...listParams,
  role: oneOfOptions(ROLES),
  clinic: id,
  sort: oneOfOptions(SORTABLE),
})
