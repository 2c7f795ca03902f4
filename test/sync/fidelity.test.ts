import { sql } from 'kysely'
import { expect } from 'vitest'
import type { EventFilter } from '~/features/forms/events/explore/explore'
import { chartsOfForm } from '~/features/forms/events/explore/explore-charts.server'
import { listByForm } from '~/features/forms/events/explore/explore.server'
import type { Context } from '~/server/operation'
import { aRequest } from '../harness'
import { aChart, aNewPrescription, aPatient, CHART_TABLES, comparable } from './chart'
import { EVERYTHING, test } from './clinic'
import { Phone, type Row } from './phone'
import { PASSWORD } from '../sessions'

test('every value that one phone sent reaches another equal, whatever it is', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const [amal, omar] = [
    await person('provider', [clinic], EVERYTHING),
    await person('provider', [clinic], EVERYTHING),
  ]
  const batch = await make.stock(clinic.id, 100)
  const form = await make.eventForm()
  const drug = {
    id: (
      await db
        .selectFrom('drug_batches')
        .select('drug_id')
        .where('id', '=', batch.id)
        .executeTakeFirstOrThrow()
    ).drug_id,
  }
  const [one, other] = [phoneOf(amal), phoneOf(omar)]
  await one.sync()
  const chart = await aChart(one, amal, clinic, {
    drug,
    batch,
    form,
    note: 'كبير '.repeat(200_000),
  })
  const sent = Object.fromEntries(
    await Promise.all(
      CHART_TABLES.map(async (table) => [table, await one.find(table, chart[table])]),
    ),
  )
  await one.sync()
  await other.sync()
  await one.sync()
  expect(await db.selectFrom('sync_quarantine').selectAll().execute()).toEqual([])
  for (const table of CHART_TABLES) {
    const arrived = await other.find(table, chart[table])
    expect(comparable(arrived)).toEqual(comparable(sent[table] as never))
    expect(comparable(await one.find(table, chart[table]))).toEqual(comparable(arrived))
  }
})

test('the id of a field of an older or imported registration form is any text', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const [amal, omar] = [
    await person('provider', [clinic], EVERYTHING),
    await person('provider', [clinic], EVERYTHING),
  ]
  const [one, other] = [phoneOf(amal), phoneOf(omar)]
  const { id: patient_id } = await make.patient({ primary_clinic_id: clinic.id })
  await one.sync()
  await other.sync()
  const answers = { num: { number_value: 0 }, bool: { boolean_value: false } }
  const rows = await Promise.all(
    Object.entries(answers).map(async ([attribute_id, value]) => {
      const id = await one.create('patient_additional_attributes', {
        patient_id,
        attribute_id,
        attribute: attribute_id,
        ...value,
      })
      return one.find('patient_additional_attributes', id)
    }),
  )
  await one.sync()
  await other.sync()
  const arrived = await other.all('patient_additional_attributes')
  const byId = (a: Row, b: Row) => String(a['id']).localeCompare(String(b['id']))
  expect(arrived.toSorted(byId).map(comparable)).toEqual(
    rows
      .map((row) => row!)
      .toSorted(byId)
      .map(comparable),
  )
  // the same question on another phone is the same answer
  await other.create('patient_additional_attributes', {
    patient_id,
    attribute_id: 'num',
    attribute: 'num',
    number_value: 0,
  })
  await other.sync()
  const stored = db.selectFrom('patient_additional_attributes').select('attribute_id')
  expect(await stored.where('patient_id', '=', patient_id).execute()).toHaveLength(2)
})

test('what one row of a push brings about in another comes to the phone that sent both', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const drug = await make.drug()
  const phone = phoneOf(amal)
  await phone.sync()
  const patient_id = await phone.create('patients', aPatient(clinic))
  const by = { patient_id, recorded_by_user_id: amal.id, metadata: '{}' }
  const prescription = await phone.create('prescriptions', {
    ...aNewPrescription(amal, clinic, patient_id),
    ...by,
  })
  const item = await phone.create('prescription_items', {
    ...by,
    prescription_id: prescription,
    drug_id: drug.id,
    clinic_id: clinic.id,
    dosage_instructions: '',
    quantity_prescribed: 30,
    quantity_dispensed: 0,
    refills_authorized: 0,
    refills_used: 0,
    item_status: 'active',
    notes: null,
  })
  await phone.create('dispensing_records', {
    ...by,
    clinic_id: clinic.id,
    drug_id: drug.id,
    batch_id: null,
    prescription_item_id: item,
    quantity_dispensed: 10,
    dosage_instructions: null,
    days_supply: 0,
    dispensed_by: amal.id,
    dispensed_at: 2,
  })

  await phone.sync()
  await phone.sync()
  expect(await db.selectFrom('sync_quarantine').selectAll().execute()).toEqual([])
  expect(await phone.find('prescriptions', prescription)).toMatchObject({
    status: 'partially-picked-up',
  })
  expect(await phone.find('prescription_items', item)).toMatchObject({
    quantity_dispensed: 10,
    item_status: 'active',
  })
})

