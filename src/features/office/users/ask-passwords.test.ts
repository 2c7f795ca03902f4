import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import { auditOf, test } from '../../../../test/harness'
import { asking, givePassword, PASSWORD, sessionFor } from '../../../../test/sessions'
import type { DB } from '~/db/types'
import { createAppPassword } from '~/features/office/sessions/app-passwords/app-passwords.server'
import { signedInBy } from '~/features/office/sessions/app-passwords/credentials.server'
import { currentOf, replacePassword, signIn } from '~/features/office/sessions/sessions.server'
import { findRequestActor } from '~/server/session.server'
import { askForPasswords, countPasswordsToAsk } from './ask-passwords.server'
import { getUser, listUsers } from './users.server'

const stateOf = async (db: Kysely<DB>, token: string) =>
  (await currentOf(await asking(db, { token }), null)).state
const bcrypt = `$2b$04$${'a'.repeat(53)}`

test('one press asks every other user for a new password, and says how many there are', async ({
  db,
  make,
  as,
}) => {
  const root = await make.user({ role: 'super_admin' })
  const [amal, omar, moved, deleted] = [
    await make.user({ name: 'Amal' }),
    await make.user({ name: 'Omar' }),
    await make.user({ name: 'Moved' }),
    await make.user({ name: 'Deleted' }),
  ]
  // has no password yet
  await make.user({ name: 'Rosa' })
  for (const user of [root, amal, omar, deleted]) await givePassword(db, user)
  await db.updateTable('users').set({ is_deleted: true }).where('id', '=', deleted.id).execute()
  await givePassword(db, omar, PASSWORD, 'another')
  const values = { user_id: moved.id, password: bcrypt, must_change: false }
  await db.insertInto('credentials_bcrypt').values(values).execute()
  const mine = await sessionFor(db, root.id)
  const open = await sessionFor(db, amal.id)
  const admin = { ...as('super_admin'), actor: { ...as('super_admin').actor, userId: root.id } }

  expect(await countPasswordsToAsk(admin, {})).toEqual({ users: 2, asked: 1 })
  expect(await askForPasswords(admin, {})).toEqual({ users: 2 })
  expect(await countPasswordsToAsk(admin, {})).toEqual({ users: 0, asked: 3 })

  const { rows } = await listUsers(admin, {})
  expect(rows.filter((user) => user.password_to_replace).map(({ name }) => name)).toEqual([
    'Amal',
    'Moved',
    'Omar',
  ])
  expect(await stateOf(db, mine)).toBe('open')
  // a screen that is open must not lead to the form, which does not ask for the old password
  expect(await stateOf(db, open)).toBe('none')
  const { token } = (await signIn(await asking(db), {
    email: amal.email,
    password: PASSWORD,
  })) as { token: string }
  expect(await stateOf(db, token)).toBe('mustChange')
  for (const { id } of [amal, moved])
    expect(await auditOf(db, id)).toContainEqual(
      expect.objectContaining({
        action: 'users.askForPasswords',
        user_id: root.id,
        changes: { user_id: [null, id], must_change: [false, true] },
      }),
    )
  expect((await auditOf(db, omar.id)).map(({ action }) => action)).not.toContain(
    'users.askForPasswords',
  )
})

test('phones use the password for 14 days from then on, and app passwords stay, also when it is replaced', async ({
  db,
  make,
  as,
}) => {
  const amal = await make.user({ email: 'amal@clinic.example' })
  await givePassword(db, amal)
  const screen = await asking(db, { token: await sessionFor(db, amal.id) })
  const { code } = (await createAppPassword(screen, { name: 'Ward', password: PASSWORD })) as {
    code: string
  }
  const phone = await asking(db, { via: 'phone' })
  const { token } = (await signIn(phone, { email: amal.email, password: code })) as {
    token: string
  }
  const headers = new Headers({ authorization: `Bearer ${token}` })

  await askForPasswords(as('super_admin'), {})
  const { user } = await getUser(as('super_admin'), { id: amal.id })
  expect(user).toMatchObject({ password_to_replace: true })
  const days = (user.phones_until!.getTime() - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(14)
  expect(await signedInBy(phone, { email: amal.email, password: PASSWORD })).toMatchObject({
    userId: amal.id,
  })

  await sql`update credentials set phones_until = phones_until - interval '15 days'`.execute(db)
  await expect(signedInBy(phone, { email: amal.email, password: PASSWORD })).rejects.toMatchObject({
    text: { key: 'sessions.passwordOver' },
  })
  const works = async () => {
    expect(await findRequestActor(db, { headers }, 'phone')).toMatchObject({ userId: amal.id })
    expect(await signedInBy(phone, { email: amal.email, password: code })).toMatchObject({
      userId: amal.id,
    })
  }
  await works()

  const again = (await signIn(await asking(db), { email: amal.email, password: PASSWORD })) as {
    token: string
  }
  await replacePassword(await asking(db, { token: again.token }), {
    newPassword: 'eight blue kites',
  })
  expect(await signedInBy(phone, { email: amal.email, password: code })).toMatchObject({
    userId: amal.id,
  })
  expect((await getUser(as('super_admin'), { id: amal.id })).user).toMatchObject({
    password_to_replace: false,
    phones_until: null,
  })
})

test('a password of an earlier version that phones use without an end gets one', async ({
  db,
  make,
  as,
}) => {
  const amal = await make.user()
  await givePassword(db, amal)
  await db.updateTable('credentials').set({ must_change: true }).execute()

  expect(await askForPasswords(as('super_admin'), {})).toEqual({ users: 1 })
  const { user } = await getUser(as('super_admin'), { id: amal.id })
  expect(user.phones_until).not.toBeNull()
})

test.for(['admin', 'provider', 'registrar'] as const)(
  'a %s may not ask everyone',
  async (role, { as }) => {
    for (const operation of [countPasswordsToAsk, askForPasswords])
      await expect(operation(as(role), {})).rejects.toMatchObject({ code: 'forbidden' })
  },
)
