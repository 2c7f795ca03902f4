import { sql } from 'kysely'
import { expect } from 'vitest'
import { aPatient } from './chart'
import { EVERYTHING, test as base } from './clinic'
import type { Phone } from './phone'

/** Two phones of two people that both show one patient. */
const test = base.extend('pair', async ({ make, person, phoneOf }) => {
  const clinic = await make.clinic()
  const [amal, omar] = [
    await person('provider', [clinic], EVERYTHING),
    await person('provider', [clinic], EVERYTHING),
  ]
  const [one, other] = [phoneOf(amal), phoneOf(omar)]
  await one.sync()
  const id = await one.create('patients', aPatient(clinic))
  await one.sync()
  await other.sync()
  return { clinic, amal, omar, one, other, id }
})

const settleDown = async (...phones: Phone[]) => {
  for (let round = 0; round < 2; round += 1) for (const phone of phones) await phone.sync()
}

test('two columns of one patient, edited in two places: both survive everywhere', async ({
  pair,
}) => {
  const { one, other, id } = pair
  await one.update('patients', id, { phone: '111' })
  await other.update('patients', id, { hometown: 'Tyre' })
  await settleDown(one, other)
  expect(await one.find('patients', id)).toMatchObject({ phone: '111', hometown: 'Tyre' })
  expect(await other.find('patients', id)).toEqual(await one.find('patients', id))
})

test('the same column edited in two places: the first value is kept, the other becomes a conflict', async ({
  db,
  pair,
}) => {
  const { one, other, id, omar } = pair
  // its clock is an hour ahead: that makes no difference
  other.skew = 3_600_000
  await one.update('patients', id, { phone: '111' })
  await other.update('patients', id, { phone: '222', hometown: 'Tyre' })
  await settleDown(one, other)
  expect(await one.find('patients', id)).toMatchObject({ phone: '111', hometown: 'Tyre' })
  expect(await other.find('patients', id)).toEqual(await one.find('patients', id))
  const inbox = await db.selectFrom('sync_conflicts').selectAll().where('row_id', '=', id).execute()
  expect(inbox).toMatchObject([
    {
      column_name: 'phone',
      phone_value: '222',
      server_value: '111',
      user_id: omar.id,
      patient_id: id,
      settled_at: null,
    },
  ])
})

test('a second edit of a value that lost, before the phone was sent the kept one, loses as well', async ({
  db,
  pair,
}) => {
  const { clinic, one, other, id } = pair
  await one.update('patients', id, { phone: '111' })
  await other.update('patients', id, { phone: '222' })
  // so that the next push does not repeat this one
  await other.create('patients', aPatient(clinic))
  await one.sync()
  await other.sync()
  // the phone still shows 222: the pull of the same sync kept what had not been sent
  await other.update('patients', id, { phone: '333' })
  await other.sync()
  const inbox = await db
    .selectFrom('sync_conflicts')
    .select(['phone_value', 'server_value'])
    .where('row_id', '=', id)
    .orderBy('received_at')
    .execute()
  expect(inbox).toEqual([
    { phone_value: '222', server_value: '111' },
    { phone_value: '333', server_value: '111' },
  ])
  await settleDown(one, other)
  expect(await other.find('patients', id)).toMatchObject({ phone: '111' })
  await other.update('patients', id, { phone: '444' })
  await settleDown(other, one)
  expect(await one.find('patients', id)).toMatchObject({ phone: '444' })
  // nobody has to decide about what its own user has replaced
  expect(
    await db.selectFrom('sync_conflicts').select('outcome').where('row_id', '=', id).execute(),
  ).toEqual([{ outcome: 'superseded' }, { outcome: 'superseded' }])
})

test('an edit older by the phone’s clock is as good as any other', async ({ pair }) => {
  const { one, other, id } = pair
  one.skew = -10 * 365 * 86_400_000
  await one.update('patients', id, { phone: '333' })
  await settleDown(one, other)
  expect(await other.find('patients', id)).toMatchObject({ phone: '333' })
})

