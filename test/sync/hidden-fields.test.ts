import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import { applyRefused } from '~/features/office/devices/quarantine.server'
import type { DB } from '~/db/types'
import { PASSWORD } from '../sessions'
import { aPatient } from './chart'
import { asAdmin, type Clinic, EVERYTHING, test as base } from './clinic'
import { OnlineApp, toRegister } from './online-app'
import type { Phone, Row } from './phone'

/** The columns that the form shows on the phone. */
async function shownOn(phone: Phone): Promise<string[]> {
  const [form] = await phone.all('registration_forms')
  const fields = JSON.parse(String(form!['fields'])) as Record<string, unknown>[]
  return fields
    .filter(({ visible, deleted }) => visible && !deleted)
    .map(({ column }) => String(column))
}

const BASE = [
  'given_name',
  'surname',
  'sex',
  'phone',
  'citizenship',
  'photo_url',
  'camp',
  'hometown',
  'date_of_birth',
  'government_id',
  'external_patient_id',
]

/** An edit of a patient as the app saves it: every column, from the fields that its form shows. */
async function editInApp(phone: Phone, id: string, typed: Row, clinic: Clinic) {
  const shown = await shownOn(phone)
  const held = (await phone.find('patients', id))!
  const written = Object.fromEntries(
    BASE.map((column) => [
      column,
      shown.includes(column) ? (typed[column] ?? held[column] ?? '') : '',
    ]),
  )
  await phone.update('patients', id, {
    ...written,
    additional_data: '{}',
    primary_clinic_id: shown.includes('primary_clinic_id')
      ? (held['primary_clinic_id'] ?? '')
      : clinic.id,
  })
}

/** The administrator shows or hides fields of the form. */
const show = (db: Kysely<DB>, column: string, visible: boolean) =>
  sql`update registration_forms set fields = (select jsonb_agg(
    case when f ->> 'column' = ${column} then f || ${JSON.stringify({ visible })}::jsonb else f end)
    from jsonb_array_elements(fields) f)`.execute(db)

const stored = (db: Kysely<DB>, id: string) =>
  db.selectFrom('patients').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const conflicts = (db: Kysely<DB>, id: string) =>
  db.selectFrom('sync_conflicts').select('column_name').where('row_id', '=', id).execute()

const test = base.extend('scene', async ({ db, make, person, phoneOf }) => {
  await sql`update registration_forms set fields = (select jsonb_agg(f || '{"visible": true}')
    from jsonb_array_elements(fields) f)`.execute(db)
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const patient = await phone.create(
    'patients',
    aPatient(clinic, { camp: 'North', hometown: 'Tyre', government_id: 'A-1' }),
  )
  await phone.sync()
  await sql`update patients set photo_url = '/api/files/0190', metadata = '{"hikma":{"x":1}}',
    additional_data = '{"moved":{"in":[1]}}' where id = ${patient}`.execute(db)
  return { clinic, amal, phone, patient }
})

test('an edit in the app keeps the photo, what a move-in brought and the fields that its form hides', async ({
  db,
  scene: { clinic, phone, patient },
}) => {
  await show(db, 'camp', false)
  await phone.sync()
  await editInApp(phone, patient, { hometown: 'Sidon', given_name: 'Rima' }, clinic)
  await phone.sync()
  const kept = {
    photo_url: '/api/files/0190',
    camp: 'North',
    given_name: 'Rima',
    hometown: 'Sidon',
    government_id: 'A-1',
    primary_clinic_id: clinic.id,
  }
  expect(await stored(db, patient)).toMatchObject({
    ...kept,
    additional_data: { moved: { in: [1] } },
    metadata: { hikma: { x: 1 } },
  })
  expect(await conflicts(db, patient)).toEqual([])
  // the stored values are sent again
  await phone.sync()
  const held = (await phone.find('patients', patient))!
  expect(held).toMatchObject(kept)
  expect(JSON.parse(String(held['additional_data']))).toEqual({ moved: { in: [1] } })

  // a field that the form shows is cleared by a person
  await editInApp(phone, patient, { hometown: '' }, clinic)
  await phone.sync()
  expect(await stored(db, patient)).toMatchObject({ ...kept, hometown: null })
  // the same once more, and a forced upload
  await editInApp(phone, patient, { surname: 'Haddad' }, clinic)
  await phone.forceUpload()
  await phone.sync()
  expect(await stored(db, patient)).toMatchObject({ ...kept, hometown: null })
  expect((await conflicts(db, patient)).map(({ column_name }) => column_name)).not.toContain('camp')
})

