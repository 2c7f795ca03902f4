import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { revokeAppPassword } from '~/features/office/sessions/app-passwords/app-passwords.server'
import { asking, PASSWORD, sessionFor } from '../sessions'
import { aPatient } from './chart'
import { EVERYTHING, type Person } from './clinic'
import { test as base } from './hub-clinic'
import { codeOf, HubPhone } from './hub-phone'
import { Phone } from './phone'

/** One phone that has scanned both codes: the same rows, and a number for each way. */
type Both = { far: Phone; near: HubPhone }

const test = base
  .extend(
    'both',
    { scope: 'file' },
    ({ server, hub }) =>
      async (person: Person, password = PASSWORD): Promise<Both> => {
        const far = new Phone(server.origin, person.email, password)
        const near = new HubPhone(codeOf(hub.url()), person.email, password)
        near.database = far.database
        await near.login()
        return { far, near }
      },
  )
  .extend('amal', async ({ make, person, codeFor, both }) => {
    const clinic = await make.clinic()
    const amal = await person('provider', [clinic], EVERYTHING)
    const phone = await both(amal, await codeFor(amal, 'Ward phone'))
    await phone.far.sync()
    const id = await phone.far.create('patients', aPatient(clinic, { hometown: 'Tyre' }))
    await phone.far.sync()
    return { ...phone, person: amal, clinic, id }
  })

const hometown = async (db: Kysely<DB>, id: string) =>
  (await db.selectFrom('patients').select('hometown').where('id', '=', id).executeTakeFirst())
    ?.hometown
const onWeb = (db: Kysely<DB>, id: string, values: { hometown?: string; camp?: string }) =>
  db.updateTable('patients').set(values).where('id', '=', id).execute()
const inbox = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('sync_conflicts')
    .select(['column_name', 'phone_value', 'server_value'])
    .where('row_id', '=', id)
    .orderBy('received_at')
    .execute()

test('one phone with both codes edits on one way and then on the other, and nothing is a conflict', async ({
  db,
  amal: { far, near, id, clinic },
}) => {
  await near.sync()
  await near.update('patients', id, { hometown: 'Saida' })
  const visit = await near.create('visits', {
    patient_id: id,
    clinic_id: clinic.id,
    provider_name: 'Near',
    check_in_timestamp: 1,
  })
  await near.sync()
  await far.update('patients', id, { hometown: 'Beirut' })
  await far.update('visits', visit, { provider_name: 'Far' })
  await far.sync()
  await near.update('patients', id, { hometown: 'Baalbek' })
  await near.update('visits', visit, { provider_name: 'Near again' })
  await near.sync()
  expect(await hometown(db, id)).toBe('Baalbek')
  expect([...(await inbox(db, id)), ...(await inbox(db, visit))]).toEqual([])
})

test('a phone with both codes that missed what others changed loses to it on either way', async ({
  db,
  amal: { far, near, id },
}) => {
  await near.sync()
  await onWeb(db, id, { hometown: 'Of the web' })
  await near.update('patients', id, { hometown: 'Typed near' })
  await near.sync()
  // the phone still shows its own value
  await far.update('patients', id, { hometown: 'Typed far' })
  await far.sync()
  expect(await hometown(db, id)).toBe('Of the web')
  expect(await inbox(db, id)).toMatchObject([
    { phone_value: 'Typed near', server_value: 'Of the web' },
    { phone_value: 'Typed far', server_value: 'Of the web' },
  ])
  await far.sync()
  expect(await far.find('patients', id)).toMatchObject({ hometown: 'Of the web' })
  await near.update('patients', id, { hometown: 'Seen and typed' })
  await near.sync()
  expect(await hometown(db, id)).toBe('Seen and typed')
})

test('a push whose answer was lost on one way comes again on the other, and changes nothing more', async ({
  db,
  amal: { far, near, id },
}) => {
  await near.sync()
  await far.update('patients', id, { hometown: 'Once' })
  await expect(
    far.sync({ onPush: async (send) => (await send(), Promise.reject(new Error('cut'))) }),
  ).rejects.toThrow('cut')
  await onWeb(db, id, { hometown: 'Of the web' })
  await near.sync()
  expect(await hometown(db, id)).toBe('Of the web')
  expect(await inbox(db, id)).toEqual([])
})

