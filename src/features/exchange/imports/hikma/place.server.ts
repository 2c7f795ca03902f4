import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { bisect } from '~/server/bisect'
import { sentence } from '~/shared/sentence'
import { stableId } from '../stable-id'
import {
  type ImportedRecord,
  insertNew,
  isAboutValues,
  importRefusal,
  type TargetTable,
} from '../write.server'
import { changedColumns, isAsImported } from './digest'
import type { TableMapping } from './mapping'
import { parseTimestamp, type SourceRow, sourceText } from './reading'

export const SOURCE = 'hikma'

/** A mapped row that is new, or that the source has changed, with its digests. */
export type News = { row: SourceRow; record: ImportedRecord; columns: Buffer }
/** A value that both servers have changed: Sanad's stays. */
export type ValueConflict = { id: string; column: string; here: unknown; there: unknown }
type Outcome = {
  inserted: number
  updated: number
  deleted: number
  refused: { row: SourceRow; reason: string }[]
  differences: ValueConflict[]
}
export const noOutcome = (): Outcome => ({
  inserted: 0,
  updated: 0,
  deleted: 0,
  refused: [],
  differences: [],
})

export const mappingName = ({ as, from }: TableMapping) => as ?? from

/** The digests of the last import, by the id of the row. */
export async function importedBefore(
  db: Kysely<DB>,
  table: string,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const { rows } = await sql<{ row_id: string; columns: Buffer }>`
    select row_id, columns from import_rows
    where source = ${SOURCE} and table_name = ${table} and row_id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ row_id, columns }) => [row_id, columns]))
}

/** Why the database refuses a row; throws an error that is not about its values. */
export function refusalIn(error: unknown): string {
  if (!isAboutValues(error)) throw error
  return sentence('en', importRefusal(error))
}

/** What Sanad keeps of the times: never listed as a difference. */
const SILENT = new Set(['created_at', 'updated_at', 'deleted_at', 'is_deleted', 'item_status'])

/**
 * Writes a batch in the transaction of the caller: new rows as they are, changed rows column by column where Sanad
 * still has the imported value. Remembers what was imported.
 */
export async function place(
  db: Kysely<DB>,
  mapping: TableMapping,
  { news, before }: { news: readonly News[]; before: ReadonlyMap<string, Buffer> },
  run: number,
): Promise<Outcome> {
  const outcome = noOutcome()
  // the archived clinics of an earlier run take rows, and no status follows from a dispensed medicine
  await sql`select set_config('sanad.merging', 'on', true),
    set_config('sanad.following', ${mapping.keepsStatus ? 'on' : ''}, true)`.execute(db)
  const remembered: Remembered[] = []
  const fresh = news.filter(({ record }) => !before.has(record.id))
  const fates = await insertNew(
    db,
    mapping.to,
    fresh.map(({ record }) => record),
  )
  const inserted: ImportedRecord[] = []
  fresh.forEach(({ row, record, columns }, at) => {
    const fate = fates[at]!
    if (fate.outcome === 'rejected') {
      outcome.refused.push({ row, reason: sentence('en', fate.reason) })
      return
    }
    if (fate.outcome === 'imported') inserted.push(record)
    else if (fate.outcome === 'left')
      outcome.differences.push({
        id: record.id,
        column: '*',
        here: sentence('en', fate.reason),
        there: '',
      })
    remembered.push({ id: record.id, columns, sourceAt: writtenAt(row) })
  })
  outcome.inserted = inserted.length
  await keepDeletions(db, mapping.to.table, inserted)
  for (const { row, record, columns } of news) {
    const known = before.get(record.id)
    if (!known) continue
    const failures = await bisect(
      db,
      [record],
      () => update(db, mapping.to, record, { known, columns }, outcome),
      refusalIn,
    )
    // a refused change is tried again by the next run
    for (const { failure } of failures)
      outcome.differences.push({ id: record.id, column: '*', here: failure, there: '' })
    if (failures.length === 0 && !known.equals(columns))
      remembered.push({ id: record.id, columns, sourceAt: writtenAt(row) })
  }
  await remember(db, mappingName(mapping), remembered, run)
  if (outcome.updated + outcome.deleted > 0)
    await sql`insert into import_transactions values (pg_current_xact_id())
      on conflict do nothing`.execute(db)
  await sql`select set_config('sanad.merging', '', true),
    set_config('sanad.following', '', true)`.execute(db)
  return outcome
}

/** When the source wrote a row last: what its phones send as the time of their last pull is comparable. */
function writtenAt(row: SourceRow): string | null {
  const moments = ['last_modified', 'server_created_at'].flatMap(
    (column) => parseTimestamp(row[column]) ?? [],
  )
  return moments.toSorted().at(-1) ?? null
}

type Remembered = { id: string; columns: Buffer; sourceAt?: string | null }

export async function remember(
  db: Kysely<DB>,
  table: string,
  rows: readonly Remembered[],
  run: number,
) {
  if (rows.length === 0) return
  await sql`insert into import_rows (source, table_name, row_id, columns, run, source_at)
    select ${SOURCE}, ${table}, id, columns, ${run}, source_at
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ columns }) => columns)}::bytea[],
        ${rows.map(({ sourceAt }) => sourceAt ?? null)}::timestamptz[])
      as given(id, columns, source_at)
    on conflict (source, table_name, row_id) do update
      set columns = excluded.columns, run = excluded.run, source_at = excluded.source_at`.execute(
    db,
  )
}

async function update(
  db: Kysely<DB>,
  target: TargetTable,
  record: ImportedRecord,
  { known, columns }: { known: Buffer; columns: Buffer },
  outcome: Outcome,
) {
  const changed = changedColumns(target, known, columns)
  if (changed.length === 0) return
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    select to_jsonb(t) as row from ${sql.table(target.table)} t where id = ${record.id} for update`.execute(
    db,
  )
  const stored = rows[0]?.row
  if (!stored) return
  const untouched = changed.filter((column) => isAsImported(target, known, column, stored[column]))
  for (const column of changed) {
    if (untouched.includes(column) || SILENT.has(column)) continue
    if (isAsImported(target, columns, column, stored[column])) continue
    outcome.differences.push({
      id: record.id,
      column,
      here: stored[column],
      there: record[column],
    })
  }
  const plain = untouched.filter((column) => column !== 'is_deleted' && column !== 'deleted_at')
  const isDeletion = untouched.includes('is_deleted')
  if (isDeletion && record['is_deleted'] === true) {
    if (isUntouched(target, known, stored)) {
      await softDelete(db, target.table, record)
      outcome.deleted += 1
    } else
      outcome.differences.push({ id: record.id, column: 'is_deleted', here: false, there: true })
  } else if (isDeletion) {
    await sql`select undo_deletion(id, null) from deletions
      where id = ${deletionId(target.table, record.id)} and restored_at is null`.execute(db)
    await sql`update ${sql.table(target.table)} set is_deleted = false
      where id = ${record.id} and is_deleted`.execute(db)
  }
  if (plain.length > 0) {
    await updateUntouched(db, target, record, plain)
    outcome.updated += 1
  }
}

