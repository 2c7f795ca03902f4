import { sql } from 'kysely'
import { expect } from 'vitest'
import { giveState, listPhones } from '~/features/office/devices/devices.server'
import { asking, PASSWORD, sessionFor } from '../sessions'
import { aPatient } from './chart'
import { asAdmin } from './clinic'
import { statusOf } from './declared'
import { test } from './hub-clinic'
import { codeOf, HubPhone, newSession } from './hub-phone'
import { forgetTrail, lastNumbers } from './table-backup'

test('a phone signs in through the hub with an app password and brings a day of work to another', async ({
  db,
  make,
  person,
  hubPhone,
  codeFor,
}) => {
  const clinic = await make.clinic()
  await make.patient({ primary_clinic_id: clinic.id })
  const form = await make.eventForm({ clinic_ids: [clinic.id] })
  const amal = await person('provider', [clinic])
  const omar = await person('provider', [clinic])
  const phone = hubPhone(amal, (await codeFor(amal, 'Ward phone')).toLowerCase())
  expect(await phone.login()).toMatchObject({
    status: 200,
    success: true,
    error: null,
    value: { user_id: amal.id, role: 'provider', provider_name: amal.name, email: amal.email },
  })
  await phone.sync()

  const patientId = await phone.create('patients', aPatient(clinic, { given_name: 'ليلى 🩺' }))
  const visitId = await phone.create('visits', {
    patient_id: patientId,
    clinic_id: clinic.id,
    provider_id: amal.id,
    provider_name: amal.name,
    check_in_timestamp: Date.now(),
  })
  const of = { patient_id: patientId, visit_id: visitId, recorded_by_user_id: amal.id }
  await phone.create('events', {
    ...of,
    form_id: form.id,
    event_type: 'Visit',
    form_data: JSON.stringify([{ fieldId: 'a', name: 'Note', value: 'سعال' }]),
  })
  await phone.create('patient_vitals', { ...of, timestamp: Date.now(), temperature_celsius: 36.85 })
  const problemId = await phone.create('patient_problems', {
    ...of,
    problem_code_system: 'icd10',
    problem_code: 'J45.9',
    problem_label: 'Asthma',
    clinical_status: 'active',
    verification_status: 'confirmed',
  })
  await phone.sync()
  await phone.update('patient_problems', problemId, { clinical_status: 'remission' })
  await phone.sync()

  const second = hubPhone(omar)
  await second.login()
  await second.sync()
  expect(await second.find('patients', patientId)).toMatchObject({ given_name: 'ليلى 🩺' })
  expect(await second.find('visits', visitId)).toMatchObject({ patient_id: patientId })
  expect((await second.all('events')).map(({ form_id }) => form_id)).toEqual([form.id])
  expect(await second.all('patient_vitals')).toMatchObject([{ temperature_celsius: 36.85 }])
  expect(await second.find('patient_problems', problemId)).toMatchObject({
    clinical_status: 'remission',
  })
  const { rows: accesses } = await sql`
    select distinct l.operation, a.name, h.user_id = ${amal.id} as "isOwn"
    from access_log l join app_passwords a on a.id = l.app_password_id
      join hub_phones h on h.id = l.hub_phone_id
    where l.user_id = ${amal.id} and l.via = 'phone'`.execute(db)
  expect(accesses).toEqual([{ operation: 'sync.pull', name: 'Ward phone', isOwn: true }])
  const waiting = await db
    .selectFrom('sync_quarantine')
    .select('id')
    .where('user_id', '=', amal.id)
    .execute()
  expect(waiting).toEqual([])
})

