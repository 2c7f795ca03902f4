import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { toJSON } from 'seroval'
import { describe, expect } from 'vitest'
import { built } from '../built'
import { declareLargest, guess, sendLargest } from '../../scripts/prove/strangers'
import { connect } from '~/db/connect'
import { hashToken, newToken } from '~/server/secret.server'
import { sessionSettings } from '~/server/session-settings'
import { makeFactories } from '../factories'
import { HOSTILE, type Hostile, REFUSED, refusedTo, tokensOf } from '../hostile'
import { samples } from '../samples'
import { givePassword, PASSWORD } from '../sessions'
import { EVERYTHING } from '../sync/clinic'
import { makeWorld } from '../world'
import { databaseUrl, freePort, settingsForUsed, startSanad, test as base, until } from './sanad'

/** A started Sanad with two clinics, and the server functions that screens call. */
const test = base.extend('clinic', { scope: 'file' }, async ({}, { onCleanup }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanad-command-'))
  const settings = await settingsForUsed(dataDir)
  const metricsPort = await freePort()
  const sanad = startSanad({
    ...settings,
    SANAD_TRUSTED_PROXIES: '127.0.0.1',
    SANAD_LOG_LEVEL: 'info',
    SANAD_METRICS_PORT: metricsPort,
  })
  let logged = ''
  sanad.child.stderr!.on('data', (part) => (logged += String(part)))
  const end = async () => {
    sanad.child.kill('SIGTERM')
    await sanad.exit
    rmSync(dataDir, { recursive: true, force: true })
  }
  onCleanup(end)
  // vitest cleans up only after a fixture that did not throw
  return sanad.ready
    .then(async (origin) => ({
      ...(await callsTo(origin, dataDir)),
      queue: (name: string, state: string) => queued(metricsPort, name, state),
      logged: () => logged,
    }))
    .catch(async (error: unknown) => {
      await end()
      throw error
    })
})

async function callsTo(origin: string, dataDir: string) {
  // tokens that this process makes are valid on the server
  const secret = readFileSync(join(dataDir, 'instance.key'), 'utf8').trim()
  Object.assign(sessionSettings(), { secret })
  const db = connect(databaseUrl(dataDir))
  const world = await makeWorld(db)
  const tokens = await tokensOf(db, world)
  // without a password of a super administrator, `/` leads to the set-up
  const { userId } = world.actors['super_admin']!
  await givePassword(db, { id: userId, email: `${userId}@clinic.example` })
  await db.destroy()
  // of src/client/api.ts
  const ids = { GET: serverFunction('api', 'read'), POST: serverFunction('api', 'write') }
  /** As TanStack Start's client calls it, which writes the data with seroval. */
  const answerTo = async (kind: Hostile, method: 'GET' | 'POST', data: object) => {
    const token = tokens[kind]
    const payload = JSON.stringify(toJSON({ data }))
    const query = method === 'GET' ? `?payload=${encodeURIComponent(payload)}` : ''
    const response = await fetch(`${origin}/_serverFn/${ids[method]}${query}`, {
      method,
      ...(method === 'POST' && { body: payload }),
      headers: {
        origin,
        'content-type': 'application/json',
        'x-tsr-serverFn': 'true',
        ...(token && { authorization: `Bearer ${token}` }),
      },
    })
    await response.arrayBuffer()
    return response
  }
  const call = async (...args: Parameters<typeof answerTo>) => (await answerTo(...args)).status
  return {
    origin,
    tokens,
    other: world.other,
    adminId: userId,
    answerTo,
    call,
    email: await emailOf(origin, dataDir),
    databaseUrl: databaseUrl(dataDir),
    ids,
  }
}

/** The id of a server function, as the build made it, in a file of that name. */
function serverFunction(file: string, name: string): string {
  const folder = built('server', 'assets')
  const definition = new RegExp(`id: "(\\w+)",\\s+name: "${name}"`)
  return readdirSync(folder)
    .filter((each) => each.startsWith(`${file}-`) && each.endsWith('.js'))
    .flatMap((each) => definition.exec(readFileSync(join(folder, each), 'utf8'))?.[1] ?? [])[0]!
}