test.for(['its app password', 'the password of the account'])(
  'what a phone typed before it scanned the code of the hub, with %s, overwrites nothing unseen',
  async (way, { db, make, person, codeFor, both }) => {
    const clinic = await make.clinic()
    const user = await person('provider', [clinic], EVERYTHING)
    const { far, near } = await both(
      user,
      way === 'its app password' ? await codeFor(user, 'Ward') : PASSWORD,
    )
    await far.sync()
    const id = await far.create('patients', aPatient(clinic, { hometown: 'Tyre' }))
    await far.sync()
    await onWeb(db, id, { hometown: 'Of the web' })
    await far.update('patients', id, { hometown: 'Typed before' })
    await near.sync()
    expect(await hometown(db, id)).toBe('Of the web')
    expect(await inbox(db, id)).toMatchObject([{ phone_value: 'Typed before' }])
  },
)

test('a deletion that waits on a phone of the hub arrives once it scans the public code', async ({
  db,
  make,
  person,
  codeFor,
  both,
}) => {
  const clinic = await make.clinic()
  const user = await person('provider', [clinic], EVERYTHING)
  const { far, near } = await both(user, await codeFor(user, 'Ward'))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  await near.sync()
  await near.delete('visits', visit.id)
  await far.sync()
  expect(
    await db
      .selectFrom('visits')
      .select('is_deleted')
      .where('id', '=', visit.id)
      .executeTakeFirst(),
  ).toEqual({ is_deleted: true })
})

test('a value that a sync through the hub brought can be changed, although nothing was sent then', async ({
  db,
  amal: { near, id },
}) => {
  await near.sync()
  await onWeb(db, id, { hometown: 'Of the web' })
  await near.sync()
  await near.update('patients', id, { hometown: 'Seen and typed' })
  await near.sync()
  expect(await hometown(db, id)).toBe('Seen and typed')
  expect(await inbox(db, id)).toEqual([])
})

test('what a sync through the hub brought after a lost edit can be changed over the public address', async ({
  db,
  amal: { far, near, id },
}) => {
  await near.sync()
  await near.sync()
  await near.update('patients', id, { hometown: 'Typed near' })
  await onWeb(db, id, { hometown: 'Of the web' })
  await near.sync()
  await near.sync()
  expect(await far.find('patients', id)).toMatchObject({ hometown: 'Of the web' })
  // names the sync that brought it
  await near.sync()
  await far.update('patients', id, { hometown: 'Seen and typed' })
  await far.sync()
  expect(await hometown(db, id)).toBe('Seen and typed')
  expect(await inbox(db, id)).toMatchObject([
    { phone_value: 'Typed near', server_value: 'Of the web' },
  ])
})

test('what is typed after a sync whose last answer was lost has seen what that sync brought', async ({
  db,
  amal: { far, id, clinic },
}) => {
  const other = await far.create('patients', aPatient(clinic, { hometown: 'Tyre' }))
  await far.sync()
  await far.update('patients', id, { hometown: 'Sent twice' })
  await onWeb(db, other, { hometown: 'Of the web' })
  const cut = () =>
    far.sync({ onPush: async (send) => (await send(), Promise.reject(new Error('cut'))) })
  await expect(cut()).rejects.toThrow('cut')
  expect(await far.find('patients', other)).toMatchObject({ hometown: 'Of the web' })
  await onWeb(db, id, { hometown: 'Unseen' })
  await far.update('patients', other, { hometown: 'Seen and typed' })
  await far.update('patients', id, { hometown: 'Typed over what was sent' })
  await far.sync()
  expect(await hometown(db, other)).toBe('Seen and typed')
  expect(await inbox(db, other)).toEqual([])
  expect(await hometown(db, id)).toBe('Unseen')
  expect(await inbox(db, id)).toMatchObject([
    { phone_value: 'Typed over what was sent', server_value: 'Unseen' },
  ])
})

