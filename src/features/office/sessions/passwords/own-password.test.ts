import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { resetPassword, saveUser } from '~/features/office/users/users.server'
import { actorOf, cookieName } from '~/server/session.server'
import { auditOf, test as base } from '../../../../../test/harness'
import { asking, givePassword, PASSWORD, sessionFor } from '../../../../../test/sessions'
import { changePassword, getAccount } from '../account.server'
import { createAppPassword } from '../app-passwords/app-passwords.server'
import { currentOf, replacePassword, signIn } from '../sessions.server'
import { disableTwoFactor, newRecoveryCodes, startTwoFactor } from '../two-factor/two-factor.server'
import { AT_ONCE, hashing } from './password.server'

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

test('no transaction waits while a password is hashed', async ({ db, make, as }) => {
  const user = await make.user({ role: 'provider' })
  await givePassword(db, user)
  const screen = async () => asking(db, { token: await sessionFor(db, user.id) })
  // a wrong password is hashed each time, as it differs
  const confirm = { password: `not it ${crypto.randomUUID()}` }
  const works = {
    'account.changePassword': async () =>
      changePassword(await screen(), { password: PASSWORD, newPassword: OWN }),
    'users.resetPassword': async () => resetPassword(as('super_admin'), { id: user.id }),
    'sessions.replacePassword': async () => replacePassword(await screen(), { newPassword: OWN }),
    'users.save': async () =>
      saveUser(as('super_admin'), {
        id: crypto.randomUUID(),
        name: 'Rana',
        email: 'rana@clinic.example',
        role: 'admin',
        clinic_id: null,
        password: PASSWORD,
      }),
    'twoFactor.start': async () => startTwoFactor(await screen(), confirm),
    'twoFactor.newRecoveryCodes': async () =>
      newRecoveryCodes(await screen(), { password: `${confirm.password} 2` }),
    'twoFactor.disable': async () =>
      disableTwoFactor(await screen(), { password: `${confirm.password} 3` }),
    'appPasswords.create': async () =>
      createAppPassword(await screen(), { name: 'Phone', password: `${confirm.password} 4` }),
  }
  const hashedIn: Record<string, string[]> = {}
  for (const [name, work] of Object.entries(works))
    hashedIn[name] = await transactionsWhileHashing(db, work)
  const none = (count: number) => Array.from({ length: count }, () => '')
  expect(hashedIn).toEqual({
    'account.changePassword': none(2),
    'users.resetPassword': none(1),
    'sessions.replacePassword': none(2),
    'users.save': none(1),
    'twoFactor.start': none(1),
    'twoFactor.newRecoveryCodes': none(1),
    'twoFactor.disable': none(1),
    'appPasswords.create': none(1),
  })
})

/** For each password that `work` hashes: the operation whose transaction is open meanwhile, or "". */
async function transactionsWhileHashing(db: Kysely<DB>, work: () => Promise<unknown>) {
  const hold = () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    void hashing().run(() => (begun.resolve(), gate.promise))
    return { begun: begun.promise, release: gate.resolve }
  }
  await sql`select set_config('sanad.action', '', true)`.execute(db)
  const held = Array.from({ length: AT_ONCE }, hold)
  let isOver = false
  const done = work().finally(() => (isOver = true))
  const found: string[] = []
  for (;;) {
    await expect.poll(() => isOver || hashing().waiting() > 0, { interval: 5 }).toBe(true)
    if (isOver) break
    const { rows } = await sql<{ action: string }>`
      select current_setting('sanad.action') as action`.execute(db)
    found.push(rows[0]!.action)
    // one password passes, and the next one waits again
    const next = hold()
    held.shift()!.release()
    held.push(next)
    await next.begun
  }
  for (const { release } of held) release()
  await done
  return found
}
