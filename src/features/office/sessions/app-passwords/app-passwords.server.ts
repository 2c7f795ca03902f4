import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { DB } from '~/db/types'
import { audit } from '~/server/audit'
import { mutation, NoInput, query, signedIn } from '~/server/operation'
import { conflict, notFound } from '~/shared/errors'
import { hashOfAppPassword, newAppPassword } from './app-password.server'
import { confirmedOwner, verifyOwnAhead } from '../setup/owner.server'
import { AppPasswordId, NewAppPassword, refusedField, RenamedAppPassword } from '../session'

/** More phones than one user carries; a program that creates them without end is stopped. */
const MOST = 50

/** The user's own app passwords that are in force, the newest first. */
export const listAppPasswords = query('appPasswords.list', {
  input: NoInput,
  allow: signedIn,
  run: ({ db, actor }) =>
    inForce(db, actor.userId)
      .leftJoin('sessions', 'sessions.app_password_id', 'app_passwords.id')
      .select(['app_passwords.id', 'app_passwords.name', 'app_passwords.created_at'])
      .select('app_passwords.last_address')
      // a phone in online mode shows its token and not the code
      .select((eb) =>
        eb
          .fn<Date | null>('greatest', ['last_used_at', 'sessions.last_seen_at'])
          .as('last_used_at'),
      )
      .orderBy('app_passwords.created_at', 'desc')
      .orderBy('app_passwords.id')
      .execute(),
})

/** The code is in the answer, and nowhere again. */
export const createAppPassword = mutation('appPasswords.create', {
  input: NewAppPassword,
  allow: signedIn,
  before: verifyOwnAhead,
  async run(ctx, { name, password }) {
    const { db, actor } = ctx
    if (!(await confirmedOwner(ctx, password)))
      return refusedField('password', 'sessions.wrongPassword')
    const existing = await inForce(db, actor.userId).select('id').execute()
    if (existing.length >= MOST) throw conflict('appPasswords.tooMany')
    const code = newAppPassword()
    const { id } = await db
      .insertInto('app_passwords')
      .values({ user_id: actor.userId, name, code_hash: hashOfAppPassword(code) })
      .returning('id')
      .executeTakeFirstOrThrow()
    await audit(ctx, { action: 'appPasswords.create', ...about(actor.userId, name) })
    return { ok: true as const, id, code }
  },
})

export const renameAppPassword = mutation('appPasswords.rename', {
  input: RenamedAppPassword,
  allow: signedIn,
  async run(ctx, { id, name }) {
    const { userId } = ctx.actor
    await ctx.db
      .updateTable('app_passwords')
      .set({ name })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirstOrThrow(() => notFound('appPasswords.notFound'))
    await audit(ctx, { action: 'appPasswords.rename', ...about(userId, name) })
    return { id }
  },
})

/** The phone is refused from its next request on. */
export const revokeAppPassword = mutation('appPasswords.revoke', {
  input: AppPasswordId,
  allow: signedIn,
  async run(ctx, { id }) {
    const { userId } = ctx.actor
    const { name } = await ctx.db
      .updateTable('app_passwords')
      .set({ revoked_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .returning('name')
      .executeTakeFirstOrThrow(() => notFound('appPasswords.notFound'))
    await audit(ctx, { action: 'appPasswords.revoke', ...about(userId, name) })
    return { id }
  },
})

const inForce = (db: Kysely<DB>, userId: string) =>
  db
    .selectFrom('app_passwords')
    .where('app_passwords.user_id', '=', userId)
    .where('revoked_at', 'is', null)

const about = (userId: string, name: string) => ({
  table: 'users',
  recordId: userId,
  changes: { app_password: [null, name] },
})
