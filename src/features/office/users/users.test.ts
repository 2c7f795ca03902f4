import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Context } from '~/server/operation'
import { defaultPermissions, type Permission, PERMISSIONS } from '~/shared/permissions'
import type { makeFactories } from '../../../../test/factories'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import { isPassword } from '~/features/office/sessions/passwords/password.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { listPermissions } from './permissions.server'
import { deleteUser, findUser, getUser, resetPassword, saveUser } from './users.server'

const id = uuidv7()
const nour = {
  id,
  name: 'Nour Saleh',
  email: 'nour@clinic.example',
  role: 'provider' as const,
  clinic_id: null,
}
const administers: Permission[] = [...defaultPermissions('provider'), 'is_clinic_admin']

type Tools = {
  make: ReturnType<typeof makeFactories>
  asUser: (
    user: { id: string; name: string; role: string; clinic_id: string | null },
    grants: Record<string, readonly Permission[]>,
  ) => Context
}

/** A provider who administers the clinics, with the row in the database that says so. */
const clinicAdmin = async (
  { make, asUser }: Tools,
  clinics: { id: string }[],
  held: readonly Permission[] = administers,
  role = 'provider',
): Promise<Context> => {
  const user = await make.user({ role, name: 'Rana Clinic-Admin' })
  for (const clinic of clinics) await make.permission(user, clinic.id, held)
  return asUser(user, Object.fromEntries(clinics.map((clinic) => [clinic.id, held])))
}

const refused = (code: string, field?: string, key?: string) =>
  expect.objectContaining({
    code,
    ...(field && {
      fields: expect.objectContaining({ [field]: expect.objectContaining({ key }) }),
    }),
  })

