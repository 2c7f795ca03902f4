import * as z from 'zod'
import { asFile } from '~/shared/list-file'
import { ListInput } from '~/shared/record'
import { ACCESS_KINDS } from './access-kinds'

const Id = z.uuid('validation.id').optional()
const Day = z.iso.date('validation.wrongType').optional()

/** Days are in the clinic's time zone, both ends included. */
const ofUserAndDays = { userId: Id, from: Day, to: Day }
export const OUTCOMES = ['shown', 'refused', 'not_found'] as const
const filters = {
  ...ofUserAndDays,
  kind: z.enum(ACCESS_KINDS, 'validation.option').optional(),
  patientId: Id,
  clinicId: Id,
  outcome: z.enum(OUTCOMES, 'validation.option').optional(),
}
const Paged = ListInput.pick({ page: true })

export const ListAccesses = Paged.extend(filters)
export const ExportAccesses = z.object(filters).extend(asFile)
export type AccessFilter = Omit<z.output<typeof ListAccesses>, 'page'>
export const ACCESS_FILTERS = Object.keys(filters)

/** Who saw the record of one patient. */
export const ListPatientAccesses = z.object({
  patientId: z.uuid('validation.id'),
  ...Paged.shape,
  ...ofUserAndDays,
})
export const PATIENT_ACCESS_FILTERS = Object.keys(ofUserAndDays)

/** The patients on a page that is printed: at most those of a calendar. */
export const Print = z.object({ patientIds: z.array(z.uuid('validation.id')).max(3_000) })

/** The same in an address; an invalid value shows all entries instead of an error. */
const inAddress = {
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
  userId: Id.catch(undefined),
  from: Day.catch(undefined),
  to: Day.catch(undefined),
}
export const patientAccessSearch = z.object(inAddress)
export const accessSearch = z.object({
  ...inAddress,
  kind: filters.kind.catch(undefined),
  patientId: Id.catch(undefined),
  clinicId: Id.catch(undefined),
  outcome: filters.outcome.catch(undefined),
})
export type AccessSearch = z.output<typeof accessSearch>
