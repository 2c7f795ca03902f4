import { sql } from 'kysely'
import { expect } from 'vitest'
import {
  createAppPassword,
  listAppPasswords,
  renameAppPassword,
  revokeAppPassword,
} from '~/features/office/sessions/app-passwords/app-passwords.server'
import {
  disableOwnTwoFactor,
  enableOwnTwoFactor,
  startTwoFactor,
} from '~/features/office/sessions/two-factor/two-factor.server'
import type { DB } from '~/db/types'
import { changeOwnPassword } from '~/features/office/sessions/account.server'
import { replacePassword, signIn as signInTo } from '~/features/office/sessions/sessions.server'
import { hashing } from '~/features/office/sessions/passwords/password.server'
import type { Kysely } from 'kysely'
import { asking, codeOf, givePassword, PASSWORD, sessionFor } from '../sessions'
import { type Person, test } from './clinic'
import type { Phone } from './phone'

/** Turns the second factor on as the screen does. */
async function enableFactor(db: Kysely<DB>, user: Person) {
  const before = await sessionFor(db, user.id)
  const { secret } = (await startTwoFactor(await asking(db, { token: before }), {
    password: PASSWORD,
  })) as { secret: string }
  const { token, recoveryCodes } = (await enableOwnTwoFactor(await asking(db, { token: before }), {
    password: PASSWORD,
    code: codeOf(secret),
  })) as { token: string; recoveryCodes: string[] }
  const ask = () => asking(db, { token })
  /** The code of the next minute counts although the one of this minute was used. */
  const nextCode = async () => {
    await db
      .updateTable('second_factors')
      .set({ last_step: 0 })
      .where('user_id', '=', user.id)
      .execute()
    return codeOf(secret)
  }
  return { ask, nextCode, recoveryCodes }
}

async function createCode(ask: () => ReturnType<typeof asking>, name: string) {
  const created = await createAppPassword(await ask(), { name, password: PASSWORD })
  return created as { id: string; code: string }
}

/** The statuses of the app's four requests: two sign-ins, a pull and a push. */
async function fourRequests(phone: Phone) {
  const credentials = JSON.stringify({ email: phone.email, password: phone.password })
  const answers = [
    await phone.request('POST', '/api/login', credentials),
    await phone.request('POST', '/api/auth/sign-in', credentials),
    await phone.request('GET', '/api/v2/sync?last_pulled_at=0'),
    await phone.request('POST', '/api/v2/sync?last_pulled_at=0', '{}'),
  ]
  return answers.map(({ status }) => status)
}

const login = (phone: Phone) =>
  phone.request(
    'POST',
    '/rpc/command',
    JSON.stringify({ command: 'login', data: { email: phone.email, password: phone.password } }),
  )

test('with a second factor only an app password opens sync, and unsent rows arrive', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = phoneOf(amal)
  await phone.sync()
  const { ask } = await enableFactor(db, amal)
  const patientId = await phone.create('patients', {
    given_name: 'Layla',
    surname: 'Haddad',
    date_of_birth: '1990-02-03',
    sex: 'female',
    additional_data: '{}',
    primary_clinic_id: clinic.id,
  })

  expect(await fourRequests(phone)).toEqual([401, 401, 401, 401])
  expect((await login(phone)).status).toBe(401)
  await expect(phone.sync()).rejects.toThrow('401')
  expect(await phone.unsent('patients')).toBe(1)

  const { code } = await createCode(ask, 'Ward phone')
  // as a person types it
  phone.password = ` ${code.toLowerCase().replaceAll('-', ' ')}`
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
  await phone.sync()
  expect(await phone.unsent('patients')).toBe(0)
  const patient = await db
    .selectFrom('patients')
    .select('given_name')
    .where('id', '=', patientId)
    .executeTakeFirst()
  expect(patient).toEqual({ given_name: 'Layla' })
})

