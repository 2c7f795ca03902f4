import { type Kysely, sql } from 'kysely'
import { toString as qrCode } from 'qrcode'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { currentSettings, readSettings } from '~/server/settings.server'
import { clinicTimeZone, tellTimeZone } from '~/shared/zone'
import { auditOf, brokenRule, cloneTemplate, test } from '../../../../test/harness'
import { timeZones } from './configuration'
import {
  getConfiguration,
  listConfigurations,
  phoneCode,
  saveConfiguration,
  saveConfigurations,
} from './configurations.server'

const SENTENCE = 'I am sure I want to disable permissions on mobile devices'
const of = (db: Kysely<DB>, namespace: string, key: string) =>
  db
    .selectFrom('app_config')
    .select(['id', 'last_modified', 'value'])
    .where('namespace', '=', namespace)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()

test('a super administrator finds every setting there is, each with its type', async ({ as }) => {
  const all = await listConfigurations(as('super_admin'), null)

  expect(
    all.map(({ namespace, key, data_type, value }) => [`${namespace}/${key}`, data_type, value]),
  ).toEqual([
    ['organization/organization-name', 'string', null],
    ['system/time-zone', 'string', null],
    ['system/public-origin', 'string', null],
    ['care/share-history', 'string', 'ask'],
    ['care/second-sign-in', 'boolean', false],
    ['system/operation_mode', 'string', 'user_choice'],
    ['auth/disable-mobile-permissions-checking', 'boolean', false],
    ['audit/access-log-months', 'string', '24'],
    ['exchange/medical-record-system', 'string', null],
  ])
})

