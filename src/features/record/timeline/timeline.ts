import * as z from 'zod'
import { ListInput } from '~/shared/record'

export const ListTimeline = z.object({
  patientId: z.uuid('validation.id'),
  page: ListInput.shape.page,
})
