import { id, defineSearch } from '~/shared/search-params'

export const queueSearch = defineSearch({ clinicId: id, departmentId: id })
