import type { InsertType, SelectType } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import type { Field } from '~/fields/field'
import { Saved } from '~/shared/record'

/**
 * How phones hold a column; `src/sync/schema/kinds.ts` renders each kind as SQL. A name that ends
 * with "?" may be null on phones. For null in the database, phones hold "" as `text`, `id`, `fieldId`, `day`
 * and `numberAsText`, and 0 as `momentOrZero`.
 */
export type DeviceKind =
  | 'text'
  | 'requiredText'
  | 'text?'
  | 'id'
  | 'id?'
  | 'fieldId'
  | 'number'
  | 'number?'
  | 'numberAsText'
  | 'stockNumber'
  | 'fillQuantity'
  | 'fillsUsed'
  | 'itemStatus'
  | 'boolean'
  | 'boolean?'
  | 'moment'
  | 'moment?'
  | 'momentOrZero'
  | 'dayAsMoment'
  | 'day'
  | 'json'
  | 'jsonList'
  | 'list'

/**
 * What is known of one column. A record may add facts of its own (`PatientColumn` does): write its
 * columns as a constant that `satisfies` them. `record.columns` keeps them.
 */
export type RecordColumn = {
  /**
   * How users fill it in and read it. Without a field, only the server and phones write the column.
   */
  field?: Field
  /**
   * A save without it keeps the stored value: for a column newer than programs that save the
   * record.
   */
  keptIfAbsent?: true
  /**
   * Phones know the column, as this kind. The order of the lines is the order of the columns on
   * phones.
   */
  device?: DeviceKind
  /** The database computes it: phones read it and never write it. */
  derived?: true
}
// `object` lets a line have only facts of its record
type Columns = Readonly<Record<string, RecordColumn & object>>

/** What a column takes: of text, what the database lets it hold. */
type Taken<Col> = SelectType<Col> extends string | null ? SelectType<Col> : InsertType<Col>
/** Each line is of a column of the table, and its field saves what the column takes. */
type LinesOf<T extends keyof DB, C> = {
  [K in keyof C]: K extends keyof DB[T]
    ? C[K] extends { field: { schema: infer S } }
      ? z.output<S> extends Taken<DB[T][K]>
        ? unknown
        : { field: 'saves what the column does not take' }
      : unknown
    : 'no column of the table'
}

/** Names of the columns whose line states `Fact`, for example `{ device: DeviceKind }`. */
export type NamesWith<C extends Columns, Fact> = {
  [K in keyof C & string]: C[K] extends Fact ? K : never
}[keyof C & string]

type FieldNames<C extends Columns> = NamesWith<C, { field: object }>
type FieldsOf<C extends Columns> = {
  [K in FieldNames<C>]: C[K] extends { field: infer F } ? F : never
}
type SchemaOf<C> = C extends { field: { schema: infer S extends z.core.$ZodType } } ? S : never
type Shape<C extends Columns> = {
  [K in FieldNames<C>]: C[K] extends { keptIfAbsent: true }
    ? z.ZodOptional<SchemaOf<C[K]>>
    : SchemaOf<C[K]>
}
type Save<C extends Columns> = z.ZodObject<typeof Saved.shape & Shape<C>>

/**
 * A record has one line for each column of its table. The form (`fields`), the input of the save
 * (`save`), what its editor reads (`selected`), every column name (`names`) and what phones sync
 * (`device`, `derived`) follow from it, so that a column cannot be in one and missing in another. A
 * record holds no SQL and runs in the browser.
 */
export function record<const T extends keyof DB, const C extends Columns>(
  table: T,
  lines: C & LinesOf<T, C>,
) {
  const columns: C = lines
  const all = Object.entries(columns)
  const asked = all.flatMap(([name, { field, keptIfAbsent }]) =>
    field ? [{ name, field, keptIfAbsent }] : [],
  )
  const shape = Object.fromEntries(
    asked.map(({ name, field, keptIfAbsent }) => [
      name,
      keptIfAbsent ? field.schema.optional() : field.schema,
    ]),
  )
  return {
    table,
    columns,
    names: all.map(([name]) => name) as (keyof C & string)[],
    fields: Object.fromEntries(asked.map(({ name, field }) => [name, field])) as FieldsOf<C>,
    save: Saved.extend(shape) as unknown as Save<C>, // fromEntries forgets which name has which schema
    selected: ['id', ...asked.map(({ name }) => name), 'last_modified'] as (
      | FieldNames<C>
      | 'id'
      | 'last_modified'
    )[],
    device: Object.fromEntries(
      all.flatMap(([name, { device }]) => (device ? [[name, device]] : [])),
    ) as Record<string, DeviceKind>,
    derived: all.flatMap(([name, { derived }]) => (derived ? [name] : [])),
  }
}

/** A row with the types of the record's fields, as far as it has them: the database types a choice as text. */
export const typedBy = <F extends Readonly<Record<string, Field>>, Row extends object>(
  _record: { fields: F },
  row: Row,
) => row as Row & { [K in keyof F & keyof Row]: z.output<F[K]['schema']> }

/** The columns whose lines state this fact, in the order of the lines. */
export const namesWith = <C extends Columns, Fact extends keyof C[keyof C] | (string & {})>(
  { columns }: { columns: C },
  fact: Fact,
) =>
  Object.entries(columns)
    .filter(([, column]) => fact in column)
    .map(([name]) => name) as NamesWith<C, Record<Fact, unknown>>[]