test('of a batch in quarantine phones see nothing to hand out, and all of it again afterwards', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const { id } = await make.stock(clinic.id, 40)
  const phone = phoneOf(await person('provider', [clinic]))
  const seen = async (is_quarantined: boolean) => {
    await db.updateTable('drug_batches').set({ is_quarantined }).where('id', '=', id).execute()
    await phone.sync()
    return (await phone.all('clinic_inventory')).map(({ quantity_available }) => quantity_available)
  }
  expect(await seen(false)).toEqual([40])
  expect(await seen(true)).toEqual([0])
  expect(await seen(false)).toEqual([40])
})

test('phones get what is set up on the web in exactly their types', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  await make.stock(clinic.id, 12.5, { expiry_date: '2031-12-31' })
  await make.department({ clinic_id: clinic.id, additional_capabilities: ['dialysis'] })
  await make.eventForm({ clinic_ids: [clinic.id] })
  await make.eventForm({ clinic_ids: [(await make.clinic()).id], name: 'Of others' })
  const amal = await person('provider', [clinic])
  const phone = phoneOf(amal)
  await phone.sync()

  const [stock] = await phone.all('clinic_inventory')
  expect(stock).toMatchObject({
    quantity_available: 12.5,
    batch_expiry_date: Date.UTC(2031, 11, 31),
    reserved_quantity: 0,
  })
  const drugs = await phone.all('drug_catalogue')
  expect(drugs.find(({ id }) => id === stock!['drug_id'])).toMatchObject({
    dosage_quantity: '500',
    sale_price: '',
    is_active: true,
  })
  expect((await phone.all('clinic_departments'))[0]).toMatchObject({
    additional_capabilities: '["dialysis"]',
  })
  expect((await phone.all('event_forms')).map(({ name }) => name)).not.toContain('Of others')
  expect((await phone.all('clinics')).map(({ id }) => id)).toEqual([clinic.id])
  expect(await phone.all('user_clinic_permissions')).toMatchObject([
    { user_id: amal.id, can_view_history: true, is_clinic_admin: false },
  ])
  expect((await phone.all('app_config')).map(({ key }) => key)).toContain('operation_mode')
})

test('the volume of a strength and the strengths of a combination leave the catalogue of phones as it was', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const drug = await make.drug({ form: 'syrup', dosage_quantity: 457 })
  const phone = phoneOf(await person('provider', [clinic]))
  await phone.sync()
  const rowOf = async () => (await phone.all('drug_catalogue')).find(({ id }) => id === drug.id)!
  const before = await rowOf()
  await db
    .updateTable('drug_catalogue')
    .set({ per_quantity: 5, per_unit: 'mL', ingredient_strengths: '400 mg + 57 mg' })
    .where('id', '=', drug.id)
    .execute()
  await phone.sync()
  const { last_modified: _, ...after } = await rowOf()
  expect(before).toMatchObject({ ...after, dosage_quantity: '457', dosage_units: 'mg' })
  expect(Object.keys(before)).toEqual(Object.keys(await rowOf()))
})

test("an administrator's phone receives all permissions in every clinic", async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('admin'))
  await phone.sync()
  const rows = await phone.all('user_clinic_permissions')
  expect(rows.find(({ clinic_id }) => clinic_id === clinic.id)).toMatchObject({
    is_clinic_admin: true,
    can_delete_patient_visits: true,
  })
  const another = await make.clinic()
  await phone.sync()
  expect((await phone.all('user_clinic_permissions')).map(({ clinic_id }) => clinic_id)).toContain(
    another.id,
  )
})

test("a phone that an administrator hands on keeps none of the administrator's permissions", async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('admin'))
  await phone.sync()
  for (const next of [await person('admin'), await person('provider', [clinic], EVERYTHING)]) {
    phone.email = next.email
    await phone.sync()
    await phone.sync()
    const holders = (await phone.all('user_clinic_permissions')).map(({ user_id }) => user_id)
    expect([...new Set(holders)]).toEqual([next.id])
  }
})

