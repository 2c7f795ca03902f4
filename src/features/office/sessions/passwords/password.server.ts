import { argon2, type Argon2Parameters, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { invalid, type Message } from '~/shared/errors'
import { limited, queue } from '~/server/limited'
import { currentSettings } from '~/server/settings.server'
import { isBcryptPassword } from './bcrypt.server'
import { commonPasswords } from './common-passwords.server'
import { tooMany } from './throttle.server'

const argon2id = promisify(argon2) as (
  algorithm: 'argon2id',
  parameters: Argon2Parameters,
) => Promise<Buffer>

/** Each hash takes 19 MiB and a processor: more at once would slow down all other requests. */
export const HASHES_AT_ONCE = availableParallelism() > 2 ? 2 : 1
/** More than the phones of a clinic that begin to sync at the same moment. */
export const WAITING = 48

export const hashing = () => queue('passwords', () => limited(HASHES_AT_ONCE, WAITING))

/**
 * Throws `too_many_requests` where too many wait already. `place` is where the request comes from:
 * a place that sends many passwords at once delays its own requests only.
 */
const hash = (parameters: Argon2Parameters, place: string) =>
  hashing().run(() => argon2id('argon2id', parameters), { refuse: () => tooMany(2), place })

// OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, 2 passes, 1 lane
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

// One character can be several code points, above all in Arabic; NIST SP 800-63B, section
// 5.1.1.2, requires NFKC.
const passwordBytes = (password: string) => Buffer.from(password.normalize('NFKC'))
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** In the PHC format, so that the cost can grow without breaking what is stored. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await hash({ ...cost, nonce, message: passwordBytes(password) }, 'new passwords')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
}

/** A stored hash that no password fits: an unknown account costs as much time as a known one. */
const costs = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
const decoy = `$argon2id$v=19$${costs}$${'A'.repeat(22)}$${'A'.repeat(43)}`

export async function isPassword(
  password: string,
  stored: string | null | undefined,
  place = '',
): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(
    stored ?? decoy,
  )
  if (!parts) throw new Error('A stored password is not in the PHC format of argon2id')
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number]
  const expected = Buffer.from(parts[5]!, 'base64')
  const parameters = {
    memory,
    passes,
    parallelism,
    tagLength: expected.length,
    nonce: Buffer.from(parts[4]!, 'base64'),
  }
  const actual = await hash({ ...parameters, message: passwordBytes(password) }, place)
  return timingSafeEqual(actual, expected) && Boolean(stored)
}

/** As `isPassword`, for the hash of a former server; null costs as much time. */
export const isFormerPassword = (password: string, stored: string | null, place: string) =>
  hashing().run(() => isBcryptPassword(password, stored), { refuse: () => tooMany(2), place })

/** What an attacker knows of the user: e-mail address, name, names of clinics and of the organization. */
type OwnWords = { email: string; names: readonly string[] }

/**
 * What is wrong with a new password: NIST SP 800-63B requires length, forbids common passwords and
 * words of the user and the service, and nothing else.
 */
function weakness(password: string, { email, names }: OwnWords): Message | null {
  const plain = password.normalize('NFKC').toLowerCase().trim()
  if (Array.from(plain).length < 8) return { key: 'validation.tooShort', values: { min: 8 } }
  if (plain === email.toLowerCase() || plain === email.toLowerCase().split('@')[0])
    return { key: 'sessions.passwordIsEmail' }
  const isCommon = [plain, plain.replace(SIGNS, ''), plain.replace(ENDING, '')].some((word) =>
    commonPasswords().has(word),
  )
  if (isCommon) return { key: 'sessions.passwordCommon' }
  return isOfOwnWords(plain, [email, ...names]) ? { key: 'sessions.passwordOwnWords' } : null
}

/** What guessing programs add to a word first: `Password1!` is as common as `password`. */
const SIGNS = /[^\p{L}\p{M}\p{N}]+$/u
const ENDING = /(?:[^\p{L}\p{M}]{1,6}|\p{N}{1,8})$/u

/** Whether own words, digits and signs are all of it, but for three letters. */
function isOfOwnWords(plain: string, texts: readonly string[]): boolean {
  const letters = (text: string) => text.replaceAll(/[^\p{L}\p{M}]+/gu, '')
  const words = [PRODUCT, ...texts].flatMap((text) => {
    const parts = text
      .normalize('NFKC')
      .toLowerCase()
      .split(/[^\p{L}\p{M}]+/u)
    return [parts.join(''), ...parts]
  })
  const longestFirst = words
    .filter((word) => Array.from(word).length >= 3)
    .toSorted((a, b) => b.length - a.length)
  const typed = letters(plain)
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ''), typed)
  return rest !== typed && Array.from(rest).length < 4
}
const PRODUCT = 'sanad'

