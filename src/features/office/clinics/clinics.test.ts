import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import { areasFor } from '~/shell/navigation'
import { listTrash, restoreDeletion } from '~/features/office/trash/trash.server'
import { displayCode, hasCapability } from './clinic'
import {
  archiveClinic,
  deleteClinic,
  getClinic,
  listClinicNames,
  listClinics,
  restoreClinic,
  saveClinic,
} from './clinics.server'

const id = uuidv7()
const inClinic = (clinic: { id: string }) => ({ [clinic.id]: ['is_clinic_admin' as const] })

test('an administrator adds a clinic, and it is listed with its people and departments', async ({
  as,
  make,
}) => {
  await saveClinic(as('admin'), { id, name: ' Hillside ' })
  await make.user({ clinic_id: id })
  await make.department({ clinic_id: id })

  expect(await listClinics(as('admin'), null)).toMatchObject([
    { id, name: 'Hillside', users: 1, departments: 1, is_archived: false },
  ])
})

test('address and phone of a clinic, for what is printed, are kept until they are cleared', async ({
  as,
}) => {
  const me = as('admin')
  const saved = await saveClinic(me, {
    id,
    name: 'Hillside',
    address: ' 3 Mill Road\nAmman ',
    phone: '+962 6 123 456',
  })
  expect((await getClinic(me, { id })).clinic).toMatchObject({
    address: '3 Mill Road\nAmman',
    phone: '+962 6 123 456',
  })
  // a program that knows no address or phone renames it
  const renamed = await saveClinic(me, { id, name: 'Hilltop', last_modified: saved.last_modified })
  expect((await getClinic(me, { id })).clinic).toMatchObject({
    address: '3 Mill Road\nAmman',
    phone: '+962 6 123 456',
  })
  await saveClinic(me, {
    id,
    name: 'Hilltop',
    address: '',
    phone: null,
    last_modified: renamed.last_modified,
  })
  expect((await getClinic(me, { id })).clinic).toMatchObject({ address: null, phone: null })
  await expect(
    saveClinic(me, { id: uuidv7(), name: 'Other', phone: '1'.repeat(101) }),
  ).rejects.toMatchObject({
    fields: { phone: { key: 'validation.tooLong' } },
  })
})

test('a registrar sees only their own clinics; a provider only the clinic that they administer', async ({
  as,
  make,
}) => {
  const his = await make.clinic({ name: 'His' })
  await make.clinic({ name: 'Another' })

  expect(
    await listClinics(as('registrar', { [his.id]: ['can_register_patients'] }), null),
  ).toMatchObject([{ name: 'His' }])
  expect(await listClinics(as('provider', inClinic(his)), null)).toMatchObject([{ name: 'His' }])
  await expect(
    listClinics(as('provider', { [his.id]: ['can_view_history'] }), null),
  ).rejects.toMatchObject({
    code: 'forbidden',
  })
})

test('the menu shows the clinics only to users who may list them', async ({ as, make }) => {
  const clinic = await make.clinic()
  const none = { [clinic.id]: [] }
  for (const who of [
    as('admin'),
    as('provider', inClinic(clinic)),
    as('provider', { [clinic.id]: ['can_view_history'] }),
    as('registrar', { [clinic.id]: ['can_register_patients'] }),
    as('registrar', none),
  ]) {
    const mayList = await listClinics(who, null).then(
      () => true,
      () => false,
    )
    const offered = areasFor(who.actor).flatMap(({ screens }) => screens.map(({ path }) => path))
    expect([who.actor.role, offered.includes('/app/clinics')]).toEqual([who.actor.role, mayList])
  }
})

test('everyone signed in may pick a clinic by its name, but no closed one', async ({
  as,
  make,
}) => {
  await make.clinic({ name: 'Open' })
  await make.clinic({ name: 'Archived', is_archived: true })

  expect(await listClinicNames(as('provider'), null)).toMatchObject([{ name: 'Open' }])
})

