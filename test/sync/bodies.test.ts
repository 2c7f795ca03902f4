import { expect } from 'vitest'
import { aPatient } from './chart'
import { EVERYTHING, test } from './clinic'
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
