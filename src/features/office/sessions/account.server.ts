import * as z from 'zod'
import { fieldsSchema } from '~/fields/field'
import { audit } from '~/server/audit'
import { mutation, NoInput, query, signedIn } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { countSubquery } from '~/server/scope'
import { invalid, notFound } from '~/shared/errors'
import { Saved } from '~/shared/record'
import { currentSession, reopenSession } from './issue.server'
import { ownEmail, verifyCredentials, verifyAhead } from './setup/owner.server'
import { hashAhead, hashedAhead, setPassword } from './passwords/password.server'
import { passwordFields, PreferencesInput, profileFields, refusedField } from './session'

/** What users see and change of their own account. */
export const getAccount = query('account.get', {
  input: NoInput,
  allow: signedIn,
  async run({ db, actor }) {
    const account = await db
      .selectFrom('users')
      .leftJoin('second_factors as factor', (join) =>
        join.onRef('factor.user_id', '=', 'users.id').on('factor.enabled_at', 'is not', null),
      )
      .leftJoin('credentials', 'credentials.user_id', 'users.id')
      .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
      .select((eb) => [
        'users.id',
        'users.name',
        'users.email',
        'users.role',
        'users.language',
        'users.theme',
        'users.last_modified',
        'clinics.name as clinic_name',
        'credentials.changed_at as password_changed_at',
        'factor.enabled_at as two_factor_since',
        countSubquery(
          eb
            .selectFrom('recovery_codes')
            .whereRef('user_id', '=', 'users.id')
            .where('used_at', 'is', null),
        ).as('recovery_codes_left'),
      ])
      .where('users.id', '=', actor.userId)
      .where('users.is_deleted', '=', false)
      .executeTakeFirst()
    if (!account) throw notFound('users.notFound')
    return account
  },
})

/**
 * The user's own name, language and theme. E-mail and role are changed by those who manage users.
 */
export const saveOwnProfile = mutation('account.saveProfile', {
  input: z
    .object({ last_modified: Saved.shape.last_modified.unwrap().unwrap() })
    .extend(fieldsSchema(profileFields).shape),
  allow: signedIn,
  run: (ctx, profile) =>
    saveRecord(ctx, 'users', { id: ctx.actor.userId, ...profile }, 'users.notFound'),
})

/** The language or the theme alone, as the menu switches them. */
export const saveOwnPreferences = mutation('account.savePreferences', {
  input: PreferencesInput,
  allow: signedIn,
  async run({ db, actor }, preferences) {
    if (Object.keys(preferences).length === 0) return { ok: true as const }
    await db
      .updateTable('users')
      .set({ ...preferences, updated_at: new Date() })
      .where('id', '=', actor.userId)
      .execute()
    return { ok: true as const }
  },
})

/**
 * Ends every session and the tokens of the old password, and opens a new session for the screen
 * that asked.
 */
export const changeOwnPassword = mutation('account.changePassword', {
  input: fieldsSchema(passwordFields),
  allow: signedIn,
  async before(ctx, input) {
    const { password, newPassword } = input
    const isRight = await verifyAhead(ctx, await ownEmail(ctx), password)
    if (isRight && password !== newPassword) await hashAhead(input, newPassword)
  },
  async run(ctx, input) {
    const { password, newPassword } = input
    const { db, actor } = ctx
    const before = await currentSession(ctx)
    const email = await ownEmail(ctx)
    if (!(await verifyCredentials(ctx, email, password)))
      return refusedField('password', 'sessions.wrongPassword')
    if (password.trim() === newPassword.trim())
      throw invalid({ newPassword: { key: 'sessions.passwordSame' } })
    await setPassword(db, { id: actor.userId, email }, hashedAhead(input), {
      setBy: 'owner',
      field: 'newPassword',
    })
    await audit(ctx, { action: 'account.changePassword', table: 'users', recordId: actor.userId })
    return { ok: true as const, ...(await reopenSession(ctx, before)) }
  },
})