test('what the web changed meanwhile is a conflict, too, and what the phone has seen is none', async ({
  db,
  pair,
}) => {
  const { one, id } = pair
  await db.updateTable('patients').set({ hometown: 'Sidon' }).where('id', '=', id).execute()
  await one.update('patients', id, { hometown: 'Tyre' })
  await one.sync()
  expect(
    await db.selectFrom('sync_conflicts').select('phone_value').where('row_id', '=', id).execute(),
  ).toEqual([{ phone_value: 'Tyre' }])
  await one.sync()
  expect(await one.find('patients', id)).toMatchObject({ hometown: 'Sidon' })
  // now the user has seen the value and changes it on purpose
  await one.update('patients', id, { hometown: 'Baalbek' })
  await one.sync()
  expect(
    await db.selectFrom('patients').select('hometown').where('id', '=', id).executeTakeFirst(),
  ).toEqual({
    hometown: 'Baalbek',
  })
})

test('a value that others changed and changed back is the one that the user of a phone had seen', async ({
  db,
  pair,
}) => {
  const { one, id } = pair
  const onWeb = (hometown: string) =>
    db.updateTable('patients').set({ hometown }).where('id', '=', id).execute()
  await onWeb('Tyre')
  for (let round = 0; round < 2; round += 1) await one.sync()
  await onWeb('Sidon')
  await onWeb('Tyre')
  await one.update('patients', id, { hometown: 'Beirut' })
  await one.sync()
  const inbox = () =>
    db
      .selectFrom('sync_conflicts')
      .select(['phone_value', 'server_value'])
      .where('row_id', '=', id)
      .execute()
  expect(await inbox()).toEqual([])
  await onWeb('Sidon')
  await onWeb('Saida')
  await one.update('patients', id, { hometown: 'Jbeil' })
  await one.sync()
  expect(await inbox()).toEqual([{ phone_value: 'Jbeil', server_value: 'Saida' }])
})

test('a value that others set back to an earlier one than the phone wrote is a conflict', async ({
  db,
  pair,
}) => {
  const { one, id } = pair
  const onWeb = (hometown: string) =>
    db.updateTable('patients').set({ hometown }).where('id', '=', id).execute()
  await onWeb('Tyre')
  for (let round = 0; round < 2; round += 1) await one.sync()
  await one.update('patients', id, { hometown: 'Beirut' })
  await one.sync()
  await onWeb('Tyre')
  await one.update('patients', id, { hometown: 'Jbeil' })
  await one.sync()
  expect(
    await db
      .selectFrom('sync_conflicts')
      .select(['phone_value', 'server_value'])
      .where('row_id', '=', id)
      .execute(),
  ).toEqual([{ phone_value: 'Jbeil', server_value: 'Tyre' }])
})

test('an edit that failed syncs carried along is compared with what its person saw, not with the last pull', async ({
  db,
  pair,
}) => {
  const { one, id } = pair
  await one.update('patients', id, { hometown: 'Tyre' })
  const lost = { onPush: () => Promise.reject(new Error('no line')) }
  await expect(one.sync(lost)).rejects.toThrow('no line')
  await db.updateTable('patients').set({ hometown: 'Sidon' }).where('id', '=', id).execute()
  // these pulls bring the new value, which the phone's own edit hides from the user
  await expect(one.sync(lost)).rejects.toThrow('no line')
  await expect(one.sync(lost)).rejects.toThrow('no line')
  await one.sync()
  expect(
    await db.selectFrom('patients').select('hometown').where('id', '=', id).executeTakeFirst(),
  ).toEqual({
    hometown: 'Sidon',
  })
  expect(
    await db.selectFrom('sync_conflicts').select('phone_value').where('row_id', '=', id).execute(),
  ).toEqual([{ phone_value: 'Tyre' }])
})

test('a change between the pull and the push of one sync is not overwritten', async ({
  db,
  pair,
}) => {
  const { one, id } = pair
  await one.update('patients', id, { hometown: 'Tyre' })
  await one.sync({
    between: async () => {
      await db
        .updateTable('patients')
        .set({ hometown: 'Sidon', phone: '9' })
        .where('id', '=', id)
        .execute()
    },
  })
  await one.sync()
  expect(await one.find('patients', id)).toMatchObject({ hometown: 'Sidon', phone: '9' })
})

