import type { Kysely } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { applyRefused } from '~/features/office/devices/quarantine.server'
import { auditOf } from '../harness'
import { asking, sessionFor } from '../sessions'
import { aPatient } from './chart'
import { type Clinic, EVERYTHING, test } from './clinic'
import type { Phone, Row } from './phone'

const aVisit = (patient_id: string, clinic: Clinic) => ({
  patient_id,
  clinic_id: clinic.id,
  provider_id: '',
  provider_name: '',
  check_in_timestamp: 1,
})
const vitals = (patient_id: string, values: Row) => ({
  patient_id,
  visit_id: null,
  timestamp: 1,
  weight_kg: 61,
  ...values,
})
const dispensed = (patient_id: string, clinic: Clinic, values: Row) => ({
  patient_id,
  clinic_id: clinic.id,
  batch_id: null,
  prescription_item_id: null,
  quantity_dispensed: 10,
  dosage_instructions: null,
  days_supply: 0,
  dispensed_at: 2,
  recorded_by_user_id: null,
  ...values,
})

const quarantined = (db: Kysely<DB>, userId: string) =>
  db
    .selectFrom('sync_quarantine')
    .select(['id', 'row_id', 'reason', 'detail'])
    .where('user_id', '=', userId)
    .where('settled_at', 'is', null)
    .execute()

async function registered(phone: Phone, clinic: Clinic) {
  await phone.sync()
  const patientId = await phone.create('patients', aPatient(clinic))
  await phone.create('visits', aVisit(patientId, clinic))
  await phone.sync()
  return patientId
}

test('the author that a phone names is kept, and the sender is stored beside it and in the audit', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  // neither may edit what the other recorded
  const rights = ['can_register_patients', 'can_view_history', 'can_edit_records'] as const
  const [amal, omar] = [
    await person('provider', [clinic], rights),
    await person('provider', [clinic], rights),
  ]
  const form = await make.eventForm()
  const shared = phoneOf(amal)
  const patientId = await registered(shared, clinic)
  const visitId = await shared.create('visits', aVisit(patientId, clinic))
  const vital = await shared.create(
    'patient_vitals',
    vitals(patientId, { recorded_by_user_id: omar.id }),
  )
  const own = await shared.create(
    'patient_vitals',
    vitals(patientId, { recorded_by_user_id: amal.id }),
  )
  const event = await shared.create('events', {
    patient_id: patientId,
    form_id: form.id,
    visit_id: visitId,
    event_type: 'x',
    form_data: '[]',
    recorded_by_user_id: omar.id,
  })
  await shared.sync()

  expect(await quarantined(db, amal.id)).toEqual([])
  const stored = async (table: 'patient_vitals' | 'events', id: string) =>
    db
      .selectFrom(table)
      .select(['recorded_by_user_id', 'sent_by_user_id'])
      .where('id', '=', id)
      .executeTakeFirst()
  const byOmar = { recorded_by_user_id: omar.id, sent_by_user_id: amal.id }
  expect(await stored('patient_vitals', vital)).toEqual(byOmar)
  expect(await stored('events', event)).toEqual(byOmar)
  expect(await stored('patient_vitals', own)).toEqual({
    recorded_by_user_id: amal.id,
    sent_by_user_id: amal.id,
  })
  const trail = await auditOf(db, vital)
  expect(trail).toMatchObject([{ user_id: amal.id }])
  expect(JSON.stringify(trail)).not.toContain('sent_by_user_id')

  const { listVitals } = await import('~/features/care/vitals/vitals.server')
  const screen = await asking(db, { token: await sessionFor(db, omar.id) })
  const { rows } = await listVitals(screen, { patientId })
  expect(rows.find(({ id }) => id === vital)).toMatchObject({
    recorded_by: omar.name,
    sent_by: amal.name,
  })
  expect(rows.find(({ id }) => id === own)).toMatchObject({
    recorded_by: amal.name,
    sent_by: null,
  })
  // phones do not know the sender
  expect(JSON.stringify(shared.lastPull)).not.toContain('sent_by')

  // who recorded and who sent a row stay when the author's own phone corrects it
  const omars = phoneOf(omar)
  await omars.sync()
  await omars.update('patient_vitals', vital, { weight_kg: 62 })
  await omars.sync()
  expect(await stored('patient_vitals', vital)).toEqual(byOmar)
})

test('an unknown author and one of another clinic go to quarantine, and can be applied by an administrator', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, other] = [await make.clinic(), await make.clinic()]
  const amal = await person('provider', [clinic], EVERYTHING)
  const stranger = await person('provider', [other], EVERYTHING)
  const drug = await make.drug()
  const phone = phoneOf(amal)
  const patientId = await registered(phone, clinic)
  const unknown = crypto.randomUUID()
  const rows = {
    [await phone.create('patient_vitals', vitals(patientId, { recorded_by_user_id: unknown }))]: [
      'sync.reason_unknownReference',
      unknown,
    ],
    [await phone.create('patient_vitals', vitals(patientId, { recorded_by_user_id: stranger.id }))]:
      ['sync.reason_authorElsewhere', stranger.id],
    [await phone.create(
      'dispensing_records',
      dispensed(patientId, clinic, { drug_id: drug.id, dispensed_by: stranger.id }),
    )]: ['sync.reason_authorElsewhere', stranger.id],
  }
  await phone.sync()
  const kept = await quarantined(db, amal.id)
  expect(Object.fromEntries(kept.map((row) => [row.row_id, [row.reason, row.detail]]))).toEqual(
    rows,
  )

  const administrator = await make.user({ role: 'admin' })
  const screen = await asking(db, { token: await sessionFor(db, administrator.id) })
  const waiting = kept.find(
    ({ detail, reason }) => detail === stranger.id && reason === 'sync.reason_authorElsewhere',
  )!
  await applyRefused(screen, { id: waiting.id, values: {} })
  const applied = await db
    .selectFrom('patient_vitals')
    .select(['recorded_by_user_id', 'sent_by_user_id'])
    .where('id', '=', waiting.row_id!)
    .union(
      db
        .selectFrom('dispensing_records')
        .select(['dispensed_by as recorded_by_user_id', 'sent_by_user_id'])
        .where('id', '=', waiting.row_id!),
    )
    .execute()
  expect(applied).toEqual([{ recorded_by_user_id: stranger.id, sent_by_user_id: amal.id }])
})

