import type { OpenContext } from '~/server/operation'
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
  const isRight = await guessed(ctx, guess, () => isPassword(password, user?.password))
  return isRight && user
    ? { userId: user.id, email, hasSecondFactor: Boolean(user.hasSecondFactor), isKnownHere }
    : null
}
