import * as z from 'zod'
import type { Field } from '~/fields/field'
import { Saved } from '~/shared/record'

/** What forms, operations and tables know of one column. */
export type Column = {
  field: Field
  /** A save without it keeps the stored value: for a column that is newer than programs which save the record. */
  keptIfAbsent?: true
}
type Columns = Readonly<Record<string, Column>>

type FieldsOf<C extends Columns> = { [K in keyof C]: C[K]['field'] }
type Shape<C extends Columns> = {
  [K in keyof C]: C[K] extends { keptIfAbsent: true }
    ? z.ZodOptional<C[K]['field']['schema']>
    : C[K]['field']['schema']
}
type Save<C extends Columns> = z.ZodObject<typeof Saved.shape & Shape<C>>

/**
 * A record is written down once, a line for each column. Its form (`fields`), the input of its save (`save`) and what its
 * editor reads (`selected`) follow, so that a column cannot be in one and missing in another. It holds no SQL and runs in
 * the browser, too.
 */
export function record<const T extends string, const C extends Columns>(table: T, columns: C) {
  const entries = Object.entries(columns)
  const fields = Object.fromEntries(entries.map(([name, { field }]) => [name, field]))
  const shape = Object.fromEntries(
    entries.map(([name, { field, keptIfAbsent }]) => [
      name,
      keptIfAbsent ? field.schema.optional() : field.schema,
    ]),
  )
  return {
    table,
    fields: fields as FieldsOf<C>,
    save: Saved.extend(shape) as unknown as Save<C>,
    selected: ['id', ...Object.keys(columns), 'last_modified'] as (
      | keyof C
      | 'id'
      | 'last_modified'
    )[],
  }
}
