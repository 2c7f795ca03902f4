import { type Kysely, sql } from 'kysely'
import { v7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { mergePatients } from '~/features/people/patients/duplicates/merge.server'
import { aPatient } from './chart'
import { asAdmin, EVERYTHING } from './clinic'
import { settleDown, test } from './pair'
import type { Phone, Row } from './phone'

const softDelete = (db: Kysely<DB>, table: string, id: string) =>
  sql`select soft_delete(${table}, ${id}, 'x', null)`.execute(db)

const listed = ({ lastPull }: Phone, list: 'created' | 'updated') =>
  Object.entries(lastPull!.changes).flatMap(([table, changes]) =>
    ((changes as unknown as Record<string, Row[]>)[list] ?? []).map((row): [string, Row] => [
      table,
      row,
    ]),
  )
/** What the last pull sent as deleted, in each of the two steps. */
const hidden = (phone: Phone) =>
  listed(phone, 'updated')
    .filter(([, row]) => row['is_deleted'] === true)
    .map(([table, { id }]) => `${table} ${String(id)}`)
    .toSorted()
const removed = ({ lastPull }: Phone) =>
  Object.entries(lastPull!.changes)
    .flatMap(([table, { deleted }]) => deleted.map((id) => `${table} ${id}`))
    .toSorted()

const inboxOf = (db: Kysely<DB>, id: string) =>
  sql<{ column: string; value: unknown; user: string; at: Date; edited: Date }>`
    select column_name as column, phone_value as value, user_id as user, received_at as at,
      edited_at as edited
    from sync_conflicts where row_id = ${id}`
    .execute(db)
    .then(({ rows }) => rows)

test('an edit typed a day after the deletion of its visit arrives in the inbox, with who and when', async ({
  db,
  pair: { one, other, chart, omar },
}) => {
  await one.delete('visits', chart.visits)
  await one.sync()
  await other.sync()
  // the app hides it; a screen that was open still has it
  expect(await other.find('events', chart.events)).toMatchObject({ is_deleted: true })
  await other.update('events', chart.events, { event_type: 'A day later' })
  const typed = (await other.find('events', chart.events))!['updated_at']
  await other.sync()
  await other.sync()
  expect(await inboxOf(db, chart.events)).toEqual([
    {
      column: 'event_type',
      value: 'A day later',
      user: omar.id,
      at: expect.any(Date) as Date,
      edited: new Date(Number(typed)),
    },
  ])
  await settleDown(one, other)
  expect(await other.find('events', chart.events)).toBeUndefined()
})

test('what is typed into a hidden record that a list still shows is a conflict, until the second sync', async ({
  db,
  pair: { other, chart, omar },
}) => {
  const typed = {
    appointments: { notes: 'Still listed' },
    prescriptions: { notes: 'Still listed' },
    patients: { hometown: 'Still listed' },
  }
  const tables = Object.keys(typed) as (keyof typeof typed)[]
  for (const table of tables) await softDelete(db, table, chart[table])
  await other.sync()
  for (const table of tables) {
    expect(await other.find(table, chart[table])).toMatchObject({ is_deleted: true })
    await other.update(table, chart[table], typed[table])
  }
  await other.sync()
  for (const table of tables)
    expect(await inboxOf(db, chart[table])).toMatchObject([
      { value: 'Still listed', user: omar.id },
    ])
  await other.sync()
  for (const table of tables) expect(await other.find(table, chart[table])).toBeUndefined()
})

test('a deletion on the web hides a visit and what it includes, and two pushes later removes them', async ({
  db,
  pair: { other, chart },
}) => {
  await softDelete(db, 'visits', chart.visits)
  const deleted = [
    `events ${chart.events}`,
    `patient_vitals ${chart.patient_vitals}`,
    `visits ${chart.visits}`,
  ]
  await other.sync()
  expect([hidden(other), removed(other)]).toEqual([deleted, []])
  expect(await other.find('visits', chart.visits)).toMatchObject({
    is_deleted: true,
    deleted_at: expect.any(Number) as number,
  })
  await other.sync()
  expect([hidden(other), removed(other)]).toEqual([[], []])
  await other.sync()
  expect([hidden(other), removed(other)]).toEqual([[], deleted])
  await other.sync()
  expect([hidden(other), removed(other)]).toEqual([[], []])
})

test('a record that is restored between the steps is shown again, with what was typed meanwhile', async ({
  db,
  pair: { other, chart },
}) => {
  await softDelete(db, 'visits', chart.visits)
  await other.sync()
  await other.update('events', chart.events, { event_type: 'Typed while hidden' })
  await sql`select undo_deletion(id, null) from deletions where record_id = ${chart.visits}`.execute(
    db,
  )
  await settleDown(other)
  for (const table of ['visits', 'events', 'patient_vitals'] as const)
    expect(await other.find(table, chart[table])).toMatchObject({
      is_deleted: false,
      deleted_at: null,
    })
  expect(await other.find('events', chart.events)).toMatchObject({
    event_type: 'Typed while hidden',
  })
  expect(
    await db.selectFrom('events').select('event_type').where('id', '=', chart.events).execute(),
  ).toEqual([{ event_type: 'Typed while hidden' }])
})

test('a record that is restored between a pull and its push is shown again', async ({
  db,
  pair: { other, chart },
}) => {
  await softDelete(db, 'visits', chart.visits)
  await other.sync()
  await other.update('events', chart.events, { event_type: 'Typed while hidden' })
  await other.sync({
    async between() {
      await sql`select undo_deletion(id, null) from deletions
        where record_id = ${chart.visits}`.execute(db)
    },
  })
  await settleDown(other)
  expect(await other.find('events', chart.events)).toMatchObject({
    event_type: 'Typed while hidden',
    is_deleted: false,
  })
})

test('a push of a hidden record restores nothing, and what is new in its visit waits in quarantine', async ({
  db,
  pair: { other, chart },
}) => {
  await softDelete(db, 'visits', chart.visits)
  await other.sync()
  await other.update('visits', chart.visits, { provider_name: 'Hidden', is_deleted: false })
  const vital = await other.create('patient_vitals', {
    patient_id: chart.patients,
    visit_id: chart.visits,
    timestamp: 1,
    weight_kg: 3,
  })
  await settleDown(other)
  expect(
    await db.selectFrom('visits').select('is_deleted').where('id', '=', chart.visits).execute(),
  ).toEqual([{ is_deleted: true }])
  expect(await inboxOf(db, chart.visits)).toMatchObject([{ value: 'Hidden' }])
  expect(
    await db.selectFrom('sync_quarantine').select('reason').where('row_id', '=', vital).execute(),
  ).toEqual([{ reason: 'sync.reason_deletedVisit' }])
  expect(await other.find('visits', chart.visits)).toBeUndefined()
})

test('a phone that only pulls keeps deleted records hidden', async ({
  db,
  pair: { other, chart },
}) => {
  await softDelete(db, 'visits', chart.visits)
  const offline = () => Promise.reject(new Error('no line'))
  for (let time = 0; time < 4; time += 1)
    await expect(other.sync({ onPush: offline })).rejects.toThrow('no line')
  expect(await other.find('visits', chart.visits)).toMatchObject({ is_deleted: true })
  await settleDown(other)
  expect(await other.find('visits', chart.visits)).toBeUndefined()
})

test('the phone that deleted a record is not sent it again', async ({ pair: { one, chart } }) => {
  await one.delete('visits', chart.visits)
  await one.sync()
  await one.sync()
  expect(hidden(one)).toEqual([`events ${chart.events}`, `patient_vitals ${chart.patient_vitals}`])
})

test('a deleted record of a patient who left the scope is never sent, only its id', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, theirs] = [await make.clinic(), await make.clinic()]
  const phone = phoneOf(await person('registrar', [theirs]))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const link = { patient_id: patient.id, clinic_id: theirs.id, source: 'explicit' as const }
  await db.insertInto('patient_links').values(link).execute()
  await phone.sync()
  await phone.sync()
  expect(await phone.find('patients', patient.id)).toBeDefined()
  await db
    .updateTable('patient_links')
    .set({ until: new Date() })
    .where('patient_id', '=', patient.id)
    .where('clinic_id', '=', theirs.id)
    .execute()
  await softDelete(db, 'patients', patient.id)
  await phone.sync()
  expect(hidden(phone)).toEqual([])
  await settleDown(phone)
  expect(await phone.find('patients', patient.id)).toBeUndefined()
})

