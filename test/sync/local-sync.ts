import { type Collection, type Database, type Model, Q } from '@nozbe/watermelondb'
import { type DirtyRaw, type RawRecord, sanitizedRaw } from '@nozbe/watermelondb/RawRecord'

// The app's second way to apply and collect changes, for forced sync and for a hub on the clinic's
// network (docs/phone-sync.md, "Online mode and forced sync"). It does not use `synchronize`.

export type Changes = Record<
  string,
  { created: DirtyRaw[]; updated: DirtyRaw[]; deleted: (string | DirtyRaw)[] }
>

/** The app sends and collects only these. */
const COLLECTED = [
  'patients',
  'events',
  'visits',
  'clinics',
  'event_forms',
  'registration_forms',
  'patient_additional_attributes',
  'appointments',
  'prescriptions',
  'patient_vitals',
  'patient_problems',
  'clinic_departments',
  'drug_catalogue',
  'clinic_inventory',
  'prescription_items',
  'dispensing_records',
]

/**
 * Merges a row in `created` that the phone holds, and skips a row in `updated` that it does not
 * hold. A row that waits deleted is not found, so that one in `created` collides with it; an
 * unknown table aborts everything. Ids in `deleted` are ignored. Returns the number of rows that
 * the app reports as applied, skipped ones included.
 */
export const applyRemoteChanges = (database: Database, changes: Changes): Promise<number> =>
  database.write(async () => {
    let reported = 0
    for (const [table, { created, updated, deleted }] of Object.entries(changes)) {
      const collection = database.get(table) as Collection<Model> | undefined
      if (!collection) throw new Error(`The phone has no table ${table}.`)
      await applyRows(collection, created, { createsUnknown: true })
      await applyRows(collection, updated, { createsUnknown: false })
      reported += created.length + updated.length + deleted.length
    }
    return reported
  })

async function applyRows(
  collection: Collection<Model>,
  rows: readonly DirtyRaw[],
  { createsUnknown }: { createsUnknown: boolean },
) {
  const ids = rows.map(({ id }) => String(id))
  const held = new Map(
    (await collection.query(Q.where('id', Q.oneOf(ids))).fetch()).map((each) => [each.id, each]),
  )
  const writes = rows.flatMap((row) => {
    const pulled = sanitizedRaw({ ...row, _status: 'synced', _changed: '' }, collection.schema)
    const existing = held.get(pulled.id)
    if (existing) return existing.prepareUpdate((each) => replaceRaw(each, merged(each, pulled)))
    return createsUnknown ? collection.prepareCreate((each) => replaceRaw(each, pulled)) : []
  })
  await collection.database.batch(...writes)
}

const replaceRaw = (model: Model, raw: RawRecord) => {
  model._raw = raw
}

/** Columns that were changed on the phone keep the phone's values. */
function merged({ _raw }: Model, pulled: RawRecord): RawRecord {
  const local = _raw as unknown as Record<string, unknown>
  const changed = String(local['_changed']).split(',').filter(Boolean)
  if (changed.length === 0) return pulled
  const kept = Object.fromEntries(
    [...changed, '_status', '_changed'].map((column) => [column, local[column]]),
  )
  return { ...pulled, ...kept } as RawRecord
}

/**
 * What a forced upload sends: rows created or changed after that time, whatever their `_status`.
 * Deleted rows are not found.
 */
export async function changesSince(database: Database, time: number): Promise<Changes> {
  const changes: Changes = {}
  for (const table of COLLECTED) {
    const rows = await rawsOf(database.get(table))
    const created = rows.filter((row) => Number(row['created_at']) > time)
    const updated = rows.filter(
      (row) => Number(row['created_at']) <= time && Number(row['updated_at']) > time,
    )
    const deleted = rows.filter((row) => row['is_deleted'] && Number(row['updated_at']) > time)
    if (created.length + updated.length + deleted.length > 0)
      changes[table] = { created, updated, deleted }
  }
  return changes
}

/** What the phone pushes to a hub: by `_status`. Deleted rows are not found. */
export async function localChanges(database: Database): Promise<Changes> {
  const changes: Changes = {}
  for (const table of COLLECTED) {
    const rows = await rawsOf(database.get(table))
    const created = rows.filter(({ _status }) => _status === 'created')
    const updated = rows.filter(({ _status }) => _status === 'updated')
    if (created.length + updated.length > 0) changes[table] = { created, updated, deleted: [] }
  }
  return changes
}

/** After a push to a hub. WatermelonDB notes the time of this change, too. */
export const markAsSynced = (database: Database, changes: Changes, now: number): Promise<void> =>
  database.write(async () => {
    for (const [table, { created, updated }] of Object.entries(changes)) {
      const ids = [...created, ...updated].map(({ id }) => String(id))
      const records = await database
        .get(table)
        .query(Q.where('id', Q.oneOf(ids)))
        .fetch()
      const writes = records.map((each) =>
        each.prepareUpdate(({ _raw }) =>
          Object.assign(_raw, { _status: 'synced', _changed: '', updated_at: now }),
        ),
      )
      await database.batch(...writes)
    }
  })

const rawsOf = async (collection: Collection<Model>): Promise<DirtyRaw[]> =>
  (await collection.query().fetch()).map(({ _raw }) => ({ ..._raw }))
