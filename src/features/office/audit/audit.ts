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
/** Includes `recordId`, which only an address sets. */
export const AUDIT_FILTERS = Object.keys(filters)

type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [name: string]: Value }
/** Column -> value before and after. */
export type Changes = Record<string, [before: Value, after: Value]>

/** The same in an address; a mangled one shows everything rather than an error. */
export const auditSearch = z.object({
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
  userId: Id.catch(undefined),
  action: Name.catch(undefined),
  table: Name.catch(undefined),
  recordId: Id.catch(undefined),
  patientId: Id.catch(undefined),
  clinicId: Id.catch(undefined),
  from: Day.catch(undefined),
  to: Day.catch(undefined),
})
export type AuditSearch = z.output<typeof auditSearch>
