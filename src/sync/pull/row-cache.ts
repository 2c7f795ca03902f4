import type { TableName } from '../schema/tables'

/** The cache of a table's live rows in the form that devices receive; triggers keep it (migration 0039). */
export const rowCacheOf = (name: TableName) => `wire_${name}`

/** From this length a row is sent by itself: several could outgrow a text. The partial indexes of 0039 know it, too. */
export const LONG_ROW = 16_384