test('a visit that alone made the patient known to a clinic is hidden there before the patient leaves', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, theirs] = [await make.clinic(), await make.clinic()]
  const provider = await person('provider', [theirs], EVERYTHING)
  const phone = phoneOf(provider)
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: theirs.id })
  await phone.sync()
  await phone.sync()
  await softDelete(db, 'visits', visit.id)
  await phone.sync()
  expect(hidden(phone)).toEqual([`visits ${visit.id}`])
  await phone.update('visits', visit.id, { provider_name: 'A day later' })
  await settleDown(phone)
  expect(await phone.find('visits', visit.id)).toBeUndefined()
  expect(await phone.find('patients', patient.id)).toBeUndefined()
  expect(await inboxOf(db, visit.id)).toMatchObject([{ value: 'A day later', user: provider.id }])
})

test('an edit of a deleted visit arrives although its patient was deleted after it', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const provider = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(provider)
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  // so that the deletion of the first one ends no access
  await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  await phone.sync()
  await phone.sync()
  await softDelete(db, 'visits', visit.id)
  await phone.sync()
  await softDelete(db, 'patients', patient.id)
  // in a screen that was still open
  await phone.update('visits', visit.id, { provider_name: 'A day later' })
  await phone.sync()
  expect(await inboxOf(db, visit.id)).toMatchObject([{ value: 'A day later', user: provider.id }])
  await settleDown(phone)
  expect(await phone.find('patients', patient.id)).toBeUndefined()
  expect(await phone.find('visits', visit.id)).toBeUndefined()
})