test('a value that the user has seen through the hub can be changed there without a conflict', async ({
  db,
  make,
  person,
  hubPhone,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const omar = await person('provider', [clinic])
  const [one, other] = [hubPhone(amal), hubPhone(omar)]
  await one.login()
  await other.login()
  const id = await one.create('patients', aPatient(clinic, { hometown: 'Tyre' }))
  await one.sync()
  await other.sync()
  await other.update('patients', id, { hometown: 'Saida' })
  await other.sync()
  // has something to push, so that the push names a pull
  await one.create('patients', aPatient(clinic))
  await one.sync()
  expect(await one.find('patients', id)).toMatchObject({ hometown: 'Saida' })
  await one.update('patients', id, { hometown: 'Beirut' })
  await one.sync()
  const conflicts = await db
    .selectFrom('sync_conflicts')
    .select('id')
    .where('row_id', '=', id)
    .execute()
  const stored = await db
    .selectFrom('patients')
    .select('hometown')
    .where('id', '=', id)
    .executeTakeFirst()
  expect({ conflicts, stored }).toEqual({
    conflicts: [],
    stored: { hometown: 'Beirut' },
  })
})

test('each call of the online mode works sealed', async ({ make, person, hubPhone }) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = hubPhone(amal)
  await phone.login()
  const id = crypto.randomUUID()
  const patient = { ...aPatient(clinic), id, additional_data: {}, metadata: {} }
  expect(
    await phone.command('register_patient', { patient, additional_attributes: [] }),
  ).toMatchObject({ status: 200, value: { patient_id: id, attributes_count: 0 } })
  expect(await phone.query('get_patients', { limit: 10, offset: 0 })).toMatchObject({
    value: { total: 1, data: [{ id }] },
  })
  expect(await phone.query('get_visits', { patient_id: id })).toMatchObject({ value: { data: [] } })
  // bare null
  expect(await phone.query('problems.get', { id: crypto.randomUUID() })).toMatchObject({
    status: 200,
    value: null,
  })
  expect(await phone.query('no.such', {})).toMatchObject({ status: 404, success: false })
})

