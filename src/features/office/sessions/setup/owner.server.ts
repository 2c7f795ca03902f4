import { sql } from 'kysely'
import type { Context, OpenContext } from '~/server/operation'
import { unauthenticated } from '~/shared/errors'
import { asPrepared } from '~/db/kept'
import { perProcess } from '~/db/per-process'
import { keyed } from '~/server/secret.server'
import { findRequestSession } from '~/server/session.server'
import { knownBrowser } from '../passwords/known-browser.server'
import {
  adoptPassword,
  hashPassword,
  isFormerPassword,
  isPassword,
} from '../passwords/password.server'
import {
  guessed,
  known,
  knownAddress,
  refuseTooSoon,
  type GuessSource,
  stranger,
} from '../passwords/throttle.server'

/** A user who may sign in. */
type Owner = {
  userId: string
  email: string
  hasSecondFactor: boolean
  /** On a phone: its owner must replace the password, and the time in which phones may use it is over. */
  isClosed: boolean
}

/**
 * The user with this e-mail address and password, or null, in the same time in either case. Wrong
 * guesses are counted: throws `too_many_requests`, and the caller must not throw after null.
 */
export async function verifyCredentials(
  ctx: OpenContext,
  email: string,
  password: string,
): Promise<Owner | null> {
  const user = await findAccount(ctx, email)
  const source = await resolveGuessSource(ctx, user)
  const guess = { what: 'password', of: email, guess: password, userId: user?.id, source } as const
  let adopted: string | undefined
  const isRight = await guessed(ctx, guess, async () => {
    const verdict = await passwordVerdict(ctx, { email, password }, user, source)
    adopted = verdict.adopted
    return verdict.isRight
  })
  if (isRight && user && adopted)
    await adoptPassword(ctx.db, { id: user.id, email }, { password, stored: adopted })
  return isRight && user ? ownerWith(ctx, email, user) : null
}

const ownerWith = ({ request }: OpenContext, email: string, user: NonNullable<Account>): Owner => ({
  userId: user.id,
  email,
  hasSecondFactor: Boolean(user.hasSecondFactor),
  isClosed: request.via === 'phone' && user.isClosedToPhones,
})

/**
 * As `verifyCredentials`, of a password that was right before and still is: nothing is to be written, so that no
 * transaction is needed. Undefined if that is not known, or if wrong guesses are to be deleted: `verifyCredentials`
 * must be asked.
 */
export async function knownOwner(
  ctx: OpenContext,
  { email, password }: Credentials,
): Promise<Owner | null | undefined> {
  const { right } = allVerdicts()
  const key = verdictKey({ email, password })
  const verdict = right.get(key)
  const user = verdict && (await findAccount(ctx, email))
  if (!user || user.password === null || verdict.stored !== user.password) return undefined
  remember(right, key, verdict)
  const source = await resolveGuessSource(ctx, user)
  const wrongHere = await refuseTooSoon(
    ctx,
    { what: 'password', of: email, source },
    { takesTurns: true },
  )
  return wrongHere > 0 ? undefined : ownerWith(ctx, email, user)
}

/** A session of the user, a browser that the user has signed in on, the user's usual address, or none of these. */
async function resolveGuessSource(ctx: OpenContext, account: Account): Promise<GuessSource> {
  const { db, request } = ctx
  if (!account) return stranger(request.address)
  const session = await findRequestSession(db, request.headers, request.via)
  if (session?.actor.userId === account.id) return known('session', session.id)
  const browser = knownBrowser(request.headers, account.id)
  if (browser) return known('browser', browser)
  return account.isKnownHere ? knownAddress(request.address) : stranger(request.address)
}

