import { readFileSync } from 'node:fs'
import { type AppSchema, appSchema, type ColumnSchema, tableSchema } from '@nozbe/watermelondb'
import {
  addColumns,
  createTable,
  schemaMigrations,
  type SchemaMigrations,
} from '@nozbe/watermelondb/Schema/migrations'

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

export type SchemaVersion = 8 | 9
const NEWEST = 9

/** What version 9 added (docs/phone-sync.md, "Upgrades of the app"). */
const ADDED_TABLES = ['event_logs', 'peers']
const ADDED_COLUMNS: Record<string, readonly string[]> = {
  events: ['recorded_by_user_id'],
  event_forms: ['clinic_ids', 'translations'],
  user_clinic_permissions: [
    'can_edit_other_provider_event',
    'can_download_patient_reports',
    'can_prescribe_medications',
    'can_dispense_medications',
    'can_delete_patient_visits',
    'can_delete_patient_records',
  ],
}

const isAdded = (table: string, { name }: ColumnSchema) =>
  ADDED_COLUMNS[table]?.includes(name) ?? false

/** The tables of a version of the app, with their columns. */
const tablesOf = (version: SchemaVersion): [string, ColumnSchema[]][] =>
  Object.entries(phoneTables)
    .filter(([table]) => version === NEWEST || !ADDED_TABLES.includes(table))
    .map(([table, columns]) => [
      table,
      columns.filter((column) => version === NEWEST || !isAdded(table, column)),
    ])

export const schemaOfVersion = (version: SchemaVersion): AppSchema =>
  appSchema({
    version,
    tables: tablesOf(version).map(([name, columns]) => tableSchema({ name, columns })),
  })

/** The app migrates from version 1 on; only the last step matters here. */
export const migrationsTo = (version: SchemaVersion): SchemaMigrations =>
  schemaMigrations({
    migrations: [
      ...(version === NEWEST ? [{ toVersion: NEWEST, steps: stepsToNewest() }] : []),
      ...[8, 7, 6, 5, 4, 3, 2].map((toVersion) => ({ toVersion, steps: [] })),
    ],
  })

const stepsToNewest = () => [
  ...ADDED_TABLES.map((name) => createTable({ name, columns: phoneTables[name]! })),
  ...Object.keys(ADDED_COLUMNS).map((table) =>
    addColumns({
      table,
      columns: phoneTables[table]!.filter((column) => isAdded(table, column)),
    }),
  ),
]
