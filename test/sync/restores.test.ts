import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { settleConflict } from '~/features/office/devices/conflicts.server'
import { giveState, listPhones } from '~/features/office/devices/devices.server'
import { aPatient } from './chart'
import { asAdmin, EVERYTHING, type Person } from './clinic'
import { settleDown, test as paired } from './pair'
import type { Phone, Row } from './phone'
import { forgetTrail, lastNumbers } from './table-backup'

/**
 * A backup of an event and of the numbers of pulls. `restore` takes back what came later: the edit of
 * the event, the deletion of the visit, and the rows in `made`.
 */
async function backUp(
  db: Kysely<DB>,
  owner: Kysely<DB>,
  chart: Record<'events' | 'visits', string>,
) {
  const event = await db
    .selectFrom('events')
    .select(['event_type', 'form_data'])
    .where('id', '=', chart.events)
    .executeTakeFirstOrThrow()
  const { pull, trail } = await lastNumbers(db)
  return async (made: string[] = []) => {
    await sql`select undo_deletion(id, null) from deletions
      where record_id = ${chart.visits} and restored_at is null`.execute(db)
    await db
      .updateTable('events')
      .set({ event_type: event.event_type })
      .where('id', '=', chart.events)
      .execute()
    await sql`delete from patients where id = any(${made}::uuid[])`.execute(owner)
    await sql`delete from deletion_items i using deletions d
      where i.deletion_id = d.id and d.record_id = any(${made}::uuid[])`.execute(owner)
    await sql`delete from deletions where record_id = any(${made}::uuid[])`.execute(owner)
    await sql`delete from sync_rows where row_id = any(${made}::uuid[])`.execute(owner)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    await forgetTrail(rows[0]!.name, trail)
    await sql`select setval('sync_pull_times', ${pull})`.execute(owner)
    await sql`select begin_sync_epoch()`.execute(owner)
  }
}

const test = paired.extend('restoring', async ({ db, owner, pair: { chart } }) =>
  backUp(db, owner, chart),
)

const eventType = async (db: Kysely<DB>, id: string) =>
  (await db.selectFrom('events').select('event_type').where('id', '=', id).executeTakeFirst())
    ?.event_type
const shown = async (phone: Phone, id: string) => (await phone.find('events', id))?.['event_type']
const inboxOf = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('sync_conflicts')
    .select(['id', 'column_name', 'phone_value', 'user_id', 'received_at', 'edited_at'])
    .where('row_id', '=', id)
    .where('settled_at', 'is', null)
    .execute()
const rename = (db: Kysely<DB>, id: string, event_type: string) =>
  db.updateTable('events').set({ event_type }).where('id', '=', id).execute()
/** What a phone typed after the restore has not overwritten the value of before. */
async function expectKept(db: Kysely<DB>, id: string) {
  expect(await eventType(db, id)).toBe('Before the backup')
  expect(await inboxOf(db, id)).toMatchObject([
    { column_name: 'event_type', phone_value: 'Typed after the restore' },
  ])
}
const rowsIn = ({ lastPull }: Phone): Row[] =>
  Object.values(lastPull!.changes).flatMap(({ created, updated }) => [...created, ...updated])

test('after a restore the first sync brings nothing, and its edits are in the inbox with who and when', async ({
  db,
  person,
  restoring: restore,
  pair: { one, chart, amal },
}) => {
  const before = await eventType(db, chart.events)
  await one.sync()
  await restore()
  await one.update('events', chart.events, { event_type: 'Not sent yet' })
  const typed = Number((await one.find('events', chart.events))!['updated_at'])
  await one.sync()
  expect(rowsIn(one)).toEqual([])
  expect(await eventType(db, chart.events)).toBe(before)
  const inbox = await inboxOf(db, chart.events)
  expect(inbox).toMatchObject([
    {
      column_name: 'event_type',
      phone_value: 'Not sent yet',
      user_id: amal.id,
      edited_at: new Date(typed),
    },
  ])
  await one.sync()
  expect(await shown(one, chart.events)).toBe(before)
  const admin = asAdmin(db, await person('admin'))
  await settleConflict(admin, { id: inbox[0]!.id, take: 'phone' })
  await one.sync()
  expect(await eventType(db, chart.events)).toBe('Not sent yet')
  expect(await shown(one, chart.events)).toBe('Not sent yet')
})

