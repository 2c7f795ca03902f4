import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { resetPassword, saveUser } from '~/features/office/users/users.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { findRequestActor, cookieName } from '~/server/session.server'
import { auditOf, brokenRule, test as base } from '../../../../../test/harness'
import { adminCommandContext } from '../../../../../scripts/admin-context'
import { asking, codeOf, givePassword, PASSWORD, sessionFor } from '../../../../../test/sessions'
import { changeOwnPassword, getAccount } from '../account.server'
import { createAppPassword } from '../app-passwords/app-passwords.server'
import { signedInBy } from '../app-passwords/credentials.server'
import { clientToken } from '../issue.server'
import { createSuperAdmin } from '../setup/setup.server'
import { currentOf, replacePassword, signIn, verifyTwoFactor } from '../sessions.server'
import {
  disableOwnTwoFactor,
  enableOwnTwoFactor,
  newRecoveryCodes,
  startTwoFactor,
} from '../two-factor/two-factor.server'
import { HASHES_AT_ONCE, hashing } from './password.server'

const OWN = 'eight blue kites'
type Signed = { token: string }
const toReplace = { code: 'forbidden', text: { key: 'sessions.passwordToReplace' } }

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
  expect(await findRequestActor(db, cookie(amal.token), 'web')).toBeNull()
  await expect(getAccount(await asking(db, { token: amal.token }), null)).rejects.toMatchObject(
    toReplace,
  )

  const program = (await signIn(await asking(db, { via: 'trpc' }), {
    email: amal.email,
    password: amal.password,
  })) as Signed
  expect(await findRequestActor(db, bearer(program.token), 'trpc')).toBeNull()
  const asked = () => asking(db, { via: 'trpc', token: program.token })
  await expect(getAccount(await asked(), null)).rejects.toMatchObject(toReplace)
  const { token } = (await replacePassword(await asked(), { newPassword: OWN })) as Signed
  expect(await findRequestActor(db, bearer(token), 'trpc')).toMatchObject({ userId: amal.id })
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
  ['the same again', '', 'sessions.passwordSame'],
  ['the same with a space', ' ', 'sessions.passwordSame'],
  ['too short', 'short', 'validation.tooShort'],
  ['one of the first that anybody guesses', 'password1', 'sessions.passwordCommon'],
] as const)('%s is refused beside its field', async ([, typed, key], { db, amal }) => {
  const asked = await asking(db, { token: amal.token })
  await expect(
    replacePassword(asked, { newPassword: typed.trim() ? typed : amal.password + typed }),
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

type Setting = (admin: Context, user: { id: string; email: string }) => Promise<unknown>
const ways: Record<string, Setting> = {
  'typed by an administrator who adds the user': async (admin, { id, email }) =>
    saveUser(admin, {
      id,
      name: 'Rana',
      email,
      role: 'provider',
      clinic_id: null,
      password: PASSWORD,
    }),
  'typed by an administrator for a forgotten one': (admin, { id }) =>
    resetPassword(admin, { id, password: PASSWORD }),
  'set by a program': ({ request, ...admin }, { id }) =>
    resetPassword({ ...admin, request: { ...request, via: 'trpc' } }, { id, password: PASSWORD }),
  'set by a command': ({ db }, { id }) =>
    resetPassword(adminCommandContext(db), { id, password: PASSWORD }),
  'of a user made by a command': ({ db }, { id, email }) =>
    saveUser(adminCommandContext(db), {
      id,
      name: 'Rana',
      email,
      role: 'provider',
      clinic_id: null,
      password: PASSWORD,
    }),
}

test.for(Object.keys(ways))(
  'a password %s is replaced at the first sign-in',
  async (way, { db, make, as }) => {
    const isNew = /adds|made/.test(way)
    const user = isNew ? { id: newId(), email: 'rana@clinic.example' } : await make.user()
    await ways[way]!(as('super_admin'), user)

    const { token } = (await signIn(await asking(db), {
      email: user.email,
      password: PASSWORD,
    })) as Signed
    expect(await stateOf(db, token)).toBe('mustChange')
    const entries = await auditOf(db, user.id)
    expect(entries.find(({ action }) => action === 'users.setPassword')).toMatchObject({
      changes: { must_change: [null, true] },
    })
  },
)

test('a password that its owner sets is their own: by create-super-admin and in My account', async ({
  db,
  make,
}) => {
  const person = { name: 'Rosa', email: 'rosa@clinic.example', newPassword: PASSWORD, clinic: null }
  await createSuperAdmin({ ...adminCommandContext(db), actor: null }, person)
  const rosa = (await signIn(await asking(db), {
    email: person.email,
    password: PASSWORD,
  })) as Signed
  expect(await stateOf(db, rosa.token)).toBe('open')

  const user = await make.user()
  await givePassword(db, user)
  const screen = await asking(db, { token: await sessionFor(db, user.id) })
  const changed = (await changeOwnPassword(screen, {
    password: PASSWORD,
    newPassword: OWN,
  })) as Signed
  expect(await stateOf(db, changed.token)).toBe('open')
})

test('the database refuses a password that one user sets for another to keep', async ({
  db,
  make,
  as,
}) => {
  const user = await make.user()
  const { actor } = as('super_admin')
  await sql`select set_config('sanad.user_id', ${actor.userId}, true)`.execute(db)
  expect(
    await brokenRule(db, db.insertInto('credentials').values({ user_id: user.id, password: 'x' })),
  ).toBe('credentials_must_change')
})

test('phones use such a password for 14 days from when it was set; then an app password, or the browser first', async ({
  db,
  amal,
}) => {
  const phone = await asking(db, { via: 'phone' })
  const typed = { email: amal.email, password: amal.password }
  const { token } = (await signIn(phone, typed)) as Signed
  const pass = (time: string) =>
    sql`update credentials set phones_until = phones_until - ${time}::interval
      where user_id = ${amal.id}`.execute(db)
  await pass('13 days 23 hours')
  expect(await signedInBy(phone, typed)).toMatchObject({ userId: amal.id })
  expect(await findRequestActor(db, bearer(token), 'phone')).toMatchObject({ userId: amal.id })

  await pass('2 hours')
  expect(await findRequestActor(db, bearer(token), 'phone')).toBeNull()
  expect(await signIn(phone, typed)).toEqual({
    ok: false,
    fields: { password: { key: 'sessions.passwordOver' } },
  })
  await expect(signedInBy(phone, typed)).rejects.toMatchObject({
    code: 'unauthenticated',
    text: { key: 'sessions.passwordOver' },
  })
  // a wrong password learns nothing of it
  expect(await signIn(phone, { ...typed, password: 'not the password' })).toEqual({
    ok: false,
    fields: { password: { key: 'sessions.wrong' } },
  })

  await replacePassword(await asking(db, { token: amal.token }), { newPassword: OWN })
  expect(await signedInBy(phone, { ...typed, password: OWN })).toMatchObject({ userId: amal.id })
})

test('the second factor is asked for before the new password', async ({ db, amal, as }) => {
  await replacePassword(await asking(db, { token: amal.token }), { newPassword: OWN })
  const { token } = (await signIn(await asking(db), { email: amal.email, password: OWN })) as Signed
  const { secret } = (await startTwoFactor(await asking(db, { token }), { password: OWN })) as {
    secret: string
  }
  await enableOwnTwoFactor(await asking(db, { token }), { password: OWN, code: codeOf(secret) })
  await resetPassword(as('super_admin'), { id: amal.id, password: PASSWORD })

  const half = (await signIn(await asking(db), { email: amal.email, password: PASSWORD })) as Signed
  expect(await stateOf(db, half.token)).toBe('pending')
  await expect(
    replacePassword(await asking(db, { token: half.token }), { newPassword: OWN }),
  ).rejects.toMatchObject({ code: 'unauthenticated' })
  const whole = (await verifyTwoFactor(await asking(db, { token: half.token }), {
    code: codeOf(secret, Date.now() + 30_000),
  })) as Signed
  expect(await stateOf(db, whole.token)).toBe('mustChange')
})

test('a program with a key is not asked, and cannot replace the password of its user', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user, PASSWORD, 'another')
  const client = await make.apiClient(user)
  const ctx = await asking(db, { via: 'fhir' })
  const token = await clientToken(ctx, {
    userId: user.id,
    clientId: client.id,
    scopes: 'system/*.rs',
  })

  expect(await findRequestActor(db, bearer(token), 'fhir')).toMatchObject({ userId: user.id })
  for (const via of ['trpc', 'web', 'fhir'] as const)
    await expect(
      replacePassword(await asking(db, { via, token }), { newPassword: OWN }),
    ).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('no transaction waits while a password is hashed', async ({ db, make, as }) => {
  const user = await make.user({ role: 'provider' })
  await givePassword(db, user)
  const screen = async () => asking(db, { token: await sessionFor(db, user.id) })
  // a wrong password is hashed each time, as it differs
  const confirm = { password: `not it ${crypto.randomUUID()}` }
  const works = {
    'account.changePassword': async () =>
      changeOwnPassword(await screen(), { password: PASSWORD, newPassword: OWN }),
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
      disableOwnTwoFactor(await screen(), { password: `${confirm.password} 3` }),
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
  const held = Array.from({ length: HASHES_AT_ONCE }, hold)
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
