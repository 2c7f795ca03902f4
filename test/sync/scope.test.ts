import { sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import { urlsOf } from '../harness'
import { aNewPrescription, aPatient } from './chart'
import { EVERYTHING, test } from './clinic'
import type { Phone, TableName } from './phone'

const ids = async (phone: Phone, table: TableName) =>
  (await phone.all(table)).map(({ id }) => String(id)).toSorted()
const HISTORY: TableName[] = ['visits', 'events', 'patient_vitals', 'patient_problems']

const aProblem = {
  problem_code_system: 'icd10',
  problem_code: 'E11',
  problem_label: 'Diabetes',
  clinical_status: 'active',
  verification_status: 'confirmed',
}

test('a registrar’s phone receives the identity of patients of the registrar’s clinic, not their history', async ({
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const [patient, stranger] = [
    await make.patient({ primary_clinic_id: mine.id }),
    await make.patient({ primary_clinic_id: theirs.id }),
  ]
  for (const each of [patient, stranger]) {
    await make.visit({ patient_id: each.id, clinic_id: each.primary_clinic_id! })
    await make.vital({ patient_id: each.id })
    await make.problem({ patient_id: each.id })
    await make.appointment({ patient_id: each.id, clinic_id: each.primary_clinic_id! })
  }
  const registrar = phoneOf(await person('registrar', [mine]))
  const provider = phoneOf(await person('provider', [mine]))
  const admin = phoneOf(await person('admin'))
  for (const phone of [registrar, provider, admin]) await phone.sync()
  expect(await ids(registrar, 'patients')).toEqual([patient.id])
  expect((await registrar.all('appointments')).map(({ patient_id }) => patient_id)).toEqual([
    patient.id,
  ])
  for (const table of HISTORY) expect(await ids(registrar, table)).toEqual([])
  expect(await ids(provider, 'patients')).toEqual([patient.id])
  expect((await provider.all('patient_vitals')).map(({ patient_id }) => patient_id)).toEqual([
    patient.id,
  ])
  expect(await ids(admin, 'patients')).toEqual(expect.arrayContaining([patient.id, stranger.id]))
})

test('a new permission brings older rows; its removal takes them away once the phone has sent its changes', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [first, second] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: second.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: second.id })
  const omar = await person('provider', [first], EVERYTHING)
  const phone = phoneOf(omar)
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([])

  const permission = await make.permission(omar, second.id, EVERYTHING)
  await phone.sync()
  expect([await ids(phone, 'patients'), await ids(phone, 'visits')]).toEqual([
    [patient.id],
    [visit.id],
  ])

  await phone.update('visits', visit.id, { provider_name: 'Unsent' })
  await db
    .updateTable('user_clinic_permissions')
    .set(Object.fromEntries(EVERYTHING.map((name) => [name, false])))
    .where('id', '=', permission.id)
    .execute()
  await phone.sync()
  // the user may not write it any more, but the stored row is kept
  const kept = await db
    .selectFrom('sync_quarantine')
    .select(['row', 'reason'])
    .where('row_id', '=', visit.id)
    .execute()
  expect(kept).toMatchObject([
    { reason: 'sync.reason_notPermitted', row: expect.stringContaining('Unsent') as string },
  ])
  await phone.sync()
  for (const table of ['patients', 'visits'] as const) expect(await ids(phone, table)).toEqual([])
  expect(
    (await phone.all('user_clinic_permissions')).find(({ clinic_id }) => clinic_id === second.id),
  ).toMatchObject({
    can_view_history: false,
  })
})

test('a patient comes with a visit, what other clinics recorded once it is opened, and both leave again', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: theirs.id })
  const vital = await make.vital({ patient_id: patient.id })
  const phone = phoneOf(await person('provider', [mine]))
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([])
  const visit = await make.visit({ patient_id: patient.id, clinic_id: mine.id })
  const held = async () => {
    await phone.sync()
    await phone.sync()
    return [
      await ids(phone, 'patients'),
      await ids(phone, 'patient_vitals'),
      await ids(phone, 'visits'),
    ]
  }
  expect(await held()).toEqual([[patient.id], [], [visit.id]])
  const opening = await make.opening({ patient_id: patient.id, clinic_id: mine.id })
  expect(await held()).toEqual([[patient.id], [vital.id], [visit.id]])
  // an empty phone receives the same
  const second = phoneOf(await person('provider', [mine]))
  await second.sync()
  expect(await ids(second, 'patient_vitals')).toEqual([vital.id])
  await db
    .updateTable('history_openings')
    .set({ is_deleted: true })
    .where('id', '=', opening.id)
    .execute()
  expect(await held()).toEqual([[patient.id], [], [visit.id]])
  await db.updateTable('visits').set({ is_deleted: true }).where('id', '=', visit.id).execute()
  await phone.sync()
  await phone.sync()
  await phone.sync()
  expect([
    await ids(phone, 'patients'),
    await ids(phone, 'patient_vitals'),
    await ids(phone, 'visits'),
  ]).toEqual([[], [], []])
})

