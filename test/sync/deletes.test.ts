import { expect } from 'vitest'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { aPatient, CHART_TABLES, comparable } from './chart'
import { asAdmin } from './clinic'
import { settleDown, test } from './pair'

test('deleting a visit on one phone deletes its events and vital signs everywhere, and unlinks the rest', async ({
  pair,
}) => {
  const { one, other, chart } = pair
  await one.delete('visits', chart.visits)
  await settleDown(one, other)
  for (const phone of [one, other]) {
    for (const table of ['visits', 'events', 'patient_vitals'] as const)
      expect(await phone.find(table, chart[table])).toBeUndefined()
    expect(await phone.find('appointments', chart.appointments)).toMatchObject({
      current_visit_id: '',
    })
    expect(await phone.find('prescriptions', chart.prescriptions)).toMatchObject({ visit_id: null })
    expect(await phone.find('patient_problems', chart.patient_problems)).toMatchObject({
      visit_id: null,
    })
  }
})

test('a patient deleted on a phone goes with everything, and undoing it brings back exactly that', async ({
  db,
  pair,
}) => {
  const { one, other, chart } = pair
  const before = Object.fromEntries(
    await Promise.all(
      CHART_TABLES.map(async (table) => [table, await one.find(table, chart[table])]),
    ),
  )
  await one.delete('patients', chart.patients)
  await settleDown(one, other)
  for (const table of CHART_TABLES.filter((name) => name !== 'dispensing_records'))
    expect([await one.find(table, chart[table]), await other.find(table, chart[table])]).toEqual([
      undefined,
      undefined,
    ])
  await sql`select undo_deletion(id, null) from deletions where record_id = ${chart.patients}`.execute(
    db,
  )
  await settleDown(one, other)
  for (const table of CHART_TABLES) {
    expect(await other.find(table, chart[table])).toMatchObject({ id: chart[table] })
    if (table === 'patients')
      expect(comparable(await other.find(table, chart[table]))).toEqual(comparable(before[table]))
  }
})

test('a deletion reaches a phone only after its unsent edits have come in: they are in the inbox', async ({
  db,
  pair,
}) => {
  const { one, other, chart } = pair
  await other.update('patient_vitals', chart.patient_vitals, { weight_kg: 71.5 })
  await one.delete('patient_vitals', chart.patient_vitals)
  await one.sync()
  // its pull comes before its push
  await other.sync()
  const inbox = await db
    .selectFrom('sync_conflicts')
    .select(['column_name', 'phone_value', 'is_deleted'])
    .where('row_id', '=', chart.patient_vitals)
    .execute()
  expect(inbox).toEqual([{ column_name: 'weight_kg', phone_value: 71.5, is_deleted: true }])
  await other.sync()
  await other.sync()
  expect(await other.find('patient_vitals', chart.patient_vitals)).toBeUndefined()
  expect(
    await db
      .selectFrom('patient_vitals')
      .select('is_deleted')
      .where('id', '=', chart.patient_vitals)
      .executeTakeFirst(),
  ).toEqual({ is_deleted: true })
})

test('a change that the phone had not seen before it deleted the row can still be read', async ({
  db,
  pair,
}) => {
  const { one, chart } = pair
  await one.delete('patient_problems', chart.patient_problems)
  await one.sync({
    onPush: async (send) => {
      await db
        .updateTable('patient_problems')
        .set({ severity_score: 9 })
        .where('id', '=', chart.patient_problems)
        .execute()
      return send()
    },
  })
  expect(
    await db
      .selectFrom('sync_conflicts')
      .select(['column_name', 'server_value'])
      .where('row_id', '=', chart.patient_problems)
      .execute(),
  ).toEqual([{ column_name: 'severity_score', server_value: 9 }])
})

test('what was deleted never comes back by a push', async ({ db, pair }) => {
  const { one, other, chart } = pair
  await one.delete('visits', chart.visits)
  await one.sync()
  await other.create('patient_vitals', {
    patient_id: chart.patients,
    visit_id: chart.visits,
    timestamp: 1,
    weight_kg: 3,
  })
  await other.update('visits', chart.visits, { provider_name: 'Back' })
  await settleDown(other, one)
  expect(
    await db
      .selectFrom('visits')
      .select('is_deleted')
      .where('id', '=', chart.visits)
      .executeTakeFirst(),
  ).toEqual({
    is_deleted: true,
  })
  expect(await other.find('visits', chart.visits)).toBeUndefined()
  const kept = await db
    .selectFrom('sync_quarantine')
    .select(['table_name', 'reason'])
    .where('patient_id', '=', chart.patients)
    .execute()
  expect(kept).toEqual([{ table_name: 'patient_vitals', reason: 'sync.reason_deletedVisit' }])
})

