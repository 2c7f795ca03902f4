import type { TableName } from '../schema/tables'

/**
 * The row cache of a table: its live rows as the JSON text that devices receive. Triggers keep it
 * (db/schema/sync.sql, decision 12).
 */
export const rowCacheTable = (name: TableName) => `wire_${name}`

/**
 * Rows of this many bytes are sent one by one; joined with others, they could outgrow a text value.
 * The partial indexes of migration 0012 have the same limit.
 */
export const LONG_ROW = 16_384