test('where the clinics of an organization share, phones receive what other clinics recorded', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: theirs.id })
  const vital = await make.vital({ patient_id: patient.id })
  await make.visit({ patient_id: patient.id, clinic_id: mine.id })
  const phone = phoneOf(await person('provider', [mine]))
  const setTo = (value: string) =>
    db.updateTable('app_config').set({ value }).where('key', '=', 'share-history').execute()
  const held = async () => {
    for (let times = 0; times < 3; times += 1) await phone.sync()
    return ids(phone, 'patient_vitals')
  }
  expect(await held()).toEqual([])
  await setTo('organization')
  expect(await held()).toEqual([vital.id])
  await setTo('ask')
  expect(await held()).toEqual([])
})

test('a phone’s row is applied if the sender has access to the patient, and opens no records', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: theirs.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: theirs.id })
  const hidden = await make.vital({ patient_id: patient.id, visit_id: visit.id })
  await db
    .insertInto('patient_links')
    .values({ patient_id: patient.id, clinic_id: mine.id, source: 'explicit' })
    .execute()
  const phone = phoneOf(await person('provider', [mine]))
  await phone.sync()
  const problem = { ...aProblem, patient_id: patient.id }
  const own = await phone.create('patient_problems', { ...problem, problem_code: 'I10' })
  const ofTheirVisit = await phone.create('patient_problems', { ...problem, visit_id: visit.id })
  await phone.sync()
  await phone.sync()
  const stored = await db
    .selectFrom('patient_problems')
    .select(['id', 'recorded_clinic_id'])
    .where('patient_id', '=', patient.id)
    .execute()
  expect(stored).toEqual([{ id: own, recorded_clinic_id: mine.id }])
  expect(await ids(phone, 'patient_problems')).toContain(own)
  expect(await ids(phone, 'patient_vitals')).not.toContain(hidden.id)
  const refused = await db
    .selectFrom('sync_quarantine')
    .select(['row_id', 'reason'])
    .where('patient_id', '=', patient.id)
    .execute()
  expect(refused).toEqual([{ row_id: ofTheirVisit, reason: 'sync.reason_notPermitted' }])
})

test('an explicit link shows who the patient is, and no history', async ({ db, make, synced }) => {
  const { mine, theirs, phone } = await synced()
  const patient = await make.patient({ primary_clinic_id: theirs.id })
  await make.vital({ patient_id: patient.id })
  await db
    .insertInto('patient_links')
    .values({ patient_id: patient.id, clinic_id: mine.id, source: 'explicit' })
    .execute()
  await phone.sync()
  expect([await ids(phone, 'patients'), await ids(phone, 'patient_vitals')]).toEqual([
    [patient.id],
    [],
  ])
})

test('a phone that changes hands shows what its new person may see, and keeps the other’s unsent work', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [first, second] = [await make.clinic(), await make.clinic()]
  const [one, two] = [
    await make.patient({ primary_clinic_id: first.id }),
    await make.patient({ primary_clinic_id: second.id }),
  ]
  const amal = await person('provider', [first], EVERYTHING)
  const omar = await person('provider', [second], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  await phone.update('patients', one.id, { phone: '555' })
  phone.email = omar.email
  await phone.sync()
  const kept = await db
    .selectFrom('sync_quarantine')
    .select(['row_id', 'user_id', 'reason'])
    .where('row_id', '=', one.id)
    .execute()
  expect(kept).toEqual([{ row_id: one.id, user_id: omar.id, reason: 'sync.reason_notPermitted' }])
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([two.id])
  expect((await phone.all('user_clinic_permissions')).map(({ user_id }) => user_id)).toEqual([
    omar.id,
  ])
  phone.email = amal.email
  await phone.sync()
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([one.id])
})