describe('a new user', () => {
  test('gets the permissions of a job, and keeps the role, if a super_admin chooses one', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const root = as('super_admin')
    const pharmacist = {
      ...nour,
      id: uuidv7(),
      clinic_id: clinic.id,
      password: null,
      preset: 'pharmacist' as const,
    }
    const saved = await saveUser(root, pharmacist)
    // a repeated request changes nothing more
    expect(await saveUser(root, pharmacist)).toEqual(saved)
    const { role } = await db
      .selectFrom('users')
      .select('role')
      .where('id', '=', pharmacist.id)
      .executeTakeFirstOrThrow()
    const row = await db
      .selectFrom('user_clinic_permissions')
      .select(PERMISSIONS)
      .where('user_id', '=', pharmacist.id)
      .where('clinic_id', '=', clinic.id)
      .executeTakeFirstOrThrow()
    expect(role).toBe('provider')
    expect(PERMISSIONS.filter((name) => row[name])).toEqual([
      'can_dispense_medications',
      'can_manage_stock',
    ])

    const other = { ...nour, id: uuidv7(), email: 'other@clinic.example', password: null }
    const asked = { ...other, clinic_id: clinic.id, preset: 'nurse' as const }
    await expect(saveUser(as('admin'), asked)).rejects.toEqual(refused('forbidden'))
    for (const wrong of [{ clinic_id: null }, { role: 'admin' as const }])
      await expect(saveUser(root, { ...asked, ...wrong })).rejects.toEqual(
        refused('invalid', 'preset', 'users.presetNeeds'),
      )
    const { last_modified } = saved
    await expect(saveUser(root, { ...pharmacist, last_modified })).rejects.toEqual(
      refused('invalid', 'preset', 'users.presetNeeds'),
    )
  })

  test('gets the permissions of the role in the user’s clinic, and a password', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    await saveUser(as('admin'), {
      ...nour,
      email: ' NOUR@Clinic.example ',
      clinic_id: clinic.id,
      password: 'six green birds',
    })

    const [row] = await listPermissions(as('super_admin'), { userId: id })
    expect(PERMISSIONS.filter((permission) => row?.[permission])).toEqual(
      defaultPermissions('provider'),
    )
    const { password } = await db
      .selectFrom('credentials')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(await isPassword('six green birds', password)).toBe(true)
    expect(await getUser(as('admin'), { id })).toMatchObject({
      user: { name: 'Nour Saleh', email: 'nour@clinic.example', initials: 'NS' },
    })
  })

  test('appears in the audit trail without the password', async ({ as, db }) => {
    await saveUser(as('admin'), { ...nour, password: 'six green birds' })
    const entries = await auditOf(db, id)
    expect(entries.map(({ action }) => action)).toEqual(['users.save', 'users.setPassword'])
    expect(JSON.stringify(entries)).not.toMatch(/six green|argon2/)
  })

  test('the same request twice makes one, and keeps a password that was changed in between', async ({
    as,
    db,
  }) => {
    const request = { ...nour, password: 'six green birds' }
    const first = await saveUser(as('admin'), request)
    await resetPassword(as('admin'), { id, password: 'seven red foxes' })

    expect(await saveUser(as('admin'), request)).toEqual(first)
    const { password } = await db
      .selectFrom('credentials')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(await isPassword('seven red foxes', password)).toBe(true)
  })

  test('an administrator needs no permission row', async ({ as, make, db }) => {
    const clinic = await make.clinic()
    await saveUser(as('super_admin'), { ...nour, role: 'admin', clinic_id: clinic.id })
    expect(
      await db
        .selectFrom('user_clinic_permissions')
        .selectAll()
        .where('user_id', '=', id)
        .execute(),
    ).toEqual([])
  })

  test.for([
    ['name', '', 'validation.required'],
    ['name', 'x'.repeat(201), 'validation.tooLong'],
    ['name', 7, 'validation.wrongType'],
    ['email', 'nobody', 'validation.email'],
    ['email', undefined, 'validation.required'],
    ['email', `${'x'.repeat(250)}@a.example`, 'validation.tooLong'],
    ['role', 'king', 'validation.option'],
    ['role', undefined, 'validation.required'],
    ['clinic_id', 'here', 'validation.id'],
    ['password', 'short', 'validation.tooShort'],
    ['password', 'password1', 'sessions.passwordCommon'],
    ['password', 'nour@clinic.example', 'sessions.passwordIsEmail'],
  ] as const)('%s %j is refused beside its field', async ([field, value, key], { as }) => {
    await expect(saveUser(as('admin'), { ...nour, [field]: value })).rejects.toEqual(
      refused('invalid', field, key),
    )
  })

  test('a clinic that is closed or unknown is refused beside its field', async ({ as, make }) => {
    const archived = await make.clinic({ is_archived: true })
    for (const clinic_id of [archived.id, uuidv7()]) {
      await expect(saveUser(as('admin'), { ...nour, clinic_id })).rejects.toEqual(
        refused('conflict', 'clinic_id', 'users.clinicClosed'),
      )
    }
  })

  test('an e-mail address belongs to one person, whatever the case', async ({ as, make }) => {
    await make.user({ email: nour.email })
    await expect(saveUser(as('admin'), { ...nour, email: 'Nour@CLINIC.example' })).rejects.toEqual(
      refused('conflict', 'email', 'users.emailTaken'),
    )
  })

  test('a deleted user keeps the e-mail address; only users who may restore the account see that', async ({
    as,
    make,
    asUser,
  }) => {
    await make.user({ email: nour.email, name: 'Nour', is_deleted: true })
    const clinic = await make.clinic()
    const rana = await clinicAdmin({ make, asUser }, [clinic])

    await expect(saveUser(as('admin'), nour)).rejects.toMatchObject({
      fields: { email: { key: 'users.emailOfDeleted', values: { name: 'Nour' } } },
    })
    await expect(saveUser(rana, { ...nour, clinic_id: clinic.id })).rejects.toEqual(
      refused('conflict', 'email', 'users.emailTaken'),
    )
  })
})