/** A figure of the metrics `sanad_queue`. */
async function queued(metricsPort: string, name: string, state: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}`)).text()
  const line = new RegExp(`^sanad_queue\\{queue="${name}",state="${state}"\\} (\\d+)$`, 'm')
  return Number(line.exec(text)?.[1] ?? 0)
}

const GIGABYTE = 1024 ** 2

test('guesses and largest bodies of strangers do not stop users who are signed in', async ({
  start,
  temporaryDirectory,
}) => {
  const dataDir = temporaryDirectory()
  const metricsPort = await freePort()
  const sanad = start({ ...(await settingsForUsed(dataDir)), SANAD_METRICS_PORT: metricsPort })
  const url = await sanad.ready
  const { email, token } = await aProvider(url, dataDir)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const list = async () =>
    (await fetch(`${url}/api/trpc/patients.list`, { method: 'POST', headers, body: '{}' })).status
  const queue = (name: string, state: string) => queued(metricsPort, name, state)

  const before = await queue('passwords', 'begun')
  const guesses = Promise.all(
    Array.from({ length: 50 }, async (_, connection) => {
      const statuses = []
      for (let at = 0; at < 2; at += 1) statuses.push(await guess(url, connection * 2 + at))
      return statuses
    }),
  )
  const bodies = Promise.all(Array.from({ length: 20 }, (_, at) => sendLargest(url, at)))
  const declared = Promise.all(Array.from({ length: 20 }, (_, at) => declareLargest(url, at)))
  const lists = []
  for (let at = 0; at < 20; at += 1) lists.push(await list())
  expect(new Set(lists)).toEqual(new Set([200]))
  expect((await fetch(`${url}/api/health/ready`)).status).toBe(200)

  const statuses = (await guesses).flat()
  expect(statuses.filter((status) => ![401, 429].includes(status))).toEqual([])
  // sixty different guesses of an address, and those that were on their way
  const hashed = (await queue('passwords', 'begun')) - before
  expect(hashed).toBeGreaterThan(0)
  expect(hashed).toBeLessThanOrEqual(60 + 50)
  expect(await queue('passwords', 'waiting')).toBe(0)
  expect(await queue('sign-ins', 'begun')).toBeGreaterThan(0)
  expect(await queue('sign-ins', 'waiting')).toBe(0)
  // 0: the connection was closed while the client still sent
  expect((await bodies).filter((status) => ![413, 0].includes(status))).toEqual([])
  // of a declared body, no byte was waited for
  expect(new Set(await declared)).toEqual(new Set(['HTTP/1.1 413 ']))
  expect(await queue('bodies', 'begun')).toBe(0)

  // the phone of a user who signed in here, by its token and by its cookie
  expect((await fetch(`${url}/api/v2/sync?last_pulled_at=0`, { headers })).status).toBe(200)
  expect((await signIn(url, email)).status).toBe(200)
  const status = `/proc/${sanad.child.pid}/status`
  if (existsSync(status))
    expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))![1])).toBeLessThan(
      GIGABYTE,
    )
})

test('JSON that is too deep or malformed is refused on every way in, and is no error of ours', async ({
  clinic,
}) => {
  const { origin: url } = clinic
  const token = clinic.tokens.provider
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const nested = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const ways = [
    '/api/login',
    '/api/auth/sign-in',
    '/api/trpc/patients.list',
    '/api/v2/sync?last_pulled_at=0',
    '/rpc/query',
    '/rpc/command',
  ]
  const statusOf = async (way: string, body: string, more: Record<string, string>) => {
    const headers = { 'content-type': 'application/json', ...more }
    const response = await fetch(url + way, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response.status
  }
  const commands = [
    deep,
    nested,
    '{"json":',
    '"',
    '',
    `{"command":"visits.create","data":${nested}}`,
    `{"query":"get_patients","params":${nested}}`,
    `{"patients":${nested}}`,
    `{"email":${nested},"password":"x"}`,
  ]
  const failed = []
  for (const way of ways)
    for (const [at, body] of commands.entries()) {
      const status = await statusOf(way, body, { authorization: `Bearer ${token}` })
      // an empty change set is a push of nothing
      if (status >= 500 || (status < 400 && body.length > 10)) failed.push([way, at, status])
    }
  expect(failed).toEqual([])
  expect(
    await statusOf('/api/trpc/patients.list', nested, { authorization: `Bearer ${token}` }),
  ).toBe(400)
  expect(
    await statusOf('/api/v2/sync?last_pulled_at=0', `{"patients":${nested}}`, {
      authorization: `Bearer ${token}`,
    }),
  ).toBe(400)
})

test('screens’ server functions answer who may call them', async ({ clinic }) => {
  expect(await clinic.call('provider', 'GET', { name: 'patients.list', input: {} })).toBe(200)
  expect(await clinic.call('provider', 'POST', { name: 'sessions.lock', input: {} })).toBe(200)
})

describe.for(HOSTILE)('screens’ server functions, as %s', (kind) => {
  test('refuse another clinic’s records in each operation that the table refuses', async ({
    clinic,
  }) => {
    const answered = []
    for (const [name, { facts }] of refusedTo(kind)) {
      const isRead = facts.kind === 'query' && !facts.byPost
      const input = samples[name]!(clinic.other) ?? {}
      const status = await clinic.call(kind, isRead ? 'GET' : 'POST', { name, input })
      if (!REFUSED.includes(status)) answered.push([name, status])
    }
    expect(answered).toEqual([])
  })
})

/** What waits for this table waits until `work` is over. */
async function whileLocked(url: string, table: string, work: () => Promise<void>) {
  const db = connect(url)
  try {
    await db.transaction().execute(async (held) => {
      // a failure of `work` is reported in place of a lost connection
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(held)
      await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(held)
      await work()
    })
  } finally {
    await db.destroy()
  }
}

/** As the proxy passes it on. */
const from = (address: string) => ({ 'x-forwarded-for': address })

test('while 250 strangers wait, users and phones are answered, and who has the most waiting is refused', async ({
  clinic,
}) => {
  const { origin, tokens, queue } = clinic
  const leaving = new AbortController()
  const answers: { address: string; status: number; text: string; retryAfter: string | null }[] = []
  const asked: Promise<unknown>[] = []
  const ask = (address: string, times: number) => {
    for (let at = 0; at < times; at += 1)
      asked.push(
        fetch(`${origin}/board?token=unknown`, { headers: from(address), signal: leaving.signal })
          .then(async (response) => {
            const { status, headers } = response
            const retryAfter = headers.get('retry-after')
            return answers.push({ address, status, retryAfter, text: await response.text() })
          })
          .catch(() => {}),
      )
  }
  await whileLocked(clinic.databaseUrl, 'board_links', async () => {
    for (let at = 1; at <= 5; at += 1) ask(`203.0.113.${at}`, 20)
    await expect.poll(() => queue('strangers', 'waiting')).toBe(98)

    const bearer = { authorization: `Bearer ${tokens.provider}` }
    const statusOf = async (path: string, init?: RequestInit) => {
      const response = await fetch(origin + path, init)
      await response.arrayBuffer()
      return response.status
    }
    for (const path of ['/', '/api/health/live', '/api/health/ready', '/rpc/heartbeat'])
      for (const method of ['GET', 'HEAD'])
        expect([
          method,
          path,
          await statusOf(path, { method, headers: from('203.0.113.1') }),
        ]).toEqual([method, path, 200])
    for (const path of [
      '/app/patients',
      '/api/trpc/patients.list?input=%7B%7D',
      '/api/fhir/Patient',
      '/api/v2/sync?last_pulled_at=0&schema_version=9',
    ])
      expect([path, await statusOf(path, { headers: bearer })]).toEqual([path, 200])
    expect(await clinic.call('provider', 'GET', { name: 'patients.list', input: {} })).toBe(200)

    ask('203.0.113.6', 150)
    await expect.poll(() => answers.length).toBe(48)
    ask('203.0.113.7', 1)
    await expect.poll(() => answers.length).toBe(49)
    expect(new Set(answers.map(({ address }) => address))).toEqual(new Set(['203.0.113.6']))
    for (const { status, retryAfter, text } of answers)
      expect([status, retryAfter, text]).toEqual([
        429,
        '2',
        'Too many requests are waiting. Try again in 2 seconds',
      ])
    expect(await queue('strangers', 'waiting')).toBe(200)

    // what nobody waits for any more is not answered
    leaving.abort()
    await Promise.all(asked)
    await expect.poll(() => queue('strangers', 'waiting')).toBe(0)
  })
})

test('sixty calls of one user, in a batch or alone, leave the server to others', async ({
  clinic,
}) => {
  const { origin, tokens, queue } = clinic
  const headers = { authorization: `Bearer ${tokens.provider}`, 'content-type': 'application/json' }
  const read = async (path: string, input: object) => {
    const response = await fetch(`${origin}/api/trpc/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    })
    await response.arrayBuffer()
    return response.status
  }
  const other = () => clinic.call('registrar', 'GET', { name: 'patients.list', input: {} })
  expect(await other()).toBe(200)
  const before = await queue('calls', 'begun')
  let calls: Promise<number[]> | undefined
  await whileLocked(clinic.databaseUrl, 'drug_catalogue', async () => {
    const twenty = Array.from({ length: 20 }, (_, at) => at)
    calls = Promise.all([
      ...twenty.map(() => read('drugs.list', {})),
      read(`${twenty.map(() => 'drugs.list').join(',')}?batch=1`, { ...twenty.map(() => ({})) }),
      ...twenty.map(() => clinic.call('provider', 'GET', { name: 'drugs.list', input: {} })),
    ])
    // another user was at work a moment ago
    await expect.poll(() => queue('calls', 'waiting')).toBe(58)
    expect((await queue('calls', 'begun')) - before).toBe(2)
    for (let at = 0; at < 5; at += 1) expect(await other()).toBe(200)
    expect(await queue('calls', 'waiting')).toBe(58)
  })
  expect(new Set(await calls)).toEqual(new Set([200]))
})

