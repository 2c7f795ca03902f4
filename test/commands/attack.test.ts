import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { declareLargest, guess, sendLargest } from '../../scripts/prove/strangers'
import { connect } from '~/db/connect'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { EVERYTHING } from '../sync/clinic'
import { databaseUrl, freePort, settingsForUsed, test } from './sanad'

const GIGABYTE = 1024 ** 2

test('strangers who guess and send the largest bodies stop nobody who is signed in', async ({
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
  const queue = async (name: string, state: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}`)).text()
    const line = new RegExp(`^sanad_queue\\{queue="${name}",state="${state}"\\} (\\d+)$`, 'm')
    return Number(line.exec(text)?.[1] ?? 0)
  }

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
  // refusals of a source that gets many are held back, and no answer to a signed-in user is
  expect(await queue('refusals', 'begun')).toBeGreaterThan(0)
  expect(await queue('refusals', 'waiting')).toBe(0)
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
  start,
  temporaryDirectory,
}) => {
  const dataDir = temporaryDirectory()
  const sanad = start(await settingsForUsed(dataDir))
  const url = await sanad.ready
  const { token } = await aProvider(url, dataDir)
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