test('empty ids and empty JSON are none, and what is null here is 0 or "" on the phone', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  await phone.sync()
  const id = await phone.create(
    'patients',
    aPatient(clinic, {
      primary_clinic_id: clinic.id,
      last_modified_by: '',
      metadata: '',
      additional_data: '',
    }),
  )
  const visit = await phone.create('visits', {
    patient_id: id,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 1,
  })
  const event = await phone.create('events', {
    patient_id: id,
    visit_id: visit,
    form_id: '',
    event_type: '',
    form_data: '',
    recorded_by_user_id: '',
  })
  await phone.sync()
  await phone.sync()
  expect(
    await db
      .selectFrom('patients')
      .select(['metadata', 'additional_data', 'hometown'])
      .where('id', '=', id)
      .executeTakeFirst(),
  ).toEqual({
    metadata: {},
    additional_data: {},
    hometown: null,
  })
  expect(
    await db
      .selectFrom('events')
      .select(['form_id', 'form_data'])
      .where('id', '=', event)
      .executeTakeFirst(),
  ).toEqual({ form_id: null, form_data: [] })
  expect(await phone.find('visits', visit)).toMatchObject({ provider_id: '', provider_name: '' })
  expect(await phone.find('events', event)).toMatchObject({ form_id: '' })
})

test('after an upgrade of the app its new columns are filled for rows that the phone holds', async ({
  make,
  person,
  server,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = new Phone(server.origin, amal.email, PASSWORD, 8)
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const form = await make.eventForm({ clinic_ids: [clinic.id] })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  const event = await make.event({
    patient_id: patient.id,
    visit_id: visit.id,
    recorded_by_user_id: amal.id,
  })
  await phone.sync()
  expect(Object.keys((await phone.find('events', event.id))!)).not.toContain('recorded_by_user_id')
  await phone.upgrade()
  await phone.sync()
  expect(phone.lastMigration).toMatchObject({ from: 8, tables: ['event_logs', 'peers'] })
  expect(await phone.find('events', event.id)).toMatchObject({ recorded_by_user_id: amal.id })
  expect(await phone.find('event_forms', form.id)).toMatchObject({
    clinic_ids: JSON.stringify([clinic.id]),
  })
  expect((await phone.all('user_clinic_permissions'))[0]).toMatchObject({
    can_prescribe_medications: true,
  })
  await phone.sync()
  expect([phone.lastMigration, phone.errors]).toEqual([null, []])
})

test('what was made before the app knew a table comes in full after its upgrade, once', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await make.problem({ patient_id: patient.id })
  await phone.sync()
  const ask = async (migration: unknown) => {
    const query = new URLSearchParams({
      last_pulled_at: String(phone.lastPull!.timestamp),
      schema_version: '9',
      migration: JSON.stringify(migration),
    })
    const { body } = await phone.request('GET', `/api/v2/sync?${query}`)
    return (JSON.parse(body) as NonNullable<typeof phone.lastPull>).changes
  }
  const nothing = await ask(null)
  expect(Object.values(nothing).flatMap(({ updated }) => updated)).toEqual([])
  const upgraded = await ask({
    from: 8,
    tables: ['patient_problems'],
    columns: [
      { table: 'patients', columns: ['primary_clinic_id'] },
      { table: 'nonsense', columns: [] },
    ],
  })
  expect(upgraded['patient_problems']!.updated).toHaveLength(1)
  expect(upgraded['patients']!.updated.map(({ id }) => id)).toContain(patient.id)
  expect(upgraded['visits']!.updated).toEqual([])
})

