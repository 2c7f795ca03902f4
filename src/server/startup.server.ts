import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { codeFrom, hashOf, newCode } from './secret.server'
import { followSettings } from './settings.server'

/** Runs once the database is migrated and before anyone is served. Returns lines to print before the ready line. */
export async function beforeReady(db: Kysely<DB>): Promise<string[]> {
  await followSettings(db)
  if (!(await isSetupOpen(db))) return []
  return [
    'No user exists yet. Open the address below and enter this one-time code:',
    `  ${await newSetupCode(db)}`,
  ]
}

/** Whether no administrator exists yet. */
export async function isSetupOpen(db: Kysely<DB>): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'super_admin')
    .where('is_deleted', '=', false)
    .limit(1)
    .execute()
  return found.length === 0
}

/** A code that set-up accepts from now on: those of other processes stay good. Only its hash is kept. */
export async function newSetupCode(db: Kysely<DB>): Promise<string> {
  const code = newCode(12)
  await db
    .insertInto('setup_codes')
    .values({ code_hash: hashOf(codeFrom(code)) })
    .execute()
  return code
}