/** Whether no value has changed in Sanad since the import. */
export const isUntouched = (
  target: TargetTable,
  imported: Buffer,
  stored: Record<string, unknown>,
) =>
  Object.keys(target.columns)
    .filter((column) => !SILENT.has(column))
    .every((column) => isAsImported(target, imported, column, stored[column]))

/** Takes the source's value of these columns, which Sanad has not changed since the last import. */
async function updateUntouched(
  db: Kysely<DB>,
  { table, columns }: TargetTable,
  record: ImportedRecord,
  names: readonly string[],
) {
  await sql`update ${sql.table(table)} t
    set ${sql.join(names.map((name) => sql`${sql.id(name)} = given.${sql.id(name)}`))}
    from jsonb_to_record(${JSON.stringify(record)}::jsonb)
      as given(${sql.join(names.map((name) => sql`${sql.id(name)} ${sql.raw(columns[name]!)}`))})
    where t.id = ${record.id}`.execute(db)
}

const deletionId = (table: string, id: string) => stableId('hikma.deletion', table, id)

/** What the trash calls a record. */
function trashLabel(table: string, record: ImportedRecord): string {
  const text = (...columns: string[]) =>
    columns.flatMap((column) => (record[column] ? [sourceText(record[column])] : [])).join(' ')
  return (
    text('given_name', 'surname') ||
    text('name') ||
    text('event_type') ||
    text('problem_label') ||
    text('substance') ||
    text('generic_name') ||
    text('batch_number') ||
    text('attribute') ||
    `${table} ${String(record['created_at']).slice(0, 10)}`
  )
}

async function softDelete(db: Kysely<DB>, table: string, record: ImportedRecord) {
  await sql`select soft_delete(${table}, ${record.id}::uuid, ${trashLabel(table, record)}, null)`.execute(
    db,
  )
  await sql`update ${sql.table(table)} set deleted_at = ${record['deleted_at']}
    where id = ${record.id} and is_deleted`.execute(db)
}

/** The parent in whose deletion a row is included, nearest last: column and table. */
const PARENTS = [
  ['patient_id', 'patients'],
  ['visit_id', 'visits'],
  ['prescription_id', 'prescriptions'],
  ['drug_id', 'drug_catalogue'],
  ['user_id', 'users'],
  ['clinic_id', 'clinics'],
] as const
/** No screen deletes these: they have no place in the trash. */
const NO_TRASH = new Set(['registration_forms', 'dispensing_records'])

/**
 * An imported tombstone can be undone from the trash: with its parent if that was imported as deleted, else alone.
 */
async function keepDeletions(db: Kysely<DB>, table: string, records: readonly ImportedRecord[]) {
  const deleted = NO_TRASH.has(table) ? [] : records.filter((record) => record['is_deleted'])
  if (deleted.length === 0) return
  const rows = deleted.map((record) => ({
    own: deletionId(table, record.id),
    record_id: record.id,
    label: trashLabel(table, record),
    patient_id: table === 'patients' ? record.id : (record['patient_id'] ?? null),
    clinic_id:
      record['clinic_id'] ?? record['primary_clinic_id'] ?? record['pickup_clinic_id'] ?? null,
    deleted_at: record['deleted_at'],
    parents: PARENTS.flatMap(([column, parent]) =>
      record[column] ? [deletionId(parent, sourceText(record[column]))] : [],
    ),
  }))
  await sql`
    with given as (
      select g.*, (
        select d.id from deletions d
        where d.id = any(g.parents) and d.restored_at is null
        order by array_position(g.parents, d.id) limit 1
      ) as parent
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(own uuid, record_id uuid, label text,
        patient_id uuid, clinic_id uuid, deleted_at timestamptz, parents uuid[])
    ), made as (
      insert into deletions (id, table_name, record_id, label, patient_id, clinic_id, deleted_by, deleted_at)
      select own, ${table}, record_id, label, patient_id, clinic_id, null, deleted_at
      from given where parent is null
      on conflict (id) do nothing
      returning id
    )
    insert into deletion_items (deletion_id, table_name, record_id)
    select coalesce(parent, own), ${table}, record_id from given
    where parent is not null or own in (select id from made)`.execute(db)
}