test('a table of many pages is pulled complete, each row once, by users who see some or all of it', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, elsewhere] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const another = await make.patient({ primary_clinic_id: elsewhere.id })
  // a thousand bytes each, that do not shrink: some six hundred pages; and some so long that each is sent by itself
  await sql`insert into visits (id, patient_id, clinic_id, provider_name, metadata)
    select gen_random_uuid(), case when i % 5 = 0 then ${another.id}::uuid else ${patient.id}::uuid end,
      case when i % 5 = 0 then ${elsewhere.id}::uuid else ${clinic.id}::uuid end, 'many',
      jsonb_build_object('long', (
        select string_agg(md5(i::text || j), '')
        from generate_series(1, case when i % 100 < 2 then 700 else 31 end) j))
    from generate_series(1, 4000) i`.execute(db)
  // and more people than are read at once
  await sql`insert into patients (id, given_name, primary_clinic_id)
    select gen_random_uuid(), 'One of many', ${clinic.id} from generate_series(1, 300)`.execute(db)
  const pulled = async (who: Awaited<ReturnType<typeof person>>) => {
    const { body } = await phoneOf(who).request(
      'GET',
      '/api/v2/sync?last_pulled_at=0&schema_version=9&migration=null',
    )
    const { changes } = JSON.parse(body) as {
      changes: {
        visits: { created: { id: string; provider_name: string }[] }
        patients: { created: { id: string; given_name: string }[] }
      }
    }
    return {
      visits: changes.visits.created
        .filter(({ provider_name }) => provider_name === 'many')
        .map(({ id }) => id),
      patients: changes.patients.created
        .filter(({ given_name }) => given_name === 'One of many')
        .map(({ id }) => id),
    }
  }
  const mine = await pulled(await person('provider', [clinic], EVERYTHING))
  expect(mine.visits).toHaveLength(3200)
  expect(new Set(mine.visits).size).toBe(3200)
  expect(mine.patients).toHaveLength(300)
  expect(new Set(mine.patients).size).toBe(300)
  const all = await pulled(await person('super_admin'))
  expect([new Set(all.visits).size, all.visits.length, all.patients.length]).toEqual([
    4000, 4000, 300,
  ])
})

const option = (value: string, label: string) => ({ id: value, value, label })
const weight = { id: 'weight', name: 'Weight', fieldType: 'free-text', inputType: 'number' }
const triage = { id: 'triage', name: 'Triage', fieldType: 'options', inputType: 'radio' }

test("what a phone answers, changes and deletes is at once in the form's table, its filters and its charts", async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const form_fields = JSON.stringify([
    { ...weight, description: '', required: false, length: 'short' },
    {
      ...triage,
      description: '',
      required: false,
      multi: false,
      options: [option('r', 'Red'), option('g', 'Green')],
    },
  ])
  const form = await make.eventForm({ form_fields })
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  await phone.sync()
  const reader = await person('admin')
  const ctx: Context = {
    db,
    request: aRequest(),
    actor: {
      userId: reader.id,
      name: reader.name,
      role: 'admin',
      language: 'en',
      clinicId: null,
      grants: {},
    },
  }
  /** What the answers' screen shows once the phone has been heard. */
  async function explored() {
    await phone.sync()
    const found = async (narrowed: Partial<EventFilter> = {}) =>
      (await listByForm(ctx, { formId: form.id, ...narrowed })).rows.map(({ answers }) => answers)
    const { questions } = await chartsOfForm(ctx, { formId: form.id })
    return {
      table: await found(),
      heavy: (await found({ field: 'weight', least: '75' })).length,
      red: (await found({ field: 'triage', value: 'r' })).length,
      median: questions.find(({ question }) => question.id === 'weight')?.numbers?.median,
      chosen: questions
        .find(({ question }) => question.id === 'triage')
        ?.counts.map(({ label }) => label),
    }
  }
  const answers = (kg: string, colour: string) =>
    JSON.stringify([
      { fieldId: weight.id, ...weight, id: undefined, value: kg },
      { fieldId: triage.id, ...triage, id: undefined, value: colour },
    ])

  const patient_id = await phone.create('patients', aPatient(clinic))
  const visit_id = await phone.create('visits', {
    patient_id,
    clinic_id: clinic.id,
    check_in_timestamp: Date.now(),
  })
  const event = {
    patient_id,
    visit_id,
    form_id: form.id,
    event_type: form.name,
    form_data: answers('70.5', 'r'),
  }
  const id = await phone.create('events', event)
  const first = {
    table: [{ weight: 70.5, triage: 'r' }],
    heavy: 0,
    red: 1,
    median: 70.5,
    chosen: ['Red'],
  }
  expect(await explored()).toEqual(first)

  await phone.update('events', id, { form_data: answers('82', 'g') })
  const changed = {
    table: [{ weight: 82, triage: 'g' }],
    heavy: 1,
    red: 0,
    median: 82,
    chosen: ['Green'],
  }
  expect(await explored()).toEqual(changed)

  await phone.delete('events', id)
  expect(await explored()).toEqual({ table: [], heavy: 0, red: 0, median: undefined, chosen: [] })
})