test('no write brings a patient into the writer’s scope, and no phone writes what the web would refuse', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const stranger = await make.patient({ primary_clinic_id: theirs.id })
  const own = await make.patient({ primary_clinic_id: mine.id })
  const registrar = phoneOf(await person('registrar', [mine]))
  const provider = phoneOf(await person('provider', [mine]))
  for (const phone of [registrar, provider]) await phone.sync()
  await provider.create('visits', {
    patient_id: stranger.id,
    clinic_id: mine.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 1,
  })
  await provider.create('appointments', {
    patient_id: stranger.id,
    clinic_id: mine.id,
    timestamp: 1,
    duration: 5,
    departments: '[]',
    status: 'pending',
    user_id: '',
    current_visit_id: '',
    reason: '',
    notes: '',
    is_walk_in: false,
  })
  await provider.create('patients', aPatient(mine, { id: stranger.id, given_name: 'Mine now' }))
  await provider.delete('patients', own.id)
  await registrar.create('visits', {
    patient_id: own.id,
    clinic_id: mine.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 1,
  })
  await registrar.update('patients', own.id, { primary_clinic_id: theirs.id })
  // what its user types until the next push arrives before the refused row leaves a phone
  for (const phone of [registrar, provider])
    for (let time = 0; time < 3; time += 1) await phone.sync()
  const kept = await db
    .selectFrom('sync_quarantine')
    .select(['table_name', 'operation', 'reason'])
    .where('patient_id', 'in', [own.id, stranger.id])
    .orderBy('table_name')
    .orderBy('operation')
    .execute()
  expect(kept).toEqual([
    { table_name: 'appointments', operation: 'save', reason: 'sync.reason_notPermitted' },
    { table_name: 'patients', operation: 'delete', reason: 'sync.reason_notPermitted' },
    { table_name: 'patients', operation: 'save', reason: 'sync.reason_notPermitted' },
    { table_name: 'patients', operation: 'save', reason: 'sync.reason_notPermitted' },
    { table_name: 'visits', operation: 'save', reason: 'sync.reason_notPermitted' },
    { table_name: 'visits', operation: 'save', reason: 'sync.reason_notPermitted' },
  ])
  expect(
    await db
      .selectFrom('patients')
      .select(['given_name', 'primary_clinic_id'])
      .where('id', '=', stranger.id)
      .executeTakeFirst(),
  ).toEqual({ given_name: 'Layla', primary_clinic_id: theirs.id })
  // the refused deletion: the phone gets its patient back
  expect(await ids(provider, 'patients')).toEqual([own.id])
  expect(await registrar.find('patients', own.id)).toMatchObject({ primary_clinic_id: mine.id })
})

test('a patient registered by phone without a clinic belongs to the clinics of the registering user', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const [one, other] = [
    phoneOf(await person('registrar', [clinic])),
    phoneOf(await person('registrar', [clinic])),
  ]
  await one.sync()
  const id = await one.create('patients', aPatient(null))
  await one.sync()
  await other.sync()
  expect(await ids(other, 'patients')).toEqual([id])
})

test('what a phone put out of its own sight comes back to it when it may see it again', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const amal = await person('provider', [mine], EVERYTHING)
  await make.permission(amal, theirs.id, ['can_edit_records'])
  const patient = await make.patient({ primary_clinic_id: theirs.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: mine.id })
  const phone = phoneOf(amal)
  await phone.sync()
  // the one visit that gives access to the patient becomes one of the other clinic, and the patient is
  // edited with the same push
  await phone.update('patients', patient.id, { hometown: 'Tyre' })
  await phone.update('visits', visit.id, { clinic_id: theirs.id })
  await phone.sync()
  await expect(phone.sync({ onPush: () => Promise.reject(new Error('no line')) })).rejects.toThrow(
    'no line',
  )
  expect(await ids(phone, 'patients')).toEqual([])
  await db.updateTable('visits').set({ clinic_id: mine.id }).where('id', '=', visit.id).execute()
  await phone.sync()
  await phone.sync()
  expect(await phone.find('patients', patient.id)).toMatchObject({ hometown: 'Tyre' })
})