test('twenty people of one address sign in and work at once, and are all served', async ({
  clinic,
}) => {
  const { origin } = clinic
  const emails = await twentyUsers(clinic.databaseUrl)
  const headers = { ...from('198.51.100.20'), origin }
  const served = await Promise.all(
    emails.map(async (email) => {
      const statuses: number[] = []
      const ask = async (path: string, init: RequestInit) => {
        const response = await fetch(origin + path, { redirect: 'manual', ...init })
        await response.arrayBuffer()
        statuses.push(response.status)
        return response
      }
      await ask('/', { headers })
      const body = new URLSearchParams({ step: 'signIn', email, password: PASSWORD })
      const signedIn = await ask('/', { method: 'POST', headers, body })
      const cookie = signedIn.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ')
      await ask('/app', { headers: { ...headers, cookie } })
      await ask('/api/trpc/patients.list?input=%7B%7D', { headers: { ...headers, cookie } })
      return statuses
    }),
  )
  expect(served).toEqual(emails.map(() => [200, 303, 200, 200]))
})

async function twentyUsers(url: string): Promise<string[]> {
  const db = connect(url)
  const make = makeFactories(db)
  const emails: string[] = []
  for (let at = 0; at < 20; at += 1) {
    const user = await make.user({ role: 'admin' })
    await givePassword(db, user)
    emails.push(user.email)
  }
  await db.destroy()
  return emails
}