test('two people who share a phone edit one after the other without a conflict', async ({
  db,
  person,
  codeFor,
  amal: { far, near, id, clinic, person: amal },
}) => {
  await near.sync()
  const omar = await person('provider', [clinic], EVERYTHING)
  const codes = { amal: far.password, omar: await codeFor(omar, 'Ward phone') }
  const handTo = async (user: Person, code: string) => {
    for (const way of [far, near]) Object.assign(way, { email: user.email, password: code })
    await near.login()
  }
  await handTo(omar, codes.omar)
  await far.sync()
  await far.update('patients', id, { hometown: 'Of Omar' })
  await far.sync()
  await near.sync()
  await near.update('patients', id, { hometown: 'Of Omar, near' })
  await near.sync()
  await handTo(amal, codes.amal)
  await near.sync()
  await near.update('patients', id, { hometown: 'Of Amal' })
  await near.sync()
  await far.sync()
  await far.update('patients', id, { hometown: 'Of Amal, far' })
  await far.sync()
  expect(await hometown(db, id)).toBe('Of Amal, far')
  expect(await inbox(db, id)).toEqual([])
})

test('a phone whose app password is renewed goes on as before on both ways', async ({
  db,
  codeFor,
  amal: { far, near, id, person: amal },
}) => {
  await near.sync()
  await near.update('patients', id, { hometown: 'Before' })
  await near.sync()
  const old = await db
    .selectFrom('app_passwords')
    .select('id')
    .where('user_id', '=', amal.id)
    .executeTakeFirstOrThrow()
  const screen = await asking(db, { token: await sessionFor(db, amal.id) })
  await revokeAppPassword(screen, { id: old.id })
  await far.update('patients', id, { hometown: 'Unsent' })
  await expect(far.sync()).rejects.toThrow('401')
  const renewed = await codeFor(amal, 'Ward phone, again')
  for (const way of [far, near]) way.password = renewed
  await near.login()
  await near.sync()
  await far.update('patients', id, { hometown: 'Far' })
  await far.sync()
  await near.update('patients', id, { hometown: 'Near' })
  await near.sync()
  expect(await hometown(db, id)).toBe('Near')
  expect(await inbox(db, id)).toEqual([])
})

test('over the hub the app shows when it synced last, and can switch to online mode', async ({
  db,
  amal: { far, near, id },
}) => {
  const clock = async () =>
    (
      await sql<{
        now: number
      }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(db)
    ).rows[0]!.now
  const begun = await clock()
  await near.update('patients', id, { hometown: 'Saida' })
  // the app's button syncs twice
  await near.sync()
  const first = near.lastSyncedAt
  await near.sync()
  expect(await near.seemsUnsent()).toBe(false)
  expect(first).toBeGreaterThan(begun)
  expect(near.lastSyncedAt).toBeGreaterThan(first)
  expect(near.lastSyncedAt - (await clock())).toBeLessThan(60_000)
  await far.sync()
  const { timestamp } = far.lastPull!
  expect(timestamp).toBeGreaterThan(near.lastSyncedAt)
  expect(timestamp - (await clock())).toBeLessThan(60_000)
  near.skew = 60_000
  await near.update('patients', id, { hometown: 'Beirut' })
  expect(await near.seemsUnsent()).toBe(true)
})

test('a phone with a wrong clock syncs on both ways, and is only asked to sync again', async ({
  db,
  amal: { far, near, id },
}) => {
  for (const [skew, seemsUnsent] of [
    [-10 * 365 * 86_400_000, false],
    [86_400_000, true],
  ] as const) {
    for (const way of [far, near]) way.skew = skew
    await near.update('patients', id, { hometown: `Near ${skew}` })
    await near.sync()
    await far.update('patients', id, { hometown: `Far ${skew}` })
    await far.sync()
    await near.update('patients', id, { hometown: `Last ${skew}` })
    await near.sync()
    await near.sync()
    expect(await hometown(db, id)).toBe(`Last ${skew}`)
    expect(await near.seemsUnsent()).toBe(seemsUnsent)
  }
  expect(await inbox(db, id)).toEqual([])
})