test('a wrong or missing sign-in is 401, so that the app asks to sign in again', async ({
  make,
  person,
  hubPhone,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = hubPhone(amal, 'not this one')
  expect(await phone.login()).toMatchObject({ status: 401, success: false })
  expect(await phone.query('get_patients', {})).toMatchObject({ status: 401, success: false })
  phone.token = 'nonsense'
  expect(await phone.query('sync_pull', { lastPulledAt: 0 })).toMatchObject({ status: 401 })
})

test('a message that was changed, sealed with another word or another key, or sent twice is refused', async ({
  hub,
  make,
  person,
  hubPhone,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = hubPhone(amal)
  await phone.login()
  const session = await phone.handshake()
  const call = { query: 'get_patients', params: {} }
  expect(await phone.send('query', call, session, 'command')).toMatchObject({ status: 401 })
  expect(await phone.send('query', call, session, 'query_response')).toMatchObject({ status: 401 })
  expect(await phone.send('query', call, session)).toMatchObject({ status: 200 })
  expect((await phone.post('/rpc/query', phone.sentBody)).status).toBe(409)

  const patient = { ...aPatient(clinic), id: crypto.randomUUID() }
  const registering = { command: 'register_patient', data: { patient } }
  expect(await phone.send('command', registering, session)).toMatchObject({ status: 200 })
  const recorded = phone.sentBody
  // the database remembers, whatever the process forgets
  await hub.restart()
  expect((await fetch(`${hub.url()}/rpc/command`, { method: 'POST', body: recorded })).status).toBe(
    409,
  )
  const { client_id, payload } = JSON.parse(recorded) as { client_id: string; payload: string }
  const changed = Buffer.from(payload, 'base64url')
  for (const at of [0, 20, changed.length - 1]) {
    const tampered = Buffer.from(changed)
    tampered[at]! ^= 1
    const body = JSON.stringify({ client_id, payload: tampered.toString('base64url') })
    const { status } = await fetch(`${hub.url()}/rpc/command`, { method: 'POST', body })
    expect([at, status]).toEqual([at, 401])
  }
  const stranger = new HubPhone(codeOf(hub.url()), amal.email, PASSWORD)
  stranger.token = phone.token
  const unknown = await newSession(async () => Buffer.alloc(32, 9).toString('base64url'))
  expect(await stranger.send('query', call, unknown)).toMatchObject({ status: 401 })
})

test('a recorded handshake and command are refused after the key has ended', async ({
  db,
  hub,
  make,
  person,
  hubPhone,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = hubPhone(amal)
  await phone.login()
  const session = await phone.handshake()
  const patient = { ...aPatient(clinic), id: crypto.randomUUID() }
  await phone.command('register_patient', { patient }, session)
  const recorded = phone.sentBody
  const shake = () =>
    phone.post(
      '/rpc/handshake',
      JSON.stringify({ client_id: phone.clientId, client_public_key: session.publicKey }),
    )
  // the app may repeat it after a lost answer
  expect((await shake()).status).toBe(200)
  await db
    .updateTable('hub_keys')
    .set({ made_at: new Date(Date.now() - 25 * 3_600_000) })
    .execute()
  const { forgetHubKeys } = await import('~/sync/http/hub-phones.server')
  await forgetHubKeys(db)
  expect(await db.selectFrom('hub_nonces').selectAll().execute()).toEqual([])
  expect((await phone.post('/rpc/command', recorded)).status).toBe(401)
  expect((await shake()).status).toBe(403)
  expect((await phone.post('/rpc/command', recorded)).status).toBe(401)
  expect(hub.url()).toContain('127.0.0.2')
})

test('another device’s handshake in a phone’s name neither replaces its key nor fills its place', async ({
  db,
  make,
  person,
  hubPhone,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = hubPhone(amal)
  await phone.login()
  const session = await phone.handshake()
  const { keepKey } = await import('~/sync/http/hub-phones.server')
  for (let at = 0; at < 60; at += 1)
    await keepKey(db, {
      clientId: phone.clientId,
      publicKey: Buffer.from(crypto.getRandomValues(new Uint8Array(32))),
      address: '192.0.2.66',
    })
  expect(await phone.query('get_patients', {}, session)).toMatchObject({ status: 200 })
  const kept = await db
    .selectFrom('hub_keys')
    .select('public_key')
    .where('address', '=', '192.0.2.66')
    .execute()
  expect(kept).toHaveLength(50)
})

test('handshakes of a device behind the same router do not shut a phone out', async ({
  db,
  make,
  person,
  hubPhone,
}) => {
  const phone = hubPhone(await person('provider', [await make.clinic()]))
  await phone.login()
  const session = await phone.handshake()
  const { keepKey } = await import('~/sync/http/hub-phones.server')
  for (let at = 0; at < 40; at += 1)
    await keepKey(db, {
      clientId: phone.clientId,
      publicKey: Buffer.from(crypto.getRandomValues(new Uint8Array(32))),
      address: '127.0.0.1',
    })
  const { rows } = await sql<{ addresses: number }>`
    select count(distinct address) as addresses from hub_keys where client_id = ${phone.clientId}`.execute(
    db,
  )
  expect(rows).toEqual([{ addresses: 1 }])
  expect(await phone.query('get_patients', {}, session)).toMatchObject({ status: 200 })
})

test('another user who says the id of a phone takes neither its line nor its access', async ({
  db,
  make,
  person,
  hubPhone,
}) => {
  const clinic = await make.clinic()
  const [amal, omar] = [await person('provider', [clinic]), await person('provider', [clinic])]
  const phone = hubPhone(amal)
  await phone.login()
  const other = hubPhone(omar)
  other.clientId = phone.clientId
  await other.login()
  const lines = () =>
    db
      .selectFrom('hub_phones')
      .select(['id', 'user_id'])
      .where('client_id', '=', phone.clientId)
      .orderBy('first_seen_at')
      .execute()
  expect((await lines()).map(({ user_id }) => user_id)).toEqual([amal.id, omar.id])

  const { revokeHubPhone } = await import('~/features/office/hub/hub.server')
  const asOmar = await asking(db, { token: await sessionFor(db, omar.id) })
  await revokeHubPhone(asOmar, { id: (await lines())[1]!.id })
  expect(await phone.query('get_patients', {})).toMatchObject({ status: 200 })
  // the revoked line opens nothing, whatever its user knows
  expect(await other.login()).toMatchObject({ status: 401 })
  expect(await other.query('get_patients', {})).toMatchObject({ status: 401 })
})

test('before a sign-in the hub reads 64 kB; a phone that signed in may send more', async ({
  db,
  hub,
  make,
  person,
  hubPhone,
}) => {
  const post = async (path: string, body: string) =>
    (await fetch(hub.url() + path, { method: 'POST', body })).status
  const padded = (bytes: number) => {
    const start = `{"client_id":"${crypto.randomUUID()}","payload":"`
    return `${start}${'A'.repeat(bytes - start.length - 2)}"}`
  }
  for (const path of ['/rpc/handshake', '/rpc/command', '/rpc/query']) {
    expect([path, await post(path, padded(65 * 1024))]).toEqual([path, 413])
    expect([path, await post(path, padded(64 * 1024))]).not.toEqual([path, 413])
  }
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = hubPhone(amal)
  await phone.login()
  const id = await phone.create(
    'patients',
    aPatient(clinic, { additional_data: JSON.stringify({ note: 'x'.repeat(2_000_000) }) }),
  )
  await phone.sync()
  expect(phone.sentBody.length).toBeGreaterThan(2_000_000)
  const large = (bytes: number) => ({
    ...aPatient(clinic, { additional_data: JSON.stringify({ note: 'x'.repeat(bytes) }) }),
    id: crypto.randomUUID() as string,
  })
  const stored = async (...ids: string[]) => {
    const rows = await db.selectFrom('patients').select('id').where('id', 'in', ids).execute()
    return rows.length
  }
  const other = large(3_900_000)
  const changes = { patients: { created: [other], updated: [], deleted: [] } }
  const { status } = await phone.command('sync_push', { changes, lastPulledAt: 0 })
  expect([status, phone.sentBody.length > 5_200_000]).toEqual([200, true])
  expect(await stored(id, other.id)).toBe(2)

  // beyond SANAD_BODY_LIMIT_MB: kept in a file
  const two = [large(3_000_000), large(3_000_001), large(2)]
  const more = { patients: { created: two, updated: [], deleted: [] } }
  const session = await phone.handshake()
  const sent = await phone.command('sync_push', { changes: more, lastPulledAt: 0 }, session)
  expect(sent).toMatchObject({ status: 200, success: true, value: { success: true, refused: 0 } })
  expect(await stored(...two.map(({ id }) => id))).toBe(3)
  const body = phone.sentBody
  expect(body.length).toBeGreaterThan(8_000_000)

  // received twice; changed; without a valid token; another call
  expect((await phone.post('/rpc/command', body)).status).toBe(409)
  const changed = `${body.slice(0, 4_000_000)}${body[4_000_000] === 'A' ? 'B' : 'A'}${body.slice(4_000_001)}`
  expect((await phone.post('/rpc/command', changed)).status).toBe(401)
  expect((await phone.post('/rpc/command', body.replace('payload', 'payloaf'))).status).toBe(400)
  expect((await phone.command('visits.create', { notes: more })).status).toBe(413)
  phone.token = 'none'
  expect((await phone.command('sync_push', { changes: more, lastPulledAt: 0 })).status).toBe(401)
})

test('an upload that is too large for the hub is named with its phone until one gets through', async ({
  db,
  hub,
  make,
  person,
  hubPhone,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = hubPhone(amal)
  await phone.login()
  await phone.sync()
  const refused = () =>
    db
      .selectFrom('sync_chains')
      .select('refused_bytes')
      .where('user_id', '=', amal.id)
      .executeTakeFirst()
  const declare = (path: string, clientId: string) => {
    const start = `{"client_id":"${clientId}","payload":"${'A'.repeat(70_000)}`
    return statusOf(hub.url() + path, 400 * 1024 * 1024, {}, start)
  }
  expect(await declare('/rpc/command', crypto.randomUUID())).toBe(413)
  expect(await declare('/rpc/query', phone.clientId)).toBe(413)
  expect(await refused()).toEqual({ refused_bytes: null })
  expect(await declare('/rpc/command', phone.clientId)).toBe(413)
  expect(await refused()).toEqual({ refused_bytes: 300 * 1024 * 1024 })
  await phone.create('patients', aPatient(clinic))
  await phone.sync()
  expect(await refused()).toEqual({ refused_bytes: null })
})

test('a phone that never pulled through the hub shows its refused upload in its own row', async ({
  db,
  hub,
  make,
  person,
  hubPhone,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const admin = asAdmin(db, await person('admin'))
  const phone = hubPhone(amal)
  await phone.login()
  const start = `{"client_id":"${phone.clientId}","payload":"${'A'.repeat(70_000)}`
  expect(await statusOf(`${hub.url()}/rpc/command`, 400 * 1024 * 1024, {}, start)).toBe(413)
  const shown = async () => {
    const { rows } = await listPhones(admin, { search: amal.name })
    const own = rows.filter(({ user_id }) => user_id === amal.id)
    return own.map(({ refused_bytes, last_pull_at }) => [refused_bytes, last_pull_at !== null])
  }
  expect(await shown()).toEqual([[300 * 1024 * 1024, false]])
  await phone.create('patients', aPatient(clinic))
  await phone.sync()
  expect(await shown()).toEqual([[null, true]])
})

test('a revoked phone is refused with every key, and its token ends, until it is allowed again', async ({
  db,
  hub,
  make,
  person,
  hubPhone,
  codeFor,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = hubPhone(amal, await codeFor(amal, 'Ward phone'))
  await phone.login()
  const session = await phone.handshake()
  expect(await phone.query('get_patients', {}, session)).toMatchObject({ status: 200 })
  const { allowHubPhone, revokeHubPhone } = await import('~/features/office/hub/hub.server')
  const admin = await asking(db, {
    token: await sessionFor(db, (await make.user({ role: 'admin' })).id),
  })
  const { id } = await db
    .selectFrom('hub_phones')
    .select('id')
    .where('client_id', '=', phone.clientId)
    .executeTakeFirstOrThrow()
  await revokeHubPhone(admin, { id })
  expect(await phone.query('get_patients', {}, session)).toMatchObject({ status: 403 })
  await expect(phone.handshake()).rejects.toThrow('403')
  const sent = await fetch(`${hub.url()}/rpc/command`, {
    method: 'POST',
    body: JSON.stringify({ client_id: phone.clientId, payload: 'A'.repeat(70_000) }),
  })
  expect(sent.status).toBe(413)
  const again = hubPhone(amal)
  again.token = phone.token
  expect(await again.query('get_patients', {})).toMatchObject({ status: 401 })

  await allowHubPhone(admin, { id })
  expect(await phone.query('get_patients', {})).toMatchObject({ status: 401 })
  phone.password = PASSWORD
  expect(await phone.login()).toMatchObject({ status: 200 })
})

test('the Phones screen shows how each phone connects, and when it last synced', async ({
  db,
  make,
  person,
  hubPhone,
  phoneOf,
}) => {
  const amal = await person('provider', [await make.clinic()])
  const phone = hubPhone(amal)
  await phone.login()
  await phone.sync()
  await phoneOf(amal).sync()
  // online only: without a sync
  await hubPhone(amal).login()
  const { listPhones } = await import('~/features/office/devices/devices.server')
  const admin = await asking(db, {
    token: await sessionFor(db, (await make.user({ role: 'admin' })).id),
  })
  const { rows } = await listPhones(admin, { search: amal.name })
  const own = rows.filter(({ user_id }) => user_id === amal.id)
  const shown = own.map(({ hub_key, last_pull_at, may_revoke }) => ({
    isHub: hub_key !== null,
    hasSynced: last_pull_at !== null,
    may_revoke,
  }))
  expect(shown).toEqual([
    { isHub: false, hasSynced: true, may_revoke: false },
    { isHub: true, hasSynced: true, may_revoke: true },
    { isHub: true, hasSynced: false, may_revoke: true },
  ])
})

test('every call of the online mode is refused through the hub for another clinic’s records', async ({
  make,
  person,
  hubPhone,
}) => {
  const { commands, queries } = await import('~/sync/http/online.server')
  const [own, other] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: other.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: other.id })
  const form = await make.eventForm({ clinic_ids: [other.id] })
  const event = await make.event({
    patient_id: patient.id,
    visit_id: visit.id,
    form_id: form.id,
  })
  const problem = await make.problem({ patient_id: patient.id, visit_id: visit.id })
  const marks = [patient.id, visit.id, event.id, problem.id]
  const phone = hubPhone(await person('provider', [own]))
  await phone.login()
  const session = await phone.handshake()
  const ids = { patient_id: patient.id, visit_id: visit.id, form_id: form.id }
  for (const query of [...Object.keys(queries), 'sync_pull']) {
    for (const id of marks) {
      const params = { ...ids, id, limit: 200, offset: 0, filters: {}, lastPulledAt: 0 }
      const { value } = await phone.query(query, params, session)
      const text = JSON.stringify(value) ?? ''
      expect([query, marks.filter((mark) => text.includes(mark))]).toEqual([query, []])
    }
  }
  for (const command of Object.keys(commands)) {
    const data = { ...ids, id: event.id, patient: { id: patient.id, given_name: 'X' } }
    const { status } = await phone.command(command, data, session)
    expect([command, [400, 403, 404, 409].includes(status)]).toEqual([command, true])
  }
})

test('the hub answers its five addresses and nothing else, and the main port no handshake', async ({
  hub,
  server,
}) => {
  const ask = async (method: string, path: string, origin = hub.url()) => {
    const body = method === 'POST' ? '{}' : undefined
    const response = await fetch(origin + path, { method, body })
    return { status: response.status, text: await response.text() }
  }
  expect(await ask('GET', '/rpc/heartbeat')).toEqual({ status: 200, text: '{"status":"ok"}' })
  expect(await ask('HEAD', '/rpc/heartbeat')).toEqual({ status: 200, text: '' })
  expect((await ask('GET', '/trust')).text).toContain('make-certificate')
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/app'],
    ['GET', '/api/health'],
    ['POST', '/api/login'],
    ['GET', '/api/v2/sync'],
    ['POST', '/api/trpc/clinics.list'],
    ['GET', '/rpc/handshake'],
    ['POST', '/rpc/heartbeat'],
    ['POST', '/trust'],
    ['GET', '/assets/app.js'],
  ] as const)
    expect([method, path, (await ask(method, path)).status]).toEqual([method, path, 404])
  for (const body of ['', 'null', '[]', '{"client_id":1}', '{"client_id":"a","payload":"?"}'])
    for (const path of ['/rpc/handshake', '/rpc/command', '/rpc/query']) {
      const { status } = await fetch(hub.url() + path, { method: 'POST', body })
      expect([path, body, status]).toEqual([path, body, 400])
    }
  // a key of low order
  const zero = { client_id: 'a', client_public_key: Buffer.alloc(32).toString('base64url') }
  const answer = await fetch(`${hub.url()}/rpc/handshake`, {
    method: 'POST',
    body: JSON.stringify(zero),
  })
  expect(answer.status).toBe(400)
  expect((await ask('POST', '/rpc/handshake', server.origin)).text).not.toContain('hub_public_key')
})

test('after a restore, a phone of the hub keeps its copy until an administrator gives it the server’s', async ({
  db,
  server,
  owner,
  make,
  person,
  hubPhone,
  codeFor,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const admin = asAdmin(db, await person('super_admin'))
  const [phone, quiet] = [
    hubPhone(amal, await codeFor(amal, 'Ward')),
    hubPhone(amal, await codeFor(amal, 'Quiet')),
  ]
  for (const each of [phone, quiet]) {
    await each.login()
    await each.sync()
  }
  const id = await phone.create('patients', aPatient(clinic, { hometown: 'Tyre' }))
  await phone.sync()
  const { pull, trail } = await lastNumbers(db)
  // after the backup
  await phone.update('patients', id, { hometown: 'Sent and lost' })
  for (const each of [phone, quiet, phone, quiet]) await each.sync()
  await db.updateTable('patients').set({ hometown: 'Tyre' }).where('id', '=', id).execute()
  await forgetTrail(server.name, trail)
  await sql`select setval('sync_pull_times', ${pull})`.execute(owner)
  await sql`select begin_sync_epoch()`.execute(owner)

  await phone.update('patients', id, { camp: 'Not sent yet' })
  for (let round = 0; round < 4; round += 1) for (const each of [phone, quiet]) await each.sync()
  // the value of the phone that sent the patient again waits in the inbox
  expect(await quiet.find('patients', id)).toMatchObject({ hometown: 'Sent and lost' })
  const inbox = await db
    .selectFrom('sync_conflicts')
    .select(['column_name', 'phone_value'])
    .where('row_id', '=', id)
    .execute()
  expect(inbox).toEqual(
    expect.arrayContaining([{ column_name: 'hometown', phone_value: 'Sent and lost' }]),
  )
  // what is written from now on comes
  const later = await make.patient({ primary_clinic_id: clinic.id })
  for (const each of [phone, quiet]) await each.sync()
  for (const each of [phone, quiet]) expect(await each.find('patients', later.id)).toBeDefined()

  const waiting = async () =>
    (await listPhones(admin, { search: amal.name })).rows.filter(
      ({ user_id, since_restore }) => user_id === amal.id && since_restore === 'waits',
    )
  expect(await waiting()).toHaveLength(2)
  for (const { id: phoneId } of await waiting()) await giveState(admin, { id: phoneId })
  for (const each of [phone, quiet]) {
    await each.sync()
    expect(await each.find('patients', id)).toMatchObject({ hometown: 'Tyre' })
  }
  expect(await waiting()).toEqual([])
})

test('a phone of the hub that had not synced since the backup receives everything with its second sync', async ({
  owner,
  make,
  person,
  hubPhone,
  codeFor,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic])
  const phone = hubPhone(amal, await codeFor(amal, 'Ward'))
  await phone.login()
  await phone.sync()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await sql`select begin_sync_epoch()`.execute(owner)
  await phone.sync()
  expect(await phone.find('patients', patient.id)).toBeUndefined()
  await phone.sync()
  expect(await phone.find('patients', patient.id)).toBeDefined()
})
