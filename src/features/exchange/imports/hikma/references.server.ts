import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { TableMapping } from './mapping'
import {
  type FindReference,
  type ReferencedRow,
  type ReferenceTable,
  type SourceRow,
} from './reading'
import { isId } from '~/shared/id'

/** What mappings may know of a row, beyond its id and whether it is deleted. */
const MORE: Partial<Record<ReferenceTable, string>> = {
  clinics: 'is_archived',
  patients: 'primary_clinic_id as clinic_id',
  visits: 'patient_id',
  events: 'patient_id',
  drug_batches: 'drug_id',
  prescriptions: 'patient_id',
  prescription_items: 'patient_id',
}

/** Reads the rows that a batch of source rows names. */
export async function knownTo(
  db: Kysely<DB>,
  mapping: TableMapping,
  rows: readonly SourceRow[],
): Promise<FindReference> {
  const named = new Map<ReferenceTable, Set<string>>()
  const add = (table: ReferenceTable, id: unknown) => {
    if (isId(id)) named.set(table, (named.get(table) ?? new Set()).add(id.toLowerCase()))
  }
  for (const row of rows) {
    for (const [column, table] of Object.entries(mapping.references)) add(table, row[column])
    for (const [table, id] of mapping.alsoNames?.(row) ?? []) add(table, id)
  }
  const found = new Map<ReferenceTable, Map<string, ReferencedRow>>()
  for (const [table, ids] of named) found.set(table, await loadReferencedRows(db, table, ids))
  // the patient of an item is that of its prescription
  const patients = new Set(
    [...(found.get('prescriptions')?.values() ?? [])].flatMap(({ patient_id }) => patient_id ?? []),
  )
  if (patients.size > 0) {
    const more = await loadReferencedRows(db, 'patients', patients)
    found.set('patients', new Map([...(found.get('patients') ?? []), ...more]))
  }
  return (table, id) => (isId(id) ? found.get(table)?.get(id.toLowerCase()) : undefined)
}

async function loadReferencedRows(db: Kysely<DB>, table: ReferenceTable, ids: ReadonlySet<string>) {
  const more = MORE[table]
  const { rows } = await sql<ReferencedRow & { deleted_at: Date | null }>`
    select id, is_deleted, deleted_at ${sql.raw(more ? `, ${more}` : '')} from ${sql.table(table)}
    where id = any(${[...ids]}::uuid[])`.execute(db)
  return new Map<string, ReferencedRow>(
    rows.map((row) => [row.id, { ...row, deleted_at: row.deleted_at?.toISOString() ?? null }]),
  )
}
