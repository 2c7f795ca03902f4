import * as z from 'zod'
import { notFound } from '~/shared/errors'
import { isId } from '~/shared/id'
import { isObject } from '~/shared/object'

/** The `params` of a query or the `data` of a command. */
export type Params = Record<string, unknown>

export const isParams: (value: unknown) => value is Params = isObject

/**
 * A call that section 8 of the sync contract does not describe. The app's own server answers 404 to
 * it, and the app shows that as an error; any 2xx would make the app believe that what the user
 * typed is stored.
 */
export const unknownCall = () => notFound('sync.unknownCall')

/** Reads params by a schema; any other shape is an unknown call. */
export function shaped<S extends z.ZodType>(schema: S, params: Params): z.output<S> {
  const result = schema.safeParse(params)
  if (!result.success) throw unknownCall()
  return result.data
}

const id = z.string().refine(isId).toLowerCase()
const count = (otherwise: number) =>
  z
    .number()
    .int()
    .min(0)
    .nullish()
    .default(otherwise)
    .transform((n) => n ?? otherwise)

const MOST_ROWS = 200
export const PageOf = z.object({
  limit: count(50).transform((limit) => Math.min(limit, MOST_ROWS)),
  offset: count(0),
})
/** The app sends text; its picker of years sends numbers. */
export const SearchOf = PageOf.extend({
  filters: z.record(z.string(), z.union([z.string().max(200), z.number(), z.null()])).default({}),
})
export const PatientParams = z.object({ patient_id: id })
export const OfVisit = z.object({ patient_id: id, visit_id: id })
export const OfForm = z.object({ patient_id: id, form_id: id })
export const OfRow = z.object({ id })
/** Milliseconds that the user chose, or the timestamp of an earlier pull. */
export const PullOf = z.object({ lastPulledAt: z.number().nullish() })
export const PushOf = z.object({
  lastPulledAt: z.number().nullish(),
  changes: z.record(z.string(), z.unknown()),
})
export const LoginOf = z.object({ email: z.string(), password: z.string() })
export const RegisterOf = z.object({
  // an earlier app sends "" for a new patient and takes the id from the answer
  patient: z.looseObject({ id: z.union([id, z.literal('')]) }),
  additional_attributes: z
    .array(z.looseObject({ id: z.string(), attribute_id: z.string() }))
    .default([]),
})
