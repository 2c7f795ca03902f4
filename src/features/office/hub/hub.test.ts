import { expect } from 'vitest'
import { listAudit } from '~/features/office/audit/audit.server'
import { listPhones } from '~/features/office/devices/devices.server'
import { test } from '../../../../test/harness'
import { allowHubPhone, getHub, revokeHubPhone, saveHub } from './hub.server'

test('the hub is off until a super administrator switches it on, and the trail says who did', async ({
  as,
}) => {
  const owner = as('super_admin')
  expect(await getHub(owner, null)).toMatchObject({
    enabled: false,
    urls: [],
    codes: [],
    isListening: false,
    problem: null,
    port: 3080,
  })
  for (const role of ['admin', 'provider'] as const) {
    await expect(saveHub(as(role), { enabled: true })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(getHub(as(role), null)).rejects.toMatchObject({ code: 'forbidden' })
  }
  await expect(saveHub(owner, { enabled: 'yes' as never })).rejects.toMatchObject({
    code: 'invalid',
  })
  const on = await saveHub(owner, { enabled: true })
  expect(on).toMatchObject({ enabled: true, publicKey: expect.stringMatching(/^[\w-]{43}$/) })
  expect(await saveHub(owner, { enabled: true })).toEqual(on)
  const { codes, hubId, urls, sheet } = await getHub(owner, null)
  expect({ hubId, urls: codes.map(({ url }) => url) }).toEqual({ hubId: on.hubId, urls })
  expect(codes.every(({ svg }) => svg.startsWith('<svg'))).toBe(true)
  expect(sheet.map(({ steps }) => steps.length)).toEqual([4, 4, 4])
  const trail = await listAudit(as('admin'), { recordId: hubId })
  expect(trail.rows).toMatchObject([{ action: 'hub.save', changes: { enabled: [false, true] } }])
})

test('the key of the hub stays the same and is not stored', async ({ as, db }) => {
  const { publicKey } = await getHub(as('super_admin'), null)
  expect((await getHub(as('super_admin'), null)).publicKey).toBe(publicKey)
  expect(Object.keys(await db.selectFrom('hub').selectAll().executeTakeFirstOrThrow())).toEqual([
    'id',
    'enabled',
    'is_only',
  ])
})

test('a phone is revoked with its app password or its token, and allowed again', async ({
  as,
  asUser,
  make,
  db,
}) => {
  const amal = await make.user({ role: 'provider', name: 'Amal' })
  const password = await db
    .insertInto('app_passwords')
    .values({ user_id: amal.id, name: 'Ward phone', code_hash: Buffer.alloc(32, 1) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const ward = await make.hubPhone(amal, { app_password_id: password.id })
  const other = await make.hubPhone(amal)
  await db
    .insertInto('sessions')
    .values({
      user_id: amal.id,
      kind: 'token',
      token_hash: Buffer.alloc(32, 2),
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute()
  const tokens = async () => {
    const rows = await db.selectFrom('sessions').select('expires_at').execute()
    return rows.filter(({ expires_at }) => expires_at > new Date()).length
  }
  const admin = as('admin')
  await revokeHubPhone(admin, { id: ward.id })
  const revoked = await db
    .selectFrom('app_passwords')
    .select('revoked_at')
    .where('id', '=', password.id)
    .executeTakeFirst()
  expect(revoked?.revoked_at).toBeInstanceOf(Date)
  expect(await tokens()).toBe(1)
  await revokeHubPhone(asUser(amal), { id: other.id })
  expect(await tokens()).toBe(0)

  const states = async () => {
    const { rows } = await listPhones(admin, { search: 'Amal' })
    return rows.map(({ hub_phone_id, hub_revoked_at, may_revoke }) => [
      hub_phone_id,
      hub_revoked_at !== null,
      may_revoke,
    ])
  }
  expect(new Set(await states())).toEqual(
    new Set([
      [ward.id, true, true],
      [other.id, true, true],
    ]),
  )
  await allowHubPhone(admin, { id: ward.id })
  expect(await states()).toContainEqual([ward.id, false, true])
  const trail = await listAudit(admin, { recordId: amal.id })
  expect(trail.rows.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['hub.allow', 'hub.revoke']),
  )
})

test('a clinic administrator revokes phones of the clinic’s own users only', async ({
  as,
  make,
}) => {
  const [clinic, elsewhere] = [await make.clinic(), await make.clinic()]
  const [amal, omar] = [
    await make.user({ role: 'provider', clinic_id: clinic.id }),
    await make.user({ role: 'provider', clinic_id: elsewhere.id }),
  ]
  const [own, others] = [await make.hubPhone(amal), await make.hubPhone(omar)]
  const owner = await make.hubPhone(await make.user({ role: 'super_admin' }))
  const head = as('provider', { [clinic.id]: ['is_clinic_admin'] })
  await revokeHubPhone(head, { id: own.id })
  for (const id of [others.id, owner.id, crypto.randomUUID()])
    await expect(revokeHubPhone(head, { id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(revokeHubPhone(as('admin'), { id: owner.id })).rejects.toMatchObject({
    code: 'not_found',
  })
  const colleague = as('provider', { [clinic.id]: ['can_view_history'] })
  await expect(allowHubPhone(colleague, { id: own.id })).rejects.toMatchObject({
    code: 'not_found',
  })
})
