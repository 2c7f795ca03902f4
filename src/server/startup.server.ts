import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'

/** Runs once the database is migrated and before anyone is served. Returns lines to print before the ready line. */
export async function beforeReady(_db: Kysely<DB>): Promise<string[]> {
  return []
}
