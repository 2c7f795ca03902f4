import { sql } from 'kysely'
import { describe, expect, test as plain, vi } from 'vitest'
import { cloneTemplate, test, urlsOf } from '../../../../../test/harness'
import { recording } from '../../../../../test/statements'
import { asking, givePassword, PASSWORD, sessionFor } from '../../../../../test/sessions'
import { connect } from '~/db/connect'
import { findRequestActor } from '~/server/session.server'
import { signedInBy } from '../app-passwords/credentials.server'
import { changeOwnPassword } from '../account.server'
import { HASHES_AT_ONCE, hashing, isPassword, WAITING } from './password.server'
import { lockSession, signIn, signOutSession, unlockSession } from '../sessions.server'
import { browserCookie } from './known-browser.server'
import { limited } from '~/server/limited'
import { networkAddress } from '~/server/http-client.server'

const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']

describe('wrong passwords', () => {
  test('five different ones for an account from one address make it wait; from elsewhere its owner signs in', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const attempt = async (password: string, address = '192.0.2.1') =>
      signIn(await asking(db, { address }), { email: user.email, password })
    for (const wrong of words.slice(0, 5)) expect(await attempt(wrong)).toMatchObject({ ok: false })

    await expect(attempt('six')).rejects.toMatchObject({
      code: 'too_many_requests',
      text: { key: 'errors.tooManyRequests' },
      retryAfter: 30,
    })
    await expect(attempt(PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' })
    expect(await attempt(PASSWORD, '198.51.100.7')).toMatchObject({ ok: true })
  })

  test('the wait doubles, and is over', async ({ db, make }) => {
    const user = await make.user()
    await givePassword(db, user)
    const attempt = async (password: string) =>
      signIn(await asking(db), { email: user.email, password })
    const later = (seconds: number) =>
      sql`update wrong_guesses set at = at - make_interval(secs => ${seconds})`.execute(db)
    for (const wrong of words.slice(0, 5)) await attempt(wrong)
    await later(31)
    expect(await attempt('six')).toMatchObject({ ok: false })
    await expect(attempt('seven')).rejects.toMatchObject({ retryAfter: 60 })
    await later(61)
    expect(await attempt(PASSWORD)).toMatchObject({ ok: true })
    expect(await attempt('one')).toMatchObject({ ok: false })
  })

  test('an account that does not exist is slowed down just so', async ({ db }) => {
    const attempt = async (password: string) =>
      signIn(await asking(db), { email: 'nobody@clinic.example', password })
    for (const wrong of words.slice(0, 5)) expect(await attempt(wrong)).toMatchObject({ ok: false })
    await expect(attempt('six')).rejects.toMatchObject({ retryAfter: 30 })
  })

  test('a phone that keeps repeating one old password does not lock anyone out', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const attempt = async (password: string) =>
      signIn(await asking(db, { via: 'phone' }), { email: user.email, password })
    for (let n = 0; n < 12; n += 1)
      expect(await attempt('the old one')).toMatchObject({ ok: false })

    expect(await attempt(PASSWORD)).toMatchObject({ ok: true })
    const trail = await db
      .selectFrom('audit_log')
      .select('action')
      .where('action', '=', 'sessions.refused')
      .execute()
    expect(trail).toHaveLength(1)
  })

  test('a right password deletes guesses only if one was counted', async ({ db, make }) => {
    const user = await make.user()
    await givePassword(db, user)
    const deletes = async (password: string) => {
      const { ctx, statements } = recording(await asking(db, { via: 'phone' }))
      await signedInBy(ctx, { email: user.email, password })
      return statements.filter((text) => text.startsWith('delete from "wrong_guesses"')).length
    }
    expect(await deletes(PASSWORD)).toBe(0)
    await deletes('the old one')
    expect(await deletes(PASSWORD)).toBe(1)
    expect(await deletes(PASSWORD)).toBe(0)
  })

  test('a repeated wrong password is answered without hashing it again, until the stored one changes', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const attempt = async (email: string, password: string) =>
      signIn(await asking(db), { email, password })
    for (const email of [user.email, 'nobody-again@clinic.example']) {
      const before = hashing().begun()
      for (let n = 0; n < 4; n += 1)
        expect(await attempt(email, 'a wrong guess')).toMatchObject({ ok: false })
      // whether there is such an account makes no difference
      expect([email, hashing().begun() - before]).toEqual([email, 1])
    }
    await givePassword(db, user, 'a wrong guess')
    expect(await attempt(user.email, 'a wrong guess')).toMatchObject({ ok: true })
    const before = hashing().begun()
    expect(await attempt(user.email, 'a wrong guess')).toMatchObject({ ok: true })
    expect(hashing().begun()).toBe(before)
  })

  test('a phone that sends the password from before a change has it hashed once more', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const ask = async () => {
      const { ctx, statements } = recording(await asking(db, { via: 'phone' }))
      const before = hashing().begun()
      const owner = await signedInBy(ctx, { email: user.email, password: PASSWORD })
      const hashed = hashing().begun() - before
      const reads = statements.filter((text) => text.includes('from "users" left join')).length
      return { isRight: owner !== null, hashed, reads, statements: statements.length }
    }
    await ask()
    // once it is known: the account and its wrong guesses, without a transaction
    expect(await ask()).toEqual({ isRight: true, hashed: 0, reads: 1, statements: 2 })
    await givePassword(db, user, 'another Passphrase 5')
    // as known, ahead of the transaction, and in it
    expect(await ask()).toMatchObject({ isRight: false, hashed: 1, reads: 3 })
    expect(await ask()).toMatchObject({ isRight: false, hashed: 0 })
    expect(await ask()).toMatchObject({ isRight: false, hashed: 0 })
  })

  test('a guess that has to wait is not hashed', async ({ db, make }) => {
    const user = await make.user()
    await givePassword(db, user)
    const attempt = async (password: string) =>
      signIn(await asking(db), { email: user.email, password })
    for (const wrong of words.slice(0, 5)) await attempt(wrong)
    const before = hashing().begun()
    await expect(attempt('six')).rejects.toMatchObject({ code: 'too_many_requests' })
    expect(hashing().begun()).toBe(before)
  })

  test('few passwords are hashed at once, some wait, and the rest are asked to come again', async () => {
    const length = HASHES_AT_ONCE + WAITING + 3
    const attempts = Array.from({ length }, () => isPassword('anything', undefined))
    const refused = (await Promise.allSettled(attempts)).filter(
      ({ status }) => status === 'rejected',
    )
    expect(refused).toHaveLength(3)
    expect(refused[0]).toMatchObject({ reason: { code: 'too_many_requests', retryAfter: 2 } })
    expect(await isPassword('anything', undefined)).toBe(false)
  })

  test('thirty phones behind one address sync', async ({ db, make }) => {
    const users = []
    for (let n = 0; n < 30; n += 1) users.push(await make.user())
    const [first] = users
    await givePassword(db, first!)
    const { password } = await db
      .selectFrom('credentials')
      .select('password')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('credentials')
      .values(users.slice(1).map(({ id }) => ({ user_id: id, password })))
      .execute()

    for (const { email } of users) {
      expect(
        await signIn(await asking(db, { via: 'phone' }), { email, password: PASSWORD }),
      ).toMatchObject({
        ok: true,
      })
    }
  })

  test('one address that tries many accounts has to wait, but not who signed in from there before', async ({
    db,
    make,
  }) => {
    const [known, stranger] = [await make.user(), await make.user()]
    await givePassword(db, known)
    await givePassword(db, stranger)
    await signIn(await asking(db), { email: known.email, password: PASSWORD })
    const guesses = Array.from({ length: 60 }, (_, n) => ({
      subject: `password a${n}@b.example`,
      address: '192.0.2.1',
      mark: n,
    }))
    await db.insertInto('wrong_guesses').values(guesses).execute()

    await expect(
      signIn(await asking(db), { email: stranger.email, password: PASSWORD }),
    ).rejects.toMatchObject({
      retryAfter: 30,
    })
    expect(
      await signIn(await asking(db), { email: known.email, password: PASSWORD }),
    ).toMatchObject({ ok: true })
    expect(
      await signIn(await asking(db, { address: '198.51.100.7' }), {
        email: stranger.email,
        password: PASSWORD,
      }),
    ).toMatchObject({ ok: true })
  })

  test('many addresses that try one account have to wait, but not its owner at a known browser', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const { token } = (await signIn(await asking(db), {
      email: user.email,
      password: PASSWORD,
    })) as { token: string }
    await signOutSession(await asking(db, { token }), null)
    const guesses = Array.from({ length: 20 }, (_, n) => ({
      subject: `password ${user.email}`,
      address: `198.51.100.${n}`,
      mark: n,
    }))
    await db.insertInto('wrong_guesses').values(guesses).execute()

    await expect(
      signIn(await asking(db, { address: '203.0.113.5' }), {
        email: user.email,
        password: PASSWORD,
      }),
    ).rejects.toMatchObject({ retryAfter: 30 })
    expect(await signIn(await asking(db), { email: user.email, password: PASSWORD })).toMatchObject(
      { ok: true },
    )
  })

  test('a browser on which the user signed in before has a count of its own', async ({
    db,
    make,
  }) => {
    const [owner, colleague] = [await make.user(), await make.user()]
    await givePassword(db, owner)
    await givePassword(db, colleague)
    const first = browserCookie(new Headers(), colleague.id)
    const both = new Headers({ cookie: `sanad_browser=${first}` })
    const browser = browserCookie(both, owner.id)
    const attempt = async (password: string, caller: Parameters<typeof asking>[1] = {}) =>
      signIn(await asking(db, caller), { email: owner.email, password })
    for (const wrong of words.slice(0, 5)) await attempt(wrong)
    await db
      .insertInto('wrong_guesses')
      .values(
        Array.from({ length: 60 }, (_, n) => ({
          subject: `password ${owner.email}`,
          address: '192.0.2.1',
          mark: 70_000 + n,
        })),
      )
      .execute()

    await expect(attempt(PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' })
    expect(await attempt(PASSWORD, { browser })).toMatchObject({ ok: true })
    // of another user, of another key, and torn: none of them is known
    for (const other of [first, browser.replaceAll('.', '.A'), browser.slice(0, 22), '', 'x.y'])
      await expect(attempt(PASSWORD, { browser: other })).rejects.toMatchObject({
        code: 'too_many_requests',
      })
    for (const wrong of words.slice(0, 5))
      expect(await attempt(wrong, { browser })).toMatchObject({ ok: false })
    await expect(attempt('six', { browser })).rejects.toMatchObject({ code: 'too_many_requests' })
    expect(await attempt(PASSWORD, { browser, address: '203.0.113.9' }).catch(() => 'waits')).toBe(
      'waits',
    )
  })

  test('five wrong guesses from a shared address do not keep the owner of a locked screen out', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const token = await sessionFor(db, user.id)
    for (const password of words.slice(0, 5))
      await signIn(await asking(db), { email: user.email, password })
    await lockSession(await asking(db, { token }), {})
    expect(await unlockSession(await asking(db, { token }), { password: PASSWORD })).toMatchObject({
      ok: true,
    })
  })

  test('a place that fills the queue delays only itself', async () => {
    const queue = limited(2, 4)
    const order: string[] = []
    const gates: (() => void)[] = []
    const ask = (place: string) =>
      queue
        .run(
          async () => {
            order.push(place)
            await new Promise<void>((resolve) => gates.push(resolve))
          },
          { place },
        )
        .then(
          () => `${place} served`,
          () => `${place} refused`,
        )
    const strangers = Array.from({ length: 7 }, () => ask('stranger'))
    const owner = ask('owner')
    expect(await strangers[6]).toBe('stranger refused')
    expect(await Promise.race([strangers[5], owner])).toBe('stranger refused')
    expect(queue.waiting()).toBe(4)
    for (let served = 0; served < 6; served += 1) {
      gates[served]!()
      await expect.poll(() => gates.length).toBe(Math.min(6, served + 3))
    }
    expect(await owner).toBe('owner served')
    expect(order).toEqual(['stranger', 'stranger', 'owner', 'stranger', 'stranger', 'stranger'])
  })

  test('a screen left open is no place to guess either', async ({ db, make }) => {
    const user = await make.user()
    await givePassword(db, user)
    const token = await sessionFor(db, user.id)
    const attempt = async (password: string) =>
      changeOwnPassword(await asking(db, { token }), { password, newPassword: 'eight blue kites' })
    for (const wrong of words.slice(0, 5)) expect(await attempt(wrong)).toMatchObject({ ok: false })
    await expect(attempt(PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' })
  })
})

plain('an IPv6 address counts with its /64', () => {
  expect(networkAddress('192.0.2.1')).toBe('192.0.2.1')
  expect(networkAddress('2001:db8:1:2:aaaa::1')).toBe('2001:db8:1:2::/64')
  expect(networkAddress('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(networkAddress('::1')).toBe('0:0:0:0::/64')
})

/** A database with one user, and a connection of each process. */
async function twoProcesses(name: string) {
  const one = await cloneTemplate(name)
  const two = connect(urlsOf(name).appUrl)
  const user = await one
    .insertInto('users')
    .values({
      id: crypto.randomUUID(),
      name: 'Amal',
      email: 'amal@clinic.example',
      role: 'provider',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await givePassword(one, user)
  return { one, two, user }
}

describe('two processes on one database', () => {
  plain(
    "see one another's sessions and limits, also of guesses made at the same moment",
    async () => {
      const { one, two, user } = await twoProcesses(`two_processes_${process.pid}`)
      const { token } = (await signIn(await asking(one), {
        email: user.email,
        password: PASSWORD,
      })) as { token: string }
      const cookie = { headers: new Headers({ cookie: `sanad_session=${token}` }) }
      expect(await findRequestActor(two, cookie, 'web')).toMatchObject({ userId: user.id })
      await signOutSession(await asking(two, { token }), null)
      expect(await findRequestActor(one, cookie, 'web')).toBeNull()

      const attempts = Array.from({ length: 12 }, async (_, n) =>
        signIn(await asking(n % 2 ? one : two, { address: '203.0.113.5' }), {
          email: user.email,
          password: `guess ${n}`,
        }),
      )
      const outcomes = await Promise.allSettled(attempts)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'too_many_requests' },
      })
      await Promise.all([one.destroy(), two.destroy()])
    },
  )

  plain('a password that is known as right takes its turn among the guesses', async () => {
    const name = `known_turn_${process.pid}`
    const { one, two, user } = await twoProcesses(name)
    const address = '203.0.113.6'
    const ask = async () =>
      signedInBy(await asking(two, { via: 'phone', address }), {
        email: user.email,
        password: PASSWORD,
      })
    expect(await ask()).toMatchObject({ userId: user.id })
    const subject = `password ${user.email}`

    let asked: Promise<unknown> | undefined
    await one.transaction().execute(async (trx) => {
      await sql`select from wrong_guesses_of(${subject}, ${address}, '1 hour', true)`.execute(trx)
      asked = ask().then(
        () => 'let in',
        (error: unknown) => error,
      )
      await vi.waitFor(async () => {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = ${name})`.execute(trx)
        expect(rows).toHaveLength(1)
      })
      await trx
        .insertInto('wrong_guesses')
        .values(words.slice(0, 5).map((_, mark) => ({ subject, address, mark })))
        .execute()
    })
    expect(await asked).toMatchObject({ code: 'too_many_requests' })
    await Promise.all([one.destroy(), two.destroy()])
  })
})
