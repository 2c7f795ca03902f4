import * as z from 'zod'
import { cleanLine } from './typed-text'

/** The moment at which a version was written, by the database's clock; what PostgreSQL could not even hold is none. */
export const LastModified = z.coerce
  .date({ error: 'validation.wrongType' })
  .min(new Date('1970-01-01'), 'validation.wrongType')
  .max(new Date('9999-12-31'), 'validation.wrongType')

/** What may stay empty: "" and undefined are null for every caller. */
export const orNull = <S extends z.ZodType>(schema: S) =>
  z.preprocess(
    (value) => (typeof value === 'string' && cleanLine(value) === '' ? null : value),
    schema.nullish().transform((value) => value ?? null),
  )

/** What every save carries beside the fields: the id the caller chose, and the version it read (none: it is new). */
export const Saved = z.object({
  id: z.uuid('validation.id'),
  last_modified: LastModified.nullish(),
})

/** The input of an operation about one stored record. */
export const RecordId = z.object({ id: z.uuid('validation.id') })

/** How a list is asked for: the same on every screen, in every URL and through tRPC. */
export const PAGE_SIZE = 50
export const ListInput = z.object({
  search: z.string('validation.wrongType').trim().max(200, 'validation.tooLong').optional(),
  page: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(1, 'validation.tooSmall')
    .max(100_000, 'validation.tooLarge')
    .default(1),
})
export type PagedRows<Row> = {
  rows: Row[]
  /** `isMore`: the list has more than `total` rows, which were not counted. */
  pagination: { page: number; pageSize: number; total: number; isMore?: true }
}
