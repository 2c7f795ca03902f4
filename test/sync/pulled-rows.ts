type Pulled = Record<string, { created: object[]; updated: object[]; deleted: unknown[] }>

const MOMENTS = [
  'created_at',
  'updated_at',
  'deleted_at',
  'timestamp',
  'prescribed_at',
  'filled_at',
  'expiration_date',
  'batch_expiry_date',
  'check_in_timestamp',
]
/** The app replaces these by the current time where they are missing. */
const REQUIRED = ['created_at', 'updated_at']
const JSON_COLUMNS = [
  'departments',
  'metadata',
  'form_fields',
  'translations',
  'clinic_ids',
  'form_data',
  'fields',
]

/**
 * What the app does with a pulled row before WatermelonDB sees it (docs/phone-sync.md, "What the
 * app does with a row"). A table that is null aborts the sync.
 */
export function convertPulled(changes: Pulled, now: number) {
  for (const { created, updated } of Object.values(changes))
    for (const row of [...created, ...updated]) convertRow(row as Record<string, unknown>, now)
}

function convertRow(row: Record<string, unknown>, now: number) {
  for (const column of MOMENTS) {
    const value = row[column]
    if (value || (value === 0 && REQUIRED.includes(column)))
      row[column] = millisecondsOf(value, now)
    else if (REQUIRED.includes(column)) row[column] = now
  }
  for (const column of JSON_COLUMNS)
    if (typeof row[column] === 'object' && row[column] !== null)
      row[column] = JSON.stringify(row[column])
}

function millisecondsOf(value: unknown, now: number): number {
  const at =
    typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN
  return Number.isNaN(at) ? now : at
}
