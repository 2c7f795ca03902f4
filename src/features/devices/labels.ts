import type { MessageKey } from '~/shared/language'

/** What people call a column or a table that phones write: each has a sentence (a test sees to it). */
export const columnLabel = (column: string) => `devices.column_${column}` as MessageKey
export const tableLabel = (table: string) => `devices.table_${table}` as MessageKey
