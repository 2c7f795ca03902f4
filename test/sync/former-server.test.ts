import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { importHikma } from '~/features/exchange/imports/hikma/hikma.server'
import { newReport } from '~/features/exchange/imports/hikma/run'
import { openHikma } from '~/features/exchange/imports/hikma/source.server'
import { aRequest, urlsOf } from '../harness'
import { PASSWORD } from '../hikma/cases'
import { startOldServer } from '../hikma/old-server'
import { makeSource } from '../hikma/source'
import { aPatient } from './chart'
import { test as base } from './clinic'
import { Phone, type Row } from './phone'

/** The database of an old server with its server, and the move to Sanad. */
const test = base
  .extend('former', { scope: 'file' }, async ({ server, db, owner }, { onCleanup }) => {
    const name = `${server.name}_hikma`
    await sql.raw(`create database ${name}`).execute(owner)
    const url = urlsOf(name).ownerUrl
    const source = new pg.Client(url)
    source.on('error', () => {})
    await source.connect()
    await makeSource(source, 300)
    await source.query(
      `update user_clinic_permissions set can_register_patients = true, can_view_history = true,
         can_edit_records = true, can_delete_patient_records = true, can_delete_patient_visits = true,
         can_edit_other_provider_event = true, can_delete_records = true`,
    )
    await source.query(
      `update patients set last_modified = '2026-01-01Z', server_created_at = '2026-01-01Z'`,
    )
    const old = await startOldServer(source)
    onCleanup(async () => {
      old.stop()
      await source.end()
    })
    return {
      source,
      origin: old.origin,
      async moveIn() {
        const opened = await openHikma(url)
        const report = newReport()
        try {
          const ctx = { db, actor: null, request: aRequest('command') }
          await importHikma(ctx, opened, report)
        } finally {
          await opened.end()
        }
        return report
      },
    }
  })
  .extend('providers', { scope: 'file' }, async ({ former }) => {
    const { rows } = await former.source.query<{ id: string; email: string }>(
      `select id, email from users where role = 'provider' and email ~ '^user\\d+@' and not is_deleted
         and (select count(*) from user_clinic_permissions p where p.user_id = users.id) > 7
       order by email`,
    )
    return rows
  })
  .extend('phoneAt', { scope: 'file' }, ({ former, providers }) => async (user: number) => {
    const phone = new Phone(former.origin, providers[user]!.email, PASSWORD)
    await phone.sync()
    // what the last push brought is older than the number of the last pull
    await phone.sync()
    return phone
  })
  // of patients that no awkward case has touched
  .extend('patients', async ({ former }) => {
    const { rows } = await former.source.query<{ id: string }>(
      `select id from patients where government_id ~ '^GOV-2[5-9]\\d$' and not is_deleted order by id`,
    )
    return rows.map(({ id }) => id)
  })

const patientOf = (phone: Phone, id: string) => phone.find('patients', id) as Promise<Row>
const stored = (db: Kysely<DB>, id: string) =>
  db.selectFrom('patients').selectAll().where('id', '=', id).executeTakeFirst()
const conflicts = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('sync_conflicts')
    .select(['column_name', 'phone_value', 'server_value'])
    .where('row_id', '=', id)
    .execute()
const refused = (db: Kysely<DB>) =>
  db.selectFrom('sync_quarantine').select(['table_name', 'operation', 'reason']).execute()

test('a phone of the former server goes on with what it holds, and what it had not sent arrives', async ({
  db,
  server,
  former,
  phoneAt,
  patients: [edited = '', elsewhere = ''],
  providers: [amal],
}) => {
  const phone = await phoneAt(0)
  const { rows: visits } = await former.source.query<{ id: string }>(
    'select id from visits where patient_id = $1 order by id',
    [edited],
  )
  const [deleted, held] = visits.map(({ id }) => id) as [string, string]
  await former.moveIn()
  await db.updateTable('patients').set({ phone: '+1' }).where('id', '=', elsewhere).execute()
  const clinic = { id: String((await patientOf(phone, edited))['primary_clinic_id']) }
  await phone.update('patients', edited, { hometown: 'Typed before the move' })
  await phone.delete('visits', deleted)
  const made = await phone.create('patients', aPatient(clinic, { hometown: 'Made offline' }))
  const visit = await phone.create('visits', {
    patient_id: edited,
    clinic_id: clinic.id,
    provider_id: amal!.id,
    provider_name: 'Amal',
    check_in_timestamp: Date.UTC(2026, 5, 1),
  })
  const event = await phone.create('events', {
    patient_id: edited,
    visit_id: visit,
    form_id: String((await phone.all('event_forms'))[0]!['id']),
    event_type: 'Check-up',
    form_data: '[]',
    recorded_by_user_id: amal!.id,
  })

  phone.origin = server.origin
  // the answer to the push is lost
  await expect(
    phone.sync({ onPush: async (send) => (await send(), Promise.reject(new Error('cut'))) }),
  ).rejects.toThrow('cut')

  expect(await refused(db)).toEqual([])
  expect(await stored(db, edited)).toMatchObject({ hometown: 'Typed before the move' })
  expect(await stored(db, made)).toMatchObject({ hometown: 'Made offline' })
  const ofTable = (table: 'visits' | 'events', id: string) =>
    db.selectFrom(table).select('is_deleted').where('id', '=', id).executeTakeFirst()
  expect(await ofTable('visits', deleted)).toEqual({ is_deleted: true })
  expect(await ofTable('visits', visit)).toEqual({ is_deleted: false })
  expect(await ofTable('events', event)).toEqual({ is_deleted: false })
  expect(await patientOf(phone, elsewhere)).toMatchObject({ phone: '+1' })

  await phone.sync()
  await phone.sync()
  await phone.sync()
  expect(await db.selectFrom('sync_conflicts').selectAll().execute()).toEqual([])
  expect(await phone.unsentIds('patients')).toEqual([])
  expect(await patientOf(phone, edited)).toMatchObject({ hometown: 'Typed before the move' })
  expect(await patientOf(phone, made)).toMatchObject({ hometown: 'Made offline' })
  expect(await phone.find('visits', held)).toMatchObject({ is_deleted: false })
  expect(await phone.find('visits', deleted)).toBeUndefined()
  expect(await phone.find('events', event)).toBeDefined()
  // what others type from now on is compared with what this phone has seen
  await phone.update('patients', edited, { camp: 'Phone' })
  await db.updateTable('patients').set({ camp: 'Web' }).where('id', '=', edited).execute()
  await phone.sync()
  expect(await stored(db, edited)).toMatchObject({ camp: 'Web' })
  expect(await conflicts(db, edited)).toEqual([
    { column_name: 'camp', phone_value: 'Phone', server_value: 'Web' },
  ])
})