test('a phone’s edits of a merged record go to the remaining one, and undoing the merge reaches phones', async ({
  db,
  make,
  person,
  pair,
}) => {
  const { one, other, chart, clinic } = pair
  const admin = await person('admin')
  const winner = await make.patient({ primary_clinic_id: clinic.id, given_name: 'Leila' })
  await settleDown(one, other)
  await other.update('patients', chart.patients, { hometown: 'Tyre' })
  const visit = await other.create('visits', {
    patient_id: chart.patients,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 9,
  })
  const mergeId = v7()
  await mergePatients(asAdmin(db as never, admin), {
    id: mergeId,
    winnerId: winner.id,
    loserId: chart.patients,
    choices: {},
  })
  await settleDown(other, one)
  for (const phone of [one, other]) {
    expect(await phone.find('patients', chart.patients)).toBeUndefined()
    expect(await phone.find('patients', winner.id)).toMatchObject({
      hometown: 'Tyre',
      given_name: 'Leila',
    })
    expect(await phone.find('visits', visit)).toMatchObject({ patient_id: winner.id })
    expect(await phone.find('events', chart.events)).toMatchObject({ patient_id: winner.id })
  }
  await unmergePatients(asAdmin(db as never, admin), { mergeId })
  await settleDown(other, one)
  for (const phone of [one, other]) {
    expect(await phone.find('patients', chart.patients)).toBeDefined()
    expect(await phone.find('events', chart.events)).toMatchObject({ patient_id: chart.patients })
  }
})

test('a dispensing record moves the stock as far as it goes, an edit counters it, and the rest is a shortfall', async ({
  db,
  make,
  pair,
}) => {
  const { one, chart, amal, clinic } = pair
  const stocked = async (drug: string) =>
    (
      await db
        .selectFrom('clinic_inventory')
        .select('quantity_available')
        .where('drug_id', '=', drug)
        .execute()
    ).map(({ quantity_available }) => quantity_available)
  const record = (await one.find('dispensing_records', chart.dispensing_records))!
  expect(await stocked(String(record['drug_id']))).toEqual([90])
  await one.update('dispensing_records', chart.dispensing_records, { quantity_dispensed: 15 })
  await one.sync()
  expect(await stocked(String(record['drug_id']))).toEqual([85])
  await one.delete('dispensing_records', chart.dispensing_records)
  await one.sync()
  expect(await stocked(String(record['drug_id']))).toEqual([100])
  const batch = await make.stock(clinic.id, 5)
  const { drug_id } = await db
    .selectFrom('drug_batches')
    .select('drug_id')
    .where('id', '=', batch.id)
    .executeTakeFirstOrThrow()
  const id = await one.create('dispensing_records', {
    patient_id: chart.patients,
    clinic_id: clinic.id,
    drug_id,
    batch_id: null,
    prescription_item_id: null,
    quantity_dispensed: 8,
    dispensed_by: amal.id,
    dispensed_at: Date.now(),
  })
  await one.sync()
  expect(await stocked(drug_id)).toEqual([0])
  expect(
    await db
      .selectFrom('stock_shortfalls')
      .select('quantity')
      .where('reference_id', '=', id)
      .execute(),
  ).toEqual([{ quantity: 3 }])
})

test('a deletion that is repeated because its answer was lost does not undo a restore made in between', async ({
  db,
  pair: { one, other, chart },
}) => {
  await one.delete('patient_problems', chart.patient_problems)
  const lost = one.sync({
    onPush: async (send) => (await send(), Promise.reject(new Error('no line'))),
  })
  await expect(lost).rejects.toThrow('no line')
  await sql`select undo_deletion(id, null) from deletions where record_id = ${chart.patient_problems}`.execute(
    db,
  )
  await settleDown(one, other)
  for (const phone of [one, other])
    expect(await phone.find('patient_problems', chart.patient_problems)).toMatchObject({
      problem_code: 'BA00',
    })
  // once it was seen again, it can be deleted again
  await one.delete('patient_problems', chart.patient_problems)
  await settleDown(one, other)
  expect(await other.find('patient_problems', chart.patient_problems)).toBeUndefined()
})