test('the form that the phone had counts as well as the one in force, and no longer than the phone had it', async ({
  db,
  scene: { clinic, phone, patient },
}) => {
  await show(db, 'camp', false)
  await phone.sync()
  await editInApp(phone, patient, { given_name: 'Rima' }, clinic)
  // the administrator shows the field again before the phone syncs
  await show(db, 'camp', true)
  await phone.sync()
  expect(await stored(db, patient)).toMatchObject({ camp: 'North', given_name: 'Rima' })
  // from now on the phone shows it
  await phone.sync()
  await editInApp(phone, patient, { camp: '' }, clinic)
  await phone.sync()
  expect((await stored(db, patient)).camp || null).toBe(null)
  expect(await conflicts(db, patient)).toEqual([])

  await editInApp(phone, patient, { camp: 'South' }, clinic)
  await phone.sync()
  await editInApp(phone, patient, { camp: '' }, clinic)
  // hidden in the form in force: no screen could show the cleared field
  await show(db, 'camp', false)
  await phone.sync()
  expect(await stored(db, patient)).toMatchObject({ camp: 'South' })
})

test('keys of additional data are added, and other values of the app are taken as before', async ({
  db,
  scene: { phone, patient },
}) => {
  await phone.sync()
  await phone.update('patients', patient, {
    additional_data: '{"new":1}',
    photo_url: 'file:///phone/photo.jpg',
  })
  await phone.sync()
  expect(await stored(db, patient)).toMatchObject({
    additional_data: { moved: { in: [1] }, new: 1 },
  })
})

test('where the form does not ask for the primary clinic, an edit leaves the patient in it', async ({
  db,
  make,
  scene: { clinic, amal, phone, patient },
}) => {
  const other = await make.clinic()
  await make.permission(amal, other.id, EVERYTHING)
  await db.updateTable('users').set({ clinic_id: other.id }).where('id', '=', amal.id).execute()
  await phone.sync()
  expect(await shownOn(phone)).not.toContain('primary_clinic_id')
  await editInApp(phone, patient, { given_name: 'Rima' }, other)
  await phone.sync()
  expect(await stored(db, patient)).toMatchObject({
    given_name: 'Rima',
    primary_clinic_id: clinic.id,
  })
  await phone.sync()
  expect(await phone.find('patients', patient)).toMatchObject({ primary_clinic_id: clinic.id })
})

test('an edit that waited in quarantine, and one in online mode, keep them, too', async ({
  db,
  person,
  server,
  scene: { clinic, amal, phone, patient },
}) => {
  await show(db, 'camp', false)
  await phone.sync()
  await editInApp(phone, patient, { date_of_birth: '1990-02-30' }, clinic)
  await phone.sync()
  const [waiting] = await db
    .selectFrom('sync_quarantine')
    .select('id')
    .where('row_id', '=', patient)
    .execute()
  const admin = asAdmin(db, await person('super_admin'))
  await applyRefused(admin, { id: waiting!.id, values: { date_of_birth: '1990-02-28', phone: '' } })
  const kept = {
    photo_url: '/api/files/0190',
    camp: 'North',
    additional_data: { moved: { in: [1] } },
  }
  expect(await stored(db, patient)).toMatchObject({ ...kept, date_of_birth: '1990-02-28' })

  const app = await OnlineApp.signedIn(server.origin, amal.email, PASSWORD)
  const patientNow = {
    id: patient,
    ...Object.fromEntries(BASE.map((column) => [column, ''])),
    given_name: 'Online',
    additional_data: {},
  }
  await app.command('register_patient', toRegister(patientNow, []))
  expect(await stored(db, patient)).toMatchObject({ ...kept, given_name: 'Online' })
})

test('answers and forms keep what no screen of the app shows of them', async ({
  db,
  scene: { clinic, phone, patient },
}) => {
  const visit = await phone.create('visits', {
    patient_id: patient,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 1,
  })
  const event = await phone.create('events', {
    patient_id: patient,
    visit_id: visit,
    form_id: '',
    event_type: 'Intake',
    form_data: '[]',
    metadata: '{"providerName":"Amal"}',
    recorded_by_user_id: '',
  })
  await phone.sync()
  // as the app saves a form that was opened again
  await phone.update('events', event, { form_data: '[{"fieldId":"a"}]', metadata: '{}' })
  await phone.sync()
  const saved = await db
    .selectFrom('events')
    .select(['form_data', 'metadata'])
    .where('id', '=', event)
    .executeTakeFirstOrThrow()
  expect(saved).toEqual({ form_data: [{ fieldId: 'a' }], metadata: { providerName: 'Amal' } })
})
