import { inTransaction, type OpenContext } from '~/server/operation'
import { AppError } from '~/shared/errors'
import { findAppPassword } from './app-password.server'
import { guessInTurn } from '../passwords/throttle.server'
import { knownOwner, verifyCredentials, verifyAhead } from '../setup/owner.server'

type Typed = { email: string; password: string }

/** Whose credentials they are, and what else they must show. */
type SigningIn = {
  userId: string
  /** The password of one phone; null: the account's password. */
  appPasswordId: string | null
  /** The password alone opens nothing: a code must come with it. */
  hasSecondFactor: boolean
  /** The password is right, but must be replaced in a browser before phones are accepted again. */
  isClosed: boolean
}

const ofPhone = ({ id, userId }: { id: string; userId: string }): SigningIn => ({
  userId,
  appPasswordId: id,
  hasSecondFactor: false,
  isClosed: false,
})

/** The slow part of `signingIn`, before its transaction. An app password has none and no limit. */
export async function checkedAhead(ctx: OpenContext, { email, password }: Typed): Promise<void> {
  if (!(await findAppPassword(ctx, email, password))) await verifyAhead(ctx, email, password)
}

/**
 * Whose e-mail address and password these are, on every way in; null if they are wrong. Wrong
 * guesses are counted, so the caller must not throw after null.
 */
export async function signingIn(
  ctx: OpenContext,
  { email, password }: Typed,
): Promise<SigningIn | null> {
  const phone = await findAppPassword(ctx, email, password)
  if (phone) return ofPhone(phone)
  const owner = await verifyCredentials(ctx, email, password)
  return owner && { ...owner, appPasswordId: null }
}

/**
 * For requests that carry both each time: null as well if a code would have to come with them. Throws if the password
 * must be replaced first.
 */
export async function signedInBy(ctx: OpenContext, typed: Typed): Promise<SigningIn | null> {
  const phone = await findAppPassword(ctx, typed.email, typed.password)
  if (phone) return ofPhone(phone)
  const known = await guessInTurn(ctx, () => knownOwner(ctx, typed))
  const owner = known === undefined ? await ownerAfterCheck(ctx, typed) : known
  if (!owner || owner.hasSecondFactor) return null
  if (owner.isClosed) throw new AppError('unauthenticated', { key: 'sessions.passwordOver' })
  return { ...owner, appPasswordId: null }
}

async function ownerAfterCheck(ctx: OpenContext, { email, password }: Typed) {
  await verifyAhead(ctx, email, password)
  return guessInTurn(ctx, () =>
    inTransaction('sync.signIn', ctx, (inner) => verifyCredentials(inner, email, password)),
  )
}
