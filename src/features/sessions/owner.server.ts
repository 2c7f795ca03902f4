import type { OpenContext } from '~/server/operation'
import type { Kysely } from 'kysely'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import { keyed } from '~/server/secret.server'
import { isPassword } from './password.server'
import { guessed } from './throttle.server'

/** Somebody who may sign in. */
export type Owner = { userId: string; email: string; hasSecondFactor: boolean; isKnownHere: boolean }

/**
 * The person whose e-mail address and password these are, or null, in the same time whoever it is not. Wrong guesses are
 * counted: throws `too_many_requests`, and the caller must not throw after null.
 */
export async function ownerOf(ctx: OpenContext, email: string, password: string): Promise<Owner | null> {
  const { db, request } = ctx
  const user = await db
    .selectFrom('users')
    .leftJoin('credentials', 'credentials.user_id', 'users.id')
    .select((eb) => [
      'users.id',
      'credentials.password',
      eb
        .exists(
          eb
            .selectFrom('second_factors')
            .select('user_id')
            .whereRef('user_id', '=', 'users.id')
            .where('enabled_at', 'is not', null),
        )
        .as('hasSecondFactor'),
      eb
        .exists(
          eb
            .selectFrom('sessions')
            .select('id')
            .whereRef('user_id', '=', 'users.id')
            .where('address', '=', request.address)
            .where('kind', '<>', 'pending'),
        )
        .as('isKnownHere'),
    ])
    .where('users.email', '=', email)
    .where('users.is_deleted', '=', false)
    .executeTakeFirst()
  const isKnownHere = Boolean(user?.isKnownHere)
  const guess = { what: 'password', of: email, guess: password, userId: user?.id, isKnownHere } as const
  const wasRight = await guessed(ctx, guess, () => isRight(db, password, user))
  return wasRight && user
    ? { userId: user.id, email, hasSecondFactor: Boolean(user.hasSecondFactor), isKnownHere }
    : null
}

/** How many passwords are remembered as right: more than a large organization has people. */
const REMEMBERED = 2_000

/**
 * A phone shows the same password with every request, and hashing it is slow by design: what was right once is known
 * again by a keyed digest, for as long as what is stored stays the same. Only a process's memory holds it.
 */
async function isRight(db: Kysely<DB>, password: string, user: { id: string; password: string | null } | undefined) {
  if (!user?.password) return isPassword(password, undefined)
  const known = perProcess('right passwords', () => new Map<string, string>())
  const digest = (await keyed(db, 'right password', `${user.id} ${password}`)).toString('base64')
  const isKnown = known.get(digest) === user.password
  if (!isKnown && !(await isPassword(password, user.password))) return false
  // a Map keeps the order of insertion: what was used last goes to the end, what has not been for longest is forgotten
  known.delete(digest)
  known.set(digest, user.password)
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!)
  return true
}
