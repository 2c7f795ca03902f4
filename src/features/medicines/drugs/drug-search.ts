import { DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import { oneOf, type Search, searchOf } from '~/shared/search-params'
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
export const drugSearch = searchOf({
  ...listParams,
  form: oneOf(DOSAGE_FORMS),
  route: oneOf(ROUTES),
  only: oneOf(DRUG_FILTERS),
  sort: oneOf(['generic_name', 'brand_name', 'form', 'min_stock_level']),
})
export type DrugSearch = Search<typeof drugSearch>