test('a visit made in a clinic whose records the author may not read leaves the phone once it is sent', async ({
  make,
  synced,
}) => {
  const { mine, theirs, amal, phone } = await synced()
  await make.permission(amal, theirs.id, ['can_edit_records'])
  const patient = await make.patient({ primary_clinic_id: mine.id })
  await phone.sync()
  const visit = {
    patient_id: patient.id,
    provider_id: amal.id,
    provider_name: amal.name,
    check_in_timestamp: Date.now(),
    metadata: '{}',
  }
  const [kept, sent] = [
    await phone.create('visits', { ...visit, clinic_id: mine.id }),
    await phone.create('visits', { ...visit, clinic_id: theirs.id }),
  ]
  await phone.sync()
  // what its user types until the next push arrives first
  await phone.sync()
  expect(await ids(phone, 'visits')).toEqual([kept, sent].toSorted())
  await phone.sync()
  expect(await ids(phone, 'visits')).toEqual([kept])
})

test('a user who may prescribe but not read histories loses the prescription from the phone once it is sent', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const author = await person(
    'provider',
    [clinic],
    ['can_register_patients', 'can_prescribe_medications'],
  )
  const phone = phoneOf(author)
  await phone.sync()
  const patient_id = await phone.create('patients', aPatient(clinic))
  const id = await phone.create('prescriptions', aNewPrescription(author, clinic, patient_id))
  await phone.sync()
  expect(await db.selectFrom('prescriptions').select('id').where('id', '=', id).execute()).toEqual([
    { id },
  ])
  // what its user types until the next push arrives first
  await phone.sync()
  expect(await ids(phone, 'prescriptions')).toEqual([id])
  await phone.sync()
  expect(await ids(phone, 'prescriptions')).toEqual([])
  expect(await ids(phone, 'patients')).toEqual([patient_id])
})

test('vital signs that name an event of another patient or clinic go to quarantine', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const author = await person('provider', [mine], EVERYTHING)
  const eventOf = async (patient_id: string, clinic_id: string) => {
    const visit = await make.visit({ patient_id, clinic_id })
    return make.event({ patient_id, visit_id: visit.id })
  }
  const patient = await make.patient({ primary_clinic_id: mine.id })
  const other = await make.patient({ primary_clinic_id: mine.id })
  const own = await eventOf(patient.id, mine.id)
  const named = {
    "another patient's": await eventOf(other.id, mine.id),
    "another clinic's": await eventOf(patient.id, theirs.id),
  }
  const phone = phoneOf(author)
  await phone.sync()
  const measure = (event_id: string) =>
    phone.create('patient_vitals', {
      patient_id: patient.id,
      visit_id: null,
      event_id,
      timestamp: Date.UTC(2026, 0, 5),
      heart_rate: 70,
    })
  const stored = await measure(own.id)
  const refused = await Promise.all(Object.values(named).map(({ id }) => measure(id)))
  await phone.sync()
  const found = db.selectFrom('patient_vitals').select(['id', 'event_id'])
  expect(await found.where('patient_id', '=', patient.id).execute()).toEqual([
    { id: stored, event_id: own.id },
  ])
  const kept = db.selectFrom('sync_quarantine').select(['row_id', 'reason'])
  const rows = await kept.where('user_id', '=', author.id).execute()
  expect(new Map(rows.map(({ row_id, reason }) => [row_id, reason]))).toEqual(
    new Map(refused.map((id) => [id, 'sync.reason_notPermitted'])),
  )
})

test('a prescription sent for pickup to another clinic shows that clinic who the patient is, and no history', async ({
  make,
  person,
  phoneOf,
}) => {
  const [mine, pharmacy] = [await make.clinic(), await make.clinic()]
  const author = await person('provider', [mine], EVERYTHING)
  const patient = await make.patient({ primary_clinic_id: mine.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: mine.id })
  await make.event({ patient_id: patient.id, visit_id: visit.id })
  await make.vital({ patient_id: patient.id, visit_id: visit.id })
  await make.problem({ patient_id: patient.id, visit_id: visit.id })
  const [one, other] = [phoneOf(author), phoneOf(await person('provider', [pharmacy], EVERYTHING))]
  await one.sync()
  await other.sync()
  expect(await ids(other, 'patients')).toEqual([])
  await one.create('prescriptions', {
    patient_id: patient.id,
    provider_id: author.id,
    filled_by: null,
    pickup_clinic_id: pharmacy.id,
    visit_id: visit.id,
    priority: 'normal',
    expiration_date: 0,
    prescribed_at: Date.UTC(2026, 0, 5),
    filled_at: null,
    status: 'pending',
    items: '[]',
    notes: '',
  })
  await one.sync()
  await other.sync()
  expect(await ids(other, 'patients')).toEqual([patient.id])
  for (const table of HISTORY) expect([table, await ids(other, table)]).toEqual([table, []])
})