test('the screen of a waiting room with a valid link is answered before strangers', async ({
  clinic,
}) => {
  const { origin, other, queue } = clinic
  const token = newToken()
  const db = connect(clinic.databaseUrl)
  await db
    .insertInto('board_links')
    .values({
      clinic_id: other.clinic.id,
      token_hash: hashToken(token),
      created_by_user_id: clinic.adminId,
    })
    .execute()
  await db.destroy()
  const leaving = new AbortController()
  const input = encodeURIComponent(JSON.stringify({ token }))
  const payload = encodeURIComponent(
    JSON.stringify(toJSON({ data: { name: 'queue.showBoard', input: { token } } })),
  )
  await whileLocked(clinic.databaseUrl, 'users', async () => {
    const blocked = [1, 2].map((at) =>
      fetch(`${origin}/api/trpc/setup.state`, {
        headers: from(`203.0.113.${at}`),
        signal: leaving.signal,
      }).catch(() => {}),
    )
    const stranger = fetch(`${origin}/trust`, { signal: leaving.signal }).catch(() => 'left')
    await expect.poll(() => queue('strangers', 'waiting')).toBe(1)
    for (const path of [
      `/board?token=${token}`,
      `/api/trpc/queue.showBoard?input=${input}`,
      `/_serverFn/${clinic.ids.GET}?payload=${payload}`,
    ]) {
      const response = await fetch(origin + path, {
        headers: { origin, 'x-tsr-serverFn': 'true' },
      })
      await response.arrayBuffer()
      expect([path, response.status]).toEqual([path, 200])
    }
    leaving.abort()
    expect(await stranger).toBe('left')
    await Promise.all(blocked)
  })
})

