import { type Kysely, sql } from 'kysely'
import { describe, expect } from 'vitest'
import { aRequest, auditOf, test } from '../../../../test/harness'
import { asking, givePassword, PASSWORD, sessionFor, tokenFor } from '../../../../test/sessions'
import type { DB } from '~/db/types'
import type { Via } from '~/server/operation'
import { findRequestActor, cookieName } from '~/server/session.server'
import { createAppPassword } from './app-passwords/app-passwords.server'
import { parseUserAgent } from './session'
import {
  currentOf,
  listSessions,
  listSessionsOf,
  lockSession,
  revokeOtherSessions,
  revokeSession,
  revokeSessionsOf,
  signIn,
  signOutSession,
  unlockSession,
} from './sessions.server'
import { disableTwoFactorOf } from './two-factor/two-factor.server'

const bearer = (token: string) => ({ headers: new Headers({ authorization: `Bearer ${token}` }) })
const cookie = (token: string, https = false) => ({
  headers: new Headers({ cookie: `a=b; ${cookieName(https)}=${token}` }),
})
const isOpen = async (db: Kysely<DB>, token: string, via: Via = 'web') =>
  (await findRequestActor(db, via === 'web' ? cookie(token) : bearer(token), via)) !== null

describe('signing in', () => {
  test('e-mail and password open a session, whatever the case of the e-mail', async ({
    db,
    make,
  }) => {
    const user = await make.user({ email: 'amal@clinic.example', language: 'ar' })
    await givePassword(db, user)

    const outcome = await signIn(await asking(db), {
      email: ' Amal@Clinic.Example ',
      password: PASSWORD,
    })

    expect(outcome).toMatchObject({ ok: true, twoFactor: false })
    const { token } = outcome as { token: string }
    expect(await findRequestActor(db, cookie(token), 'web')).toMatchObject({
      userId: user.id,
      role: 'provider',
      language: 'ar',
      grants: {},
    })
    expect(await findRequestActor(db, cookie(token, true), 'web')).toMatchObject({
      userId: user.id,
    })
    expect((await auditOf(db, user.id)).at(-1)).toMatchObject({
      action: 'sessions.signIn',
      user_id: user.id,
    })
  })

  test('wrong password, unknown address, no password and deleted user get the same answer', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const deleted = await make.user()
    const without = await make.user()
    await givePassword(db, user)
    await givePassword(db, deleted)
    await db.updateTable('users').set({ is_deleted: true }).where('id', '=', deleted.id).execute()

    const wrong = { ok: false, fields: { password: { key: 'sessions.wrong' } } }
    expect(await signIn(await asking(db), { email: user.email, password: 'not this one' })).toEqual(
      wrong,
    )
    expect(
      await signIn(await asking(db), { email: 'nobody@clinic.example', password: PASSWORD }),
    ).toEqual(wrong)
    expect(await signIn(await asking(db), { email: without.email, password: PASSWORD })).toEqual(
      wrong,
    )
    expect(await signIn(await asking(db), { email: deleted.email, password: PASSWORD })).toEqual(
      wrong,
    )
    const [refusal] = (await auditOf(db, user.id)).slice(-1)
    expect(refusal).toMatchObject({
      action: 'sessions.refused',
      user_id: null,
      changes: { guess: [null, 'password'] },
    })
  })

  test('nothing typed, and no address, are said beside the field', async ({ db }) => {
    await expect(signIn(await asking(db), { email: 'amal', password: '' })).rejects.toMatchObject({
      code: 'invalid',
      fields: { email: { key: 'validation.email' }, password: { key: 'validation.required' } },
    })
  })

  test('no password or token is stored or audited as it is', async ({ db, make }) => {
    const user = await make.user()
    await givePassword(db, user)
    const outcome = await signIn(await asking(db), { email: user.email, password: PASSWORD })
    const { token } = outcome as { token: string }
    await signIn(await asking(db), { email: user.email, password: 'nearly right' })

    const { rows } = await sql<{ all: string }>`select string_agg(t::text, '') as all from (
      select to_jsonb(audit_log) t from audit_log union all select to_jsonb(sessions) from sessions union all
      select to_jsonb(credentials) from credentials union all select to_jsonb(wrong_guesses)
        from wrong_guesses) everything`.execute(db)
    for (const secret of [PASSWORD, token, 'nearly right'])
      expect(rows[0]!.all).not.toContain(secret)
  })

  test('programs get one token and the same again; it opens everything for who has no second factor', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const first = await signIn(await asking(db, { via: 'trpc' }), {
      email: user.email,
      password: PASSWORD,
    })
    const again = await signIn(await asking(db, { via: 'phone' }), {
      email: user.email,
      password: PASSWORD,
    })

    expect(again).toEqual(first)
    const { token } = first as { token: string }
    expect(await isOpen(db, token, 'trpc')).toBe(true)
    expect(await isOpen(db, token, 'phone')).toBe(true)
  })

  test('a phone brings a Bearer token; a cookie that comes along counts for nothing', async ({
    db,
    make,
  }) => {
    const token = await sessionFor(db, (await make.user()).id)

    expect(await findRequestActor(db, cookie(token), 'phone')).toBeNull()
    expect(await findRequestActor(db, bearer(token), 'phone')).toBeNull()
    expect(await findRequestActor(db, cookie(token), 'command')).toBeNull()
  })

  test('what a person may do where comes with the session; deleted clinics and withdrawn rows do not', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const clinic = await make.clinic()
    await make.permission(user, clinic.id, ['can_view_history', 'is_clinic_admin'])
    const closed = await make.clinic()
    await make.permission(user, closed.id, ['can_view_history'])
    await db.updateTable('clinics').set({ is_deleted: true }).where('id', '=', closed.id).execute()
    const nothing = await make.clinic()
    await make.permission(user, nothing.id, [])
    const token = await sessionFor(db, user.id)

    const actor = await findRequestActor(db, cookie(token), 'web')

    expect(actor?.grants).toEqual({
      [clinic.id]: expect.arrayContaining(['can_view_history', 'is_clinic_admin']),
      [nothing.id]: [],
    })
  })
})

