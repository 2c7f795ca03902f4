import { sql } from 'kysely'
import { expect } from 'vitest'
import { givePassword, PASSWORD } from '../sessions'
import { test } from './clinic'

test('signing in answers with the user’s fields, a token, and no key that the app reads as a failure', async ({
  server,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = phoneOf(amal)
  const { status, body } = await phone.request(
    'POST',
    '/api/login',
    JSON.stringify({ email: amal.email, password: PASSWORD }),
  )
  const user = JSON.parse(body) as Record<string, unknown>
  expect(status).toBe(200)
  expect(Object.keys(user).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'clinic_id',
    'clinic_name',
    'created_at',
    'deleted_at',
    'email',
    'hashed_password',
    'id',
    'instance_url',
    'is_deleted',
    'last_modified',
    'name',
    'role',
    'server_created_at',
    'token',
    'updated_at',
  ])
  expect(user).toMatchObject({ id: amal.id, hashed_password: '************', role: 'provider' })
  const bearer = await fetch(`${server.origin}/api/v2/sync?last_pulled_at=0`, {
    headers: { authorization: `Bearer ${String(user['token'])}` },
  })
  expect(bearer.status).toBe(200)
  expect(bearer.headers.get('set-cookie')).toBeNull()
})

test('a wrong password is refused, and no cookie counts', async ({
  server,
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = phoneOf(amal)
  phone.password = 'not it'
  expect(
    (
      await phone.request(
        'POST',
        '/api/login',
        JSON.stringify({ email: amal.email, password: 'not it' }),
      )
    ).status,
  ).toBe(401)
  expect((await phone.request('GET', '/api/v2/sync?last_pulled_at=0')).status).toBe(401)
  expect((await phone.request('POST', '/api/v2/sync?last_pulled_at=0', '{}')).status).toBe(401)
  expect(
    (
      await fetch(`${server.origin}/api/v2/sync?last_pulled_at=0`, {
        headers: { cookie: 'sanad_session=x' },
      })
    ).status,
  ).toBe(401)
  expect(
    (await fetch(`${server.origin}/api/v2/sync`, { headers: { authorization: 'Basic !!!' } }))
      .status,
  ).toBe(401)
  expect(
    await sql`select 1 from sync_chains where user_id = ${amal.id}`
      .execute(db)
      .then(({ rows }) => rows),
  ).toEqual([])
})

test('a changed password and a deleted person end it at once, though the password was right a moment ago', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = phoneOf(amal)
  await phone.sync()
  await givePassword(db, amal, 'another good password')
  await expect(phone.sync()).rejects.toThrow('401')
  phone.password = 'another good password'
  await phone.sync()
  await db.updateTable('users').set({ is_deleted: true }).where('id', '=', amal.id).execute()
  await expect(phone.sync()).rejects.toThrow('401')
})

test('however often a phone signs in and syncs, the trail says so once', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = phoneOf(amal)
  for (let sync = 0; sync < 3; sync += 1) {
    await phone.request(
      'POST',
      '/api/login',
      JSON.stringify({ email: amal.email, password: PASSWORD }),
    )
    await phone.sync()
  }
  const trail = await db
    .selectFrom('audit_log')
    .select('action')
    .where('user_id', '=', amal.id)
    .execute()
  expect(trail).toEqual([{ action: 'sessions.signIn' }])
})

test('a phone that repeats an old password does not lock other users out', async ({
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const [old, current] = [phoneOf(amal), phoneOf(amal)]
  old.password = 'the old one'
  for (let attempt = 0; attempt < 12; attempt += 1) await expect(old.sync()).rejects.toThrow('401')
  await current.sync()
})

test('wrong guesses from a shared address lock out neither a phone that signed in before nor a token', async ({
  server,
  person,
  make,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const login = (password: string) =>
    fetch(`${server.origin}/api/login`, {
      method: 'POST',
      body: JSON.stringify({ email: amal.email, password }),
    })
  const pull = async (headers: Record<string, string>) =>
    (await fetch(`${server.origin}/api/v2/sync?last_pulled_at=0`, { headers })).status
  const signedIn = await login(PASSWORD)
  const { token } = (await signedIn.json()) as { token: string }
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const authorization = `Basic ${Buffer.from(`${amal.email}:${PASSWORD}`).toString('base64')}`

  for (const wrong of ['one', 'two', 'three', 'four', 'five'])
    expect((await login(wrong)).status).toBe(401)
  expect((await login('six')).status).toBe(429)
  expect(await pull({ authorization })).toBe(429)
  expect(await pull({ authorization, cookie })).toBe(200)
  expect(await pull({ authorization: `Bearer ${token}` })).toBe(200)
})

test('a password with a colon, and one in Arabic, sync', async ({ db, make, person, phoneOf }) => {
  const amal = await person('provider', [await make.clinic()])
  for (const password of ['seven:green:herons', 'سبع بجعات خضراء']) {
    await givePassword(db, amal, password)
    const phone = phoneOf(amal)
    phone.password = password
    await phone.sync()
  }
})

test('thirty phones behind one address sync within a minute', async ({ make, person, phoneOf }) => {
  const clinic = await make.clinic()
  const people = await Promise.all(Array.from({ length: 30 }, () => person('registrar', [clinic])))
  await Promise.all(
    people.map(async (each) => {
      const phone = phoneOf(each)
      const credentials = JSON.stringify({ email: each.email, password: PASSWORD })
      expect((await phone.request('POST', '/api/login', credentials)).status).toBe(200)
      await phone.sync()
    }),
  )
})

test('pushes of one account that wait for each other do not delay other accounts', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const [shared, other] = [await person('registrar', [clinic]), await person('registrar', [clinic])]
  let waiting: Promise<number[]> | undefined
  await db.transaction().execute(async (held) => {
    await sql`select pg_advisory_xact_lock(hashtext('sanad.sync'), hashtext(${shared.id}))`.execute(
      held,
    )
    // more of them than the server has connections
    const answers = Array.from({ length: 30 }, () =>
      phoneOf(shared).request('POST', '/api/v2/sync', '{}'),
    )
    waiting = Promise.all(answers).then((all) => all.map(({ status }) => status))
    await phoneOf(other).sync()
  })
  expect(await waiting).toEqual(Array.from({ length: 30 }, () => 200))
})