const findAccount = ({ db, request }: OpenContext, email: string) =>
  db
    .selectFrom('users')
    .modifyFront(asPrepared())
    .leftJoin('credentials', 'credentials.user_id', 'users.id')
    .leftJoin('credentials_bcrypt', 'credentials_bcrypt.user_id', 'users.id')
    .select((eb) => [
      'users.id',
      'credentials.password',
      'credentials_bcrypt.password as former',
      sql<boolean>`coalesce(credentials.phones_until < clock_timestamp()
        or credentials.phones_until > clock_timestamp() + interval '15 days', false)`.as(
        'isClosedToPhones',
      ),
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

type Account = Awaited<ReturnType<typeof findAccount>>

/**
 * How many passwords are cached as right, and as wrong: more than a large organization has users.
 */
const REMEMBERED = 2_000
const WRONG_FOR = 10 * 60_000

type Verdict = {
  stored: string | null
  isRight: boolean
  until: number
  /** Our hash of a right password of the former server, which replaces its hash. */
  adopted?: string
}

/**
 * A phone shows the same password with every request, and a program that has an old one repeats
 * that; hashing is slow by design. Both are recognized by a keyed digest of 128 bits, together with
 * the stored hash that the answer holds for. It is kept in the memory of the process only.
 */
async function passwordVerdict(
  ctx: OpenContext,
  { email, password }: Credentials,
  account: Account,
  { place }: GuessSource,
): Promise<Verdict> {
  const verdicts = allVerdicts()
  const key = verdictKey({ email, password })
  const stored = account?.password ?? account?.former ?? null
  const remembered = verdicts.right.get(key) ?? verdicts.wrong.get(key)
  const isKnown =
    remembered !== undefined && remembered.stored === stored && remembered.until > Date.now()
  const verdict: Verdict = isKnown
    ? remembered
    : { stored, ...(await checked(ctx, password, account, place)), until: verdictExpiry() }
  const right = verdict.isRight
  // a password that was right before a change
  if (!right) verdicts.right.delete(key)
  remember(
    right ? verdicts.right : verdicts.wrong,
    key,
    right ? { ...verdict, until: Infinity } : verdict,
  )
  return verdict
}

/** While hashes of a former server are kept, every password is checked by both algorithms: time tells nothing. */
async function checked({ db }: OpenContext, password: string, account: Account, place: string) {
  const own = account?.password ?? null
  const isOwn = await isPassword(password, own, place)
  const stored = await db
    .selectFrom('credentials_bcrypt')
    .select('user_id')
    .limit(1)
    .executeTakeFirst()
  if (!stored) return { isRight: isOwn }
  const isFormer = await isFormerPassword(password, own ? null : (account?.former ?? null), place)
  return isFormer ? { isRight: true, adopted: await hashPassword(password) } : { isRight: isOwn }
}

type Credentials = { email: string; password: string }
const verdictKey = ({ email, password }: Credentials) =>
  keyed('password verdict', `${email} ${password}`).subarray(0, 16).toString('base64')

const allVerdicts = () =>
  perProcess('password verdicts', () => ({ right: new Map(), wrong: new Map() }) as Verdicts)
type Verdicts = { right: Map<string, Verdict>; wrong: Map<string, Verdict> }
const verdictExpiry = () => Date.now() + WRONG_FOR

/** A Map keeps the order of insertion: the least recently used entry is the first. */
function remember(verdicts: Map<string, Verdict>, key: string, verdict: Verdict) {
  verdicts.delete(key)
  verdicts.set(key, verdict)
  if (verdicts.size > REMEMBERED) verdicts.delete(verdicts.keys().next().value!)
}

/**
 * Hashes a password before the transaction that calls `verifyCredentials`, which then finds the result: no
 * database connection waits for the processor. Throws `too_many_requests` without hashing if the
 * next guess must wait.
 * Whether the password is right is for the caller's own work ahead: only `verifyCredentials` counts a wrong one.
 */
export async function verifyAhead(
  ctx: OpenContext,
  email: string,
  password: string,
): Promise<boolean> {
  const account = await findAccount(ctx, email)
  const source = await resolveGuessSource(ctx, account)
  await refuseTooSoon(ctx, { what: 'password', of: email, source })
  return (await passwordVerdict(ctx, { email, password }, account, source)).isRight
}

/** `before` of an operation that asks signed-in users for their password. */
export async function verifyOwnAhead(ctx: Context, { password }: { password: string }) {
  await verifyAhead(ctx, await ownEmail(ctx), password)
}

/** Whether it is the password of the signed-in user: a screen left open must not be enough. As `verifyCredentials`. */
export const confirmedOwner = async (ctx: Context, password: string) =>
  verifyCredentials(ctx, await ownEmail(ctx), password)

export async function ownEmail({ db, actor }: Context): Promise<string> {
  const user = await db
    .selectFrom('users')
    .select('email')
    .where('id', '=', actor.userId)
    .executeTakeFirstOrThrow(unauthenticated)
  return user.email
}
