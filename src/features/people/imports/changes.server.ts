import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'

/** A row that an import wrote. Without `before` the import made it. */
export type Change = {
  table: 'patients' | 'drug_catalogue' | 'drug_batches' | 'clinic_inventory'
  id: string
  before: object | null
  after: object
}

/** Keeps what an import wrote, in the transaction that wrote it. A row that it wrote twice keeps its first values. */
export async function recordChanges(
  db: Kysely<DB>,
  importId: string,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    insert into import_changes (import_id, table_name, row_id, before, after)
    select ${importId}, "table", id, before, after
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as given("table" text, id uuid, before jsonb, after jsonb)
    on conflict (import_id, table_name, row_id) do update set after = excluded.after`.execute(db)
}
