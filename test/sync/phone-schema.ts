import { readFileSync } from 'node:fs'
import type { ColumnSchema } from '@nozbe/watermelondb'

const types = { s: 'string', n: 'number', b: 'boolean' } as const

const schemaOf = (text: string): ColumnSchema[] =>
  text.split(/,\s+/).map((column) => {
    const [name, kind] = column.split(' ') as [string, string]
    return {
      name,
      type: types[kind[0] as keyof typeof types],
      isOptional: kind.endsWith('?'),
    } as ColumnSchema
  })

/** The app's schema, version 9, as docs/phone-sync.md, "Tables and columns", lists it. */
export const phoneTables: Record<string, ColumnSchema[]> = Object.fromEntries(
  [
    ...readFileSync('docs/phone-sync.md', 'utf8').matchAll(
      /^- `(\w+)`: ((?:\w+ [snb]\??(?:,\s+|$))+)/gm,
    ),
  ].map(([, name = '', columns = '']) => [name, schemaOf(columns.trim())]),
)
