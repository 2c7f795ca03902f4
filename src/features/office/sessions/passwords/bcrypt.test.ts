import { hash } from 'bcryptjs'
import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../../../../test/harness'
import { asking, givePassword, PASSWORD } from '../../../../../test/sessions'
import type { DB } from '~/db/types'
import { findRequestActor } from '~/server/session.server'
import { signedInBy } from '../app-passwords/credentials.server'
import { currentOf, signIn } from '../sessions.server'
import { forgetFormerPasswords } from './password.server'

/** The cheapest cost: the algorithm is the same. */
const former = async (db: Kysely<DB>, user: { id: string }, password: string) =>
  db
    .insertInto('credentials_bcrypt')
    .values({ user_id: user.id, password: await hash(password, 4) })
    .execute()
const stored = async (db: Kysely<DB>, user: { id: string }) => ({
  own: await db
    .selectFrom('credentials')
    .select('must_change')
    .where('user_id', '=', user.id)
    .executeTakeFirst(),
  former: await db.selectFrom('credentials_bcrypt').select('user_id').execute(),
})

test('a password of the former server signs in, and its owner replaces it at once', async ({
  db,
  make,
}) => {
  const user = await make.user({ email: 'amal@clinic.example' })
  await former(db, user, 'a longer Passphrase 9')
  const typed = { email: 'amal@clinic.example', password: 'a longer Passphrase 9' }

  expect(await signIn(await asking(db), { ...typed, password: 'another' })).toMatchObject({
    ok: false,
  })
  expect(await signIn(await asking(db), typed)).toMatchObject({ ok: true })

  expect(await stored(db, user)).toEqual({ own: { must_change: true }, former: [] })
  const { token } = (await signIn(await asking(db), typed)) as { token: string }
  expect(await currentOf(await asking(db, { token }), null)).toMatchObject({ state: 'mustChange' })
})

test('a password that was imported before this rule is asked for only if it is weak', async ({
  db,
  make,
}) => {
  const users = { strong: await make.user(), weak: await make.user() }
  const passwords = { strong: 'a longer Passphrase 9', weak: 'short' }
  for (const name of ['strong', 'weak'] as const) {
    await former(db, users[name], passwords[name])
    await db.updateTable('credentials_bcrypt').set({ must_change: false }).execute()
    const { email } = users[name]
    await signIn(await asking(db), { email, password: passwords[name] })
  }

  expect(await stored(db, users.strong)).toEqual({ own: { must_change: false }, former: [] })
  expect(await stored(db, users.weak)).toEqual({ own: { must_change: true }, former: [] })
})

test('a phone goes on with a password that Sanad would refuse, and the browser asks for another', async ({
  db,
  make,
}) => {
  const user = await make.user({ email: 'nadia@clinic.example' })
  await former(db, user, 'short')

  const ctx = await asking(db, { via: 'phone' })
  expect(await signedInBy(ctx, { email: 'nadia@clinic.example', password: 'short' })).toMatchObject(
    {
      userId: user.id,
    },
  )

  expect(await stored(db, user)).toEqual({ own: { must_change: true }, former: [] })
  expect(await signedInBy(ctx, { email: 'nadia@clinic.example', password: 'short' })).toMatchObject(
    {
      userId: user.id,
    },
  )
})

test('phones go on with a weak password of the former server for 14 days, until its owner chooses another', async ({
  db,
  make,
}) => {
  const user = await make.user({ email: 'rosa@clinic.example' })
  await former(db, user, 'short')
  const ctx = await asking(db, { via: 'phone' })
  const typed = { email: 'rosa@clinic.example', password: 'short' }
  const first = await signIn(ctx, typed)
  const token = first.ok && !first.twoFactor ? first.token : ''
  const request = { headers: new Headers({ authorization: `Bearer ${token}` }) }
  expect(await findRequestActor(db, request, 'phone')).toMatchObject({ userId: user.id })

  const pass = (time: string) =>
    sql`update credentials set phones_until = phones_until - ${time}::interval
      where user_id = ${user.id}`.execute(db)
  await pass('13 days 23 hours')
  expect(await signedInBy(ctx, typed)).toMatchObject({ userId: user.id })
  await pass('2 hours')
  await expect(signedInBy(ctx, typed)).rejects.toMatchObject({
    code: 'unauthenticated',
    text: { key: 'sessions.passwordOver' },
  })
  expect(await signIn(ctx, typed)).toMatchObject({ ok: false })
  expect(await findRequestActor(db, request, 'phone')).toBeNull()

  // the browser still asks for another
  const web = await asking(db)
  expect(await signIn(web, typed)).toMatchObject({ ok: true })
  await givePassword(db, user, 'a longer Passphrase 9')
  expect(await signedInBy(ctx, { ...typed, password: 'a longer Passphrase 9' })).toMatchObject({
    userId: user.id,
  })
})

test('a password of Sanad counts, not the one of the former server', async ({ db, make }) => {
  const user = await make.user({ email: 'omar@clinic.example' })
  await givePassword(db, user)
  await former(db, user, 'of the old server')

  const ask = async (password: string) =>
    signIn(await asking(db), { email: 'omar@clinic.example', password })
  expect(await ask('of the old server')).toMatchObject({ ok: false })
  expect(await ask(PASSWORD)).toMatchObject({ ok: true })
})

test('a hash that no user has needed for 90 days is deleted', async ({ db, make }) => {
  const [old, recent] = [await make.user(), await make.user()]
  await former(db, old, 'one')
  await former(db, recent, 'two')
  await sql`update credentials_bcrypt set imported_at = now() - interval '91 days'
    where user_id = ${old.id}`.execute(db)

  await forgetFormerPasswords(db)

  expect((await stored(db, old)).former).toEqual([{ user_id: recent.id }])
})
