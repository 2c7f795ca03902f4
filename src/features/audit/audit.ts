import * as z from 'zod'
import { ListInput } from '~/shared/record'

const Id = z.uuid('validation.id').optional()

/** The trail of a record, a patient, a clinic or a person; all of it when none is named. */
export const ListAudit = ListInput.omit({ search: true }).extend({
  table: z.string('validation.wrongType').max(100, 'validation.tooLong').optional(),
  recordId: Id,
  patientId: Id,
  clinicId: Id,
  userId: Id,
})

type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }
/** Column -> what it was, what it is. */
export type Changes = Record<string, [before: Value, after: Value]>

/** The same in an address; a mangled one shows everything rather than an error. */
export const auditSearch = z.object({
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
  table: z.string().max(100).optional().catch(undefined),
  recordId: Id.catch(undefined),
  patientId: Id.catch(undefined),
  clinicId: Id.catch(undefined),
  userId: Id.catch(undefined),
})