test('an app password opens sync and /rpc, and neither screens nor tRPC; its token neither', async ({
  server,
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const ask = async () => asking(db, { token: await sessionFor(db, amal.id) })
  const { code } = await createCode(ask, 'Ward phone')
  const { code: other } = await createCode(ask, 'Second phone')
  const [phone, second] = [phoneOf(amal), phoneOf(amal)]
  phone.password = code
  second.password = other

  const tokens = await Promise.all(
    [phone, second].map(async (each) => {
      const { status, body } = await login(each)
      expect(status).toBe(200)
      return (JSON.parse(body) as { token: string }).token
    }),
  )
  expect(new Set(tokens).size).toBe(2)
  const authorization = `Bearer ${tokens[0]}`
  const query = await fetch(`${server.origin}/rpc/query`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ query: 'get_patients', params: { limit: 1, offset: 0 } }),
  })
  expect(query.status).toBe(200)
  const { requestContext: contextOf } = await import('~/server/serve.server')
  const opened = async (headers: HeadersInit, via: 'web' | 'trpc' | 'phone') =>
    (await contextOf(new Request(server.origin, { headers }), via)).actor !== null
  expect([
    await opened({ authorization }, 'phone'),
    await opened({ authorization }, 'trpc'),
    await opened({ authorization }, 'web'),
    await opened({ cookie: `sanad_session=${tokens[0]}` }, 'web'),
  ]).toEqual([true, false, false, false])
  // read once in a request, and for each way in by itself
  const request = new Request(server.origin, { headers: { authorization } })
  const readBy = async (via: 'web' | 'phone') => (await contextOf(request, via)).actor
  expect([await readBy('phone'), await readBy('web')]).toMatchObject([{ userId: amal.id }, null])
  expect(await contextOf(request, 'phone')).toBe(await contextOf(request, 'phone'))
  const { signIn } = await import('~/features/office/sessions/sessions.server')
  for (const via of ['web', 'trpc'] as const) {
    expect(
      await signIn(await asking(db, { via }), { email: amal.email, password: code }),
    ).toMatchObject({ ok: false, fields: { password: { key: 'sessions.wrong' } } })
  }
})

test('an app password is not hashed slowly, not limited, and stored as a hash only', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const { ask } = await enableFactor(db, amal)
  const { code } = await createCode(ask, 'Ward phone')
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){4}$/)
  const stored = await sql<{ text: string }>`
    select (select string_agg(a::text, ' ') from app_passwords a) ||
      (select coalesce(string_agg(l::text, ' '), '') from audit_log l) as text`.execute(db)
  expect(stored.rows[0]!.text).not.toContain(code)
  expect(stored.rows[0]!.text).not.toContain(code.replaceAll('-', ''))

  const stranger = phoneOf(amal)
  for (const guess of ['one', 'two', 'three', 'four', 'five', 'six']) {
    stranger.password = guess
    await login(stranger)
  }
  stranger.password = 'seven'
  expect((await login(stranger)).status).toBe(429)
  const phone = phoneOf(amal)
  phone.password = code
  const before = hashing().begun()
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
  expect(hashing().begun()).toBe(before)
})

test('a phone has its name, last use and address in the list and names its syncs until it is revoked', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  await make.patient({ primary_clinic_id: clinic.id })
  const amal = await person('provider', [clinic])
  const ask = async () => asking(db, { token: await sessionFor(db, amal.id) })
  const { id, code } = await createCode(ask, 'Ward phone')
  expect(await listAppPasswords(await ask(), null)).toMatchObject([
    { id, name: 'Ward phone', last_used_at: null, last_address: '' },
  ])
  const phone = phoneOf(amal)
  phone.password = code
  const { body } = await login(phone)
  const { token } = JSON.parse(body) as { token: string }
  await phone.sync()
  await renameAppPassword(await ask(), { id, name: 'Night phone' })
  expect(await listAppPasswords(await ask(), null)).toMatchObject([
    { id, name: 'Night phone', last_used_at: expect.any(Date), last_address: '127.0.0.1' },
  ])
  const { listPhones } = await import('~/features/office/devices/devices.server')
  const admin = await asking(db, {
    token: await sessionFor(db, (await make.user({ role: 'admin' })).id),
  })
  const { rows } = await listPhones(admin, {})
  expect(rows[0]).toMatchObject({ phone_name: 'Night phone' })
  const accesses = await db
    .selectFrom('access_log')
    .select(['operation', 'app_password_id'])
    .where('user_id', '=', amal.id)
    .where('via', '=', 'phone')
    .execute()
  expect(accesses).toEqual([{ operation: 'sync.pull', app_password_id: id }])

  await revokeAppPassword(await ask(), { id })
  expect(await fourRequests(phone)).toEqual([401, 401, 401, 401])
  const bearer = await fetch(`${phone.origin}/api/v2/sync?last_pulled_at=0`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(bearer.status).toBe(401)
  expect(await listAppPasswords(await ask(), null)).toEqual([])
  await expect(revokeAppPassword(await ask(), { id })).rejects.toMatchObject({ code: 'not_found' })
})

