import { sql } from 'kysely'
import { expect } from 'vitest'
import { listPhones } from '~/features/office/devices/devices.server'
import { aPatient } from './chart'
import { asAdmin, type Clinic, EVERYTHING, type Person, test } from './clinic'
import { statusOf } from './declared'
import type { Phone } from './phone'
import { PASSWORD } from '../sessions'

const basic = (email: string, password = PASSWORD) =>
  `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`
const WAYS = [
  '/_serverFn/anything',
  '/api/trpc/photos',
  '/api/login',
  '/api/auth/sign-in',
  '/api/v2/sync',
  '/rpc/query',
  '/rpc/command',
  '/api/csp-report',
  '/app/patients',
]

test('before signing in, no way in reads more than 64 kB, whether a length is declared or not', async ({
  server,
}) => {
  const post = async (path: string, bytes: number, isDeclared: boolean) => {
    const body = Buffer.alloc(bytes, '[')
    const undeclared: RequestInit & { duplex: 'half' } = {
      body: new Blob([body]).stream(),
      duplex: 'half',
    }
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const { status } = await fetch(server.origin + path, {
      ...sent,
      ...(isDeclared ? { body } : undeclared),
    })
    return [path, isDeclared, status]
  }
  for (const isDeclared of [true, false]) {
    for (const path of WAYS) {
      expect(await post(path, 64 * 1024 + 1, isDeclared)).toEqual([path, isDeclared, 413])
      const [, , status] = await post(path, 64 * 1024, isDeclared)
      expect([path, status]).not.toEqual([path, 413])
    }
  }
})

