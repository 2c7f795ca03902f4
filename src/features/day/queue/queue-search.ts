import { id, searchOf } from '~/shared/search-params'

export const queueSearch = searchOf({ clinicId: id, departmentId: id })
