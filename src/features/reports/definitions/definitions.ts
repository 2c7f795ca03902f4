import * as z from 'zod'
import { PeriodText } from '~/features/reports/cells/period-text'
import { ListInput, Saved } from '~/shared/record'

export const DefinitionId = z.object({ id: z.uuid('validation.id') })

/** JSON of any shape: `checkDefinition` names each problem at its place. */
const Body = z.record(z.string(), z.json(), 'validation.wrongType')

export const SaveDefinition = Saved.extend({ body: Body })

export const ListDefinitionVersions = DefinitionId.extend({ page: ListInput.shape.page })

/** A definition that need not be stored, with the numbers of one or more clinics. */
export const PreviewDefinition = z.object({
  body: Body,
  clinic_ids: z
    .array(z.uuid('validation.id'), 'validation.wrongType')
    .min(1, 'validation.required')
    .max(100, 'validation.tooLong'),
  period: PeriodText,
})