test('a push may be larger with a token or a password; a wrong password is refused before the body is read', async ({
  server,
  db,
  make,
  person,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const id = crypto.randomUUID()
  const created = [
    aPatient(clinic, {
      id,
      additional_data: JSON.stringify({ note: 'x'.repeat(200_000) }),
      _status: 'created',
    }),
  ]
  const push = async (authorization: string) => {
    const body = JSON.stringify({ patients: { created, updated: [], deleted: [] } })
    const response = await fetch(`${server.origin}/api/v2/sync?last_pulled_at=0`, {
      method: 'POST',
      body,
      headers: { authorization, 'content-type': 'application/json' },
    })
    return response.status
  }
  expect(await push(basic(amal.email, 'not this one'))).toBe(401)
  expect(await push('Bearer nonsense')).toBe(401)
  expect(await push(basic(amal.email))).toBe(200)
  expect(await db.selectFrom('patients').select('id').where('id', '=', id).execute()).toEqual([
    { id },
  ])
})

test('credentials that were valid a moment ago open no larger body', async ({
  server,
  make,
  person,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const post = async (path: string, body: string, authorization = '') => {
    const response = await fetch(server.origin + path, {
      method: 'POST',
      body,
      headers: { authorization, 'content-type': 'application/json' },
    })
    return { status: response.status, text: await response.text() }
  }
  const signedIn = await post(
    '/api/auth/sign-in',
    JSON.stringify({ email: amal.email, password: PASSWORD }),
  )
  const token = `Bearer ${(JSON.parse(signedIn.text) as { token: string }).token}`
  const larger = JSON.stringify({ note: 'x'.repeat(200_000) })
  expect((await post('/api/trpc/patients.save', larger, token)).status).toBe(400)
  expect((await post('/rpc/command', larger, token)).status).not.toBe(401)
  expect((await post('/api/trpc/sessions.signOut', '{}', token)).status).toBe(200)
  expect((await post('/api/trpc/patients.save', larger, token)).status).toBe(413)
  expect((await post('/rpc/command', larger, token)).status).toBe(401)
})

/** A push of about 27 MB, with the tables in the app's order and not in that of their references. */
function aLargePush(clinic: Clinic, author: Person) {
  const of = (created: object[]) => ({ created, updated: [], deleted: [] })
  const note = JSON.stringify({ note: 'كبير \\" ] } '.repeat(100) })
  const row = { metadata: '{}', is_deleted: false, created_at: 1, updated_at: 1, _changed: '' }
  const people: Record<string, unknown>[] = Array.from({ length: 60 }, () => ({
    ...aPatient(clinic, { id: crypto.randomUUID(), additional_data: note }),
    ...row,
    _status: 'created',
  }))
  const visits = people.map(({ id }) => ({
    ...row,
    id: crypto.randomUUID(),
    patient_id: id,
    clinic_id: clinic.id,
    provider_id: author.id,
    provider_name: author.name,
    check_in_timestamp: 1,
    _status: 'created',
  }))
  const problems = visits.flatMap(({ id, patient_id }) =>
    Array.from({ length: 20 }, () => ({
      ...row,
      id: crypto.randomUUID(),
      patient_id,
      visit_id: id,
      problem_code_system: 'icd10',
      problem_code: 'I10',
      problem_label: 'Hypertension',
      clinical_status: 'active',
      verification_status: 'confirmed',
      _status: 'created',
    })),
  )
  const [twice] = people
  const changes = {
    patient_problems: of(problems),
    visits: of(visits),
    // these are dropped
    peers: of(
      Array.from({ length: 100 }, () => ({ id: crypto.randomUUID(), url: 'x'.repeat(270_000) })),
    ),
    // the later version of a row that is there twice counts
    patients: { ...of(people), updated: [{ ...twice, hometown: 'Tyre' }] },
  }
  return { changes, rows: { people, visits, problems } }
}

test('a phone with more than 25 MB to send gets through, in one transaction and with all rows', async ({
  server,
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const { changes, rows } = aLargePush(clinic, amal)
  const body = JSON.stringify(changes)
  expect(body.length).toBeGreaterThan(25 * 1024 * 1024)
  const phone = phoneOf(amal)
  await phone.sync()
  const push = async (sent: string, password = PASSWORD) => {
    const cursor = phone.lastPull!.timestamp
    const response = await fetch(`${server.origin}/api/v2/sync?last_pulled_at=${cursor}`, {
      method: 'POST',
      body: sent,
      headers: {
        authorization: basic(amal.email, password),
        'content-type': 'application/json',
        'x-sanad-body': 'of another request',
      },
    })
    return [response.status, await response.text()]
  }
  const ids = rows.people.map(({ id }) => String(id))
  const counts = async () => {
    const found: number[] = []
    for (const table of [
      'patients',
      'visits',
      'patient_problems',
      'sync_quarantine',
      'sync_conflicts',
    ]) {
      const column = table === 'patients' ? 'id' : 'patient_id'
      const { rows } = await sql<{ n: number }>`select count(*)::int as n
        from ${sql.table(table)} where ${sql.ref(column)} = any(${ids}::uuid[])`.execute(db)
      found.push(rows[0]!.n)
    }
    return found
  }
  expect((await push(body, 'not this one'))[0]).toBe(401)
  expect((await push(`${body.slice(0, -1)}]`))[0]).toBe(400)
  expect((await push(`${body.slice(0, -100)}${' '.repeat(100)}`))[0]).toBe(400)
  expect(await counts()).toEqual([0, 0, 0, 0, 0])
  expect(await push(body)).toEqual([200, '{"success":true}'])
  const all = [rows.people.length, rows.visits.length, rows.problems.length, 0, 0]
  expect(await counts()).toEqual(all)
  expect(await push(body)).toEqual([200, '{"success":true}'])
  expect(await counts()).toEqual(all)
  const stored = db.selectFrom('patients').select(['additional_data', 'hometown'])
  const [twice] = rows.people
  expect(await stored.where('id', '=', String(twice!['id'])).executeTakeFirst()).toEqual({
    additional_data: JSON.parse(String(twice!['additional_data'])) as unknown,
    hometown: 'Tyre',
  })
})

test('a forced upload of more than 25 MB gets through, and no other call of that length', async ({
  server,
  db,
  make,
  person,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const { changes, rows } = aLargePush(clinic, amal)
  const call = async (body: string, password = PASSWORD) => {
    expect(body.length).toBeGreaterThan(25 * 1024 * 1024)
    const headers = {
      authorization: basic(amal.email, password),
      'content-type': 'application/json',
    }
    const response = await fetch(`${server.origin}/rpc/command`, { method: 'POST', body, headers })
    return [response.status, await response.text()] as const
  }
  const upload = (data: object) => JSON.stringify({ command: 'sync_push', data })
  const stored = () =>
    db
      .selectFrom('patients')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('primary_clinic_id', '=', clinic.id)
      .executeTakeFirstOrThrow()

  const whole = upload({ changes, lastPulledAt: 0 })
  expect((await call(whole, 'not this one'))[0]).toBe(401)
  expect((await call(whole.slice(0, -1)))[0]).toBe(400)
  expect((await call(upload({ others: changes })))[0]).toBe(404)
  expect(
    (await call(JSON.stringify({ command: 'visits.create', data: { notes: changes } })))[0],
  ).toBe(413)
  expect(await stored()).toEqual({ count: 0 })

  const [status, answer] = await call(whole)
  expect([status, JSON.parse(answer)]).toMatchObject([
    200,
    { success: true, conflicts: 0, refused: 0 },
  ])
  expect(await stored()).toEqual({ count: rows.people.length })
  const problems = db.selectFrom('patient_problems').select('id')
  const [first] = rows.people
  expect(await problems.where('patient_id', '=', String(first!['id'])).execute()).toHaveLength(20)
})

test('a push that is too large is refused before it is read, and named with its phone until one gets through', async ({
  server,
  db,
  make,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const path = `/api/v2/sync?last_pulled_at=${phone.lastPull!.timestamp}`
  const declare = (length: number, password = PASSWORD) =>
    statusOf(server.origin + path, length, { authorization: basic(amal.email, password) })
  const refused = () =>
    db
      .selectFrom('sync_chains')
      .select('refused_bytes')
      .where('user_id', '=', amal.id)
      .executeTakeFirst()
  const bytes = 300 * 1024 * 1024
  expect(await declare(bytes, 'not this one')).toBe(401)
  expect(await refused()).toEqual({ refused_bytes: null })
  expect(await declare(bytes)).toBe(413)
  expect(await refused()).toEqual({ refused_bytes: bytes })
  await phone.sync()
  expect(await refused()).toEqual({ refused_bytes: null })

  // the app's forced upload
  const forced = 301 * 1024 * 1024
  const upload = (authorization: string) =>
    statusOf(`${server.origin}/rpc/command`, forced, { authorization })
  expect(await upload(basic(amal.email, 'not this one'))).toBe(401)
  expect(await refused()).toEqual({ refused_bytes: null })
  expect(await upload(basic(amal.email))).toBe(413)
  expect(await refused()).toEqual({ refused_bytes: forced })
})

const isOf = (user: Person) => (phone: { user_id: string }) => phone.user_id === user.id

test('a phone that never pulled shows under Phones while its push is too large, with its user', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const admin = asAdmin(db, await person('admin'))
  const shown = async () => {
    const { rows } = await listPhones(admin, { search: amal.name })
    return rows
      .filter(isOf(amal))
      .map(({ refused_bytes, last_pull_at, user_agent }) => [
        refused_bytes,
        last_pull_at !== null,
        user_agent,
      ])
  }
  const bytes = 300 * 1024 * 1024
  // the change set of WatermelonDB, cut off where the server has read enough
  const row = aPatient(clinic, { _status: 'created', _changed: '' })
  const start = JSON.stringify({ patients: { created: [row], updated: [], deleted: [] } })
  const push = (phone: Phone, path: string, length = bytes) =>
    statusOf(
      phone.origin + path,
      length,
      { authorization: basic(phone.email), 'user-agent': 'okhttp/4.9.2' },
      start,
    )
  const first = phoneOf(amal)
  await first.signIn()
  expect(await push(first, '/api/v2/sync?last_pulled_at=0')).toBe(413)
  expect(await shown()).toEqual([[bytes, false, 'okhttp/4.9.2']])
  // the app sends the same again, or the user presses "upload": it remains one phone
  expect(await push(first, '/api/v2/sync?last_pulled_at=0', bytes + 1)).toBe(413)
  expect(await push(first, '/rpc/command', bytes + 2)).toBe(413)
  expect(await shown()).toEqual([[bytes + 2, false, 'okhttp/4.9.2']])
  // a cursor of another server is no pull of this one
  expect(await push(first, '/api/v2/sync?last_pulled_at=1700000000000', bytes + 3)).toBe(413)
  expect(await shown()).toEqual([[bytes + 3, false, 'okhttp/4.9.2']])

  // its first pull makes it a phone that syncs; what it has not sent is still there
  const pull = '/api/v2/sync?last_pulled_at=0&schema_version=9&migration=null'
  const { body } = await first.request('GET', pull)
  expect(await shown()).toMatchObject([[bytes + 3, true, expect.any(String)]])
  const { timestamp } = JSON.parse(body) as { timestamp: number }
  await first.request('POST', `/api/v2/sync?last_pulled_at=${timestamp}`, '{}')
  expect(await shown()).toMatchObject([[null, true, expect.any(String)]])
})

test('a refused push of a phone that never pulled leaves the list once one gets through', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const admin = asAdmin(db, await person('admin'))
  const sizes = async () =>
    (await listPhones(admin, {})).rows.filter(isOf(amal)).map(({ refused_bytes }) => refused_bytes)
  const phone = phoneOf(amal)
  const path = '/api/v2/sync?last_pulled_at=0'
  const bytes = 300 * 1024 * 1024
  const authorization = basic(amal.email)
  expect(await statusOf(phone.origin + path, bytes, { authorization })).toBe(413)
  expect(await sizes()).toEqual([bytes])
  const created = [aPatient(clinic, { id: crypto.randomUUID(), _status: 'created' })]
  const body = JSON.stringify({ patients: { created, updated: [], deleted: [] } })
  expect((await phone.request('POST', path, body)).status).toBe(200)
  expect(await sizes()).toEqual([])
})

test('a session reads a photo, but no more than 64 kB where no file is sent', async ({
  server,
  person,
}) => {
  const amal = await person('admin')
  const signedIn = await fetch(`${server.origin}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ email: amal.email, password: PASSWORD }),
  })
  const { token } = (await signedIn.json()) as { token: string }
  const post = async (path: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(server.origin + path, {
      method: 'POST',
      body: Buffer.alloc(3_000_000),
      headers,
    })
    return [response.status, response.ok && (await response.json())]
  }
  const all = { read: 3_000_000 }
  expect(await Promise.all([1, 2, 3].map(() => post('/api/trpc/photos')))).toEqual([
    [200, all],
    [200, all],
    [200, all],
  ])
  expect(await post('/_serverFn/anything')).toEqual([200, all])
  expect(await post('/api/csp-report')).toEqual([413, false])
  expect(await post('/rpc/query')).toEqual([413, false])
})

test('a push of any number of rows that are none, or of rows to delete, is answered, never by a bug', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const path = `/api/v2/sync?last_pulled_at=${phone.lastPull!.timestamp}`
  const statusOfPush = async (body: string) => (await phone.request('POST', path, body)).status
  const rowsOf = (count: number, row = '{}') => Array.from({ length: count }, () => row).join(',')
  const created = (rows: string) => `{"patients":{"created":[${rows}],"updated":[],"deleted":[]}}`

  // the phone keeps its rows, until an administrator has made room
  expect(await statusOfPush(created(rowsOf(150_000)))).toBe(409)
  // 24 MB
  expect(await statusOfPush(created(rowsOf(8_000_000)))).toBe(409)
  const asCall = `{"command":"sync_push","data":{"changes":${created(rowsOf(400_000))},"lastPulledAt":0}}`
  expect((await phone.request('POST', '/rpc/command', asCall)).status).toBe(409)
  // nothing to delete
  const ids = Array.from({ length: 130_000 }, () => `"${crypto.randomUUID()}"`).join(',')
  expect(await statusOfPush(`{"visits":{"created":[],"updated":[],"deleted":[${ids}]}}`)).toBe(200)
  const logs = created(rowsOf(150_000)).replace('patients', 'event_logs')
  expect(await statusOfPush(logs)).toBe(409)
  const ignored = created(rowsOf(400_000)).replace('patients', 'peers')
  expect(await statusOfPush(ignored)).toBe(200)

  const id = crypto.randomUUID()
  await phone.create('patients', aPatient(clinic, { id }))
  await phone.sync()
  expect(await db.selectFrom('patients').select('id').where('id', '=', id).execute()).toEqual([
    { id },
  ])
  const { refused } = await db
    .selectFrom('sync_quarantine')
    .select(({ fn }) => fn.countAll<number>().as('refused'))
    .where('user_id', '=', amal.id)
    .executeTakeFirstOrThrow()
  expect(refused).toBe(0)
})
