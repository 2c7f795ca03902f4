import * as z from 'zod'
import { ListInput } from '~/shared/record'

/** The sort orders of the patient list; each has an index. */
export const PATIENT_SORTS = [
  'given_name',
  'surname',
  'date_of_birth',
  'sex',
  'created_at',
] as const
export type PatientSort = (typeof PATIENT_SORTS)[number]

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
})

/** The URL parameters of the list. Invalid ones are ignored. */
export const patientSearch = z.object({
  search: PatientFilter.shape.search.catch(undefined),
  clinicId: PatientFilter.shape.clinicId.catch(undefined),
  sex: PatientFilter.shape.sex.catch(undefined),
  ageFrom: age.catch(undefined),
  ageTo: age.catch(undefined),
  registeredFrom: day.catch(undefined),
  registeredTo: day.catch(undefined),
  visitedFrom: day.catch(undefined),
  visitedTo: day.catch(undefined),
  seen: PatientFilter.shape.seen.catch(undefined),
  sort: PatientFilter.shape.sort.catch(undefined),
  direction: PatientFilter.shape.direction.catch(undefined),
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
})