test('what a phone had sent after the backup stays on it until a forced upload brings it to the inbox', async ({
  db,
  restoring: restore,
  pair: { one, other, clinic, chart, amal },
}) => {
  const before = await eventType(db, chart.events)
  await one.update('events', chart.events, { event_type: 'Sent and lost' })
  const made = await one.create('patients', aPatient(clinic, { hometown: 'Tyre' }))
  await one.sync()
  await other.sync()
  await restore([made])
  await settleDown(one, other)
  expect(await eventType(db, chart.events)).toBe(before)
  for (const phone of [one, other]) {
    expect(await shown(phone, chart.events)).toBe('Sent and lost')
    expect(await phone.find('patients', made)).toBeDefined()
  }
  await one.forceUpload()
  expect(await inboxOf(db, chart.events)).toMatchObject([
    { phone_value: 'Sent and lost', user_id: amal.id, edited_at: expect.any(Date) as Date },
  ])
  await one.sync()
  await one.sync()
  expect(await shown(one, chart.events)).toBe(before)
  for (const phone of [one, other]) {
    await phone.sync()
    expect(await phone.find('patients', made)).toMatchObject({ hometown: 'Tyre' })
  }
})

test('a value that the app empties because of a form that the restore took away is kept, and a user decides', async ({
  db,
  owner,
  restoring: restore,
  pair: { one, chart },
}) => {
  const hometown = 'Tyre'
  await sql`update patients set hometown = ${hometown} where id = ${chart.patients}`.execute(db)
  const show = (visible: boolean) =>
    sql`update registration_forms set fields = (select jsonb_agg(
      case when f ->> 'column' = 'hometown' then f || ${JSON.stringify({ visible })}::jsonb else f end)
      from jsonb_array_elements(fields) f)`.execute(db)
  const versions = async () =>
    (await sql<{ id: string }>`select id from registration_form_columns order by id`.execute(db))
      .rows
  await show(true)
  await one.sync()
  const before = await versions()
  await show(false)
  await one.sync()
  const hiding = (await versions()).filter(({ id }) => !before.some((each) => each.id === id))
  expect(hiding).toHaveLength(1)
  await restore()
  await show(true)
  await sql`delete from registration_form_columns where id = ${hiding[0]!.id}`.execute(owner)
  await one.sync()
  // as the app saves an edit: what its form does not show is empty
  await one.update('patients', chart.patients, { camp: 'West', hometown: '' })
  await one.sync()
  const stored = db.selectFrom('patients').select(['camp', 'hometown'])
  expect(await stored.where('id', '=', chart.patients).execute()).toEqual([
    { camp: 'West', hometown },
  ])
  expect(await inboxOf(db, chart.patients)).toMatchObject([
    { column_name: 'hometown', phone_value: '' },
  ])
})

test('a record that was deleted after the backup is back on a phone after its forced upload', async ({
  db,
  restoring: restore,
  pair: { one, chart },
}) => {
  await one.delete('visits', chart.visits)
  await one.sync()
  await restore()
  await one.sync()
  await one.sync()
  expect(await one.find('visits', chart.visits)).toBeUndefined()
  await one.forceUpload()
  await one.sync()
  expect(await one.find('visits', chart.visits)).toMatchObject({ is_deleted: false })
  expect(await one.find('events', chart.events)).toMatchObject({ is_deleted: false })
  expect(await inboxOf(db, chart.events)).toEqual([])
})

test('work done on the web after a restore reaches a phone before its forced upload', async ({
  db,
  make,
  restoring: restore,
  pair: { one, clinic, chart },
}) => {
  await one.sync()
  await restore()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await db
    .updateTable('patients')
    .set({ hometown: 'Saida' })
    .where('id', '=', chart.patients)
    .execute()
  await one.sync()
  await one.sync()
  expect(await one.find('patients', patient.id)).toBeDefined()
  expect(await one.find('patients', chart.patients)).toMatchObject({ hometown: 'Saida' })
  expect(rowsIn(one).map(({ id }) => id)).not.toContain(chart.events)
})