test('a push that comes again after a visit was restored gives no record the link that it had lost', async ({
  db,
  pair: { one, chart },
}) => {
  await sql`select soft_delete('visits', ${chart.visits}, 'x', null)`.execute(db)
  const { id: _, ...like } = (await one.find('patient_problems', chart.patient_problems))!
  const id = await one.create('patient_problems', like)
  const visit = () =>
    db.selectFrom('patient_problems').select('visit_id').where('id', '=', id).executeTakeFirst()
  await one.sync({
    async onPush(send) {
      await send()
      expect(await visit()).toEqual({ visit_id: null })
      await sql`select undo_deletion(id, null) from deletions where record_id = ${chart.visits}`.execute(
        db,
      )
      return send()
    },
  })
  expect(await visit()).toEqual({ visit_id: null })
})

test('a push that comes again after what it made was merged away leaves the record that stayed as it is', async ({
  db,
  person,
  pair: { one, clinic },
}) => {
  const admin = await person('admin')
  const [winnerId, loserId] = [
    await one.create('patients', aPatient(clinic, { hometown: 'Tyre' })),
    await one.create('patients', aPatient(clinic, { hometown: 'Saida' })),
  ]
  await one.sync({
    async onPush(send) {
      await send()
      await mergePatients(asAdmin(db as never, admin), { id: v7(), winnerId, loserId, choices: {} })
      return send()
    },
  })
  await one.sync()
  expect(await one.find('patients', winnerId)).toMatchObject({ hometown: 'Tyre' })
  expect(await one.find('patients', loserId)).toBeUndefined()
})

test('a deletion from a phone whose edit had just lost shows the value that its user never saw', async ({
  db,
  pair: { one, other, chart },
}) => {
  await other.update('events', chart.events, { event_type: 'First' })
  await other.sync()
  await one.update('events', chart.events, { event_type: 'Second' })
  await one.update('patients', chart.patients, { hometown: 'Tyre' })
  await one.sync()
  await one.delete('events', chart.events)
  await one.sync()
  const inbox = await db
    .selectFrom('sync_conflicts')
    .select(['column_name', 'phone_value', 'server_value'])
    .where('row_id', '=', chart.events)
    .where('is_deleted', '=', true)
    .execute()
  expect(inbox).toEqual([{ column_name: 'event_type', phone_value: null, server_value: 'First' }])
})

test('a repeated push of a visit with a problem makes no conflict if the patient was deleted meanwhile', async ({
  db,
  pair: { one, chart, clinic, amal },
}) => {
  const visit = await one.create('visits', {
    patient_id: chart.patients,
    clinic_id: clinic.id,
    provider_id: amal.id,
    provider_name: amal.name,
    check_in_timestamp: 1,
  })
  const problem = await one.create('patient_problems', {
    patient_id: chart.patients,
    visit_id: visit,
    problem_code_system: 'icd10',
    problem_code: 'I10',
    problem_label: 'Hypertension',
    clinical_status: 'active',
    verification_status: 'confirmed',
  })
  await one.sync({
    async onPush(send) {
      await send()
      await sql`select soft_delete('patients', ${chart.patients}, 'x', null)`.execute(db)
      return send()
    },
  })
  const inbox = await db
    .selectFrom('sync_conflicts')
    .select('column_name')
    .where('row_id', 'in', [visit, problem])
    .execute()
  expect(inbox).toEqual([])
})

test('the doses of a form that a phone fills in, changes and deletes are immunizations on the server', async ({
  db,
  make,
  pair,
}) => {
  const { one, chart } = pair
  const form = await make.eventForm({
    form_fields: JSON.stringify([{ id: 'mr', fieldType: 'options', rules: { vaccine: 'mr' } }]),
  })
  const answered = (value: string) => JSON.stringify([{ fieldId: 'mr', value }])
  const doses = () =>
    db
      .selectFrom('patient_immunizations')
      .select(['vaccine', 'dose_number', 'is_deleted'])
      .where('event_id', '=', chart.events)
      .execute()
  await one.update('events', chart.events, { form_id: form.id, form_data: answered('1') })
  await one.sync()
  expect(await doses()).toEqual([{ vaccine: 'mr', dose_number: 1, is_deleted: false }])
  await one.update('events', chart.events, { form_data: answered('2') })
  await one.sync()
  expect(await doses()).toEqual([{ vaccine: 'mr', dose_number: 2, is_deleted: false }])
  await one.delete('events', chart.events)
  await one.sync()
  expect(await doses()).toEqual([{ vaccine: 'mr', dose_number: 2, is_deleted: true }])
})
