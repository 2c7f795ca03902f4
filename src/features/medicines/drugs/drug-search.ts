import * as z from 'zod'
import { DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import { listSearch } from '~/ui/listSearch'

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
export const drugSearch = listSearch.extend({
  form: z.enum(DOSAGE_FORMS).optional().catch(undefined),
  route: z.enum(ROUTES).optional().catch(undefined),
  only: z.enum(DRUG_FILTERS).optional().catch(undefined),
  sort: z
    .enum(['generic_name', 'brand_name', 'form', 'min_stock_level'])
    .optional()
    .catch(undefined),
})