test('the numbers of a phone grow although the clock of the server goes back', async ({
  db,
  owner,
  amal: { far, near },
}) => {
  await near.sync()
  // as after a night with an empty battery: the clock is behind the last number
  await sql`select setval('sync_pull_times', last_value + 86400000) from sync_pull_times`.execute(
    owner,
  )
  await near.sync()
  const { rows } = await sql<{ last: number }>`
    select last_value as last from sync_pull_times`.execute(db)
  const before = rows[0]!.last
  await near.sync()
  await far.sync()
  expect(near.lastSyncedAt).toBeGreaterThan(before)
  expect(far.lastPull!.timestamp).toBeGreaterThan(near.lastSyncedAt)
  expect(far.lastPull!.timestamp).toBeLessThanOrEqual(before + 2 * 1024)
})

test('a phone that holds one of the earlier numbers, which can be higher, goes on with it', async ({
  db,
  owner,
  make,
  amal: { far, id, clinic },
}) => {
  const visit = await make.visit({ patient_id: id, clinic_id: clinic.id })
  await far.sync()
  await far.sync()
  const { timestamp } = far.lastPull!
  const earlier = 5_000_000_000_000
  await sql`update sync_pulls set id = ${earlier} where id = ${timestamp}`.execute(owner)
  await sql`update sync_chains set base_pull = ${earlier} where base_pull = ${timestamp}`.execute(
    owner,
  )
  await far.database.adapter.setLocal('__watermelon_last_pulled_at', String(earlier))
  await onWeb(db, id, { camp: 'Of the web' })
  await sql`select soft_delete('visits', ${visit.id}, 'x', null)`.execute(db)
  await far.update('patients', id, { hometown: 'Saida' })
  await far.sync()
  expect(far.lastPull!.timestamp).toBeLessThan(earlier)
  expect(await far.find('patients', id)).toMatchObject({ camp: 'Of the web', hometown: 'Saida' })
  expect(await far.find('visits', visit.id)).toMatchObject({ is_deleted: true })
  await far.sync()
  expect(await far.find('visits', visit.id)).toMatchObject({ is_deleted: true })
  await far.update('patients', id, { hometown: 'Beirut', camp: 'Seen and typed' })
  await far.sync()
  expect(await far.find('visits', visit.id)).toBeUndefined()
  expect(await hometown(db, id)).toBe('Beirut')
  expect(await inbox(db, id)).toEqual([])
})

test('a user who tries many numbers is stopped before one is found, and phones with their own go on', async ({
  db,
  person,
  phoneOf,
  make,
  amal: { far, near, id },
}) => {
  const elsewhere = await make.clinic()
  const stranger = phoneOf(await person('provider', [elsewhere], EVERYTHING))
  await stranger.sync()
  const { timestamp } = far.lastPull!
  const pullWith = (number: number) =>
    stranger.request('GET', `/api/v2/sync?last_pulled_at=${number}&schema_version=9`)
  const statuses: number[] = []
  // numbers of an hour ago, which no phone was given; one that is tried again counts once
  for (let at = 0; at < 70; at += 1)
    statuses.push((await pullWith(timestamp - 3_600_000 + Math.max(0, at - 5))).status)
  expect(statuses.indexOf(429)).toBe(65)
  expect(statuses.slice(65)).toEqual([429, 429, 429, 429, 429])
  await stranger.sync()
  await near.sync()
  await far.update('patients', id, { hometown: 'Seen and typed' })
  await far.sync()
  expect(await hometown(db, id)).toBe('Seen and typed')
  expect(await inbox(db, id)).toEqual([])
})