/** At most so many clinics are compared. */
const MOST_CLINICS = 1000

async function loadOwnWords(
  db: Kysely<DB>,
  user: { id: string; email: string },
): Promise<OwnWords> {
  const { organization } = await currentSettings(db)
  const { rows } = await sql<{ name: string }>`select name from users where id = ${user.id}
    union all (select name from clinics where not is_deleted limit ${MOST_CLINICS})`.execute(db)
  return { email: user.email, names: [organization, ...rows.map(({ name }) => name)] }
}

// Without 0, 1, i, l and o, which look alike on paper.
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const fourLetters = () =>
  Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** 59 random bits in three groups, to be read out over the telephone and typed once. */
export const generatePassword = () => [fourLetters(), fourLetters(), fourLetters()].join('-')

type Hashed = { password: string; stored: string }
const ahead = new WeakMap<object, Hashed>()

/**
 * Hashes a new password in `before` of the operation with this input; its `run` gets it from `hashedAhead`. No
 * transaction, and so no database connection, waits for the processor.
 */
export async function hashAhead(input: object, password: string): Promise<void> {
  ahead.set(input, { password, stored: await hashPassword(password) })
}

export function hashedAhead(input: object): Hashed {
  const hashed = ahead.get(input)
  if (!hashed) throw new Error('The password was not hashed in `before`')
  return hashed
}

/** How long phones may use a password that its owner must replace. */
export const PHONE_DAYS = 14
const phonesUntil = () => sql<Date>`clock_timestamp() + make_interval(days => ${PHONE_DAYS})`

/** Who chose a password. `another`: a second person knows it, so its owner must replace it. */
export type SetBy = 'owner' | 'another'

/**
 * Sets a user's password and ends every session of the user. Throws `invalid` at `field` for a weak
 * one. What another user has set opens only the form that asks its owner for a new one; phones use it
 * for 14 days.
 */
export async function setPassword(
  db: Kysely<DB>,
  user: { id: string; email: string },
  given: string | Hashed,
  { setBy, field = 'password' }: { setBy: SetBy; field?: string },
) {
  const mustChange = setBy === 'another'
  const password = typeof given === 'string' ? given : given.password
  const problem = weakness(password, await loadOwnWords(db, user))
  if (problem) throw invalid({ [field]: problem })
  const stored = typeof given === 'string' ? await hashPassword(given) : given.stored
  const marked = { must_change: mustChange, phones_until: mustChange ? phonesUntil() : null }
  await db
    .insertInto('credentials')
    .values({ user_id: user.id, password: stored, ...marked })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ password: stored, changed_at: new Date(), ...marked }),
    )
    .execute()
  await db.deleteFrom('credentials_bcrypt').where('user_id', '=', user.id).execute()
}

/**
 * Replaces the hash of the former server after the first sign-in. Its owner must replace the password: an administrator
 * of that server may have set it. Phones use it for 14 days from then on. Of hashes that an earlier version imported,
 * only a password that Sanad refuses must be replaced.
 */
export async function adoptPassword(
  db: Kysely<DB>,
  user: { id: string; email: string },
  { password, stored }: Hashed,
) {
  const former = await db
    .selectFrom('credentials_bcrypt')
    .select('must_change')
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  const must_change =
    former?.must_change !== false || weakness(password, await loadOwnWords(db, user)) !== null
  const phones_until = must_change ? phonesUntil() : null
  await db
    .insertInto('credentials')
    .values({ user_id: user.id, password: stored, must_change, phones_until })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db.deleteFrom('credentials_bcrypt').where('user_id', '=', user.id).execute()
}

/**
 * Hashes of a former server that no user has needed for so long are deleted. The 90 days of those that were imported
 * while the clock was ahead begin when it is right.
 */
export async function forgetFormerPasswords(db: Kysely<DB>) {
  await sql`update credentials_bcrypt set imported_at = now()
    where not has_happened(imported_at)`.execute(db)
  await db
    .deleteFrom('credentials_bcrypt')
    .where('imported_at', '<', sql<Date>`now() - interval '90 days'`)
    .execute()
}