test('the same push again, cut off, or after others have edited, changes nothing more', async ({
  db,
  pair,
}) => {
  const { one, other, id } = pair
  const visit = await one.create('visits', {
    patient_id: id,
    clinic_id: pair.clinic.id,
    provider_id: '',
    provider_name: 'A',
    check_in_timestamp: 5,
  })
  await one.update('patients', id, { phone: '111', hometown: 'Tyre' })
  // applied, but the answer never arrives
  const cut = {
    onPush: async (send: () => Promise<{ status: number; body: string }>) => (
      await send(),
      Promise.reject(new Error('cut'))
    ),
  }
  await expect(one.sync(cut)).rejects.toThrow('cut')
  await other.sync()
  await other.update('patients', id, { phone: '222' })
  await other.update('visits', visit, { provider_name: 'B' })
  await other.sync()
  await expect(one.sync(cut)).rejects.toThrow('cut')
  await settleDown(one, other)
  expect(await one.find('patients', id)).toMatchObject({ phone: '222', hometown: 'Tyre' })
  expect(await one.find('visits', visit)).toMatchObject({ provider_name: 'B' })
  expect(
    await db.selectFrom('sync_conflicts').selectAll().where('row_id', 'in', [id, visit]).execute(),
  ).toEqual([])
  expect(await other.find('visits', visit)).toEqual(await one.find('visits', visit))
})

test('a row edited further after the answer to its push was lost keeps the later edit', async ({
  db,
  pair,
}) => {
  const { one, id, clinic } = pair
  const visit = await one.create('visits', {
    patient_id: id,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: 'A',
    check_in_timestamp: 5,
  })
  await expect(
    one.sync({ onPush: async (send) => (await send(), Promise.reject(new Error('cut'))) }),
  ).rejects.toThrow('cut')
  await one.update('visits', visit, { provider_name: 'Later' })
  await one.sync()
  expect(
    await db
      .selectFrom('visits')
      .select('provider_name')
      .where('id', '=', visit)
      .executeTakeFirst(),
  ).toEqual({
    provider_name: 'Later',
  })
  expect(await one.find('visits', visit)).toMatchObject({ provider_name: 'Later' })
})

test('two phones that answer one question about a patient end with one answer; the other is in the inbox', async ({
  db,
  pair,
}) => {
  const { one, other, id } = pair
  const attribute_id = crypto.randomUUID()
  const older = await one.create('patient_additional_attributes', {
    patient_id: id,
    attribute_id,
    attribute: 'tribe',
    string_value: 'one',
  })
  const younger = await other.create('patient_additional_attributes', {
    patient_id: id,
    attribute_id,
    attribute: 'tribe',
    string_value: 'two',
  })
  await settleDown(one, other)
  await settleDown(other)
  const rows = await db
    .selectFrom('patient_additional_attributes')
    .select(['id', 'string_value'])
    .where('patient_id', '=', id)
    .execute()
  expect(rows).toEqual([{ id: older, string_value: 'one' }])
  expect(await other.find('patient_additional_attributes', younger)).toBeUndefined()
  expect(await other.find('patient_additional_attributes', older)).toMatchObject({
    string_value: 'one',
  })
  expect(
    await db
      .selectFrom('sync_conflicts')
      .select(['row_id', 'phone_value'])
      .where('patient_id', '=', id)
      .execute(),
  ).toEqual([{ row_id: older, phone_value: 'two' }])
})

test('the empty answers that the app makes to each question are no answers, whichever arrives first', async ({
  db,
  pair,
}) => {
  const { one, other, id } = pair
  const answer = (attribute_id: string, string_value: string) => ({
    patient_id: id,
    attribute_id,
    attribute: 'tribe',
    number_value: null,
    string_value,
    date_value: null,
    boolean_value: null,
  })
  const [first, second, both] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  const make = (phone: Phone, attribute: string, value: string) =>
    phone.create('patient_additional_attributes', answer(attribute, value))
  const older = [
    await make(one, first, 'one'),
    await make(one, second, ''),
    await make(one, both, ''),
  ]
  await make(other, first, '')
  await make(other, second, 'two')
  await make(other, both, '')
  await settleDown(one, other)
  await settleDown(other, one)
  const rows = await db
    .selectFrom('patient_additional_attributes')
    .select(['id', 'attribute_id', 'string_value'])
    .where('patient_id', '=', id)
    .where('is_deleted', '=', false)
    .execute()
  expect(new Map(rows.map((row) => [row.attribute_id, row.string_value ?? '']))).toEqual(
    new Map([
      [first, 'one'],
      [second, 'two'],
      [both, ''],
    ]),
  )
  expect(rows.map((row) => row.id).toSorted()).toEqual(older.toSorted())
  for (const phone of [one, other])
    expect(
      new Map(
        (await phone.all('patient_additional_attributes')).map((row) => [
          row['id'],
          row['string_value'] ?? '',
        ]),
      ),
    ).toEqual(new Map(rows.map((row) => [row.id, row.string_value ?? ''])))
  expect(
    await db
      .selectFrom('sync_conflicts')
      .select('phone_value')
      .where('patient_id', '=', id)
      .execute(),
  ).toEqual([])
})

