import { expect } from 'vitest'
import { jwksOf, newKey } from '../../../../test/api-clients'
import { auditOf, test } from '../../../../test/harness'
import { deleteUser } from '~/features/office/users/users.server'
import { AppError } from '~/shared/errors'
import { newId } from '~/shared/id'
import { getApiClient, listApiClients, revokeApiClient, saveApiClient } from './api-clients.server'

const key = newKey('ES384', 'key-1')
const values = {
  name: 'Laboratory',
  scopes: 'system/Patient.rs  system/Observation.crs\nsystem/Patient.rs',
  jwks: jwksOf(key),
  is_active: true,
}
const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error('It was not refused', { cause: error })
  return { code: error.code, fields: error.fields }
}

test('an administrator adds a program, changes it and revokes it; the trail says so', async ({
  asUser,
  make,
  db,
}) => {
  const amal = asUser(await make.user({ role: 'admin' }))
  const service = await make.user({ role: 'provider', name: 'Laboratory of the city' })
  const id = newId()
  const { last_modified } = await saveApiClient(amal, { id, user_id: service.id, ...values })
  expect(await getApiClient(amal, { id })).toMatchObject({
    name: 'Laboratory',
    user: 'Laboratory of the city',
    scopes: 'system/Patient.rs system/Observation.crs',
    is_active: true,
    last_token_at: null,
  })
  // one key alone is a set, too
  const other = newKey('RS384', 'key-2')
  const jwks = JSON.stringify(other.jwk)
  await saveApiClient(amal, { id, user_id: service.id, ...values, jwks, last_modified })
  const stored = JSON.parse((await getApiClient(amal, { id })).jwks) as object
  expect(stored).toEqual({ keys: [other.jwk] })
  await revokeApiClient(amal, { id })
  expect(await listApiClients(amal, {})).toMatchObject([{ id, is_active: false }])
  expect((await auditOf(db, id)).map(({ action }) => action)).toEqual([
    'apiClients.save',
    'apiClients.save',
    'apiClients.revoke',
  ])
  const fresh = { id, user_id: service.id, ...values, last_modified }
  expect((await refusal(saveApiClient(amal, fresh))).code).toBe('conflict')
  expect((await refusal(revokeApiClient(amal, { id: newId() }))).code).toBe('not_found')
})

