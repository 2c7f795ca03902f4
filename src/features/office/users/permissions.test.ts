import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { defaultPermissions, type Permission, PERMISSIONS } from '~/shared/permissions'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import { giveClinic, listPermissions, revokeClinic, savePermissions } from './permissions.server'
import { getUser } from './users.server'

const only = (...held: Permission[]) =>
  Object.fromEntries(
    PERMISSIONS.map((permission) => [permission, held.includes(permission)]),
  ) as Record<Permission, boolean>
const heldIn = (rows: Awaited<ReturnType<typeof listPermissions>>) =>
  Object.fromEntries(
    rows.map((row) => [row.clinic, PERMISSIONS.filter((permission) => row[permission])]),
  )

describe('the permissions of a person', () => {
  test('are one row for each clinic; an administrator has all of them by role', async ({
    as,
    make,
  }) => {
    const [a, b] = [await make.clinic({ name: 'A' }), await make.clinic({ name: 'B' })]
    const user = await make.user({ role: 'registrar' })
    await make.permission(user, b.id)
    await make.permission(user, a.id, [])

    const rows = await listPermissions(as('super_admin'), { userId: user.id })
    expect(heldIn(rows)).toEqual({ A: [], B: ['can_register_patients'] })
    const admin = await make.user({ role: 'admin' })
    expect(await listPermissions(as('super_admin'), { userId: admin.id })).toMatchObject([
      { clinic: 'A', by_role: true, ...only(...PERMISSIONS) },
      { clinic: 'B', by_role: true, ...only(...PERMISSIONS) },
    ])
  })

  test('are visible to the user, and to an administrator of a clinic for that clinic', async ({
    as,
    asUser,
    make,
  }) => {
    const [mine, other] = [await make.clinic({ name: 'Mine' }), await make.clinic()]
    const user = await make.user({ role: 'registrar' })
    await make.permission(user, mine.id)
    await make.permission(user, other.id)

    expect(await listPermissions(asUser(user), { userId: user.id })).toHaveLength(2)
    expect(
      await listPermissions(as('provider', { [mine.id]: ['is_clinic_admin'] }), {
        userId: user.id,
      }),
    ).toMatchObject([{ clinic: 'Mine' }])
    await expect(
      listPermissions(as('provider', { [mine.id]: ['can_view_history'] }), { userId: user.id }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    const elsewhere = await make.clinic()
    await expect(
      listPermissions(as('provider', { [elsewhere.id]: ['is_clinic_admin'] }), { userId: user.id }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('setting single permissions', () => {
  test('keeps exactly those, says who set them, and is audited', async ({ asUser, make, db }) => {
    const clinic = await make.clinic()
    const user = await make.user()
    const root = await make.user({ role: 'super_admin', name: 'Root' })
    const request = { userId: user.id, clinicId: clinic.id }
    const { id, last_modified } = await savePermissions(asUser(root), {
      ...request,
      ...only('can_view_history'),
    })
    expect(
      await savePermissions(asUser(root), { ...request, ...only('can_view_history') }),
    ).toEqual({
      id,
      last_modified,
    })
    await savePermissions(asUser(root), { ...request, ...only('can_edit_records'), last_modified })

    const [row] = await listPermissions(asUser(root), { userId: user.id })
    expect(row).toMatchObject({
      ...only('can_edit_records'),
      last_modified_by: 'Root',
      by_role: false,
    })
    expect((await auditOf(db, id)).at(-1)).toMatchObject({
      action: 'permissions.save',
      clinic_id: clinic.id,
      changes: { can_view_history: [true, false], can_edit_records: [false, true] },
    })
  })

  test('a program that does not know a newer permission leaves it as it is', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const user = await make.user()
    const request = { userId: user.id, clinicId: clinic.id }
    const root = as('super_admin')
    const first = await savePermissions(root, { ...request, ...only('can_manage_stock') })
    const { can_manage_stock: _newer, ...known } = only('can_dispense_medications')
    await savePermissions(root, { ...request, ...known, last_modified: first.last_modified })
    expect(Object.values(heldIn(await listPermissions(root, { userId: user.id })))).toEqual([
      ['can_dispense_medications', 'can_manage_stock'],
    ])
  })

  test('a stale save is refused', async ({ as, make }) => {
    const clinic = await make.clinic()
    const user = await make.user()
    const row = await make.permission(user, clinic.id)
    const request = { userId: user.id, clinicId: clinic.id, last_modified: row.last_modified }
    await savePermissions(as('super_admin'), { ...request, ...only('can_view_history') })
    await expect(
      savePermissions(as('super_admin'), { ...request, ...only() }),
    ).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test('is for a super_admin alone, not for their own account, not for administrators', async ({
    as,
    asUser,
    make,
  }) => {
    const clinic = await make.clinic()
    const user = await make.user()
    const request = { userId: user.id, clinicId: clinic.id, ...only() }
    for (const ctx of [as('admin'), as('provider', { [clinic.id]: PERMISSIONS })]) {
      await expect(savePermissions(ctx, request)).rejects.toMatchObject({ code: 'forbidden' })
    }
    const root = await make.user({ role: 'super_admin' })
    await expect(
      savePermissions(asUser(root), { ...request, userId: root.id }),
    ).rejects.toMatchObject({
      text: { key: 'permissions.own' },
    })
    await expect(
      savePermissions(as('super_admin'), { ...request, userId: root.id }),
    ).rejects.toMatchObject({
      text: { key: 'permissions.byRoleAlready' },
    })
    await expect(
      savePermissions(as('super_admin'), { ...request, userId: uuidv7() }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('names the invalid value; refuses unknown and archived clinics, where rights can still be taken', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const user = await make.user()
    const request = { userId: user.id, clinicId: clinic.id, ...only('can_view_history') }
    await expect(
      savePermissions(as('super_admin'), { ...request, is_clinic_admin: 'yes' as never }),
    ).rejects.toMatchObject({
      fields: { is_clinic_admin: { key: 'validation.wrongType' } },
    })
    await expect(
      savePermissions(as('super_admin'), { ...request, clinicId: uuidv7() }),
    ).rejects.toMatchObject({
      text: { key: 'users.clinicClosed' },
    })
    const { last_modified } = await savePermissions(as('super_admin'), request)
    await db.updateTable('clinics').set({ is_archived: true }).execute()
    await expect(
      savePermissions(as('super_admin'), { ...request, can_edit_records: true, last_modified }),
    ).rejects.toMatchObject({
      text: { key: 'users.clinicClosed' },
    })
    await revokeClinic(as('super_admin'), { userId: user.id, clinicId: clinic.id })
  })
})

describe('adding a user to a clinic and removing a user from it', () => {
  test('gives the defaults of the role as far as the giver holds them, and removes everything', async ({
    as,
    make,
  }) => {
    const [clinic, other] = [
      await make.clinic({ name: 'Mine' }),
      await make.clinic({ name: 'Other' }),
    ]
    const user = await make.user({ clinic_id: other.id })
    const rana = as('provider', { [clinic.id]: ['is_clinic_admin', 'can_view_history'] })
    const request = { userId: user.id, clinicId: clinic.id }
    const held = async () => heldIn(await listPermissions(as('super_admin'), { userId: user.id }))

    await giveClinic(rana, request)
    expect(await held()).toEqual({ Mine: ['can_view_history'] })
    await giveClinic(as('admin'), request)
    expect(await held()).toEqual({ Mine: ['can_view_history'] })
    await revokeClinic(rana, request)
    expect(await held()).toEqual({ Mine: [] })
    await revokeClinic(rana, request)
    await giveClinic(as('admin'), request)
    expect(await held()).toEqual({ Mine: defaultPermissions('provider') })
    expect((await getUser(as('admin'), { id: user.id })).user.clinic_id).toBe(other.id)

    await revokeClinic(as('admin'), { userId: user.id, clinicId: other.id })
    expect((await getUser(as('admin'), { id: user.id })).user.clinic_id).toBeNull()
  })

  test('is refused for other clinics, for one’s own account, for administrators and for unknown users', async ({
    asUser,
    make,
  }) => {
    const [clinic, other] = [await make.clinic(), await make.clinic()]
    const user = await make.user()
    const rana = await make.user()
    await make.permission(rana, clinic.id, ['is_clinic_admin'])
    const ctx = asUser(rana, { [clinic.id]: ['is_clinic_admin'] })
    const admin = await make.user({ role: 'admin' })
    const refusals = [
      [{ userId: user.id, clinicId: other.id }, { code: 'forbidden' }],
      [{ userId: rana.id, clinicId: clinic.id }, { text: { key: 'permissions.own' } }],
      [{ userId: admin.id, clinicId: clinic.id }, { code: 'forbidden' }],
      [{ userId: uuidv7(), clinicId: clinic.id }, { code: 'not_found' }],
    ] as const
    for (const write of [giveClinic, revokeClinic]) {
      for (const [request, refusal] of refusals)
        await expect(write(ctx, request)).rejects.toMatchObject(refusal)
    }
  })
})

test('the database refuses rights for the own account and roles above the own one', async ({
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const user = await make.user({ role: 'admin' })
  const root = await make.user({ role: 'super_admin' })
  const row = await make.permission(user, clinic.id, [])
  await actingAs(db, user.id)

  const raise = db
    .updateTable('user_clinic_permissions')
    .set({ is_clinic_admin: true })
    .where('id', '=', row.id)
  expect(await brokenRule(db, raise)).toBe('user_clinic_permissions_own')
  const users = db.updateTable('users')
  expect(await brokenRule(db, users.set({ role: 'super_admin' }).where('id', '=', user.id))).toBe(
    'users_role_rank',
  )
  expect(await brokenRule(db, users.set({ email: 'x@y.example' }).where('id', '=', root.id))).toBe(
    'users_role_rank',
  )
  expect(await brokenRule(db, users.set({ is_deleted: true }).where('id', '=', root.id))).toBe(
    'users_role_rank',
  )
  const newcomer = { id: uuidv7(), name: 'X', email: 'x@clinic.example', role: 'admin' }
  expect(await brokenRule(db, db.insertInto('users').values(newcomer))).toBe('users_role_rank')
  const password = { user_id: root.id, password: '$argon2id$x' }
  expect(await brokenRule(db, db.insertInto('credentials').values(password))).toBe(
    'users_role_rank',
  )
})

const actingAs = (db: Parameters<typeof brokenRule>[0], userId: string) =>
  sql`select set_config('sanad.user_id', ${userId}, true)`.execute(db)
