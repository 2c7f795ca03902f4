import type { MessageKey } from '~/shared/language'

/** The label of a column or table that phones write; a test requires one for each. */
export const columnLabel = (column: string) => `devices.column_${column}` as MessageKey
export const tableLabel = (table: string) => `devices.table_${table}` as MessageKey