describe('changing a user', () => {
  test('changes what was read; a new clinic brings the defaults, an old one keeps what was set', async ({
    as,
    make,
  }) => {
    const [old, next] = [await make.clinic({ name: 'Old' }), await make.clinic({ name: 'Next' })]
    const user = await make.user({ role: 'registrar', clinic_id: old.id })
    await make.permission(user, old.id, ['can_view_history'])
    const values = { id: user.id, name: 'Amal', email: user.email, role: 'registrar' as const }
    const kept = { ...values, keep_permissions: true }
    const { last_modified } = await saveUser(as('admin'), {
      ...kept,
      clinic_id: next.id,
      last_modified: user.last_modified,
    })
    await saveUser(as('admin'), { ...kept, clinic_id: old.id, last_modified })

    expect(await listPermissions(as('super_admin'), { userId: user.id })).toMatchObject([
      { clinic: 'Next', can_register_patients: true, can_view_history: false },
      { clinic: 'Old', can_register_patients: false, can_view_history: true },
    ])
  })

  test('another role brings its permissions where the screen asks for it, and leaves them otherwise', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic({ name: 'Hill' })
    const user = await make.user({ role: 'provider', clinic_id: clinic.id })
    await make.permission(user, clinic.id, [
      'can_register_patients',
      'can_view_history',
      'can_prescribe_medications',
    ])
    const values = { id: user.id, name: 'Amal', email: user.email, clinic_id: clinic.id }
    const admin = as('admin')
    const held = async () => (await listPermissions(as('super_admin'), { userId: user.id }))[0]
    const left = await saveUser(admin, {
      ...values,
      role: 'registrar',
      last_modified: user.last_modified,
    })
    expect(await held()).toMatchObject({ can_view_history: true, can_prescribe_medications: true })
    const again = await saveUser(admin, { ...values, ...left, role: 'provider' })
    const lowered = await saveUser(admin, {
      ...values,
      ...again,
      role: 'registrar',
      role_permissions: true,
    })
    expect(await held()).toMatchObject({
      can_register_patients: true,
      can_view_history: false,
      can_prescribe_medications: false,
    })
    // an administrator gives nothing by it, a super administrator does
    const raised = { ...values, role: 'provider' as const, role_permissions: true }
    const by = await saveUser(admin, { ...raised, ...lowered })
    expect(await held()).toMatchObject({ can_view_history: false })
    const down = await saveUser(admin, { ...values, ...by, role: 'registrar' })
    await saveUser(as('super_admin'), { ...raised, ...down })
    expect(await held()).toMatchObject({ can_view_history: true, can_prescribe_medications: true })
  })

  test('a user who moves loses the permissions in the previous clinic, and gets the defaults on return', async ({
    as,
    make,
    db,
  }) => {
    const [old, next] = [await make.clinic({ name: 'Old' }), await make.clinic({ name: 'Next' })]
    const user = await make.user({ role: 'registrar', clinic_id: old.id })
    await make.permission(user, old.id, ['can_view_history', 'can_edit_records'])
    const values = { id: user.id, name: 'Amal', email: user.email, role: 'registrar' as const }
    const move = async (clinic_id: string | null, last_modified: Date) =>
      (await saveUser(as('admin'), { ...values, clinic_id, last_modified })).last_modified
    const granted = async () => {
      const rows = await listPermissions(as('super_admin'), { userId: user.id })
      return Object.fromEntries(
        rows.map((row) => [row.clinic, PERMISSIONS.filter((name) => row[name])]),
      )
    }
    const defaults = defaultPermissions('registrar')

    // the same clinic again is no move
    const stayed = await move(old.id, user.last_modified)
    expect(await granted()).toEqual({ Old: ['can_view_history', 'can_edit_records'] })
    const moved = await move(next.id, stayed)
    expect(await granted()).toEqual({ Old: [], Next: defaults })
    const [row] = await db
      .selectFrom('user_clinic_permissions')
      .select('is_deleted')
      .where('user_id', '=', user.id)
      .where('clinic_id', '=', old.id)
      .execute()
    expect(row).toEqual({ is_deleted: false })
    const back = await move(old.id, moved)
    expect(await granted()).toEqual({ Old: defaults, Next: [] })
    await move(null, back)
    expect(await granted()).toEqual({ Old: [], Next: [] })
  })

  test('a stale save is refused, and names the other user and the change', async ({
    as,
    make,
    asUser,
  }) => {
    const { last_modified } = await saveUser(as('admin'), nour)
    const amal = await make.user({ role: 'admin', name: 'Amal' })
    await saveUser(asUser(amal), { ...nour, name: 'Nour S.', last_modified })

    await expect(
      saveUser(as('admin'), { ...nour, name: 'Noor', last_modified }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'errors.stale', values: { who: 'Amal' } },
      fields: { name: { values: { value: 'Nour S.' } } },
    })
  })

  test('administrators correct their own e-mail address, but not their own role or password here', async ({
    make,
    asUser,
  }) => {
    const user = await make.user({ role: 'admin' })
    const own = {
      id: user.id,
      name: 'Amal',
      email: 'new@clinic.example',
      role: 'admin' as const,
      clinic_id: null,
    }
    const { last_modified } = await saveUser(asUser(user), {
      ...own,
      last_modified: user.last_modified,
    })

    await expect(
      saveUser(asUser(user), { ...own, role: 'super_admin', last_modified }),
    ).rejects.toEqual(refused('forbidden', 'role', 'users.roleAbove'))
    await expect(
      saveUser(asUser(user), { ...own, password: 'six green birds', last_modified }),
    ).rejects.toEqual(refused('forbidden', 'password', 'users.ownPassword'))
  })

  test('the last super_admin can be neither demoted nor deleted', async ({
    make,
    asUser,
    as,
    db,
  }) => {
    const user = await make.user({ role: 'super_admin' })
    const own = {
      id: user.id,
      name: user.name,
      email: user.email,
      clinic_id: null,
      last_modified: user.last_modified,
    }
    await expect(saveUser(asUser(user), { ...own, role: 'admin' })).rejects.toEqual(
      refused('conflict', 'role', 'users.lastSuperAdmin'),
    )
    await expect(deleteUser(as('super_admin'), { id: user.id })).rejects.toMatchObject({
      text: { key: 'users.lastSuperAdmin' },
    })
    expect(
      await brokenRule(
        db,
        db.updateTable('users').set({ role: 'provider' }).where('id', '=', user.id),
      ),
    ).toBe('users_last_super_admin')

    await make.user({ role: 'super_admin' })
    await saveUser(asUser(user), { ...own, role: 'admin' })
    // the present rights count, not those at sign-in
    await expect(saveUser(asUser(user), { ...nour, role: 'admin' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

describe('deleting', () => {
  test('takes the permissions along and ends the sessions; the trash brings both records back', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const user = await make.user({ clinic_id: clinic.id })
    await make.permission(user, clinic.id)
    await aSession(db, user.id)
    const { deletionId } = await deleteUser(as('admin'), { id: user.id })

    await expect(getUser(as('admin'), { id: user.id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await findUser(as('admin'), { id: user.id })).toBeNull()
    expect(await liveRows(db, user.id)).toEqual([])
    expect(await sessionsOf(db, user.id)).toEqual([])
    await expect(deleteUser(as('admin'), { id: user.id })).rejects.toMatchObject({
      code: 'not_found',
    })

    await restoreDeletion(as('admin'), { id: deletionId })
    expect(await getUser(as('admin'), { id: user.id })).toMatchObject({ user: { id: user.id } })
    expect(await liveRows(db, user.id)).toHaveLength(1)
  })

  test('users cannot delete their own account', async ({ make, asUser }) => {
    const user = await make.user({ role: 'super_admin' })
    await make.user({ role: 'super_admin' })
    await expect(deleteUser(asUser(user), { id: user.id })).rejects.toMatchObject({
      text: { key: 'users.notYourself' },
    })
  })

  test('an administrator does not bring a deleted super_admin back', async ({
    make,
    asUser,
    as,
  }) => {
    await make.user({ role: 'super_admin' })
    const deleted = await make.user({ role: 'super_admin' })
    const { deletionId } = await deleteUser(as('super_admin'), { id: deleted.id })
    const admin = asUser(await make.user({ role: 'admin' }))
    await expect(restoreDeletion(admin, { id: deletionId })).rejects.toMatchObject({
      text: { key: 'users.roleAbove' },
    })
  })
})

describe('resetting a password', () => {
  test('makes one that is shown once, ends the sessions, and is audited without it', async ({
    as,
    make,
    db,
  }) => {
    const user = await make.user()
    await resetPassword(as('admin'), { id: user.id, password: 'six green birds' })
    await aSession(db, user.id)
    const { password } = await resetPassword(as('admin'), { id: user.id })

    expect(password).toMatch(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/)
    const stored = await db
      .selectFrom('credentials')
      .selectAll()
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow()
    expect(await isPassword(password!, stored.password)).toBe(true)
    expect(await sessionsOf(db, user.id)).toEqual([])
    const entries = await auditOf(db, user.id)
    expect(entries.at(-1)).toMatchObject({ action: 'users.setPassword', table_name: 'users' })
    expect(JSON.stringify(entries)).not.toContain(password)
  })

  test('a weak one is refused beside its field; a given one is not sent back', async ({
    as,
    make,
  }) => {
    const { id } = await make.user()
    await expect(resetPassword(as('admin'), { id, password: 'password1' })).rejects.toEqual(
      refused('invalid', 'password', 'sessions.passwordCommon'),
    )
    expect(await resetPassword(as('admin'), { id, password: 'six green birds' })).toEqual({
      password: null,
    })
  })

  test('a user with more rights than the clinic admin is out of the clinic admin’s reach', async ({
    make,
    asUser,
  }) => {
    const clinic = await make.clinic()
    const rana = await clinicAdmin({ make, asUser }, [clinic])
    const pharmacist = await make.user()
    await make.permission(pharmacist, clinic.id, ['can_dispense_medications'])
    await expect(resetPassword(rana, { id: pharmacist.id })).rejects.toEqual(
      refused('forbidden', 'password', 'users.holdsMore'),
    )
  })
})

describe('who administers a clinic', () => {
  test('adds, edits, resets and deletes the people who work only there', async ({
    make,
    asUser,
  }) => {
    const clinic = await make.clinic()
    const rana = await clinicAdmin({ make, asUser }, [clinic])
    const { last_modified } = await saveUser(rana, { ...nour, clinic_id: clinic.id })
    await saveUser(rana, {
      ...nour,
      name: 'Noor',
      role: 'registrar',
      clinic_id: clinic.id,
      last_modified,
    })
    await resetPassword(rana, { id })
    await deleteUser(rana, { id })
  })

  test('changes the e-mail of no colleague who may do more', async ({ make, asUser, as }) => {
    const clinic = await make.clinic()
    const rana = await clinicAdmin({ make, asUser }, [clinic])
    const omar = await make.user({ role: 'provider', clinic_id: clinic.id })
    await make.permission(omar, clinic.id, PERMISSIONS)
    const values = { id: omar.id, name: 'Omar', role: 'provider' as const, clinic_id: clinic.id }
    const email = 'rana.again@clinic.example'
    await expect(
      saveUser(rana, { ...values, email, last_modified: omar.last_modified }),
    ).rejects.toEqual(refused('forbidden', 'email', 'users.holdsMore'))
    const { last_modified } = await saveUser(rana, {
      ...values,
      email: omar.email,
      last_modified: omar.last_modified,
    })
    expect(await saveUser(as('admin'), { ...values, email, last_modified })).toMatchObject({
      id: omar.id,
    })
  })

  test('gives a new provider no more rights than the giver holds', async ({ make, asUser, as }) => {
    const clinic = await make.clinic()
    const rana = await clinicAdmin(
      { make, asUser },
      [clinic],
      ['is_clinic_admin', 'can_register_patients'],
    )
    await saveUser(rana, { ...nour, clinic_id: clinic.id })
    const [row] = await listPermissions(as('super_admin'), { userId: id })
    expect(PERMISSIONS.filter((permission) => row?.[permission])).toEqual(['can_register_patients'])
  })

  test('needs an own clinic for a new user, and gives no role above provider or above the own role', async ({
    make,
    asUser,
  }) => {
    const [clinic, other] = [await make.clinic(), await make.clinic()]
    const rana = await clinicAdmin({ make, asUser }, [clinic])
    const registrar = await clinicAdmin({ make, asUser }, [clinic], administers, 'registrar')

    await expect(saveUser(rana, nour)).rejects.toEqual(
      refused('forbidden', 'clinic_id', 'users.clinicNeeded'),
    )
    await expect(saveUser(rana, { ...nour, clinic_id: other.id })).rejects.toEqual(
      refused('forbidden', 'clinic_id', 'users.clinicNotYours'),
    )
    await expect(saveUser(rana, { ...nour, clinic_id: clinic.id, role: 'admin' })).rejects.toEqual(
      refused('forbidden', 'role', 'users.roleAbove'),
    )
    await expect(saveUser(registrar, { ...nour, clinic_id: clinic.id })).rejects.toEqual(
      refused('forbidden', 'role', 'users.roleAbove'),
    )
  })

  test('cannot touch who works elsewhere too, and does not learn of who works elsewhere only', async ({
    make,
    asUser,
  }) => {
    const [clinic, other] = [await make.clinic(), await make.clinic()]
    const rana = await clinicAdmin({ make, asUser }, [clinic])
    const both = await make.user({ clinic_id: other.id })
    await make.permission(both, clinic.id)
    const elsewhere = await make.user({ clinic_id: other.id })

    for (const write of [resetPassword, deleteUser]) {
      await expect(write(rana, { id: both.id })).rejects.toMatchObject({ code: 'forbidden' })
      await expect(write(rana, { id: elsewhere.id })).rejects.toMatchObject({ code: 'not_found' })
    }
    await expect(
      saveUser(rana, { ...nour, id: elsewhere.id, clinic_id: clinic.id }),
    ).rejects.toMatchObject({
      code: 'not_found',
      fields: {},
    })
  })

  test('may change nothing once the right is removed, even in a request in progress', async ({
    make,
    asUser,
    db,
  }) => {
    const clinic = await make.clinic()
    const rana = await clinicAdmin({ make, asUser }, [clinic])
    await db
      .updateTable('user_clinic_permissions')
      .set({ is_clinic_admin: false })
      .where('user_id', '=', rana.actor.userId)
      .execute()
    await expect(saveUser(rana, { ...nour, clinic_id: clinic.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await db
      .updateTable('users')
      .set({ is_deleted: true })
      .where('id', '=', rana.actor.userId)
      .execute()
    await expect(saveUser(rana, { ...nour, clinic_id: clinic.id })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
  })
})

type Db = Context['db']
const aSession = (db: Db, userId: string) =>
  db
    .insertInto('sessions')
    .values({
      user_id: userId,
      kind: 'browser',
      token_hash: Buffer.from(uuidv7()),
      expires_at: new Date('2100-01-01'),
    })
    .execute()
const sessionsOf = (db: Db, userId: string) =>
  db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('expires_at', '>', new Date())
    .execute()
const liveRows = (db: Db, userId: string) =>
  db
    .selectFrom('user_clinic_permissions')
    .select('id')
    .where('user_id', '=', userId)
    .where('is_deleted', '=', false)
    .execute()

test('a new user starts with the language of the colleague who added the account', async ({
  as,
  db,
}) => {
  await saveUser(as('super_admin', {}, { language: 'ar' }), { ...nour, password: null })

  expect(await db.selectFrom('users').select('language').where('id', '=', id).execute()).toEqual([
    { language: 'ar' },
  ])
})