/** What the list of phones says of each phone of a user. */
const sinceRestore = async (db: Kysely<DB>, admin: Person, user: Person) =>
  (await listPhones(asAdmin(db, admin), { search: user.name })).rows
    .filter(({ user_id }) => user_id === user.id)
    .map(({ id, since_restore, may_give }) => ({ id, since_restore, may_give }))

test('a phone keeps what the server lost, however long, until an administrator gives it the server’s state', async ({
  db,
  person,
  make,
  restoring: restore,
  pair: { one, other, chart, amal, omar },
}) => {
  const admin = await person('super_admin')
  const before = await eventType(db, chart.events)
  await one.update('events', chart.events, { event_type: 'Sent and lost' })
  await one.sync()
  await other.sync()
  expect(await sinceRestore(db, admin, amal)).toMatchObject([{ since_restore: null }])
  await restore()
  await settleDown(one, other)
  await sql`update sync_chains set opened_at = opened_at - interval '400 days'`.execute(db)
  await settleDown(one, other)
  for (const phone of [one, other]) expect(await shown(phone, chart.events)).toBe('Sent and lost')

  // further rights are no reason either
  const second = await make.clinic()
  await make.permission(amal, second.id, EVERYTHING)
  await settleDown(one)
  expect(await shown(one, chart.events)).toBe('Sent and lost')

  const all = await sinceRestore(db, admin, amal)
  const waiting = all.filter(({ since_restore }) => since_restore === 'waits')
  expect(waiting).toMatchObject([{ may_give: true }])
  const id = waiting[0]!.id
  // who administers no clinic of the user may not
  const stranger = asAdmin(db, await person('provider', [second], EVERYTHING))
  stranger.actor.role = 'provider' as never
  stranger.actor.grants = { [(await make.clinic()).id]: ['is_clinic_admin'] }
  await expect(giveState(stranger, { id })).rejects.toMatchObject({ code: 'not_found' })
  await giveState(asAdmin(db, admin), { id })
  expect(await sinceRestore(db, admin, amal)).toContainEqual(
    expect.objectContaining({ id, since_restore: 'given' }),
  )
  await expect(giveState(asAdmin(db, admin), { id })).rejects.toMatchObject({ code: 'conflict' })
  await one.sync()
  expect(await shown(one, chart.events)).toBe(before)
  expect(await shown(other, chart.events)).toBe('Sent and lost')
  expect(await sinceRestore(db, admin, amal)).toContainEqual(
    expect.objectContaining({ id, since_restore: null }),
  )
  expect(await sinceRestore(db, admin, omar)).toContainEqual(
    expect.objectContaining({ since_restore: 'waits' }),
  )
  const { rows: trail } = await sql`select from audit_log
    where action = 'devices.giveState' and record_id = ${amal.id}`.execute(db)
  expect(trail).toHaveLength(1)
  // from now on it is a phone like others
  await one.update('events', chart.events, { event_type: 'Typed later' })
  await one.sync()
  expect(await eventType(db, chart.events)).toBe('Typed later')
  await expect(giveState(asAdmin(db, admin), { id })).rejects.toMatchObject({ code: 'conflict' })
})

test('a phone whose forced upload arrived waits no longer', async ({
  db,
  person,
  restoring: restore,
  pair: { one, chart, amal },
}) => {
  const admin = await person('super_admin')
  await one.update('events', chart.events, { event_type: 'Sent and lost' })
  await one.sync()
  await restore()
  await settleDown(one)
  await one.forceUpload()
  expect((await sinceRestore(db, admin, amal)).map((each) => each.since_restore)).not.toContain(
    'waits',
  )
})

test('a phone that had not synced since the backup receives everything with its second sync', async ({
  owner,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic]))
  await phone.sync()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await sql`select begin_sync_epoch()`.execute(owner)
  await phone.sync()
  expect(rowsIn(phone)).toEqual([])
  await phone.sync()
  expect(await phone.find('patients', patient.id)).toBeDefined()
})

