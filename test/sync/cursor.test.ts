import { sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import { urlsOf } from '../harness'
import { aPatient } from './chart'
import { EVERYTHING, test } from './clinic'

test('a row that a slow transaction commits after later ones is delivered', async ({
  db,
  make,
  synced,
}) => {
  const { mine: clinic, phone } = await synced()
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const slow = new pg.Client(urlsOf(rows[0]!.name).appUrl)
  await slow.connect()
  const id = crypto.randomUUID()
  await slow.query('begin')
  await slow.query(
    `insert into patients (id, given_name, primary_clinic_id) values ($1, 'Slow', $2)`,
    [id, clinic.id],
  )
  const quick = await make.patient({ primary_clinic_id: clinic.id })
  await phone.sync()
  expect(await phone.find('patients', quick.id)).toBeDefined()
  expect(await phone.find('patients', id)).toBeUndefined()
  await slow.query('commit')
  await slow.end()
  await phone.sync()
  expect(await phone.find('patients', id)).toMatchObject({ given_name: 'Slow' })
})

test('a pull that was cut off leaves nothing out of the next one', async ({ make, synced }) => {
  const { mine: clinic, phone } = await synced()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await expect(
    phone.sync({ onPull: async (send) => (await send(), Promise.reject(new Error('cut'))) }),
  ).rejects.toThrow('cut')
  await phone.sync()
  expect(await phone.find('patients', patient.id)).toBeDefined()
})

test('a second pull brings nothing that the first has brought, nor what the phone sent itself', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  await make.patient({ primary_clinic_id: clinic.id })
  await phone.sync()
  await phone.create('patients', aPatient(clinic))
  await phone.sync()
  await phone.sync()
  const sent = Object.values(phone.lastPull!.changes).flatMap(({ created, updated, deleted }) => [
    ...created,
    ...updated,
    ...deleted,
  ])
  expect(sent).toEqual([])
})

test('a phone whose number was never given, as after a restore, gets everything after its first push', async ({
  db,
  owner,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await phone.sync()
  const before = phone.lastPull!.timestamp
  await sql`select begin_sync_epoch()`.execute(owner)
  await phone.sync()
  expect(phone.lastPull!.changes['patients']!.updated).toEqual([])
  await phone.sync()
  expect(phone.lastPull!.changes['patients']!.updated.map(({ id }) => id)).toEqual([patient.id])
  expect(phone.lastPull!.timestamp).toBeGreaterThan(before)
  // an edit made here before the restore counts as unseen: it is not overwritten silently
  await db.updateTable('patients').set({ phone: '1' }).where('id', '=', patient.id).execute()
  await sql`select begin_sync_epoch()`.execute(owner)
  await phone.update('patients', patient.id, { phone: '2' })
  await phone.sync()
  expect(
    await db.selectFrom('patients').select('phone').where('id', '=', patient.id).executeTakeFirst(),
  ).toEqual({
    phone: '1',
  })
})

test('a first pull brings new rows, so that the app logs no error for them', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  await phone.sync()
  expect(phone.lastPull!.changes['patients']!.created).toMatchObject([{ id: patient.id }])
  expect(Object.values(phone.lastPull!.changes).flatMap(({ updated }) => updated)).toEqual([])
  expect(await phone.all('visits')).toHaveLength(1)
  await phone.sync()
  expect(phone.errors).toEqual([])
})

test('later rows come as updates, so that a deletion that waits on the phone is not undone', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  await phone.sync()
  await phone.delete('visits', visit.id)
  await make.vital({ patient_id: patient.id, visit_id: visit.id })
  await phone.sync()
  expect(Object.values(phone.lastPull!.changes).flatMap(({ created }) => created)).toEqual([])
  expect(await phone.find('visits', visit.id)).toBeUndefined()
})
