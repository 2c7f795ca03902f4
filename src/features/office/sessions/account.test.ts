import type { Kysely } from 'kysely'
import { describe, expect } from 'vitest'
import { test } from '../../../../test/harness'
import { asking, givePassword, PASSWORD, sessionFor } from '../../../../test/sessions'
import type { DB } from '~/db/types'
import { readSessionSettings } from '~/server/session-settings'
import { changeOwnPassword, getAccount, saveOwnPreferences, saveOwnProfile } from './account.server'
import { currentOf, signIn } from './sessions.server'
import { checkPermissions, currentUser, currentUserId, hasRole } from './viewer.server'

const isOpen = async (db: Kysely<DB>, token: string) => (await asking(db, { token })).actor !== null

describe("a user's own account", () => {
  test('name, language and theme are saved against the version that was read', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const token = await sessionFor(db, user.id)
    const account = await getAccount(await asking(db, { token }), null)
    expect(account).toMatchObject({
      id: user.id,
      email: user.email,
      two_factor_since: null,
      recovery_codes_left: 0,
    })

    const profile = { name: ' Amal Khoury ', language: 'ar', theme: 'dark' } as const
    await saveOwnProfile(await asking(db, { token }), {
      ...profile,
      last_modified: account.last_modified,
    })
    expect(await getAccount(await asking(db, { token }), null)).toMatchObject({
      name: 'Amal Khoury',
      language: 'ar',
      theme: 'dark',
    })
    await expect(
      saveOwnProfile(await asking(db, { token }), {
        ...profile,
        name: 'Old',
        last_modified: account.last_modified,
      }),
    ).rejects.toMatchObject({ code: 'conflict' })
    await saveOwnPreferences(await asking(db, { token }), { language: 'es' })
    expect(await currentOf(await asking(db, { token }), null)).toMatchObject({
      actor: { language: 'es' },
      theme: 'dark',
    })
  })

  test('each field has its error, and no user raises their own role this way', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const ctx = await asking(db, { token: await sessionFor(db, user.id) })
    const bad = {
      name: '',
      language: 'fr',
      theme: 'pink',
      last_modified: user.last_modified,
    } as never
    await expect(saveOwnProfile(ctx, bad)).rejects.toMatchObject({
      fields: {
        name: { key: 'validation.required' },
        language: { key: 'validation.option' },
        theme: { key: 'validation.option' },
      },
    })
    const raised = {
      name: 'A',
      language: 'en',
      theme: 'dark',
      role: 'super_admin',
      email: 'x@y.example',
      last_modified: user.last_modified,
    } as const
    await saveOwnProfile(ctx, raised)
    expect(
      await db
        .selectFrom('users')
        .select(['role', 'email'])
        .where('id', '=', user.id)
        .executeTakeFirst(),
    ).toEqual({ role: 'provider', email: user.email })
  })

  test('a new password needs the old one, ends the other sessions and keeps this screen signed in', async ({
    db,
    make,
  }) => {
    const user = await make.user({ name: 'Amal Haddad', email: 'amal.haddad@clinic.example' })
    await make.clinic({ name: 'عيادة النور' })
    await make.clinic({ name: 'Hillside Health Centre' })
    await givePassword(db, user)
    const token = await sessionFor(db, user.id)
    const elsewhere = await sessionFor(db, user.id)
    const change = async (password: string, newPassword: string) =>
      changeOwnPassword(await asking(db, { token }), { password, newPassword })

    expect(await change('not this one', 'eight blue kites')).toMatchObject({
      ok: false,
      fields: { password: { key: 'sessions.wrongPassword' } },
    })
    for (const [weak, key] of [
      [PASSWORD, 'sessions.passwordSame'],
      [`${PASSWORD} `, 'sessions.passwordSame'],
      ['short', 'validation.tooShort'],
      ['Password123', 'sessions.passwordCommon'],
      ['Password1!', 'sessions.passwordCommon'],
      ['Sunshine2026!', 'sessions.passwordCommon'],
      ['liverpool...', 'sessions.passwordCommon'],
      ['Hillside-Health', 'sessions.passwordOwnWords'],
      ['the.hillside.2026', 'sessions.passwordOwnWords'],
      ['عيادةالنور١٢٣', 'sessions.passwordOwnWords'],
      ['haddad.amal.1990', 'sessions.passwordOwnWords'],
      ['Sanad-Amal-1', 'sessions.passwordOwnWords'],
      ['كلمةالسر', 'sessions.passwordCommon'],
      ['contraseña', 'sessions.passwordCommon'],
      ['AMAL.HADDAD@clinic.example', 'sessions.passwordIsEmail'],
      ['amal.haddad', 'sessions.passwordIsEmail'],
      ['x'.repeat(201), 'validation.tooLong'],
    ] as const) {
      await expect(change(PASSWORD, weak)).rejects.toMatchObject({
        fields: { newPassword: { key } },
      })
    }
    const outcome = await change(PASSWORD, 'eight blue kites')

    const { token: fresh } = outcome as { token: string }
    expect(await isOpen(db, fresh)).toBe(true)
    expect(await isOpen(db, token)).toBe(false)
    expect(await isOpen(db, elsewhere)).toBe(false)
    expect(
      await signIn(await asking(db), { email: user.email, password: 'eight blue kites' }),
    ).toMatchObject({
      ok: true,
    })
  })

  test('the same letters are the same password on any keyboard; 200 characters are fine', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const long = `${'é'.repeat(199)}!`
    await givePassword(db, user, long)
    expect(
      await signIn(await asking(db), { email: user.email, password: long.normalize('NFC') }),
    ).toMatchObject({
      ok: true,
    })
  })

  test('the calls about the viewer answer for that user alone', async ({
    asUser,
    make,
    anonymous,
  }) => {
    const clinic = await make.clinic()
    const user = await make.user({ clinic_id: clinic.id })
    const ctx = asUser(user, { [clinic.id]: ['can_view_history', 'can_edit_records'] })
    const { id: elsewhere } = await make.clinic()

    expect(await currentUserId(ctx, null)).toBe(user.id)
    expect(await currentUser(ctx, null)).toMatchObject({
      id: user.id,
      hashed_password: '************',
      clinic_name: clinic.name,
    })
    expect(await hasRole(ctx, { role: 'provider' })).toBe(true)
    expect(await hasRole(ctx, { role: 'admin' })).toBe(false)
    const check = (clinicId: string, ...permissions: never[]) =>
      checkPermissions(ctx, { clinicId, permissions })
    expect(await check(clinic.id, 'can_view_history' as never, 'can_edit_records' as never)).toBe(
      true,
    )
    expect(await check(clinic.id, 'can_view_history' as never, 'is_clinic_admin' as never)).toBe(
      false,
    )
    expect(await check(elsewhere, 'can_view_history' as never)).toBe(false)
    await expect(check(clinic.id)).rejects.toMatchObject({
      fields: { permissions: { key: 'validation.required' } },
    })
    await expect(hasRole(ctx, { role: 'king' } as never)).rejects.toMatchObject({
      fields: { role: { key: 'validation.option' } },
    })
    await expect(async () => currentUser(anonymous, null)).rejects.toMatchObject({
      code: 'unauthenticated',
    })
  })
})

test('settings that make no sense are refused by name', () => {
  expect(readSessionSettings({})).toEqual({ hours: 12, lockMinutes: 30, secret: undefined })
  expect(
    readSessionSettings({ SANAD_SESSION_HOURS: '8', SANAD_LOCK_MINUTES: '0.5' }),
  ).toMatchObject({
    hours: 8,
    lockMinutes: 0.5,
  })
  for (const name of ['SANAD_SESSION_HOURS', 'SANAD_LOCK_MINUTES']) {
    for (const wrong of ['0', '-1', 'x', '99999'])
      expect(() => readSessionSettings({ [name]: wrong })).toThrow(name)
  }
  expect(() => readSessionSettings({ SANAD_SECRET: 'short' })).toThrow('SANAD_SECRET')
})