test('a record that was merged into another is never sent as deleted', async ({
  db,
  make,
  person,
  pair: { one, other, chart, clinic },
}) => {
  const admin = await person('admin')
  const winner = await make.patient({ primary_clinic_id: clinic.id })
  await settleDown(one, other)
  await mergePatients(asAdmin(db, admin), {
    id: v7(),
    winnerId: winner.id,
    loserId: chart.patients,
    choices: {},
  })
  await other.sync()
  expect(hidden(other)).toEqual([])
  await other.sync()
  expect(await other.find('patients', chart.patients)).toBeUndefined()
})

test('a record that the app made and hid before it synced is in the trash, and in no other phone', async ({
  db,
  pair: { one, other, clinic },
}) => {
  const id = await one.create('patients', aPatient(clinic))
  await one.update('patients', id, { is_deleted: true })
  await settleDown(one, other)
  expect(
    await db.selectFrom('deletions').select('record_id').where('record_id', '=', id).execute(),
  ).toHaveLength(1)
  expect(await one.find('patients', id)).toBeUndefined()
  expect(await other.find('patients', id)).toBeUndefined()
})

test('rows are created in a first pull only, and a deleted row never is', async ({
  db,
  make,
  pair: { chart, omar, clinic, other },
  phoneOf,
}) => {
  await softDelete(db, 'visits', chart.visits)
  const empty = phoneOf(omar)
  await empty.sync()
  const created = listed(empty, 'created')
  expect(created.map(([, { id }]) => id)).toContain(chart.patients)
  expect(created.filter(([, row]) => row['is_deleted'])).toEqual([])
  expect(listed(empty, 'updated')).toEqual([])
  const later = await make.patient({ primary_clinic_id: clinic.id })
  for (const phone of [empty, other]) {
    await phone.sync()
    expect(listed(phone, 'created')).toEqual([])
    expect(listed(phone, 'updated').map(([, { id }]) => id)).toContain(later.id)
  }
})
