import * as z from 'zod'
import { ListInput } from '~/shared/record'
import { PATIENT_SORTS } from './search'

const day = z.iso.date('validation.wrongType').optional()
const age = z
  .number('validation.wrongType')
  .int('validation.wrongType')
  .min(0, 'validation.tooSmall')
  .max(150, 'validation.tooLarge')
  .optional()

/** Days are counted in the clinic's time zone, both ends included; ages in full years today. */
export const PatientFilter = ListInput.pick({ search: true }).extend({
  clinicId: z.uuid('validation.id').optional(),
  sex: z.string('validation.wrongType').trim().max(50, 'validation.tooLong').optional(),
  ageFrom: age,
  ageTo: age,
  registeredFrom: day,
  registeredTo: day,
  visitedFrom: day,
  visitedTo: day,
  /** Without visits in which the patient is still waiting to be seen. */
  seen: z.literal('only', 'validation.wrongType').optional(),
  sort: z.enum(PATIENT_SORTS, 'validation.option').optional(),
  direction: z.enum(['asc', 'desc'], 'validation.option').optional(),
})
export type PatientFilter = z.output<typeof PatientFilter>

export const ListPatients = PatientFilter.extend({ page: ListInput.shape.page }).nullish()

export const SearchPatients = z.object({
  searchQuery: z.string('validation.wrongType').trim().max(200, 'validation.tooLong'),
  limit: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(1, 'validation.tooSmall')
    .max(50, 'validation.tooLarge')
    .default(10),
  /** Also finds patients to whom the user may only dispense (`dispenseTo`). */
  dispensing: z.boolean('validation.wrongType').optional(),
})
