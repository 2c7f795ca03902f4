import { sql } from 'kysely'
import { expect } from 'vitest'
import { sessionFor } from '../sessions'
import { test } from './clinic'

test('pulls of one user take turns, and hold one connection to the database', async ({
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
    await expect.poll(waiting, { timeout: 30_000 }).toBe(1)
    // signing in still works, and a pull of another user comes to the same lock
    const one = phoneOf(other).request('GET', '/api/v2/sync?last_pulled_at=0')
    await expect.poll(waiting, { timeout: 30_000 }).toBe(2)
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
      { small: 20, large: 20 },
    )
  }
  expect((await post({ 'content-length': '100' })).status).toBe(408)
  expect((await post({})).status).toBe(408)
})