test('an edit of a patient who leaves the scope after a change of permissions arrives', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, withdrawn, theirs] = [await make.clinic(), await make.clinic(), await make.clinic()]
  const provider = await person('provider', [mine, withdrawn], EVERYTHING)
  const phone = phoneOf(provider)
  const early = await make.patient({ primary_clinic_id: withdrawn.id })
  const late = await make.patient({ primary_clinic_id: theirs.id })
  const visit = await make.visit({ patient_id: late.id, clinic_id: mine.id })
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([early.id, late.id].toSorted())
  await db
    .updateTable('user_clinic_permissions')
    .set({ is_deleted: true })
    .where('user_id', '=', provider.id)
    .where('clinic_id', '=', withdrawn.id)
    .execute()
  await phone.sync()
  // the visit that gave access to the patient becomes one of another clinic
  await db.updateTable('visits').set({ clinic_id: theirs.id }).where('id', '=', visit.id).execute()
  await phone.update('patients', late.id, { hometown: 'Typed in between' })
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([late.id])
  const kept = await db
    .selectFrom('sync_quarantine')
    .select('row')
    .where('row_id', '=', late.id)
    .execute()
  expect(kept.map(({ row }) => JSON.parse(row) as object)).toMatchObject([
    { hometown: 'Typed in between' },
  ])
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([])
})

test('what another clinic recorded leaves a phone that changed hands, also if a visit ends and another begins', async ({
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: theirs.id })
  const vital = await make.vital({ patient_id: patient.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: mine.id })
  const phone = phoneOf(await person('admin'))
  await phone.sync()
  await phone.sync()
  expect(await ids(phone, 'patient_vitals')).toContain(vital.id)
  phone.email = (await person('provider', [mine], EVERYTHING)).email
  await phone.delete('visits', visit.id)
  await phone.sync()
  await phone.sync()
  await make.visit({ patient_id: patient.id, clinic_id: mine.id })
  await phone.sync()
  await phone.sync()
  expect(await ids(phone, 'patients')).toEqual([patient.id])
  expect(await ids(phone, 'patient_vitals')).toEqual([])
})

test('the access log names the patients whose rows each pull sends', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const first = await make.patient({ primary_clinic_id: mine.id })
  await make.patient({ primary_clinic_id: theirs.id })
  const amal = await person('provider', [mine], EVERYTHING)
  const phone = phoneOf(amal)
  const sent = async () => {
    await phone.sync()
    const entries = await db
      .selectFrom('access_log')
      .select(['operation', 'via', 'patient_ids'])
      .where('user_id', '=', amal.id)
      .orderBy('at')
      .execute()
    return entries.map(({ operation, via, patient_ids }) => [operation, via, ...patient_ids])
  }
  const whole = ['sync.pull', 'phone', first.id]
  expect(await sent()).toEqual([whole])
  expect(await sent()).toEqual([whole])

  const second = await make.patient({ primary_clinic_id: theirs.id })
  await make.vital({ patient_id: second.id })
  const visit = await make.visit({ patient_id: second.id, clinic_id: mine.id })
  expect(await sent()).toEqual([whole, ['sync.pull', 'phone', second.id]])
  await make.problem({ patient_id: first.id, visit_id: null })
  await make.vital({ patient_id: second.id, visit_id: visit.id })
  const both = (await sent()).at(-1)!
  expect(both.slice(2).toSorted()).toEqual([first.id, second.id].toSorted())
})

test('the patients of a first pull are recorded while it is read', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  await make.patient({ primary_clinic_id: clinic.id })
  const amal = await person('provider', [clinic], EVERYTHING)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const other = new pg.Client(urlsOf(rows[0]!.name).ownerUrl)
  await other.connect()
  await other.query('begin; lock table wire_clinics in access exclusive mode')
  const pulling = phoneOf(amal).sync()
  const entries = () =>
    db.selectFrom('access_log').select('operation').where('user_id', '=', amal.id).execute()
  try {
    await expect.poll(entries).toEqual([{ operation: 'sync.pull' }])
  } finally {
    await other.query('commit')
    await other.end()
    await pulling
  }
})