test.for(['registrar', 'provider', 'admin'] as const)(
  '%s may neither read nor change them',
  async (role, { as, db }) => {
    const { id, last_modified } = await of(db, 'organization', 'organization-name')

    await expect(listConfigurations(as(role), null)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      getConfiguration(as(role), { namespace: 'organization', key: 'organization-name' }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      saveConfiguration(as(role), { id, last_modified, value: 'Mine' }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  },
)

describe('saving', () => {
  test('a setting changes, with who changed it and from what in the trail', async ({
    asUser,
    make,
    db,
  }) => {
    const amal = await make.user({ role: 'super_admin', name: 'Amal' })
    const { id, last_modified } = await of(db, 'organization', 'organization-name')

    await saveConfiguration(asUser(amal), { id, last_modified, value: '  Hillside Health ' })

    const name = { namespace: 'organization', key: 'organization-name' }
    expect(await getConfiguration(asUser(amal), name)).toMatchObject({
      value: 'Hillside Health',
      last_modified_by_name: 'Amal',
    })
    expect((await auditOf(db, id)).at(-1)).toMatchObject({
      action: 'configurations.save',
      user_id: amal.id,
      changes: { value: ['', 'Hillside Health'], last_modified_by: [null, amal.id] },
    })
  })

  test('several are saved together, or none when one of them is refused', async ({ as, db }) => {
    const read = async (namespace: string, key: string, value: string | boolean) => {
      const { id, last_modified } = await of(db, namespace, key)
      return { id, last_modified, value }
    }
    const name = await read('organization', 'organization-name', 'Hillside Health')
    const zone = await read('system', 'time-zone', 'Nowhere/Land')
    await expect(
      saveConfigurations(as('super_admin'), { settings: [name, zone] }),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: { 'settings.1.value': { key: 'settings.timeZoneUnknown' } },
    })
    expect((await of(db, 'organization', 'organization-name')).value).toBe('')
    const unchecked = await read('auth', 'disable-mobile-permissions-checking', true)
    await expect(
      saveConfigurations(as('super_admin'), { settings: [name, unchecked] }),
    ).rejects.toMatchObject({
      fields: { 'settings.1.value': { key: 'settings.disableUnconfirmed' } },
    })

    await saveConfigurations(as('super_admin'), {
      settings: [name, { ...zone, value: 'Asia/Beirut' }, unchecked],
      confirmation: SENTENCE,
    })
    expect((await of(db, 'organization', 'organization-name')).value).toBe('Hillside Health')
    expect((await of(db, 'system', 'time-zone')).value).toBe('Asia/Beirut')
    expect((await of(db, 'auth', 'disable-mobile-permissions-checking')).value).toBe('true')
    await expect(saveConfigurations(as('admin'), { settings: [name] })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('a stale save is refused, and says what it is now', async ({ as, asUser, make, db }) => {
    const { id, last_modified } = await of(db, 'organization', 'organization-name')
    const amal = await make.user({ role: 'super_admin', name: 'Amal' })
    await saveConfiguration(asUser(amal), { id, last_modified, value: 'Hillside' })

    await expect(
      saveConfiguration(as('super_admin'), { id, last_modified, value: 'Hilltop' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'errors.stale', values: { who: 'Amal' } },
      fields: { value: { key: 'errors.changedTo', values: { value: 'Hillside' } } },
    })
  })

  test.for([
    ['https://clinic.example', 'https://clinic.example'],
    [' https://Clinic.Example:8443/ ', 'https://clinic.example:8443'],
    ['http://192.168.1.10:3000', 'http://192.168.1.10:3000'],
    ['', ''],
  ] as const)('the public address %j is kept as %j', async ([typed, kept], { as, db }) => {
    const { id, last_modified } = await of(db, 'system', 'public-origin')
    await saveConfiguration(as('super_admin'), { id, last_modified, value: typed })

    expect((await of(db, 'system', 'public-origin')).value).toBe(kept)
  })

  test.for([
    ['system', 'public-origin', 'clinic.example', 'settings.originForm'],
    ['system', 'public-origin', 'https://clinic.example/app', 'settings.originForm'],
    ['system', 'public-origin', 'ftp://clinic.example', 'settings.originForm'],
    ['system', 'public-origin', 'https://amal:secret@clinic.example', 'settings.originForm'],
    ['system', 'public-origin', `https://${'x'.repeat(300)}.example`, 'validation.tooLong'],
    ['system', 'time-zone', 'Hillside', 'settings.timeZoneUnknown'],
    ['system', 'time-zone', '+02:00', 'settings.timeZoneUnknown'],
    ['system', 'operation_mode', 'sometimes', 'validation.option'],
    ['system', 'operation_mode', null, 'validation.required'],
    ['organization', 'organization-name', 'x'.repeat(201), 'validation.tooLong'],
    ['organization', 'organization-name', true, 'validation.wrongType'],
    ['auth', 'disable-mobile-permissions-checking', 'yes', 'validation.wrongType'],
  ] as const)('%s/%s cannot be %j', async ([namespace, key, value, message], { as, db }) => {
    const { id, last_modified } = await of(db, namespace, key)

    await expect(
      saveConfiguration(as('super_admin'), { id, last_modified, value }),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: { value: { key: message } },
    })
  })

  test('permission checking on phones is disabled only after typed confirmation', async ({
    as,
    db,
  }) => {
    const { id, last_modified } = await of(db, 'auth', 'disable-mobile-permissions-checking')
    const turnOn = { id, last_modified, value: true }
    for (const confirmation of [undefined, '', 'yes', SENTENCE.toUpperCase()]) {
      await expect(
        saveConfiguration(as('super_admin'), { ...turnOn, confirmation }),
      ).rejects.toMatchObject({
        fields: { value: { key: 'settings.disableUnconfirmed' } },
      })
    }

    const on = await saveConfiguration(as('super_admin'), {
      ...turnOn,
      confirmation: ` ${SENTENCE} `,
    })
    await saveConfiguration(as('super_admin'), {
      id,
      last_modified: on.last_modified,
      value: false,
    })
    expect((await of(db, 'auth', 'disable-mobile-permissions-checking')).value).toBe('false')
  })

  test('an unknown setting is not found', async ({ as }) => {
    const id = crypto.randomUUID()
    const value = { id, last_modified: new Date(), value: 'x' }
    await expect(saveConfiguration(as('super_admin'), value)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(
      getConfiguration(as('super_admin'), { namespace: 'system', key: 'colour' }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('the database keeps the same rules, whatever writes', async ({ db }) => {
    const set = (key: string, value: string) =>
      db.updateTable('app_config').set({ value }).where('key', '=', key)
    for (const [key, value] of [
      ['public-origin', 'https://clinic.example/app'],
      ['operation_mode', 'sometimes'],
      ['disable-mobile-permissions-checking', 'maybe'],
    ] as const) {
      expect(await brokenRule(db, set(key, value))).toBe('app_config_value_check')
    }
    const twice = db
      .insertInto('app_config')
      .values({ namespace: 'system', key: 'time-zone', data_type: 'string' })
    expect(await brokenRule(db, twice)).toBe('app_config_namespace_key_key')
  })
})

test('the clinic’s day begins in the set time zone from the next request on, without a query each time', async () => {
  const db = await cloneTemplate('settings_zone')
  const before = clinicTimeZone()
  try {
    await readSettings(db)
    await sql`update app_config set value = 'Asia/Kathmandu' where key = 'time-zone'`.execute(db)
    expect(await currentSettings(db)).toMatchObject({ timeZone: '' })

    await readSettings(db)
    expect(clinicTimeZone()).toBe('Asia/Kathmandu')
    expect(await currentSettings(db)).toMatchObject({ timeZone: 'Asia/Kathmandu' })

    await sql`update app_config set value = '' where key = 'time-zone'`.execute(db)
    await readSettings(db)
    expect(clinicTimeZone()).toBe(before)
  } finally {
    tellTimeZone(undefined)
    await db.destroy()
  }
})

test('the code for phones holds the public address and nothing else; without an address there is none', async ({
  as,
  db,
}) => {
  expect(await phoneCode(as('super_admin'), null)).toBeNull()
  await expect(phoneCode(as('admin'), null)).rejects.toMatchObject({ code: 'forbidden' })

  const { id, last_modified } = await of(db, 'system', 'public-origin')
  await saveConfiguration(as('super_admin'), {
    id,
    last_modified,
    value: 'https://clinic.example/',
  })
  const code = await phoneCode(as('super_admin'), null)
  expect(code?.origin).toBe('https://clinic.example')
  expect(code?.svg).toBe(await qrCode('https://clinic.example', { type: 'svg', margin: 2 }))
  expect(code?.sheet.map(({ language, steps }) => [language, steps.length])).toEqual([
    ['en', 4],
    ['ar', 4],
    ['es', 4],
  ])
})

test('zones are offered under the names they have today', () => {
  expect(timeZones()).toEqual(
    expect.arrayContaining(['Asia/Beirut', 'Asia/Kathmandu', 'America/Lima', 'UTC']),
  )
  expect(timeZones()).not.toContain('Asia/Katmandu')
})