test('a record that was deleted after the backup and is unknown then comes to the trash by a forced upload', async ({
  db,
  restoring: restore,
  pair: { one, clinic },
}) => {
  const made = await one.create('patients', aPatient(clinic))
  await one.sync()
  await sql`select soft_delete('patients', ${made}, 'x', null)`.execute(db)
  await one.sync()
  expect(await one.find('patients', made)).toMatchObject({ is_deleted: true })
  await restore([made])
  await one.sync()
  await one.forceUpload()
  expect(
    await db.selectFrom('patients').select('is_deleted').where('id', '=', made).execute(),
  ).toEqual([{ is_deleted: true }])
})

test('a value that was restored and never sent to a phone is not overwritten by its second push', async ({
  db,
  owner,
  pair: { one, chart },
}) => {
  await rename(db, chart.events, 'Before the backup')
  const restore = await backUp(db, owner, chart)
  await restore()
  // the first sync is empty, so that the phone still shows the earlier value
  await one.sync()
  await one.update('events', chart.events, { event_type: 'Typed after the restore' })
  await one.sync()
  await expectKept(db, chart.events)
})

test('of two edits of a row that came back after a restore, the second becomes a conflict', async ({
  db,
  restoring: restore,
  pair: { one, other, clinic },
}) => {
  const made = await one.create('patients', aPatient(clinic))
  await one.sync()
  await other.sync()
  await restore([made])
  await one.sync()
  await other.update('patients', made, { hometown: 'Tyre' })
  await one.update('patients', made, { hometown: 'Saida' })
  await other.sync()
  await one.sync()
  expect(
    await db.selectFrom('patients').select('hometown').where('id', '=', made).execute(),
  ).toEqual([{ hometown: 'Tyre' }])
  expect(await inboxOf(db, made)).toMatchObject([{ column_name: 'hometown', phone_value: 'Saida' }])
})

test('a value that was in the trash when a phone received everything is not overwritten once it is restored', async ({
  db,
  owner,
  pair: { one, chart },
}) => {
  await rename(db, chart.events, 'Before the backup')
  await sql`select soft_delete('events', ${chart.events}, 'x', null)`.execute(db)
  await sql`select begin_sync_epoch()`.execute(owner)
  await one.sync()
  await one.sync()
  await one.update('events', chart.events, { event_type: 'Typed after the restore' })
  await sql`select undo_deletion(id, null) from deletions where record_id = ${chart.events}`.execute(
    db,
  )
  await one.sync()
  await expectKept(db, chart.events)
})

test('a row that came back after a restore and was deleted then is hidden on a phone that held it before', async ({
  db,
  restoring: restore,
  pair: { one, other, clinic },
}) => {
  const made = await one.create('patients', aPatient(clinic))
  await one.sync()
  await other.sync()
  await restore([made])
  await other.sync()
  await one.update('patients', made, { hometown: 'Tyre' })
  await one.sync()
  await sql`select soft_delete('patients', ${made}, 'x', null)`.execute(db)
  await other.sync()
  expect(await other.find('patients', made)).toMatchObject({ is_deleted: true, hometown: 'Tyre' })
  await sql`select undo_deletion(id, null) from deletions where record_id = ${made}`.execute(db)
  await other.sync()
  expect(await other.find('patients', made)).toMatchObject({ is_deleted: false })
})

test('what a forced upload without a pull brought is no conflict when the phone sends it again', async ({
  db,
  pair: { one, chart, clinic, amal },
}) => {
  const visit = await one.create('visits', {
    patient_id: chart.patients,
    clinic_id: clinic.id,
    provider_id: amal.id,
    provider_name: 'Typed before',
    check_in_timestamp: 1,
  })
  await one.update('visits', visit, { provider_name: 'Typed on the phone' })
  await one.forceUpload(0)
  await db
    .updateTable('visits')
    .set({ provider_name: 'Typed on the web' })
    .where('id', '=', visit)
    .execute()
  await one.sync()
  await one.sync()
  expect(await one.find('visits', visit)).toMatchObject({ provider_name: 'Typed on the web' })
  expect(
    await db
      .selectFrom('sync_conflicts')
      .select('column_name')
      .where('row_id', '=', visit)
      .execute(),
  ).toEqual([])
})
