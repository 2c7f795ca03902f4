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