test('what was recorded before someone moved to another clinic still arrives', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, other] = [await make.clinic(), await make.clinic()]
  const amal = await person('provider', [clinic], EVERYTHING)
  const omar = await person('provider', [clinic, other], EVERYTHING)
  await db
    .updateTable('user_clinic_permissions')
    .set({ can_view_history: false, can_edit_records: false, is_deleted: true })
    .where('user_id', '=', omar.id)
    .where('clinic_id', '=', clinic.id)
    .execute()
  const phone = phoneOf(amal)
  const patientId = await registered(phone, clinic)
  await phone.create('patient_vitals', vitals(patientId, { recorded_by_user_id: omar.id }))
  await phone.sync()
  expect(await quarantined(db, amal.id)).toEqual([])
})

test('a batch of another clinic is kept in the record, and the quantity is a shortfall', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, other] = [await make.clinic(), await make.clinic()]
  const amal = await person('provider', [clinic], EVERYTHING)
  const drug = await make.drug()
  const batch = await make.stock(other.id, 50, { drug_id: drug.id })
  const phone = phoneOf(amal)
  const patientId = await registered(phone, clinic)
  const record = await phone.create(
    'dispensing_records',
    dispensed(patientId, clinic, {
      drug_id: drug.id,
      batch_id: batch.id,
      dispensed_by: amal.id,
    }),
  )
  await phone.sync()
  expect(await quarantined(db, amal.id)).toEqual([])
  const kept = await db
    .selectFrom('dispensing_records')
    .select(['batch_id', 'quantity_dispensed'])
    .where('id', '=', record)
    .executeTakeFirst()
  expect(kept).toEqual({ batch_id: batch.id, quantity_dispensed: 10 })
  const shortfalls = await db
    .selectFrom('stock_shortfalls')
    .select(['clinic_id', 'batch_id', 'quantity'])
    .where('reference_id', '=', record)
    .execute()
  expect(shortfalls).toEqual([{ clinic_id: clinic.id, batch_id: batch.id, quantity: 10 }])
  const stock = await db
    .selectFrom('clinic_inventory')
    .select(['clinic_id', 'quantity_available'])
    .where('batch_id', '=', batch.id)
    .execute()
  expect(stock).toEqual([{ clinic_id: other.id, quantity_available: 50 }])
})

test('a phone keeps a photo that was saved on a screen, and can neither clear it nor name another', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const photoOf = (id: string) => `/api/photos/${id}?v=${crypto.randomUUID()}`
  const mine = await make.patient({ primary_clinic_id: clinic.id })
  const theirs = await make.patient({ primary_clinic_id: (await make.clinic()).id })
  const [myPhoto, theirPhoto] = [photoOf(mine.id), photoOf(theirs.id)]
  await db.updateTable('patients').set({ photo_url: myPhoto }).where('id', '=', mine.id).execute()
  await db
    .updateTable('patients')
    .set({ photo_url: theirPhoto })
    .where('id', '=', theirs.id)
    .execute()
  const stored = async (id: string) =>
    (
      await db
        .selectFrom('patients')
        .select('photo_url')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).photo_url
  const phone = phoneOf(amal)
  await phone.sync()
  const ownName = theirPhoto.replace(theirs.id, mine.id)
  for (const photo_url of [theirPhoto, ownName]) {
    await phone.update('patients', mine.id, { photo_url, hometown: photo_url.slice(-4) })
    await phone.sync()
    expect(await stored(mine.id)).toBe(myPhoto)
    await phone.sync()
    expect(await phone.find('patients', mine.id)).toMatchObject({
      photo_url: myPhoto,
      hometown: photo_url.slice(-4),
    })
  }
  const created = await phone.create('patients', aPatient(clinic, { photo_url: theirPhoto }))
  await phone.sync()
  expect(await stored(created)).toBeNull()
  // the phone receives what was stored instead
  await phone.sync()
  // the picture that only a phone has is text like any other
  await phone.update('patients', created, { photo_url: 'file:///photo.jpg' })
  await phone.sync()
  expect(await stored(created)).toBe('file:///photo.jpg')

  // no screen of the app clears a photo: the app writes the empty value in each edit
  await phone.update('patients', mine.id, { photo_url: null })
  await phone.sync()
  expect(await stored(mine.id)).toBe(myPhoto)
  await phone.sync()
  expect(await phone.find('patients', mine.id)).toMatchObject({ photo_url: myPhoto })
  expect(await quarantined(db, amal.id)).toEqual([])
})
