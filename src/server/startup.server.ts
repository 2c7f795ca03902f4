import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { ownFingerprint } from './instance-key.server'
import { codeFrom, hashOf, newCode } from './secret.server'
import { followSettings } from './settings.server'

/** Runs once the database is migrated and before anyone is served. Returns lines to print before the ready line. */
export async function beforeReady(db: Kysely<DB>): Promise<string[]> {
  await followSettings(db)
  if (await isRestored(db)) return codeAfterRestore(db)
  if (!(await isSetupOpen(db))) return []
  return [
    'Fingerprint of the key that signs the backups of this Sanad. Write it down:',
    `  ${ownFingerprint()}`,
    'No user exists yet. Open the address below and enter this one-time code:',
    `  ${await newSetupCode(db)}`,
  ]
}

/** Lines to print where super administrators have no password yet: a backup without credentials was restored. */
export const codeAfterRestore = async (db: Kysely<DB>): Promise<string[]> => [
  'The restored backup holds no passwords. Open Sanad and set that of a super administrator with this one-time code:',
  `  ${await newSetupCode(db)}`,
]

/** Whether there are super administrators, and none of them has a password. */
export async function isRestored(db: Kysely<DB>): Promise<boolean> {
  const found = await superAdmins(db)
    .leftJoin('credentials', 'credentials.user_id', 'users.id')
    .select(sql<boolean>`count(*) > 0 and count(credentials.user_id) = 0`.as('isRestored'))
    .executeTakeFirstOrThrow()
  return found.isRestored
}

export const superAdmins = (db: Kysely<DB>) =>
  db.selectFrom('users').where('role', '=', 'super_admin').where('users.is_deleted', '=', false)

/** Whether no administrator exists yet. */
export async function isSetupOpen(db: Kysely<DB>): Promise<boolean> {
  const found = await superAdmins(db).select('users.id').limit(1).execute()
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