test('an address without a page is answered in plain text, and nothing is rendered for strangers', async ({
  clinic,
}) => {
  const { origin, tokens } = clinic
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(origin + path, { redirect: 'manual', headers })
  const none = ['/no-such-page', '/wp-login.php', '/trust/more', '/demo', '/demo/table', '/demo/x']
  for (const path of [...none, '/setup/x', '/reset', '/app/no-such-screen']) {
    const response = await ask(path)
    expect([path, response.status, await response.text()]).toEqual([
      path,
      404,
      'This page does not exist, or you do not have access to it.',
    ])
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  }
  // the sample pages are not switched on for users either
  const bearer = { authorization: `Bearer ${tokens.provider}` }
  expect((await ask('/demo/table', bearer)).status).toBe(404)
  expect((await ask('/no-such-page', bearer)).headers.get('content-type')).toMatch(/^text\/html/)
  for (const path of ['/app', '/app/patients?page=2&sort=surname']) {
    const response = await ask(path)
    const to = path === '/app' ? '/' : `/?to=${encodeURIComponent(path)}`
    expect([path, response.status, response.headers.get('location')]).toEqual([path, 307, to])
    const page = await (await ask(to)).text()
    expect(page).toContain(`action="${to}"`)
  }
  const arabic = await ask('/no-such-page', { 'accept-language': 'ar' })
  expect(await arabic.text()).toMatch(/\p{Script=Arabic}/u)
})

/** Requests that no client of good will sends, and the status of each. */
const MALFORMED: [method: string, path: string, status: number, body?: string, type?: string][] = [
  ['GET', '/_serverFn/', 404],
  ['GET', '/_serverFn/unknown', 404],
  ['POST', '/_serverFn/unknown', 404, '{}'],
  ['GET', '/_serverFn/constructor', 404],
  ['GET', '/_serverFn/__proto__', 404],
  ['GET', '/_serverFn/%00', 404],
  ['GET', '/_serverFn/%E0%A4%A', 400],
  ['PUT', '/_serverFn/unknown', 404],
  ['POST', '/_serverFn/READ', 405, '{}'],
  ['DELETE', '/_serverFn/READ', 405],
  ['GET', '/_serverFn/WRITE', 405],
  ['GET', '/_serverFn/READ?payload=%7B', 400],
  ['GET', '/_serverFn/READ?payload=%E0%A4%A', 400],
  ['GET', '/_serverFn/READ', 400],
  ['POST', '/_serverFn/WRITE', 400, '{'],
  ['POST', '/_serverFn/WRITE', 400, 'a=b', 'application/x-www-form-urlencoded'],
  ['POST', '/_serverFn/WRITE', 400, '{}', 'text/plain'],
  ['POST', '/_serverFn/WRITE', 400, 'x', 'multipart/form-data; boundary=x'],
  ['GET', '/api/trpc/no.operation', 404],
  ['GET', '/api/trpc/constructor', 404],
  ['GET', '/api/trpc/patients.__proto__', 404],
  ['GET', '/api/trpc/%E0%A4%A', 400],
  ['GET', '/api/trpc/patients.list?input=%7B', 400],
  ['GET', '/api/trpc/patients.list,patients.list?batch=1&input=%7B', 400],
  ['GET', '/api/trpc/patients.list,,?batch=1', 207],
  ['POST', '/api/trpc/patients.list?batch=1', 400, '[1,2'],
  ['POST', '/api/trpc/patients.list', 400, '{'],
  ['POST', '/api/trpc/patients.list', 415, '{}', 'text/plain'],
  ['PUT', '/api/trpc/patients.list', 405, '{}'],
  ['GET', '/api/fhir/%E0%A4%A', 400],
  ['POST', '/api/fhir/Patient', 400, '{'],
  ['POST', '/api/fhir/Patient', 415, '{}', 'text/plain'],
  ['OPTIONS', '/api/fhir/Patient', 405],
  ['PUT', '/api/v2/sync', 405, '{}'],
  ['HEAD', '/api/v2/sync', 405],
  ['POST', '/api/v2/sync', 400, '{'],
  ['GET', '/api/v2/sync?last_pulled_at=%E0%A4%A&schema_version=x&migration=%7B', 200],
  ['GET', '/rpc/query', 405],
  ['POST', '/rpc/query', 404, '{'],
  ['POST', '/rpc/command', 404, '[]'],
  ['POST', '/rpc/heartbeat', 405, '{}'],
  ['DELETE', '/api/health/ready', 405],
  ['POST', '/api/health', 405, '{}'],
  ['GET', '/api/login', 405],
  ['POST', '/api/login', 401, '{'],
  ['POST', '/api/auth/sign-in', 401, '[1]'],
  ['POST', '/api/auth/token', 400, 'grant_type=%E0%A4%A', 'application/x-www-form-urlencoded'],
  ['GET', '/api/photos/%E0%A4%A', 400],
  ['GET', '/api/event-files/..%2f..%2fx', 400],
  ['GET', '/api/patients/export?format=x', 400],
  ['GET', '/api/live?reads=%00', 200],
  ['GET', '/api/no-such-address', 404],
  ['GET', '/app/patients/%E0%A4%A', 400],
  ['GET', '/app/patients?page=%E0%A4%A', 307],
  ['PUT', '/app/patients', 405],
  ['DELETE', '/', 405],
  ['POST', '/app/patients', 405, '{}'],
  ['OPTIONS', '/trust', 405],
  ['GET', '/%E0%A4%A', 400],
]

