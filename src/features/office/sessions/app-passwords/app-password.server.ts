import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { latinDigits } from '~/fields/typed'
import type { OpenContext } from '~/server/operation'
import { codeFrom, hashToken, newCode } from '~/server/secret.server'

/** 100 random bits cannot be guessed, so a plain hash is enough and guesses need no limit. */
const LENGTH = 20

export const newAppPassword = () => newCode(LENGTH)

/** Without regard to case, spaces, hyphens and the digits of the keyboard. */
export const hashOfAppPassword = (typed: string) => hashToken(codeFrom(latinDigits(typed)))

const mayBeOne = (typed: string) => codeFrom(latinDigits(typed)).length === LENGTH

type AppPassword = { id: string; userId: string }

/**
 * The app password that was typed as this user's password on a phone, or null. Only phones have
 * them: on screens and at tRPC it is a wrong password.
 */
export async function findAppPassword(
  { db, request }: OpenContext,
  email: string,
  typed: string,
): Promise<AppPassword | null> {
  if (request.via !== 'phone' || !mayBeOne(typed)) return null
  const found = await db
    .selectFrom('app_passwords as a')
    .innerJoin('users', 'users.id', 'a.user_id')
    .select(['a.id', 'a.user_id as userId'])
    .select(
      sql<boolean>`a.last_address = ${request.address}
        and coalesce(a.last_used_at > clock_timestamp() - interval '1 minute', false)`.as(
        'isFresh',
      ),
    )
    .where('a.code_hash', '=', hashOfAppPassword(typed))
    .where('a.revoked_at', 'is', null)
    .where('users.email', '=', email)
    .where('users.is_deleted', '=', false)
    .executeTakeFirst()
  if (!found) return null
  const { isFresh, ...password } = found
  // a phone signs in four times for each sync: the time is written once a minute
  if (!isFresh) await markUsed({ db, request }, password.id)
  return password
}

const markUsed = ({ db, request }: Pick<OpenContext, 'db' | 'request'>, id: string) =>
  db
    .updateTable('app_passwords')
    .set({ last_used_at: sql<Date>`clock_timestamp()`, last_address: request.address })
    .where('id', '=', id)
    .execute()

/** Revokes every app password of the user. Returns how many. */
export async function revokeAllAppPasswords(db: Kysely<DB>, userId: string): Promise<number> {
  const revoked = await db
    .updateTable('app_passwords')
    .set({ revoked_at: sql<Date>`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(revoked.numUpdatedRows)
}
