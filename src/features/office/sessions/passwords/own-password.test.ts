import type { Kysely } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { resetPassword } from '~/features/office/users/users.server'
import { actorOf, cookieName } from '~/server/session.server'
import { auditOf, test as base } from '../../../../../test/harness'
import { asking, givePassword, PASSWORD } from '../../../../../test/sessions'
import { getAccount } from '../account.server'
import { currentOf, replacePassword, signIn } from '../sessions.server'

const OWN = 'eight blue kites'
type Signed = { token: string }

const cookie = (token: string) => ({
  headers: new Headers({ cookie: `${cookieName(false)}=${token}` }),
})
const bearer = (token: string) => ({ headers: new Headers({ authorization: `Bearer ${token}` }) })

/** A user with a password set by an administrator, signed in with it in a browser. */
const test = base.extend('amal', async ({ db, make, as }) => {
  const user = await make.user({ email: 'amal@clinic.example' })
  const { password } = await resetPassword(as('super_admin'), { id: user.id })
  const { token } = (await signIn(await asking(db), {
    email: user.email,
    password: password!,
  })) as Signed
  return { ...user, password: password!, token }
})

const stateOf = async (db: Kysely<DB>, token: string) =>
  (await currentOf(await asking(db, { token }), null)).state

test('a password set by another user opens only the form that asks for a new one', async ({
  db,
  amal,
}) => {
  expect(await stateOf(db, amal.token)).toBe('mustChange')
  expect(await actorOf(db, cookie(amal.token), 'web')).toBeNull()
  await expect(getAccount(await asking(db, { token: amal.token }), null)).rejects.toMatchObject({
    code: 'unauthenticated',
  })

  const program = (await signIn(await asking(db, { via: 'trpc' }), {
    email: amal.email,
    password: amal.password,
  })) as Signed
  expect(await actorOf(db, bearer(program.token), 'trpc')).toBeNull()
})

test('a password chosen by its owner opens everything; the audit trail records the choice', async ({
  db,
  amal,
}) => {
  const replaced = await replacePassword(await asking(db, { token: amal.token }), {
    newPassword: OWN,
  })

  const { token } = replaced as Signed
  expect(await stateOf(db, token)).toBe('open')
  expect(await stateOf(db, amal.token)).toBe('none')
  expect(
    await signIn(await asking(db), { email: amal.email, password: amal.password }),
  ).toMatchObject({ ok: false })
  expect(await signIn(await asking(db), { email: amal.email, password: OWN })).toMatchObject({
    ok: true,
  })
  const entries = await auditOf(db, amal.id)
  expect(entries.map(({ action }) => action)).toContain('sessions.replacePassword')
  expect(JSON.stringify(entries)).not.toContain(OWN)
})

test.for([
  ['the same again', undefined, 'sessions.passwordSame'],
  ['too short', 'short', 'validation.tooShort'],
  ['one of the first that anybody guesses', 'password1', 'sessions.passwordCommon'],
] as const)('%s is refused beside its field', async ([, typed, key], { db, amal }) => {
  const asked = await asking(db, { token: amal.token })
  await expect(
    replacePassword(asked, { newPassword: typed ?? amal.password }),
  ).rejects.toMatchObject({
    code: 'invalid',
    fields: { newPassword: { key } },
  })
  expect(await stateOf(db, amal.token)).toBe('mustChange')
})

test('a chosen password is replaced only with the old one, and never without a session', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const { token } = (await signIn(await asking(db), {
    email: user.email,
    password: PASSWORD,
  })) as Signed

  for (const ctx of [await asking(db, { token }), await asking(db)]) {
    await expect(replacePassword(ctx, { newPassword: OWN })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
  }
})

test('a locked screen has to be opened first', async ({ db, amal }) => {
  await db
    .updateTable('sessions')
    .set({ locked_at: new Date() })
    .where('user_id', '=', amal.id)
    .execute()

  expect(await stateOf(db, amal.token)).toBe('locked')
  await expect(
    replacePassword(await asking(db, { token: amal.token }), { newPassword: OWN }),
  ).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})

test('a password that an administrator typed, as agreed with the user, need not be changed', async ({
  db,
  make,
  as,
}) => {
  const user = await make.user()
  await resetPassword(as('super_admin'), { id: user.id, password: PASSWORD })
  const { token } = (await signIn(await asking(db), {
    email: user.email,
    password: PASSWORD,
  })) as Signed

  expect(await stateOf(db, token)).toBe('open')
})
