import type { Fields } from '~/fields/field'

type Known = { table: string; fields: Fields }
const isRecord = (exported: unknown): exported is Known =>
  typeof exported === 'object' && exported !== null && 'table' in exported && 'fields' in exported

const files = import.meta.glob<Record<string, unknown>>(['./*.ts', '!./all.ts', '!./*.test.ts'], {
  eager: true,
})

/** The fields of every record, by the table's name. */
export const FIELDS_OF: Readonly<Record<string, Fields>> = Object.fromEntries(
  Object.values(files)
    .flatMap((file) => Object.values(file).filter(isRecord))
    .map(({ table, fields }) => [table, fields]),
)
