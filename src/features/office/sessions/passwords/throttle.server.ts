import { type Kysely, sql } from 'kysely'
import { DatabaseError } from 'pg'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { audit } from '~/server/audit'
import type { OpenContext } from '~/server/operation'
import { limited, queue } from '~/server/limited'
import { networkAddress } from '~/server/http-client.server'
import { holdBack } from '~/server/http-refusals.server'
import { largest } from '~/shared/any-length'
import { AppError } from '~/shared/errors'
import { keyed } from '~/server/secret.server'

/** Different wrong guesses within an hour after which the next has to wait. */
const LIMITS = {
  /** For one account, code or whatever is guessed at, from one source. */
  subjectHere: 5,
  /** For one account from everywhere: many machines guess together. */
  subject: 20,
  /**
   * From one address for everything: one machine tries many accounts, or a clinic of thirty
   * mistypes.
   */
  address: 60,
} as const
const FIRST_WAIT = 30
const LONGEST_WAIT = 15 * 60
const REMEMBERED = sql`interval '1 hour'`

/** Where a guess comes from, and which counts limit it. */
export type GuessSource = { place: string; limits: readonly (keyof typeof LIMITS)[] }

export const stranger = (address: string): GuessSource => ({
  place: networkAddress(address),
  limits: ['subjectHere', 'subject', 'address'],
})
/** An address from which the user has signed in before: guesses elsewhere do not count. */
export const knownAddress = (address: string): GuessSource => ({
  place: networkAddress(address),
  limits: ['subjectHere'],
})
/** A browser, phone or session of the user: no guesses but its own count. */
export const known = (what: 'browser' | 'session', id: string): GuessSource => ({
  place: `${what} ${id}`,
  limits: ['subjectHere'],
})

type Guess = {
  what: 'password' | 'code' | 'setup' | 'assertion'
  /** Whose: an e-mail address, or the id of a user or a program. */
  of: string
  guess: string
  /** The user concerned, if there is one. */
  userId?: string
  source: GuessSource
}

/**
 * Checks a guess at a secret. Throws `too_many_requests` after too many *different* wrong ones:
 * repeating one old password, as phones do, locks out no user, and right passwords do not count.
 * The caller must return, not throw, after a wrong guess: a thrown error rolls back its count.
 */
export async function guessed(
  ctx: OpenContext,
  { what, of, guess, userId, source }: Guess,
  isRight: () => Promise<boolean>,
) {
  const { db } = ctx
  const subject = `${what} ${of}`
  const address = source.place
  const wrongHere = await refuseTooSoon(ctx, { what, of, source }, { takesTurns: true })
  if (await isRight()) {
    if (wrongHere > 0)
      await db
        .deleteFrom('wrong_guesses')
        .where('subject', '=', subject)
        .where('address', '=', address)
        .execute()
    return true
  }
  holdBack(ctx.request.id)
  // two bytes tell two guesses apart, but do not reveal the guess, which is often nearly the
  // password
  const mark = keyed('wrong guess', `${subject} ${guess}`).readUInt16BE()
  await forgetOld(db)
  const counted = await db
    .insertInto('wrong_guesses')
    .values({ subject, address, mark })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  // the trail is not filled by a phone that repeats itself
  if (counted.numInsertedOrUpdatedRows) {
    await audit(ctx, {
      action: 'sessions.refused',
      table: 'users',
      recordId: userId,
      changes: { guess: [null, what] },
    })
  }
  return false
}

const forgetOld = (db: Kysely<DB>) =>
  db
    .deleteFrom('wrong_guesses')
    .where(sql<boolean>`at < clock_timestamp() - ${REMEMBERED} or not has_happened(at)`)
    .execute()

/** Different numbers of pulls that no phone was given, which one user may name within an hour. */
const UNKNOWN_NUMBERS = 60

/**
 * Counts a number that no phone was given. A phone names such a number once, if it comes from another server. A user
 * who tries many looks for that of another's phone. Throws `too_many_requests` until an hour after the first of them.
 */
export async function countUnknownNumber(db: Kysely<DB>, userId: string, number: number) {
  const subject = `pull ${userId}`
  await forgetOld(db)
  const { rows } = await sql<{ count: number; seconds: number }>`
    select count(*)::integer as count,
      ceil(extract(epoch from min(at) + ${REMEMBERED} - clock_timestamp()))::integer as seconds
    from wrong_guesses where subject = ${subject} and mark <> ${number % 2 ** 31}`.execute(db)
  const { count, seconds } = rows[0]!
  if (count >= UNKNOWN_NUMBERS) throw tooMany(Math.max(1, seconds))
  await db
    .insertInto('wrong_guesses')
    .values({ subject, address: '', mark: number % 2 ** 31 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const TRANSACTIONS_AT_ONCE = 3
const TRANSACTIONS_WAITING = 96

/**
 * Guesses at one account wait for one another with a transaction open: few sources at a time do, so that
 * signed-in users keep most connections of the database.
 */
export const guessInTurn = <R>({ request }: OpenContext, work: () => Promise<R>): Promise<R> =>
  queue('sign-ins', () => limited(TRANSACTIONS_AT_ONCE, TRANSACTIONS_WAITING)).run(work, {
    refuse: () => tooMany(2),
    place: networkAddress(request.address),
  })

/**
 * Throws `too_many_requests` while the next guess has to wait. Returns the number of wrong guesses
 * of the last hour for this subject from this source. `takesTurns`: one after the other until the transaction ends;
 * otherwise a hundred guesses at once would all pass before the first is counted.
 */
export async function refuseTooSoon(
  { db }: OpenContext,
  { what, of, source }: Pick<Guess, 'what' | 'of' | 'source'>,
  { takesTurns = false } = {},
): Promise<number> {
  const found = await wrongGuesses(db, `${what} ${of}`, source.place, takesTurns)
  const waits = source.limits.map((limit) => {
    const excess = found[limit] - LIMITS[limit]
    return excess < 0
      ? 0
      : Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(excess, 10)) - found[`${limit}Age`]
  })
  const wait = largest(waits)
  if (wait > 0) throw tooMany(Math.ceil(wait))
  return found.subjectHere
}

type Counts = Record<keyof typeof LIMITS | `${keyof typeof LIMITS}Age`, number>

async function wrongGuesses(
  db: Kysely<DB>,
  subject: string,
  address: string,
  takesTurns: boolean,
): Promise<Counts> {
  try {
    // one statement: phones do this with every request
    const { rows } = await sql<Counts>`${asPrepared()}
      select * from wrong_guesses_of(${subject}, ${address}, ${REMEMBERED}, ${takesTurns})`.execute(
      db,
    )
    return rows[0]!
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '55P03') throw tooMany(5)
    throw error
  }
}

export const tooMany = (seconds: number) =>
  new AppError('too_many_requests', { key: 'errors.tooManyRequests', values: { seconds } })