test('a clinic of others is not found, like one that does not exist', async ({ as, make }) => {
  const theirs = await make.clinic()
  const mine = await make.clinic()

  await expect(getClinic(as('provider', inClinic(mine)), { id: theirs.id })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(getClinic(as('admin'), { id })).rejects.toMatchObject({ code: 'not_found' })
})

test('a clinic without an id is answered in the specified words', async ({ as }) => {
  await expect(getClinic(as('admin'), { id: '' })).rejects.toMatchObject({
    fields: { id: { key: 'clinics.idRequired' } },
  })
})

describe('saving', () => {
  test('the same request twice makes one clinic', async ({ as, db }) => {
    const first = await saveClinic(as('admin'), { id, name: 'Hillside' })

    expect(await saveClinic(as('admin'), { id, name: 'Hillside' })).toEqual(first)
    expect(await auditOf(db, id)).toHaveLength(1)
  })

  test('a save changes the record, and the audit trail has both values, the user and the channel', async ({
    as,
    asUser,
    make,
    db,
  }) => {
    const { last_modified } = await saveClinic(as('admin'), { id, name: 'Hillside' })
    const amal = await make.user({ role: 'admin' })
    await saveClinic(asUser(amal), { id, last_modified, name: 'Hilltop' })

    expect((await auditOf(db, id)).at(-1)).toMatchObject({
      action: 'clinics.save',
      user_id: amal.id,
      via: 'web',
      table_name: 'clinics',
      clinic_id: id,
      changes: { name: ['Hillside', 'Hilltop'] },
    })
  })

  test('a stale save is refused, and says who changed what meanwhile', async ({
    as,
    asUser,
    make,
  }) => {
    const { last_modified } = await saveClinic(as('admin'), { id, name: 'Hillside' })
    const amal = await make.user({ role: 'admin', name: 'Amal' })
    await saveClinic(asUser(amal), { id, last_modified, name: 'Hilltop' })

    await expect(
      saveClinic(as('admin'), { id, last_modified, name: 'Hill' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'errors.stale', values: { who: 'Amal' } },
      fields: { name: { key: 'errors.changedTo', values: { value: 'Hilltop' } } },
    })
  })

  test('two clinics cannot have the same name, whatever the case', async ({ as, make }) => {
    await make.clinic({ name: 'Hillside' })

    await expect(saveClinic(as('admin'), { id, name: 'hillSIDE' })).rejects.toMatchObject({
      code: 'conflict',
      fields: { name: { key: 'clinics.nameTaken' } },
    })
  })

  test.for([
    ['empty', '', 'clinics.nameRequired'],
    ['blank', ' \t ', 'clinics.nameRequired'],
    ['missing', undefined, 'clinics.nameRequired'],
    ['too long', 'x'.repeat(201), 'validation.tooLong'],
    ['not a text', 7, 'validation.wrongType'],
    ['an object', { toString: 'x' }, 'validation.wrongType'],
  ] as const)('a name that is %s is refused beside its field', async ([, name, key], { as }) => {
    await expect(saveClinic(as('admin'), { id, name: name as string })).rejects.toMatchObject({
      code: 'invalid',
      fields: { name: { key } },
    })
  })

  test.for(['a\0b', 'a\uD800b'])(
    'text that cannot be stored is refused: %j',
    async (name, { as }) => {
      await expect(saveClinic(as('admin'), { id, name })).rejects.toMatchObject({
        code: 'invalid',
        fields: { '': { key: 'validation.characters' } },
      })
    },
  )

  test.for([
    '<script>alert(1)</script>',
    '🏥 عيادة',
    "O'Brien; drop table clinics",
    'x'.repeat(200),
  ])('%s is a name like any other', async (name, { as }) => {
    await saveClinic(as('admin'), { id, name })
    expect(await getClinic(as('admin'), { id })).toMatchObject({ clinic: { name } })
  })

  test.for(['registrar', 'provider'] as const)(
    'a %s changes nothing, even as an administrator of the clinic',
    async (role, { as, make, db }) => {
      const clinic = await make.clinic({ name: 'Before' })
      const request = { id: clinic.id, last_modified: clinic.last_modified, name: 'After' }

      await expect(saveClinic(as(role, inClinic(clinic)), request)).rejects.toMatchObject({
        code: 'forbidden',
      })
      await expect(archiveClinic(as(role, inClinic(clinic)), request)).rejects.toMatchObject({
        code: 'forbidden',
      })
      await expect(deleteClinic(as(role, inClinic(clinic)), request)).rejects.toMatchObject({
        code: 'forbidden',
      })
      expect(
        await db.selectFrom('clinics').select(['name', 'is_archived', 'is_deleted']).execute(),
      ).toEqual([{ name: 'Before', is_archived: false, is_deleted: false }])
    },
  )
})

describe('closing', () => {
  test('a clinic with users can be neither archived nor deleted', async ({ as, make }) => {
    const { id } = await make.clinic()
    await make.user({ clinic_id: id })

    await expect(archiveClinic(as('admin'), { id })).rejects.toMatchObject({
      text: { key: 'clinics.hasUsers' },
    })
    await expect(deleteClinic(as('admin'), { id })).rejects.toMatchObject({
      text: { key: 'clinics.hasUsers' },
    })
  })

  test('an archived clinic is read-only until it is restored', async ({ as, make, db }) => {
    const { id } = await make.clinic()
    await archiveClinic(as('admin'), { id })
    const values = { id: uuidv7(), clinic_id: id, name: 'Laboratory' }

    expect(await brokenRule(db, db.insertInto('clinic_departments').values(values))).toBe(
      'clinics_archived',
    )
    const { last_modified } = (await getClinic(as('admin'), { id })).clinic
    await expect(
      saveClinic(as('admin'), { id, last_modified, name: 'Renamed' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'clinics.archivedReadOnly' },
    })
    await restoreClinic(as('admin'), { id })
    await db.insertInto('clinic_departments').values(values).execute()
  })

  test('a deleted clinic takes its departments along, and the trash brings back exactly those', async ({
    as,
    make,
  }) => {
    const { id } = await make.clinic({ name: 'Hillside' })
    await make.department({ clinic_id: id, name: 'Pharmacy' })
    await make.department({ clinic_id: id, name: 'Gone before', is_deleted: true })
    const { deletionId } = await deleteClinic(as('admin'), { id })

    await expect(getClinic(as('admin'), { id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await listTrash(as('admin'), {})).toMatchObject({
      rows: [{ id: deletionId, label: 'Hillside', table_name: 'clinics', records: 2 }],
      pagination: { total: 1 },
    })

    await restoreDeletion(as('admin'), { id: deletionId })
    expect((await getClinic(as('admin'), { id })).departments).toMatchObject([{ name: 'Pharmacy' }])
    await expect(restoreDeletion(as('admin'), { id: deletionId })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('a name that was taken meanwhile keeps a clinic in the trash', async ({ as, make }) => {
    const { id } = await make.clinic({ name: 'Hillside' })
    const { deletionId } = await deleteClinic(as('admin'), { id })
    await make.clinic({ name: 'Hillside' })

    await expect(restoreDeletion(as('admin'), { id: deletionId })).rejects.toMatchObject({
      text: { key: 'clinics.nameTaken' },
    })
    expect((await listTrash(as('admin'), {})).pagination.total).toBe(1)
  })
})

describe('what a department is called and can do', () => {
  test.for([
    [{ name: 'Out patient department', code: null }, 'OPD'],
    [{ name: 'Pharmacy', code: 'pharm-1' }, 'PHAR'],
    [{ name: 'a b c d e', code: '' }, 'ABCD'],
    [{ name: 'قسم الأشعة', code: null }, 'قا'],
    [{ name: '😀 Ward', code: null }, '😀W'],
  ] as const)('%j is shown as %s', ([department, code]) =>
    expect(displayCode(department)).toBe(code),
  )

  test('a capability is a switch or a word of the list', () => {
    const department = {
      can_dispense_medications: true,
      can_perform_labs: false,
      can_perform_imaging: false,
      additional_capabilities: ['dialysis'],
    }

    expect(
      [
        'dispense_medications',
        'perform_labs',
        'dialysis',
        'surgery',
        'can_dispense_medications',
      ].map((name) => hasCapability(department, name)),
    ).toEqual([true, false, true, false, false])
  })
})
