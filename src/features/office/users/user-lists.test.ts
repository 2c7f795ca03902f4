import { describe, expect } from 'vitest'
import type { Context } from '~/server/operation'
import { test } from '../../../../test/harness'
import { clinicsOfUserWhere, getUser, listUserNames, listUsers } from './users.server'

describe('the list', () => {
  test('shows an administrator everybody, each with role, clinics and what may be done', async ({
    as,
    make,
  }) => {
    const [a, b] = [
      await make.clinic({ name: 'Hillside' }),
      await make.clinic({ name: 'Lakeside' }),
    ]
    const user = await make.user({ name: 'amal haddad', clinic_id: b.id })
    await make.permission(user, a.id)
    await make.permission(user, b.id)
    await make.user({ name: 'Zain', role: 'super_admin' })
    await make.user({ name: 'Gone', is_deleted: true })

    expect(await listUsers(as('admin'), {})).toMatchObject({
      rows: [
        {
          initials: 'AH',
          role: 'provider',
          clinics: [{ name: 'Lakeside' }, { name: 'Hillside' }],
          last_sign_in: null,
          may: { edit: true, delete: true, resetPassword: true, managePermissions: false },
        },
        { name: 'Zain', clinics: [], may: { edit: false, delete: false, resetPassword: false } },
      ],
      pagination: { page: 1, total: 2 },
    })
  })

  test('is searched by name and e-mail, filtered by role and clinic, sorted, and paged', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    await make.user({
      name: 'Amal',
      email: 'z@clinic.example',
      role: 'registrar',
      clinic_id: clinic.id,
    })
    await make.user({ name: 'Basma', email: 'y@clinic.example' })
    const names = async (input: object) =>
      (await listUsers(as('admin'), input)).rows.map(({ name }) => name)

    expect(await names({ search: 'MAL' })).toEqual(['Amal'])
    expect(await names({ search: 'y@' })).toEqual(['Basma'])
    expect(await names({ search: '%' })).toEqual([])
    expect(await names({ role: 'provider' })).toEqual(['Basma'])
    expect(await names({ clinicId: clinic.id })).toEqual(['Amal'])
    expect(await names({ sort: 'email' })).toEqual(['Basma', 'Amal'])
    expect(await names({ sort: 'role', direction: 'desc' })).toEqual(['Basma', 'Amal'])
    expect(await names({ page: 2 })).toEqual([])
  })

  test('shows a provider the users of their own clinics, and a registrar only as administrator of one', async ({
    as,
    make,
  }) => {
    const [mine, other] = [await make.clinic(), await make.clinic()]
    const colleague = await make.user({ name: 'Colleague' })
    await make.permission(colleague, mine.id)
    await make.user({ name: 'Assigned', clinic_id: mine.id })
    await make.permission(await make.user({ name: 'Stranger' }), other.id)
    await make.permission(await make.user({ name: 'Withdrawn' }), mine.id, [])

    expect(await seen(as('provider', { [mine.id]: ['can_view_history'] }))).toEqual([
      'Assigned',
      'Colleague',
    ])
    expect(await seen(as('provider'))).toEqual([])
    expect(await seen(as('registrar', { [mine.id]: ['is_clinic_admin'] }))).toEqual([
      'Assigned',
      'Colleague',
    ])
    const registrar = as('registrar', { [mine.id]: ['can_register_patients'] })
    await expect(seen(registrar)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(getUser(registrar, { id: colleague.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      getUser(as('provider', { [other.id]: ['can_view_history'] }), { id: colleague.id }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('says when a user last signed in', async ({ as, make, db }) => {
    const { id } = await make.user()
    const entry = {
      action: 'sessions.signIn',
      via: 'web',
      request_id: '',
      table_name: 'users',
      record_id: id,
      user_id: id,
    }
    await db
      .insertInto('audit_log')
      .values({ ...entry, at: new Date('2026-11-20T08:00:00Z') })
      .execute()
    expect((await listUsers(as('admin'), {})).rows[0]?.last_sign_in).toEqual(
      new Date('2026-11-20T08:00:00Z'),
    )
  })
})

test('names are open to everyone signed in, and nothing but names', async ({ as, make }) => {
  const clinic = await make.clinic()
  const { id } = await make.user({ name: 'Amal', clinic_id: clinic.id })
  await make.user({ name: 'Basma', role: 'registrar' })
  await make.user({ name: 'Gone', is_deleted: true })

  expect(await listUserNames(as('registrar'), undefined)).toMatchObject([
    { name: 'Amal' },
    { name: 'Basma' },
  ])
  expect(await listUserNames(as('registrar'), { role: 'provider' })).toEqual([{ id, name: 'Amal' }])
  expect(await listUserNames(as('registrar'), { clinicId: clinic.id })).toEqual([
    { id, name: 'Amal' },
  ])
  expect(await listUserNames(as('registrar'), { search: 'sm', limit: 1 })).toMatchObject([
    { name: 'Basma' },
  ])
})

test('names are narrowed to the users who hold a permission; administrators hold it everywhere', async ({
  as,
  make,
}) => {
  const [hillside, riverside] = [await make.clinic(), await make.clinic()]
  const [amal, basma] = [await make.user({ name: 'Amal' }), await make.user({ name: 'Basma' })]
  await make.user({ name: 'Chadi', role: 'registrar', clinic_id: hillside.id })
  await make.user({ name: 'Dina', role: 'admin' })
  await make.permission(amal, hillside.id, ['can_prescribe_medications'])
  await make.permission(basma, riverside.id, ['can_prescribe_medications'])
  await make.permission(basma, hillside.id, ['can_view_history'])
  const names = async (where: object) =>
    (
      await listUserNames(as('registrar'), { permission: 'can_prescribe_medications', ...where })
    ).map(({ name }) => name)
  expect(await names({ clinicId: hillside.id })).toEqual(['Amal', 'Dina'])
  expect(await names({})).toEqual(['Amal', 'Basma', 'Dina'])
})

test('the clinics where a person holds a permission; an administrator holds all of them everywhere', async ({
  as,
  make,
  asUser,
}) => {
  const [a, b] = [await make.clinic(), await make.clinic()]
  const user = await make.user()
  await make.permission(user, a.id)
  await make.permission(user, b.id, ['is_clinic_admin'])
  const admin = await make.user({ role: 'admin' })

  expect(
    await clinicsOfUserWhere(as('admin'), { userId: user.id, permission: 'is_clinic_admin' }),
  ).toEqual([b.id])
  expect(
    await clinicsOfUserWhere(as('admin'), { userId: admin.id, permission: 'is_clinic_admin' }),
  ).toEqual([a.id, b.id].toSorted())
  const own = asUser({ ...user, role: 'registrar' }, { [a.id]: ['can_view_history'] })
  expect(
    await clinicsOfUserWhere(own, { userId: user.id, permission: 'can_view_history' }),
  ).toEqual([a.id])
  await expect(
    clinicsOfUserWhere(own, { userId: admin.id, permission: 'can_view_history' }),
  ).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expect(
    clinicsOfUserWhere(as('provider', { [a.id]: ['can_view_history'] }), {
      userId: admin.id,
      permission: 'can_view_history',
    }),
  ).rejects.toMatchObject({ code: 'not_found' })
})

const seen = async (ctx: Context) => (await listUsers(ctx, {})).rows.map(({ name }) => name)
