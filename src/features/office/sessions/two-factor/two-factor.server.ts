import { sql } from 'kysely'
import { toString as qrCode } from 'qrcode'
import { audit } from '~/server/audit'
import { mutation, signedIn } from '~/server/operation'
import { conflict } from '~/shared/errors'
import { currentSession, reopenSession } from '../issue.server'
import { confirmedOwner, verifyOwnAhead } from '../setup/owner.server'
import { sealSecret } from '~/server/secret.server'
import {
  hasSecondFactor,
  isSecondFactor,
  removeSecondFactor,
  replaceRecoveryCodes,
} from './second-factor.server'
import { Code, Confirm, ConfirmWithCode, PersonId, refusedField } from '../session'
import { base32, newTotpSecret, totpUri } from './totp.server'

/** Offers a secret for the authenticator app. Nothing changes until a code from it comes back. */
export const startTwoFactor = mutation('twoFactor.start', {
  input: Confirm,
  allow: signedIn,
  before: verifyOwnAhead,
  async run(ctx, { password }) {
    const { db, actor } = ctx
    const owner = await confirmedOwner(ctx, password)
    if (!owner) return refusedField('password', 'sessions.wrongPassword')
    if (owner.hasSecondFactor) throw conflict('twoFactor.alreadyOn')
    const plain = newTotpSecret()
    const secret = sealSecret(actor.userId, plain)
    await db
      .insertInto('second_factors')
      .values({ user_id: actor.userId, secret })
      .onConflict((oc) => oc.column('user_id').doUpdateSet({ secret, last_step: 0 }))
      .execute()
    const uri = totpUri(base32(plain), owner.email)
    return {
      ok: true as const,
      secret: base32(plain),
      uri,
      qrCode: await qrCode(uri, { type: 'svg', margin: 2 }),
    }
  },
})

/**
 * Turns it on with the first code. Every session that a password alone had opened ends; this screen
 * gets a new one.
 */
export const enableOwnTwoFactor = mutation('twoFactor.enable', {
  input: Confirm.extend(Code.shape),
  allow: signedIn,
  before: verifyOwnAhead,
  async run(ctx, { password, code }) {
    const { db, actor } = ctx
    const before = await currentSession(ctx)
    if (!(await confirmedOwner(ctx, password)))
      return refusedField('password', 'sessions.wrongPassword')
    if (await hasSecondFactor(db, actor.userId)) throw conflict('twoFactor.alreadyOn')
    if (!(await isSecondFactor(ctx, actor.userId, code)))
      return refusedField('code', 'sessions.wrongCode')
    await db
      .updateTable('second_factors')
      .set({ enabled_at: sql<Date>`clock_timestamp()` })
      .where('user_id', '=', actor.userId)
      .execute()
    const recoveryCodes = await replaceRecoveryCodes(db, actor.userId)
    await audit(ctx, { action: 'twoFactor.enable', table: 'users', recordId: actor.userId })
    return { ok: true as const, recoveryCodes, ...(await reopenSession(ctx, before)) }
  },
})

/** The password and a code of the factor, so that neither alone takes the other away. */
export const disableOwnTwoFactor = mutation('twoFactor.disable', {
  input: ConfirmWithCode,
  allow: signedIn,
  before: verifyOwnAhead,
  async run(ctx, { password, code }) {
    const before = await currentSession(ctx)
    const owner = await confirmedOwner(ctx, password)
    if (!owner) return refusedField('password', 'sessions.wrongPassword')
    if (owner.hasSecondFactor) {
      if (!code) return refusedField('code', 'validation.required')
      if (!(await isSecondFactor(ctx, owner.userId, code)))
        return refusedField('code', 'sessions.wrongCode')
    }
    await removeSecondFactor(ctx.db, ctx.actor.userId)
    await audit(ctx, { action: 'twoFactor.disable', table: 'users', recordId: ctx.actor.userId })
    return { ok: true as const, ...(await reopenSession(ctx, before)) }
  },
})

/** Ten new ones; the old ones are worth nothing from now on. */
export const newRecoveryCodes = mutation('twoFactor.newRecoveryCodes', {
  input: Confirm,
  allow: signedIn,
  before: verifyOwnAhead,
  async run(ctx, { password }) {
    const owner = await confirmedOwner(ctx, password)
    if (!owner) return refusedField('password', 'sessions.wrongPassword')
    if (!owner.hasSecondFactor) throw conflict('twoFactor.notOn')
    const recoveryCodes = await replaceRecoveryCodes(ctx.db, ctx.actor.userId)
    await audit(ctx, {
      action: 'twoFactor.newRecoveryCodes',
      table: 'users',
      recordId: ctx.actor.userId,
    })
    return { ok: true as const, recoveryCodes }
  },
})

/** For a user who lost phone and recovery codes; from the command line. */
export const disableTwoFactorOf = mutation('twoFactor.disableOf', {
  input: PersonId,
  allow: ({ request }) => request.via === 'command',
  async run(ctx, { id }) {
    const wasOn = await removeSecondFactor(ctx.db, id)
    await audit(ctx, { action: 'twoFactor.disableOf', table: 'users', recordId: id })
    return { wasOn }
  },
})
