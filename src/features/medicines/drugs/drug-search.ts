import { DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import { oneOfOptions, type RouteSearch, defineSearch } from '~/shared/search-params'
import { listParams } from '~/ui/listSearch'

export const DRUG_FILTERS = [
  'active',
  'inactive',
  'controlled',
  'refrigerated',
  'unnamed',
  'unknown',
  'no_volume',
] as const

/** The catalogue's search parameters. */
export const drugSearch = defineSearch({
  ...listParams,
  form: oneOfOptions(DOSAGE_FORMS),
  route: oneOfOptions(ROUTES),
  only: oneOfOptions(DRUG_FILTERS),
  sort: oneOfOptions(['generic_name', 'brand_name', 'form', 'min_stock_level']),
})
export type DrugSearch = RouteSearch<typeof drugSearch>
