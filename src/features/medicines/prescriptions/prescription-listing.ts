import * as z from 'zod'
import { PRIORITIES, PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import { asFile } from '~/shared/list-file'
import { ListInput } from '~/shared/record'
import { PRESCRIPTION_SORTS } from './prescription-search'

const filters = {
  status: z.enum(PRESCRIPTION_STATUSES, 'validation.option').optional(),
  priority: z.enum(PRIORITIES, 'validation.option').optional(),
  clinicId: z.uuid('validation.id').optional(),
  providerId: z.uuid('validation.id').optional(),
  patientId: z.uuid('validation.id').optional(),
  visitId: z.uuid('validation.id').optional(),
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
