import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import { ownFingerprint } from './instance-key.server'
import { codeFrom, formatManualCode, hashToken, keyed } from './secret.server'
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
    `  ${await setupCode(db)}`,
  ]
}

/** Lines to print where super administrators have no password yet: a backup without credentials was restored. */
export const codeAfterRestore = async (db: Kysely<DB>): Promise<string[]> => [
  'The restored backup holds no passwords. Open Sanad and set that of a super administrator with this one-time code:',
  `  ${await setupCode(db)}`,
]

/** Whether there are super administrators, and none of them has a password. */
export async function isRestored(db: Kysely<DB>): Promise<boolean> {
  const found = await superAdmins(db)
    .leftJoin('credentials', 'credentials.user_id', 'users.id')
    .leftJoin('credentials_bcrypt as former', 'former.user_id', 'users.id')
    .select(
      sql<boolean>`count(*) > 0 and count(coalesce(credentials.user_id, former.user_id)) = 0`.as(
        'isRestored',
      ),
    )
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

/** Characters of the code. */
const CODE_LENGTH = 12

/**
 * The code that set-up accepts: one for the database, whichever of its processes prints it. Stored are its hash
 * and a nonce from which the holders of the instance key derive it.
 */
export async function setupCode(db: Kysely<DB>): Promise<string> {
  const own = newId()
  await db
    .insertInto('setup_codes')
    .values({ nonce: own, code_hash: hashToken(codeFrom(codeOfNonce(own))) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { nonce, code_hash } = await db
    .selectFrom('setup_codes')
    .select(['nonce', 'code_hash'])
    .where('nonce', 'is not', null)
    .executeTakeFirstOrThrow()
  const code = codeOfNonce(nonce!)
  const hash = hashToken(codeFrom(code))
  // the instance key was replaced
  if (!hash.equals(code_hash))
    await db
      .updateTable('setup_codes')
      .set({ code_hash: hash })
      .where('nonce', '=', nonce)
      .execute()
  return code
}

const codeOfNonce = (nonce: string) =>
  formatManualCode(keyed('setup code', nonce).subarray(0, CODE_LENGTH))