test('only administrators manage programs, and none gives a program more than they may give', async ({
  as,
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const boss = await make.user({ role: 'super_admin' })
  const adminUser = await make.user({ role: 'admin' })
  const [admin, superAdmin] = [asUser(adminUser), asUser(boss)]
  const staff = await make.user({ role: 'provider' })
  const other = await make.user({ role: 'admin' })
  const clinicAdmin = as('provider', { [clinic.id]: ['is_clinic_admin'] })
  const id = newId()
  const save = (ctx: typeof admin, userId: string, more = {}) =>
    saveApiClient(ctx, { id, user_id: userId, ...values, ...more })
  expect((await refusal(save(clinicAdmin, staff.id))).code).toBe('forbidden')
  expect((await refusal(listApiClients(clinicAdmin, {}))).code).toBe('forbidden')
  for (const user of [adminUser, other, boss])
    expect(await refusal(save(admin, user.id))).toEqual({
      code: 'forbidden',
      fields: { user_id: { key: 'apiClients.userAbove' } },
    })
  expect((await refusal(save(admin, newId()))).fields).toEqual({
    user_id: { key: 'users.notFound' },
  })
  const { last_modified } = await save(superAdmin, other.id)
  // whose keys an administrator replaces would act as that user
  expect((await refusal(save(admin, staff.id, { last_modified }))).code).toBe('forbidden')
  expect((await refusal(save(admin, other.id, { last_modified }))).code).toBe('forbidden')
  // to stop a program is open to each administrator
  await revokeApiClient(admin, { id })
})

test('a user serves one program, until the program is revoked', async ({ asUser, make }) => {
  const admin = asUser(await make.user({ role: 'admin' }))
  const staff = await make.user({ role: 'provider' })
  const first = newId()
  await saveApiClient(admin, { id: first, user_id: staff.id, ...values })
  const second = { id: newId(), user_id: staff.id, ...values }
  expect(await refusal(saveApiClient(admin, second))).toEqual({
    code: 'conflict',
    fields: { user_id: { key: 'apiClients.userTaken' } },
  })
  await revokeApiClient(admin, { id: first })
  await saveApiClient(admin, second)
  await deleteUser(admin, { id: staff.id })
  expect(await getApiClient(admin, { id: second.id })).toMatchObject({ is_user_deleted: true })
})

test('each field says what is wrong with it', async ({ asUser, make }) => {
  const admin = asUser(await make.user({ role: 'admin' }))
  const staff = await make.user({ role: 'provider' })
  const problem = async (more: Partial<typeof values>) => {
    const { fields } = await refusal(
      saveApiClient(admin, { id: newId(), user_id: staff.id, ...values, ...more }),
    )
    return Object.entries(fields).map(([name, { key: what }]) => `${name} ${what}`)
  }
  const keys = (...all: object[]) => ({ jwks: JSON.stringify({ keys: all }) })
  const { jwk, privateKey } = key
  const { n, e } = newKey('RS384').jwk as { n: string; e: string }
  const rsa = (more: { n?: string; e?: string }) => ({ kty: 'RSA', kid: 'a', n, e, ...more })
  const number = (value: bigint | number, bytes = 0) =>
    Buffer.from(value.toString(16).padStart(Math.max(2, bytes * 2), '0'), 'hex').toString(
      'base64url',
    )
  const short = rsa({ n: 'x'.repeat(171) })
  // 2048 bits of which the first half are zeros
  const padded = rsa({ n: number((1n << 1023n) + 1n, 256) })
  const even = rsa({ n: number((1n << 2047n) + 2n) })
  expect(await problem({ name: ' ' })).toEqual(['name validation.required'])
  for (const scopes of [
    'patient/Patient.rs',
    'system/Patient.sr',
    'system/Patient.',
    'system/Nothing.rs',
    'system/Patient.rs?name=a',
    'system/Patient.rs openid',
  ])
    expect([scopes, ...(await problem({ scopes }))]).toEqual([
      scopes,
      'scopes apiClients.scopeUnknown',
    ])
  for (const [wrong, what] of [
    [{ jwks: 'https://lab.example/jwks.json' }, 'NotJson'],
    [{ jwks: '[]' }, 'Empty'],
    [keys(), 'Empty'],
    [keys(...Array.from({ length: 11 }, (_, at) => ({ ...jwk, kid: String(at) }))), 'TooMany'],
    [keys({ ...privateKey.export({ format: 'jwk' }), kid: 'a' }), 'Private'],
    [keys({ kty: 'oct', kid: 'a', k: 'AAAA' }), 'Private'],
    [keys({ ...jwk, kid: undefined }), 'NoKid'],
    [keys(jwk, jwk), 'SameKid'],
    [keys({ ...jwk, crv: 'P-256' }), 'Kind'],
    [keys({ ...jwk, alg: 'RS256' }), 'Kind'],
    [keys(null as unknown as object), 'NoKid'],
    [keys(short), 'Short'],
    [keys(padded), 'Short'],
    [keys(rsa({ n: number(0, 256) })), 'Short'],
    [keys(even), 'NotValid'],
    [keys(rsa({ n: number((1n << 20_000n) + 1n, 2501) })), 'NotValid'],
    [keys(rsa({ e: number(0) })), 'NotValid'],
    [keys(rsa({ e: number(1) })), 'NotValid'],
    [keys(rsa({ e: number(2) })), 'NotValid'],
    [keys(rsa({ e: number((1n << 300n) + 1n, 38) })), 'NotValid'],
    // off the curve
    [keys({ ...jwk, y: jwk.x }), 'NotValid'],
    [keys({ ...jwk, x: number(0, 48), y: number(0, 48) }), 'NotValid'],
    [keys({ ...jwk, x: 'AAAA' }), 'NotValid'],
    // one bad key of two
    [keys(jwk, rsa({ e: number(1) })), 'NotValid'],
  ] as const)
    expect(await problem(wrong)).toEqual([`jwks apiClients.jwks${what}`])
})
