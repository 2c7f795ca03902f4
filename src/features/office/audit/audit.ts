import * as z from 'zod'
import { asFile } from '~/shared/list-file'
import { ListInput } from '~/shared/record'

const Id = z.uuid('validation.id').optional()
const Name = z.string('validation.wrongType').max(100, 'validation.tooLong').optional()
const Day = z.iso.date('validation.wrongType').optional()

/**
 * All filters together narrow the trail. Days are in the clinic's time zone, both ends included.
 */
const filters = {
  userId: Id,
  /** The name of an operation: `patients.save`. */
  action: Name,
  table: Name,
  recordId: Id,
  patientId: Id,
  clinicId: Id,
  from: Day,
  to: Day,
}
export const ListAudit = ListInput.omit({ search: true }).extend(filters)
export const ExportAudit = z.object(filters).extend(asFile)

type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [name: string]: Value }
/** Column -> value before and after. */
export type Changes = Record<string, [before: Value, after: Value]>