test('of two answers in one push to a question without an answer, one fills it and the other is in the inbox', async ({
  db,
  pair,
}) => {
  const { one, other, id } = pair
  const [stored, made] = [crypto.randomUUID(), crypto.randomUUID()]
  const answer = (phone: Phone, attribute_id: string, string_value: string) =>
    phone.create('patient_additional_attributes', {
      patient_id: id,
      attribute_id,
      attribute: 'tribe',
      number_value: null,
      string_value,
      date_value: null,
      boolean_value: null,
    })
  await answer(one, stored, '')
  await one.sync()
  for (const attribute of [stored, made])
    for (const value of ['x', 'y']) await answer(other, attribute, value)
  await other.sync()
  const rows = await db
    .selectFrom('patient_additional_attributes as a')
    .leftJoin('sync_conflicts as c', 'c.row_id', 'a.id')
    .select(['attribute_id', 'string_value', 'phone_value', 'server_value'])
    .where('a.patient_id', '=', id)
    .where('a.is_deleted', '=', false)
    .execute()
  expect(rows).toHaveLength(2)
  for (const { string_value, phone_value, server_value } of rows) {
    expect(new Set([string_value, phone_value])).toEqual(new Set(['x', 'y']))
    expect(server_value).toBe(string_value)
  }
})

test('a forced upload makes what is unknown, puts what differs into the inbox, and overwrites nothing', async ({
  db,
  pair,
}) => {
  const { one, id, clinic } = pair
  const raw = {
    ...(await one.find('patients', id))!,
    hometown: 'Old',
    _status: 'synced',
    _changed: '',
  }
  const fresh = { ...raw, id: crypto.randomUUID(), given_name: 'New' }
  const body = JSON.stringify({ patients: { created: [], updated: [raw, fresh], deleted: [] } })
  const { status } = await one.request('POST', '/api/v2/sync?last_pulled_at=1', body)
  expect(status).toBe(200)
  expect(
    await db.selectFrom('patients').select('hometown').where('id', '=', id).executeTakeFirst(),
  ).toEqual({
    hometown: null,
  })
  expect(
    await db
      .selectFrom('patients')
      .select('primary_clinic_id')
      .where('id', '=', fresh.id)
      .executeTakeFirst(),
  ).toEqual({ primary_clinic_id: clinic.id })
  expect(
    await db.selectFrom('sync_conflicts').select('phone_value').where('row_id', '=', id).execute(),
  ).toEqual([{ phone_value: 'Old' }])
})

test('each row that a phone wrote is in the trail as that person’s work by phone', async ({
  db,
  pair,
}) => {
  const { id, amal } = pair
  const trail = await sql<{ user_id: string; via: string; action: string }>`
    select user_id, via, action from audit_log where table_name = 'patients' and record_id = ${id}`.execute(
    db,
  )
  expect(trail.rows).toEqual([{ user_id: amal.id, via: 'phone', action: 'sync.push' }])
})

test('a different answer, sent again after its reply was lost and others have written, is one conflict', async ({
  db,
  pair: { one, other, id: patient_id },
}) => {
  const answer = {
    patient_id,
    attribute_id: crypto.randomUUID(),
    attribute: 'languages',
    number_value: null,
  }
  const first = await one.create('patient_additional_attributes', {
    ...answer,
    string_value: 'Arabic',
  })
  await other.create('patient_additional_attributes', { ...answer, string_value: 'French' })
  await one.sync()
  await other.sync({
    async onPush(send) {
      await send()
      await db
        .updateTable('patient_additional_attributes')
        .set({ string_value: 'Kurdish' })
        .where('id', '=', first)
        .execute()
      return send()
    },
  })
  const inbox = await db
    .selectFrom('sync_conflicts')
    .select('phone_value')
    .where('row_id', '=', first)
    .execute()
  expect(inbox).toEqual([{ phone_value: 'French' }])
})