test('a request that is malformed, unknown or by another method is refused, and is no error of ours', async ({
  clinic,
}) => {
  const { origin, ids, tokens } = clinic
  const answered = []
  for (const [method, path, , body, type = 'application/json'] of MALFORMED) {
    const leaving = new AbortController()
    const address = path.replace('READ', ids.GET).replace('WRITE', ids.POST)
    const response = await fetch(origin + address, {
      method,
      redirect: 'manual',
      signal: leaving.signal,
      headers: {
        origin,
        'x-tsr-serverFn': 'true',
        authorization: `Bearer ${tokens.super_admin}`,
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
    })
    answered.push([method, path, response.status])
    leaving.abort()
  }
  expect(answered).toEqual(MALFORMED.map(([method, path, status]) => [method, path, status]))
})

test('headers that are too large are refused', async ({ clinic }) => {
  const response = await fetch(clinic.origin, { headers: { cookie: 'x'.repeat(40_000) } })
  expect(response.status).toBe(431)
})

test('pages run no script but their own, and are neither framed nor stored', async ({ clinic }) => {
  const pages = ['/', '/?to=/app/patients', '/trust', '/app/patients', '/no-such-page']
  const nonces = new Set<string>()
  for (const path of pages) {
    const headers = { authorization: `Bearer ${clinic.tokens.provider}` }
    const isOfUser = path === '/app/patients' || path === '/no-such-page'
    const response = await fetch(clinic.origin + path, {
      redirect: 'manual',
      ...(isOfUser && { headers }),
    })
    const policy = response.headers.get('content-security-policy')!
    for (const part of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(part)
    const scripts = policy.split('; ').find((part) => part.startsWith('script-src'))!
    const [, nonce = ''] = /'nonce-([\w+/=]+)'/.exec(scripts) ?? []
    expect(scripts).not.toContain('unsafe-inline')
    expect(scripts).not.toMatch(/'unsafe-eval'/)
    nonces.add(nonce)
    for (const [tag] of (await response.text()).matchAll(/<script\b[^>]*>/g))
      expect(tag.includes(`nonce="${nonce}"`) || tag.includes('src="/')).toBe(true)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  }
  expect(nonces.size).toBe(pages.length)
})

test('nothing runs in the data of screens, which are neither framed nor stored', async ({
  clinic,
}) => {
  const calls = [
    ['patients.list', 200],
    ['patients.get', 400],
    ['no.operation', 400],
  ] as const
  for (const [name, status] of calls) {
    const response = await clinic.answerTo('provider', 'GET', { name, input: {} })
    expect([name, response.status]).toEqual([name, status])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(response.headers.has('permissions-policy')).toBe(false)
  }
})

test('no page of another site may read an answer', async ({ clinic }) => {
  const token = clinic.tokens.provider
  for (const path of ['/', '/api/trpc/patients.list', '/api/v2/sync', '/api/login', '/api/health'])
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const headers = {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        authorization: `Bearer ${token}`,
      }
      const response = await fetch(clinic.origin + path, { method, headers })
      await response.arrayBuffer()
      const allowed = [...response.headers.keys()].filter((name) => name.startsWith('access-c'))
      expect([method, path, allowed]).toEqual([method, path, []])
    }
})

test('sources, their history, folders and metrics are not served', async ({ clinic }) => {
  const paths = [
    '.git/config',
    'package.json',
    'src/server.ts',
    'data/',
    'assets/',
    'assets',
    '..%2f',
  ]
  for (const path of [...paths, 'api/metrics', 'metrics', 'files/', '%2e%2e/package.json']) {
    const response = await fetch(`${clinic.origin}/${path}`)
    const text = await response.text()
    expect([path, response.status]).toEqual([path, 404])
    expect(text).not.toMatch(/sanad_http|"dependencies"|\[core\]/)
  }
})

test('each log entry is one line of JSON, without the content of a request', async ({ clinic }) => {
  const before = clinic.logged().length
  const forged = '{"level":"error","msg":"forged"}'
  const path = `/forged%0a${encodeURIComponent(forged)}?forged=%0d%0a${encodeURIComponent(forged)}`
  for (const method of ['GET', 'POST', 'FORGED'])
    await fetch(clinic.origin + path, {
      method,
      headers: { 'user-agent': forged, 'x-request-id': `forged ${forged}` },
      ...(method === 'POST' && { body: forged }),
    })
  await signIn(clinic.origin, `forged\n${forged}`)
  const entries = () => clinic.logged().slice(before).split('\n').slice(0, -1)
  await until(() => entries().filter((line) => line.includes('"status":4')).length >= 3)
  for (const line of entries()) {
    expect(JSON.parse(line)).toMatchObject({ level: 'info', time: expect.stringMatching(/Z$/) })
    expect(line).not.toMatch(/forged/)
  }
})

test('cookies of an https page go to that host only, with its own requests, and no script reads them', async ({
  clinic,
}) => {
  const headers = {
    origin: clinic.origin.replace('http:', 'https:'),
    'x-forwarded-proto': 'https',
  }
  const cookiesOf = async (response: Response, status: number) => {
    const text = await response.text()
    expect([response.url, response.status, text]).toEqual([response.url, status, text])
    const cookies = response.headers.getSetCookie()
    for (const cookie of cookies) {
      expect(text).not.toContain(cookie.split(/[=;]/)[1])
      expect(cookie).toMatch(/^__Host-sanad_\w+=/)
      for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
        expect(cookie.split('; ')).toContain(part)
      expect(cookie).not.toContain('Domain')
    }
    return cookies.map((cookie) => /^__Host-(\w+)/.exec(cookie)![1]!).toSorted()
  }
  const signedIn = (own: object) =>
    fetch(clinic.origin, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, ...own },
      body: new URLSearchParams({ step: 'signIn', email: clinic.email, password: PASSWORD }),
    })
  expect(await cookiesOf(await signedIn({}), 303)).toEqual(['sanad_browser', 'sanad_session'])
  // the form of another site signs no browser in, as none of its calls does anything
  for (const own of [{ origin: 'https://elsewhere.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect(await cookiesOf(await signedIn(own), 403)).toEqual([])
  const saved = await preferencesSaved(clinic.origin, { language: 'ar', theme: 'dark' }, headers)
  expect(await cookiesOf(saved, 200)).toEqual(['sanad_language', 'sanad_theme'])
})

test('a type that screens never send is refused before it is decoded', async ({ clinic }) => {
  for (const data of [new Map([['language', 'ar']]), { language: /(a+)+$/ }]) {
    const answer = await preferencesSaved(clinic.origin, data, { origin: clinic.origin })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: 'The input of this call is not valid.' })
  }
})

const preferencesSaved = (origin: string, data: object, headers: Record<string, string>) =>
  fetch(`${origin}/_serverFn/${serverFunction('sessions.functions', 'savePreferences')}`, {
    method: 'POST',
    body: JSON.stringify(toJSON({ data })),
    headers: { ...headers, 'content-type': 'application/json', 'x-tsr-serverFn': 'true' },
  })

const emailOf = async (url: string, dataDir: string) => (await aProvider(url, dataDir)).email

async function signIn(url: string, email: string) {
  return fetch(`${url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
}

async function aProvider(url: string, dataDir: string) {
  const db = connect(databaseUrl(dataDir))
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const user = await make.user({ role: 'provider' })
  await givePassword(db, user)
  await make.permission(user, clinic.id, EVERYTHING)
  await db.destroy()
  const response = await signIn(url, user.email)
  const { token } = (await response.json()) as { token: string }
  return { email: user.email, token }
}
