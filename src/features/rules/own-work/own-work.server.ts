import { sql } from 'kysely'

/**
 * Of rows `alias`: recorded by this clinic, not taken from a document of another one. What another clinic diagnosed or
 * measured is in the record, but no work of the month here.
 */
export const isOwnWork = (alias: string) =>
  sql.raw(`not coalesce(${alias}.metadata ? 'document', false)`)
