import * as z from 'zod'
import { asFile } from '~/shared/list-file'
import { ListInput } from '~/shared/record'
import { ACCESS_KINDS } from '~/shared/access-kinds'
import { OUTCOMES } from './access-search'

const Id = z.uuid('validation.id').optional()
const Day = z.iso.date('validation.wrongType').optional()

/** Days are in the clinic's time zone, both ends included. */
const ofUserAndDays = { userId: Id, from: Day, to: Day }
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

/** Who saw the record of one patient. */
export const ListPatientAccesses = z.object({
  patientId: z.uuid('validation.id'),
  ...Paged.shape,
  ...ofUserAndDays,
})

/** The patients on a page that is printed: at most those of a calendar. */
export const Print = z.object({ patientIds: z.array(z.uuid('validation.id')).max(3_000) })