test('the number of another user brings nothing of theirs, and their phone goes on as before', async ({
  db,
  make,
  person,
  phoneOf,
  amal: { far, id },
}) => {
  const elsewhere = await make.clinic()
  const stranger = await person('provider', [elsewhere], EVERYTHING)
  const own = await make.patient({ primary_clinic_id: elsewhere.id })
  const other = phoneOf(stranger)
  const pullWith = async (number: number) => {
    const { body } = await other.request('GET', `/api/v2/sync?last_pulled_at=${number}`)
    return JSON.parse(body) as NonNullable<Phone['lastPull']>
  }
  const number = far.lastPull!.timestamp
  const row = { ...(await far.find('patients', id))!, hometown: 'Of a stranger' }
  const body = JSON.stringify({
    patients: { created: [], updated: [{ ...row, _status: 'updated', _changed: 'hometown' }] },
  })
  // a push alone names no pull of this user
  await other.request('POST', `/api/v2/sync?last_pulled_at=${number}`, body)
  expect(await hometown(db, id)).toBe('Tyre')
  const pulled = await pullWith(number)
  const { created, updated } = pulled.changes['patients']!
  expect([...created, ...updated].map((each) => each['id'])).toEqual([own.id])
  let last = pulled.timestamp
  const pushAndPull = async () => {
    await other.request('POST', `/api/v2/sync?last_pulled_at=${last}`, '{}')
    last = (await pullWith(last)).timestamp
  }
  // what others changed meanwhile was there for a pull and a push of the stranger, and not for this phone
  await onWeb(db, id, { hometown: 'Of the web' })
  last = (await pullWith(last)).timestamp
  await other.request('POST', `/api/v2/sync?last_pulled_at=${last}`, '{}')
  await far.update('patients', id, { hometown: 'Typed unseen' })
  await far.sync()
  expect(await hometown(db, id)).toBe('Of the web')
  expect(await inbox(db, id)).toMatchObject([{ phone_value: 'Typed unseen' }])
  await far.sync()
  expect(await far.find('patients', id)).toMatchObject({ hometown: 'Of the web' })
  // its number stays known, however often the stranger syncs
  for (let round = 0; round < 3; round += 1) await pushAndPull()
  await onWeb(db, id, { camp: 'Of the web' })
  await far.sync()
  expect(await far.find('patients', id)).toMatchObject({ camp: 'Of the web' })
})

test('a forced upload lists what was typed, and no value that the record had earlier', async ({
  db,
  amal: { far, id },
}) => {
  await far.update('patients', id, { hometown: 'Saida', camp: 'North' })
  await far.sync()
  await far.update('patients', id, { phone: '1' })
  await far.sync()
  // the phone does not know of these
  await onWeb(db, id, { hometown: 'Of the web' })
  await onWeb(db, id, { camp: 'South' })
  await onWeb(db, id, { camp: 'West' })
  await far.forceUpload()
  expect(await inbox(db, id)).toEqual([])
  // an earlier value that the user has typed again is a wish
  await far.update('patients', id, { camp: 'South' })
  await far.forceUpload()
  expect(await inbox(db, id)).toMatchObject([
    { column_name: 'camp', phone_value: 'South', server_value: 'West' },
  ])
})

test('after a restore the first push lists no value that the record had earlier', async ({
  db,
  owner,
  amal: { far, id },
}) => {
  await onWeb(db, id, { hometown: 'Of the web' })
  await sql`select begin_sync_epoch()`.execute(owner)
  await far.update('patients', id, { camp: 'Typed' })
  await far.sync()
  expect(await hometown(db, id)).toBe('Of the web')
  expect(await inbox(db, id)).toMatchObject([{ column_name: 'camp', phone_value: 'Typed' }])
  await far.sync()
  await far.sync()
  expect(await far.find('patients', id)).toMatchObject({ hometown: 'Of the web' })
})

test('a phone that waits since a restore keeps its copy when it scans the second code', async ({
  db,
  owner,
  amal: { far, near, id },
}) => {
  const { rows } = await sql<{ last: number }>`
    select last_value as last from sync_pull_times`.execute(db)
  await far.update('patients', id, { hometown: 'Sent and lost' })
  await far.sync()
  await far.sync()
  await onWeb(db, id, { hometown: 'Tyre' })
  await sql`select setval('sync_pull_times', ${rows[0]!.last})`.execute(owner)
  await sql`select begin_sync_epoch()`.execute(owner)
  await near.sync()
  await near.sync()
  await far.sync()
  await near.sync()
  expect(await near.find('patients', id)).toMatchObject({ hometown: 'Sent and lost' })
})
