import { connect } from 'node:net'
import { sql } from 'kysely'
import { listPhones } from '~/features/office/devices/devices.server'
import { LOG_BYTES_PER_DAY, QUARANTINE_ROWS } from '~/sync/push/quotas.server'
import { expect } from 'vitest'
import { asking, sessionFor } from '../sessions'
import { aPatient } from './chart'
import { EVERYTHING, test } from './clinic'

test('pulls of one user take turns, two at a time, and leave connections to other users', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const [greedy, other] = [await person('provider', [clinic]), await person('provider', [clinic])]
  // their passwords are known from now on
  for (const each of [greedy, other]) await phoneOf(each).request('POST', '/api/v2/sync', '{}')
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count
      from pg_locks where not granted and relation = 'wire_patients'::regclass`.execute(db)
    return rows[0]!.count
  }
  let pulls: Promise<number[]> | undefined
  await db.transaction().execute(async (held) => {
    await sql`lock table wire_patients in access exclusive mode`.execute(held)
    // more of them than the server has connections
    const answers = Array.from({ length: 30 }, () =>
      phoneOf(greedy).request('GET', '/api/v2/sync?last_pulled_at=0'),
    )
    pulls = Promise.all(answers).then((all) => all.map(({ status }) => status))
    await expect.poll(waiting).toBe(2)
    // signing in still works, and a pull of another user comes to the same lock
    const one = phoneOf(other).request('GET', '/api/v2/sync?last_pulled_at=0')
    await expect.poll(waiting).toBe(3)
    void one.catch(() => {})
  })
  expect(await pulls).toEqual(Array.from({ length: 30 }, () => 200))
})

test('a stream ends with its session, and one user has no more than sixty', async ({
  server,
  db,
  person,
}) => {
  const amal = await person('provider')
  const cookieOf = async () => `sanad_session=${await sessionFor(db, amal.id)}`
  const follow = (cookie: string) => fetch(`${server.origin}/api/live`, { headers: { cookie } })
  const [first, second] = [await cookieOf(), await cookieOf()]

  const streams = await Promise.all(Array.from({ length: 60 }, () => follow(first)))
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
  const refused = await follow(second)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])

  const ends = streams.map(async (stream) => {
    const reader = stream.body!.getReader()
    for (;;) if ((await reader.read()).done) return 'ended'
  })
  await sql`update sessions set expires_at = clock_timestamp() - interval '1 second'
    where user_id = ${amal.id} and id = (select id from sessions where user_id = ${amal.id}
      order by created_at limit 1)`.execute(db)
  expect(new Set(await Promise.all(ends))).toEqual(new Set(['ended']))
  expect((await follow(first)).status).toBe(401)
  const other = await follow(second)
  expect(other.status).toBe(200)
  await other.body!.cancel()
})

test('a stream carries only the tables that the operations of its screen read', async ({
  server,
  db,
  make,
  person,
}) => {
  const amal = await person('provider')
  const aborter = new AbortController()
  const stream = await fetch(`${server.origin}/api/live?reads=clinics.names,trash.list`, {
    headers: { cookie: `sanad_session=${await sessionFor(db, amal.id)}` },
    signal: aborter.signal,
  })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  await make.patient() // of a table that the screen does not read
  const clinic = await make.clinic()
  await sql`select soft_delete('clinics', ${clinic.id}, 'A clinic', ${amal.id})`.execute(db)
  let heard = ''
  while (!heard.includes('deletions')) heard += (await reader.read()).value
  aborter.abort()
  expect(new Set(heard.match(/(?<=data: )\w+/g))).toEqual(new Set(['clinics', 'deletions']))
})

test('a body that does not arrive is given up', async () => {
  const { withLimitedBody } = await import('~/server/body-limit.server')
  const post = (headers: Record<string, string>) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
    })
    const sent: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' }
    return withLimitedBody(
      new Request('http://localhost/api/login', sent),
      async () => null,
      async () => new Response('read'),
      async () => {},
      { small: 20, large: 20 },
    )
  }
  expect((await post({ 'content-length': '100' })).status).toBe(408)
  expect((await post({})).status).toBe(408)
})

test('of a stranger’s body over 64 kB the rest is not read: the answer comes at once, and the connection ends', async ({
  server,
}) => {
  const { host, hostname, port } = new URL(server.origin)
  const send = (headers: string[], body: string) =>
    new Promise<string>((resolve, reject) => {
      const address = hostname === 'localhost' ? '127.0.0.1' : hostname
      const socket = connect(Number(port), address)
      let received = ''
      socket.on('error', reject).on('end', () => resolve(received))
      socket.on('data', (text) => (received += String(text)))
      const lines = ['POST /api/v2/sync HTTP/1.1', `host: ${host}`, ...headers, '\r\n']
      socket.write(lines.join('\r\n') + body)
    })
  const half = 'x'.repeat(64 * 1024)
  // neither body is complete, and the sender waits for the answer
  const chunked = await send(
    ['transfer-encoding: chunked'],
    `10000\r\n${half}\r\n10000\r\n${half}\r\n`,
  )
  const declared = await send([`content-length: ${25 * 1024 * 1024}`], half)
  for (const answer of [chunked, declared]) {
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toMatch(/^connection: close\r$/im)
  }
})

test('logs over the quota of a day are counted and not stored, and the records of the push are', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  const log = () => ({ id: crypto.randomUUID(), action: 'opened', _status: 'created' })
  const push = async (patientId: string) => {
    const created = [aPatient(clinic, { id: patientId, _status: 'created' })]
    const none = { updated: [], deleted: [] }
    const body = { patients: { created, ...none }, event_logs: { created: [log()], ...none } }
    return (await phone.request('POST', '/api/v2/sync', JSON.stringify(body))).status
  }
  const counts = async () => {
    const { rows } = await sql<{ logs: number; patients: number }>`select
      (select count(*)::int from event_logs where received_from = ${amal.id}) as logs,
      (select count(*)::int from patients where id = any(${ids}::uuid[])) as patients`.execute(db)
    return rows[0]
  }
  const ids = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  expect(await push(ids[0]!)).toBe(200)
  expect(await counts()).toEqual({ logs: 1, patients: 1 })
  await sql`update sync_storage set log_bytes = ${LOG_BYTES_PER_DAY} where user_id = ${amal.id}`.execute(
    db,
  )
  expect(await push(ids[1]!)).toBe(200)
  expect(await counts()).toEqual({ logs: 1, patients: 2 })
  // another day
  await sql`update sync_storage set day = day - 1 where user_id = ${amal.id}`.execute(db)
  expect(await push(ids[2]!)).toBe(200)
  expect(await counts()).toEqual({ logs: 2, patients: 3 })
  const dropped = await sql`select logs_dropped::int as count from sync_storage
    where user_id = ${amal.id}`.execute(db)
  expect(dropped.rows).toEqual([{ count: 1 }])
})

test('near the quota of a day, logs are stored while they fit, and repeated logs cost nothing', async ({
  db,
  person,
  phoneOf,
}) => {
  const amal = await person('provider', [], EVERYTHING)
  const phone = phoneOf(amal)
  const log = () => ({ id: crypto.randomUUID(), action: 'opened', _status: 'created' })
  const push = async (created: unknown[]) => {
    const body = JSON.stringify({ event_logs: { created, updated: [], deleted: [] } })
    expect((await phone.request('POST', '/api/v2/sync', body)).status).toBe(200)
    const { rows } = await sql<Record<'bytes' | 'stored' | 'dropped', number>>`
      select log_bytes::int as bytes, logs_dropped::int as dropped,
        (select sum(octet_length(row))::int from event_logs
          where received_from = ${amal.id}) as stored
      from sync_storage where user_id = ${amal.id}`.execute(db)
    return rows[0]!
  }
  const first = log()
  const { bytes } = await push([first])
  expect(await push([first, first])).toEqual({ bytes, stored: bytes, dropped: 0 })

  const nearlyFull = LOG_BYTES_PER_DAY - 2 * bytes
  await sql`update sync_storage set log_bytes = ${nearlyFull}
    where user_id = ${amal.id}`.execute(db)
  const sent = [first, log(), log(), log()]
  const full = { bytes: LOG_BYTES_PER_DAY, stored: 3 * bytes, dropped: 1 }
  expect(await push(sent)).toEqual(full)
  // the third is the one that did not fit
  expect(await push(sent.slice(0, 3))).toEqual(full)
})

test('a push whose refused rows find no room is refused as a whole, and others are not', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  await sql`insert into sync_quarantine (user_id, table_name, operation, row, reason)
    select ${amal.id}, 'patients', 'save', n::text, 'sync.reason_noRow'
    from generate_series(1, ${QUARANTINE_ROWS}) n`.execute(db)
  const push = async (rows: unknown[]) =>
    phone.request(
      'POST',
      '/api/v2/sync',
      JSON.stringify({ patients: { created: rows, updated: [], deleted: [] } }),
    )
  const id = crypto.randomUUID()
  const good = aPatient(clinic, { id, _status: 'created' })
  const refused = await push([good, 'no row'])
  expect(refused.status).toBe(409)
  expect(JSON.parse(refused.body)).toMatchObject({
    error: expect.stringContaining('administrator'),
  })
  const stored = async () => db.selectFrom('patients').select('id').where('id', '=', id).execute()
  expect(await stored()).toEqual([])
  expect((await push([good])).status).toBe(200)
  expect(await stored()).toEqual([{ id }])
  // the phone did not receive the answer to its last push, and sends the same refused row again
  await sql`delete from sync_quarantine where user_id = ${amal.id} and row = '1'`.execute(db)
  expect((await push(['no row'])).status).toBe(200)
  expect((await push(['no row'])).status).toBe(200)
  expect((await push(['another'])).status).toBe(409)

  const admin = await person('super_admin')
  const ctx = await asking(db, { token: await sessionFor(db, admin.id) })
  const { rows } = await listPhones(ctx, { search: amal.name })
  expect(rows[0]?.quotas).toMatchObject({ quarantine: 1, logsDropped: 0 })
  await db
    .updateTable('sync_quarantine')
    .set({ settled_at: new Date(), outcome: 'rejected' })
    .where('user_id', '=', amal.id)
    .execute()
  expect((await push(['another'])).status).toBe(200)
})