describe('a session ends', () => {
  const changes = {
    'when the user is deleted': (db: Kysely<DB>, id: string) =>
      db.updateTable('users').set({ is_deleted: true }).where('id', '=', id),
    'when the user’s role changes': (db: Kysely<DB>, id: string) =>
      db.updateTable('users').set({ role: 'registrar' }).where('id', '=', id),
    'when the user’s e-mail address changes': (db: Kysely<DB>, id: string) =>
      db
        .updateTable('users')
        .set({ email: `${id}@b.example` })
        .where('id', '=', id),
    'when another user sets the password': (db: Kysely<DB>, id: string) =>
      db
        .updateTable('credentials')
        .set({ password: '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA' })
        .where('user_id', '=', id),
    'when its time is over': (db: Kysely<DB>, id: string) =>
      db
        .updateTable('sessions')
        // stored in whole milliseconds, so that this moment may be rounded into the future
        .set({ expires_at: sql<Date>`clock_timestamp() - interval '1 second'` })
        .where('user_id', '=', id),
  }
  for (const [when, change] of Object.entries(changes)) {
    test(when, async ({ db, make }) => {
      const user = await make.user()
      await givePassword(db, user)
      const token = await sessionFor(db, user.id)
      const program = await tokenFor(db, user.id)
      await change(db, user.id).execute()

      expect(await isOpen(db, token)).toBe(false)
      expect(await isOpen(db, program, 'trpc')).toBe(false)
    })
  }

  test('and not when only the user’s name or clinic changes', async ({ db, make }) => {
    const user = await make.user()
    const token = await sessionFor(db, user.id)
    await db
      .updateTable('users')
      .set({ name: 'Amal Khoury', clinic_id: (await make.clinic()).id })
      .where('id', '=', user.id)
      .execute()

    expect(await findRequestActor(db, cookie(token), 'web')).toMatchObject({ name: 'Amal Khoury' })
  })

  test('by signing out, also a locked one', async ({ db, make }) => {
    const user = await make.user()
    const token = await sessionFor(db, user.id)
    await lockSession(await asking(db, { token }), null)
    await signOutSession(await asking(db, { token }), null)

    expect(await isOpen(db, token)).toBe(false)
    expect((await auditOf(db, user.id)).at(-1)).toMatchObject({
      action: 'sessions.signOut',
      user_id: user.id,
    })
    await expect(signOutSession(await asking(db), null)).resolves.toEqual({ ok: true })
  })

  test('by signing in over it, so that no token outlives a sign-in', async ({ db, make }) => {
    const user = await make.user()
    await givePassword(db, user)
    const token = await sessionFor(db, user.id)
    await signIn(await asking(db, { token }), { email: user.email, password: PASSWORD })

    expect(await isOpen(db, token)).toBe(false)
  })
})