test('after a parallel week only what a phone has not seen of the former server is a conflict', async ({
  db,
  server,
  former,
  phoneAt,
  patients: [, , own = '', unseen = '', web = ''],
}) => {
  const phone = await phoneAt(1)
  await former.moveIn()
  await phone.update('patients', own, { hometown: 'Sent to the former server' })
  await phone.sync()
  await phone.sync()
  await former.source.query(
    `update patients set hometown = 'Of another phone', last_modified = now() where id = $1`,
    [unseen],
  )
  await former.moveIn()
  expect(await stored(db, own)).toMatchObject({ hometown: 'Sent to the former server' })
  await db.updateTable('patients').set({ hometown: 'Of the web' }).where('id', '=', web).execute()
  for (const id of [own, unseen, web])
    await phone.update('patients', id, { hometown: 'Not sent yet' })

  phone.origin = server.origin
  await phone.sync()

  expect(await conflicts(db, own)).toEqual([])
  expect(await stored(db, own)).toMatchObject({ hometown: 'Not sent yet' })
  for (const [id, value] of [
    [unseen, 'Of another phone'],
    [web, 'Of the web'],
  ] as const) {
    expect(await stored(db, id)).toMatchObject({ hometown: value })
    expect(await conflicts(db, id)).toEqual([
      { column_name: 'hometown', phone_value: 'Not sent yet', server_value: value },
    ])
  }
  await phone.sync()
  expect(await patientOf(phone, unseen)).toMatchObject({ hometown: 'Of another phone' })
})

test('an import after phones have written into Sanad overwrites nothing of theirs', async ({
  db,
  server,
  former,
  phoneAt,
  patients: [, , , , , both = '', ofDeleted = ''],
}) => {
  const phone = await phoneAt(2)
  await former.moveIn()
  const { rows } = await former.source.query<{ id: string }>(
    'select id from visits where patient_id = $1 order by id limit 1',
    [ofDeleted],
  )
  const visit = rows[0]!.id
  phone.origin = server.origin
  const clinic = { id: String((await patientOf(phone, both))['primary_clinic_id']) }
  await phone.update('patients', both, { hometown: 'Of the phone' })
  await phone.delete('visits', visit)
  const made = await phone.create('patients', aPatient(clinic, { hometown: 'Made on the phone' }))
  await phone.sync()
  // the former server got the new patient as well: its answer to the phone was lost
  await former.source.query(
    `insert into patients (id, given_name, hometown, primary_clinic_id) values ($1, 'Layla', 'Earlier', $2)`,
    [made, clinic.id],
  )
  await former.source.query(
    `update patients set hometown = 'Of the former server', phone = '+9', last_modified = now() where id = $1`,
    [both],
  )
  await former.source.query(
    `update visits set provider_name = 'Changed there', last_modified = now() where id = $1`,
    [visit],
  )

  const { tables } = await former.moveIn()

  expect(await stored(db, both)).toMatchObject({ hometown: 'Of the phone', phone: '+9' })
  expect(await stored(db, made)).toMatchObject({ hometown: 'Made on the phone' })
  const visits = db.selectFrom('visits').select('is_deleted').where('id', '=', visit)
  expect(await visits.execute()).toEqual([{ is_deleted: true }])
  expect(tables.find(({ table }) => table === 'patients')?.differences).toBe(2)
  await phone.sync()
  expect(await patientOf(phone, both)).toMatchObject({ hometown: 'Of the phone', phone: '+9' })
  expect(await conflicts(db, both)).toEqual([])
  expect((await former.moveIn()).hasNews).toBe(false)
})
