import * as z from 'zod'
import { PRIORITIES, STATUSES } from '~/records/prescription'
import { asFile } from '~/shared/list-file'
import { ListInput } from '~/shared/record'

const PRESCRIPTION_SORTS = ['prescribed_at', 'patient', 'provider', 'priority', 'status'] as const
export type PrescriptionSort = (typeof PRESCRIPTION_SORTS)[number]

const filters = {
  status: z.enum(STATUSES, 'validation.option').optional(),
  priority: z.enum(PRIORITIES, 'validation.option').optional(),
  clinicId: z.uuid('validation.id').optional(),
  providerId: z.uuid('validation.id').optional(),
  patientId: z.uuid('validation.id').optional(),
  from: z.iso.date('validation.date').optional(),
  to: z.iso.date('validation.date').optional(),
  sort: z.enum(PRESCRIPTION_SORTS, 'validation.option').optional(),
  direction: z.enum(['asc', 'desc'], 'validation.option').optional(),
}
export const ListPrescriptions = ListInput.extend(filters)
export type PrescriptionFilter = z.output<typeof ListPrescriptions>

/** What the list's filter shows, as a file in one language. */
export const ExportPrescriptions = ListPrescriptions.omit({ page: true }).extend(asFile)
export type ExportPrescriptions = z.output<typeof ExportPrescriptions>

/** The same as search parameters: invalid ones are left out. */
export const prescriptionSearch = z.object({
  search: ListInput.shape.search.catch(undefined),
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
  status: filters.status.catch(undefined),
  priority: filters.priority.catch(undefined),
  clinicId: filters.clinicId.catch(undefined),
  providerId: filters.providerId.catch(undefined),
  from: filters.from.catch(undefined),
  to: filters.to.catch(undefined),
  sort: filters.sort.catch(undefined),
  direction: filters.direction.catch(undefined),
})
export type PrescriptionSearch = z.output<typeof prescriptionSearch>
