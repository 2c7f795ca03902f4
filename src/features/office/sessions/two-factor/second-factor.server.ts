import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Context, OpenContext } from '~/server/operation'
import { codeFrom, keyed, newCode, unsealSecret } from '~/server/secret.server'
import { invalid } from '~/shared/errors'
import { guessed, stranger } from '../passwords/throttle.server'
import { type Refused, refusedField } from '../session'
import { confirmedOwner } from '../setup/owner.server'
import { stepOfCode, TOLERANCE } from './totp.server'

/**
 * Whether the code is from the authenticator app or an unused recovery code. Each is valid once.
 */
export const isSecondFactor = (ctx: OpenContext, userId: string, code: string): Promise<boolean> =>
  guessed(
    ctx,
    // a guess here already has the password: where it comes from does not excuse it
    { what: 'code', of: userId, guess: code, userId, source: stranger(ctx.request.address) },
    async () =>
      /^\d{6}$/.test(code)
        ? takeTotp(ctx.db, userId, code)
        : takeRecoveryCode(ctx.db, userId, code),
  )

type Confirmation = { password?: string | null; code?: string | null }

/**
 * Refuses an operation without the password of the signed-in user and, if it is on, a code of the second factor:
 * a screen left open must not be enough. After a refusal the caller must not throw, or the wrong guess is not counted.
 */
export async function refusedOwner(
  ctx: Context,
  { password, code }: Confirmation,
): Promise<Refused | null> {
  if (!password) throw invalid({ password: { key: 'validation.required' } })
  const owner = await confirmedOwner(ctx, password)
  if (!owner) return refusedField('password', 'sessions.wrongPassword')
  if (!owner.hasSecondFactor) return null
  if (!code) return refusedField('code', 'validation.required')
  return (await isSecondFactor(ctx, owner.userId, code))
    ? null
    : refusedField('code', 'sessions.wrongCode')
}

/** Also of an offer that is not enabled yet: its first code enables it. */
async function takeTotp(db: Kysely<DB>, userId: string, code: string): Promise<boolean> {
  const factor = await db
    .selectFrom('second_factors')
    .select('secret')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const step = factor && stepOfCode(unsealSecret(userId, factor.secret), code)
  if (!step) return false
  const taken = await db
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    // a step that no code of today can have was taken while the clock was ahead
    .where((eb) => eb.or([eb('last_step', '<', step), eb('last_step', '>', step + 2 * TOLERANCE)]))
    .executeTakeFirst()
  return taken.numUpdatedRows > 0n
}

async function takeRecoveryCode(db: Kysely<DB>, userId: string, code: string): Promise<boolean> {
  const taken = await db
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('code_hash', '=', keyed('recovery code', codeFrom(code)))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return taken.numUpdatedRows > 0n
}

const RECOVERY_CODES = 10
/** 120 random bits each: a keyed hash is then as good as a slow one (OWASP ASVS 5.0, 6.5.2). */
const RECOVERY_CODE_LENGTH = 24

/** Replaces all recovery codes. They are shown now and never again. */
export async function replaceRecoveryCodes(db: Kysely<DB>, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => newCode(RECOVERY_CODE_LENGTH))
  const hashes = codes.map((code) => keyed('recovery code', codeFrom(code)))
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute()
  return codes
}

/** Takes the second factor away, and with it every session. */
export async function removeSecondFactor(db: Kysely<DB>, userId: string): Promise<boolean> {
  // not deleted at once: the trigger that ends the sessions looks at the change
  await db
    .updateTable('second_factors')
    .set({ enabled_at: null })
    .where('user_id', '=', userId)
    .execute()
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const removed = await db
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return removed.numDeletedRows > 0n
}

export async function hasSecondFactor(db: Kysely<DB>, userId: string): Promise<boolean> {
  const factor = await db
    .selectFrom('second_factors')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('enabled_at', 'is not', null)
    .executeTakeFirst()
  return Boolean(factor)
}
