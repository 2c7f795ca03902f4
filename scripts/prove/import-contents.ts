import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { askFor } from '~/server/jobs.server'

/** The rows of each table as texts, in order, without what differs from run to run. */
export type Contents = Map<string, string[]>

/** What the server writes about itself, or about who looked. */
const UNCOMPARED =
  /^(access_log|trail_|audit_blocks|sessions|import_parts|row_cache|backups|settings$)/

/**
 * What an undo leaves: bookkeeping of imports and deletions, the trail, and the dictionary for misspelled names, which
 * keeps the words of every deleted patient.
 */
const TRAIL = /^(audit_log|import|undone_|deletion|trash|sync_|wire_|name_words$)/

/** What an import keeps for its undo, and of the rows that it refused. */
const KEPT_OF_IMPORT = ['import_changes', 'import_rejections']

/** When an import left a record, inside what it keeps for its undo. */
const TIMES = /"(last_modified|answers)": "[^"]*"/g
const UUID_OF_ROW = /"id": "([^"]+)"/
const UUID_OF_PATIENT = /"patient_id": "([^"]+)"/
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

/** Stands for the id of a record on which a user has worked since the import. */
const WORKED = 'worked on since'

/** `importId` is another one in each run, and stands as a word, as does the id of a `worked` record. */
export async function readDatabaseContents(
  db: Kysely<DB>,
  importId?: string,
  worked?: string,
): Promise<Contents> {
  const { rows: tables } = await sql<{ name: string; dropped: string[] }>`
    select c.relname as name, array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0
        and a.atttypid in ('timestamptz'::regtype, 'xid8'::regtype, 'pg_snapshot'::regtype)) as dropped
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`.execute(
    db,
  )
  const { rows: drugs } = await sql<{ id: string; name: string }>`
    select id, concat_ws(' ', generic_name, brand_name, form, dosage_quantity, dosage_units) as name
    from drug_catalogue`.execute(db)
  // ids of new medicines are made in each run
  const names = new Map(drugs.map(({ id, name }) => [id, name]))
  if (importId) names.set(importId, 'this import')
  if (worked) names.set(worked, WORKED)
  const contents: Contents = new Map()
  for (const { name, dropped } of tables) {
    if (UNCOMPARED.test(name)) continue
    const { rows } = await sql<{ line: string }>`
      select (to_jsonb(t) - ${dropped}::text[])::text as line from ${sql.table(name)} t`.execute(db)
    contents.set(
      name,
      rows
        .map(({ line }) => {
          const named = line.replace(UUID, (id) => names.get(id) ?? id)
          return name === 'import_changes' ? named.replace(TIMES, '"$1": "a time"') : named
        })
        .toSorted(),
    )
  }
  return contents
}

/**
 * The records that users see: without tombstones, the links by which phones learn of them, the trail, and rows that
 * name a record on which a user has worked.
 */
export function visibleRecords(contents: Contents): Contents {
  const deleted = new Set(
    (contents.get('patients') ?? []).filter(isTombstone).map((line) => UUID_OF_ROW.exec(line)?.[1]),
  )
  const isOfDeleted = (line: string) => deleted.has(UUID_OF_PATIENT.exec(line)?.[1])
  const seen: Contents = new Map()
  for (const [name, lines] of contents)
    if (!TRAIL.test(name))
      seen.set(
        name,
        lines.filter(
          (line) =>
            !isTombstone(line) &&
            !line.includes(WORKED) &&
            !(name === 'patient_links' && isOfDeleted(line)),
        ),
      )
  return seen
}

const isTombstone = (line: string) => line.includes('"is_deleted": true')

/** The records, and what the import keeps about them: all that is the same however often it was interrupted. */
export function importedRecords(contents: Contents): Contents {
  const seen = visibleRecords(contents)
  for (const name of KEPT_OF_IMPORT) seen.set(name, contents.get(name)!)
  return seen
}

export function contentDifferences(wanted: Contents, found: Contents): string[] {
  return [...wanted].flatMap(([table, lines]) => {
    const other = new Map<string, number>()
    for (const line of found.get(table) ?? []) other.set(line, (other.get(line) ?? 0) + 1)
    const missing = lines.filter((line) => {
      const count = other.get(line) ?? 0
      if (count > 0) other.set(line, count - 1)
      return count === 0
    })
    const more = [...other].flatMap(([line, count]) => Array<string>(count).fill(line))
    return [
      ...missing.map((line) => `${table} lacks ${line}`),
      ...more.map((line) => `${table} has ${line}`),
    ]
  })
}

/**
 * Waits until the jobs have done what follows from the records, of a server that started then. What a killed process
 * held stays locked, and is asked for anew.
 */
export async function waitUntilSettled(db: Kysely<DB>, since: Date): Promise<void> {
  await askFor(db, 'check_medicines')
  await askFor(db, 'settle_follow_ups')
  for (;;) {
    // polls at the interval
    const { rows } = await sql<{ count: number }>`
      select (select count(*) from unchecked_medicines) + (select count(*) from follow_up_stale)
        + (select count(*) from graphile_worker.jobs where locked_at >= ${since}
          or (locked_at is null and run_at <= now() and attempts < max_attempts)) as count`.execute(
      db,
    )
    if (rows[0]!.count === 0) return
    await sleep(200)
  }
}
