import type { TableName } from '../schema/tables'

/**
 * The cache of a table's live rows in the form that devices receive; triggers keep it
 * (db/schema/sync.sql).
 */
export const rowCacheOf = (name: TableName) => `wire_${name}`

/**
 * From this length a row is sent by itself: several could outgrow a text. The partial indexes of
 * migration 0012 have it, too.
 */
export const LONG_ROW = 16_384