describe('users see and end their own sessions', () => {
  test('listed in words, the one in use first', async ({ db, make }) => {
    const user = await make.user()
    await sessionFor(db, user.id)
    await sessionFor(db, (await make.user()).id)
    const token = await sessionFor(db, user.id)
    const list = await listSessions(await asking(db, { token }), null)

    expect(list).toHaveLength(2)
    expect(list[0]).toMatchObject({
      isCurrent: true,
      kind: 'browser',
      address: '192.0.2.1',
      browser: null,
    })
    expect(JSON.stringify(list)).not.toContain('token')
    expect(
      parseUserAgent(
        'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0',
      ),
    ).toEqual({
      browser: 'Edge',
      system: 'Windows',
    })
    expect(parseUserAgent('okhttp/4.9')).toEqual({ browser: null, system: null })
  })

  test('ended one by one, or all others, after the password; never those of another user', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const password = PASSWORD
    await givePassword(db, user)
    const [mine, other, third] = [
      await sessionFor(db, user.id),
      await sessionFor(db, user.id),
      await sessionFor(db, user.id),
    ]
    const another = await make.user()
    await givePassword(db, another)
    const stranger = await sessionFor(db, another.id)
    const ctx = await asking(db, { token: mine })
    const [{ id }] = (await listSessions(await asking(db, { token: other }), null)) as unknown as [
      { id: string },
    ]

    await expect(
      revokeSession(await asking(db, { token: stranger }), { id, password }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    // a screen left open
    await expect(revokeSession(ctx, { id })).rejects.toMatchObject({
      fields: { password: { key: 'validation.required' } },
    })
    await expect(revokeOtherSessions(ctx, null)).rejects.toMatchObject({
      fields: { password: { key: 'validation.required' } },
    })
    const wrong = { ok: false, fields: { password: { key: 'sessions.wrongPassword' } } }
    expect(await revokeSession(ctx, { id, password: 'not this one' })).toEqual(wrong)
    expect(await revokeOtherSessions(ctx, { password: 'nor this' })).toEqual(wrong)
    expect([await isOpen(db, other), await isOpen(db, third)]).toEqual([true, true])
    await revokeSession(ctx, { id, password })
    expect(await isOpen(db, other)).toBe(false)
    await expect(revokeSession(ctx, { id, password })).rejects.toMatchObject({
      text: { key: 'sessions.notFound' },
    })
    await expect(revokeSession(ctx, { id: 'x', password })).rejects.toMatchObject({
      fields: { id: { key: 'validation.id' } },
    })
    expect(await revokeOtherSessions(ctx, { password })).toEqual({ ok: true, ended: 1 })
    expect([await isOpen(db, mine), await isOpen(db, third), await isOpen(db, stranger)]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('a request without a session has no state', async ({ anonymous }) => {
    for (const operation of [listSessions, revokeOtherSessions, lockSession]) {
      await expect(async () => operation(anonymous, null)).rejects.toMatchObject({
        code: 'unauthenticated',
      })
    }
    await expect(unlockSession(anonymous, { password: PASSWORD })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    expect(await currentOf(anonymous, null)).toMatchObject({
      state: 'none',
      actor: null,
      lockMinutes: 30,
    })
  })
})

describe('the idle lock', () => {
  test('a locked session does nothing until its owner types the password, and then has a new token', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const token = await sessionFor(db, user.id)
    await lockSession(await asking(db, { token }), null)

    expect(await isOpen(db, token)).toBe(false)
    expect(await currentOf(await asking(db, { token }), null)).toMatchObject({ state: 'locked' })
    expect(await unlockSession(await asking(db, { token }), { password: 'not this one' })).toEqual({
      ok: false,
      fields: { password: { key: 'sessions.wrongPassword' } },
    })
    expect(await isOpen(db, token)).toBe(false)
    const unlocked = await unlockSession(await asking(db, { token }), { password: PASSWORD })
    // the token of before the lock may have been read while the user was away
    expect(await currentOf(await asking(db, { token }), null)).toMatchObject({ state: 'none' })
    const { token: renewed } = unlocked as { token: string }
    expect(await isOpen(db, renewed)).toBe(true)
    const sessions = await listSessions(await asking(db, { token: renewed }), null)
    expect(sessions).toMatchObject([{ isCurrent: true }])
  })

  test('a session that nothing was heard of for half an hour is locked by itself', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const token = await sessionFor(db, user.id)
    const program = await tokenFor(db, user.id)
    const lastSeen = (minutes: number) =>
      db
        .updateTable('sessions')
        .set({ last_seen_at: sql<Date>`clock_timestamp() - make_interval(mins => ${minutes})` })
        .execute()

    await lastSeen(29)
    expect(await isOpen(db, token)).toBe(true)
    await lastSeen(31)
    expect(await isOpen(db, token)).toBe(false)
    expect(await isOpen(db, program, 'trpc')).toBe(true)
  })

  test('use keeps it open', async ({ db, make }) => {
    const token = await sessionFor(db, (await make.user()).id)
    await db
      .updateTable('sessions')
      .set({ last_seen_at: sql<Date>`clock_timestamp() - interval '20 minutes'` })
      .execute()
    await isOpen(db, token)

    const { last_seen_at } = await db
      .selectFrom('sessions')
      .select('last_seen_at')
      .executeTakeFirstOrThrow()
    expect(Date.now() - last_seen_at.getTime()).toBeLessThan(60_000)
  })
})

describe('from the command line', () => {
  test('a user’s sessions are listed and ended, and the second factor removed, on the server only', async ({
    as,
    db,
    make,
  }) => {
    const user = await make.user()
    const token = await sessionFor(db, user.id)
    const command = { ...as('super_admin'), request: aRequest('command') }

    for (const operation of [listSessionsOf, revokeSessionsOf, disableTwoFactorOf]) {
      await expect(operation(as('super_admin'), { id: user.id })).rejects.toMatchObject({
        code: 'forbidden',
      })
    }
    expect(await listSessionsOf(command, { id: user.id })).toMatchObject([
      { kind: 'browser', isCurrent: false },
    ])
    // a phone would sign in again with its app password
    await givePassword(db, user)
    const screen = await asking(db, { token: await sessionFor(db, user.id) })
    const added = await createAppPassword(screen, { name: 'Phone', password: PASSWORD })
    const { code } = added as { code: string }
    const fromPhone = async () =>
      signIn(await asking(db, { via: 'phone' }), { email: user.email, password: code })
    expect(await fromPhone()).toMatchObject({ ok: true })
    expect(await revokeSessionsOf(command, { id: user.id })).toEqual({ ended: 3, appPasswords: 1 })
    expect(await isOpen(db, token)).toBe(false)
    expect(await fromPhone()).toMatchObject({ ok: false })
    expect(await disableTwoFactorOf(command, { id: user.id })).toEqual({ wasOn: false })
  })
})