test('another user’s app password can be neither used, renamed nor revoked', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const [amal, omar] = [await person('provider', [clinic]), await person('provider', [clinic])]
  const asAmal = async () => asking(db, { token: await sessionFor(db, amal.id) })
  const asOmar = async () => asking(db, { token: await sessionFor(db, omar.id) })
  const { id, code } = await createCode(asAmal, 'Ward phone')
  const phone = phoneOf(omar)
  phone.password = code
  expect(await fourRequests(phone)).toEqual([401, 401, 401, 401])
  await expect(renameAppPassword(await asOmar(), { id, name: 'x' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(revokeAppPassword(await asOmar(), { id })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await listAppPasswords(await asOmar(), null)).toEqual([])
  expect(
    await createAppPassword(await asOmar(), { name: 'Phone', password: 'not it' }),
  ).toMatchObject({ ok: false, fields: { password: { key: 'sessions.wrongPassword' } } })
})

test('one’s own new password keeps the phones in; one that an administrator sets locks them out', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const ask = async () => asking(db, { token: await sessionFor(db, amal.id) })
  const { code } = await createCode(ask, 'Ward phone')
  const phone = phoneOf(amal)
  phone.password = code
  const newPassword = 'another good password'
  await changeOwnPassword(await ask(), { password: PASSWORD, newPassword })
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
  const { resetPassword } = await import('~/features/office/users/users.server')
  const admin = await make.user({ role: 'super_admin' })
  const screen = await asking(db, { token: await sessionFor(db, admin.id) })
  await resetPassword(screen, { id: amal.id, password: 'chosen by an administrator' })
  expect(await fourRequests(phone)).toEqual([401, 401, 401, 401])
})

test('a phone syncs for 14 days with a password that another user has set; then it is refused with the reason', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = phoneOf(amal)
  phone.password = 'chosen by an administrator'
  await givePassword(db, amal, phone.password, 'another')
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
  expect((await login(phone)).status).toBe(200)

  const pass = (time: string) =>
    sql`update credentials set phones_until = phones_until - ${time}::interval
      where user_id = ${amal.id}`.execute(db)
  await pass('13 days 23 hours')
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
  await pass('2 hours')
  expect(await fourRequests(phone)).toEqual([401, 401, 401, 401])
  const credentials = JSON.stringify({ email: phone.email, password: phone.password })
  for (const answer of [
    await phone.request('POST', '/api/login', credentials),
    await phone.request('POST', '/api/auth/sign-in', credentials),
    await phone.request('GET', '/api/v2/sync?last_pulled_at=0'),
    await login(phone),
  ])
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      401,
      expect.objectContaining({ error: expect.stringMatching(/^Phones can no longer use/) }),
    ])

  const signIn = async () =>
    (await signInTo(await asking(db), { email: amal.email, password: phone.password })) as {
      token: string
    }
  const replaced = (await replacePassword(await asking(db, await signIn()), {
    newPassword: 'their own password',
  })) as { token: string }
  phone.password = 'their own password'
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
  const { code } = (await createAppPassword(await asking(db, replaced), {
    name: 'Ward phone',
    password: phone.password,
  })) as { code: string }
  phone.password = code
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
})

test('programs keep getting a token with password and code; the second factor goes off only with a code', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const { ask, nextCode } = await enableFactor(db, amal)
  const phone = phoneOf(amal)
  const signIn = async (code?: string) =>
    phone.request(
      'POST',
      '/api/auth/sign-in',
      JSON.stringify({ email: amal.email, password: PASSWORD, code }),
    )
  expect((await signIn()).status).toBe(401)
  expect((await signIn('000000')).status).toBe(401)
  const { status, body } = await signIn(await nextCode())
  expect(status).toBe(200)
  const { requestContext: contextOf } = await import('~/server/serve.server')
  const { token } = JSON.parse(body) as { token: string }
  const request = new Request(phone.origin, { headers: { authorization: `Bearer ${token}` } })
  expect((await contextOf(request, 'trpc')).actor).toMatchObject({ userId: amal.id })

  expect(await disableOwnTwoFactor(await ask(), { password: PASSWORD })).toMatchObject({
    ok: false,
    fields: { code: { key: 'validation.required' } },
  })
  expect(
    await disableOwnTwoFactor(await ask(), { password: PASSWORD, code: '000000' }),
  ).toMatchObject({
    ok: false,
    fields: { code: { key: 'sessions.wrongCode' } },
  })
  const off = await disableOwnTwoFactor(await ask(), { password: PASSWORD, code: await nextCode() })
  expect(off).toMatchObject({ ok: true })
  expect(await fourRequests(phone)).toEqual([200, 200, 200, 200])
})
