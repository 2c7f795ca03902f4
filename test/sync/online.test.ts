import { sql } from 'kysely'
import { expect } from 'vitest'
import { BASE_FIELDS } from '~/features/people/registration/registration-form'
import { stopAccesses } from '~/server/access-log'
import { newId } from '~/shared/id'
import { queries } from '~/sync/http/online.server'
import { PASSWORD } from '../sessions'
import { aChart, aPatient, CHART_TABLES } from './chart'
import { EVERYTHING, type Person, test as base } from './clinic'
import { answerTo, type Data, NOW, OnlineApp, toRegister } from './online-app'
import { phoneTables } from './phone-schema'

const test = base.extend(
  'online',
  ({ server }) =>
    (person: Person) =>
      OnlineApp.signedIn(server.origin, person.email, PASSWORD),
)

const layla = (id: string, more: Data = {}) => ({
  id,
  given_name: 'Layla',
  surname: 'Haddad',
  date_of_birth: '1990-05-17',
  sex: 'female',
  ...more,
})

test('signing in as the app does on a hub', async ({ make, person, online }) => {
  const amal = await person('provider', [await make.clinic()])
  const app = await online(amal)
  expect(await app.signIn()).toEqual({
    status: 200,
    body: {
      token: expect.any(String) as string,
      user_id: amal.id,
      clinic_id: null,
      role: 'provider',
      provider_name: amal.name,
      email: amal.email,
    },
  })
  const wrong = { command: 'login', data: { email: amal.email, password: 'not this one' } }
  expect((await app.post('/rpc/command', wrong)).status).toBe(401)
})

test('a patient registered online is stored whole under the id that came, with every answer', async ({
  db,
  make,
  person,
  online,
}) => {
  const clinic = await make.clinic()
  const app = await online(await person('provider', [clinic], EVERYTHING))
  const [age, smokes, since, tongues, empty] = [newId(), newId(), newId(), newId(), newId()]
  const custom = Object.entries({ age, smokes, since, tongues, empty }).map(([column, id]) => ({
    id,
    column,
    label: {},
  }))
  await sql`update registration_forms set fields = fields || ${JSON.stringify(custom)}::jsonb`.execute(
    db,
  )
  const answers = [
    answerTo(age, 'age', { number_value: 0 }),
    answerTo(smokes, 'smokes', { boolean_value: false }),
    answerTo(since, 'since', { date_value: '1995-03-04T00:00:00.000Z' }),
    answerTo(tongues, 'tongues', { string_value: 'Arabic\u001FEspañol' }),
    answerTo(empty, 'empty', { string_value: '' }),
  ]
  const id = newId()
  const patient = layla(id, {
    hometown: 'صور',
    phone: '+961 1 234567',
    additional_data: { seen: [1] },
    metadata: { a: 'b' },
  })
  expect(await app.command('register_patient', toRegister(patient, answers))).toEqual({
    patient_id: id,
    attributes_count: 5,
  })
  expect(await app.query('get_patients', { limit: 10, offset: 0 })).toEqual({
    data: [
      expect.objectContaining({ ...patient, created_at: NOW, updated_at: NOW, is_deleted: false }),
    ],
    total: 1,
    limit: 10,
    offset: 0,
  })
  const shown: { fields: Data[]; values: Data } = await app.query('get_patient', { patient_id: id })
  expect(shown.fields).toContainEqual({
    id: BASE_FIELDS.given_name,
    column: 'given_name',
    baseField: true,
  })
  expect(shown.fields).toContainEqual({ id: age, column: 'age', baseField: false })
  expect(shown.values).toMatchObject({
    [BASE_FIELDS.given_name]: 'Layla',
    [BASE_FIELDS.date_of_birth]: '1990-05-17',
    [BASE_FIELDS.phone]: '+961 1 234567',
    [age]: 0,
    [smokes]: false,
    [since]: '1995-03-04T00:00:00.000Z',
    [tongues]: 'Arabic\u001FEspañol',
  })
  // the next patient's answers carry the same ids, and take nothing from the first
  const other = newId()
  await app.command(
    'register_patient',
    toRegister(layla(other), [answerTo(age, 'age', { number_value: 7 })]),
  )
  expect(
    ((await app.query('get_patient', { patient_id: id })) as { values: Data }).values[age],
  ).toBe(0)
  expect(
    ((await app.query('get_patient', { patient_id: other })) as { values: Data }).values[age],
  ).toBe(7)
  // an answer with an id of its own keeps it
  const own = {
    ...answerTo(smokes, 'smokes', { boolean_value: true }),
    id: newId(),
    patient_id: other,
  }
  await app.command('register_patient', toRegister({ id: other }, [own]))
  const stored = db
    .selectFrom('patient_additional_attributes')
    .select(['patient_id', 'boolean_value'])
  expect(await stored.where('id', '=', own.id).execute()).toEqual([
    { patient_id: other, boolean_value: true },
  ])
  const trail = await db
    .selectFrom('audit_log')
    .select('via')
    .where('record_id', '=', id)
    .distinct()
    .execute()
  expect(trail).toEqual([{ via: 'phone' }])
})

test('a change goes to the same patient, and what comes empty keeps its value', async ({
  db,
  make,
  person,
  online,
}) => {
  const clinic = await make.clinic()
  const app = await online(await person('provider', [clinic], EVERYTHING))
  const [id, field] = [newId(), newId()]
  const first = layla(id, {
    phone: '111',
    camp: 'North',
    additional_data: { a: 1 },
    metadata: { kept: true },
  })
  await app.command(
    'register_patient',
    toRegister(first, [answerTo(field, 'work', { string_value: 'farmer' })]),
  )
  const later = { created_at: '2026-11-23T10:00:00.000Z', updated_at: '2026-11-23T10:00:00.000Z' }
  const change = toRegister({ id, phone: '222', ...later }, [
    answerTo(field, 'work', { string_value: '' }),
  ])
  expect(await app.command('register_patient', change)).toEqual({
    patient_id: id,
    attributes_count: 1,
  })
  const people = await db
    .selectFrom('patients')
    .selectAll()
    .where('surname', '=', 'Haddad')
    .where('id', '>=', id)
    .execute()
  expect(people).toMatchObject([
    {
      id,
      given_name: 'Layla',
      phone: '222',
      camp: 'North',
      additional_data: { a: 1 },
      metadata: { kept: true },
      created_at: new Date(NOW),
      updated_at: new Date(later.updated_at),
    },
  ])
  const answers = db
    .selectFrom('patient_additional_attributes')
    .select(['string_value', 'number_value'])
  expect(await answers.where('patient_id', '=', id).execute()).toEqual([
    { string_value: 'farmer', number_value: null },
  ])
  await app.command(
    'register_patient',
    toRegister({ id }, [answerTo(field, 'work', { number_value: 3 })]),
  )
  expect(await answers.where('patient_id', '=', id).execute()).toEqual([
    { string_value: null, number_value: 3 },
  ])
})

test('a visit, online from checking in to the last reading', async ({ make, person, online }) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const form = await make.eventForm()
  const app = await online(amal)
  const patient_id = newId()
  await app.command('register_patient', toRegister(layla(patient_id)))
  const of = { patient_id }
  const opened: Data = await app.command('visits.create', {
    ...of,
    clinic_id: clinic.id,
    provider_id: amal.id,
    provider_name: amal.name,
    check_in_timestamp: NOW,
    metadata: {},
  })
  expect(opened).toEqual({ success: true, id: expect.any(String) as string })
  const visit_id = String(opened['id'])
  const { data: visits } = (await app.query('get_visits', of)) as { data: Data[] }
  expect(visits).toMatchObject([
    { id: visit_id, provider_id: amal.id, check_in_timestamp: NOW, metadata: {} },
  ])
  const answered: Data = await app.command('events.create', {
    ...of,
    visit_id,
    event_type: 'Check-up',
    form_id: form.id,
    form_data: [{ fieldId: 'a', value: 0 }],
    metadata: { began: 1 },
    recorded_by_user_id: amal.id,
  })
  expect(answered).toEqual({ success: true, id: expect.any(String) as string, visit_id })
  const event = {
    id: answered['id'],
    event_type: 'Check-up',
    form_data: [{ fieldId: 'a', value: 1 }],
    metadata: { began: 1 },
    recorded_by_user_id: amal.id,
  }
  // the app sends metadata as {} when it holds none
  const update = { id: answered['id'], form_data: event.form_data, metadata: {} }
  expect(await app.command('events.update', update)).toMatchObject(event)
  expect(await app.query('get_visit_events', { ...of, visit_id })).toMatchObject({ data: [event] })
  expect(await app.query('get_visit_events', { ...of, visit_id: newId() })).toEqual({ data: [] })
  expect(await app.query('events.by_form', { ...of, form_id: form.id })).toMatchObject([event])
  const measured: Data = await app.command('vitals.create', {
    ...of,
    visit_id,
    timestamp: NOW,
    temperature_celsius: 36.85,
    pain_level: 0,
    metadata: {},
    is_deleted: false,
  })
  expect(measured).toEqual({ success: true, id: expect.any(String) as string })
  expect(await app.query('vitals.list', of)).toMatchObject([
    {
      id: measured['id'],
      timestamp: NOW,
      temperature_celsius: 36.85,
      pain_level: 0,
      systolic_bp: null,
    },
  ])
  const id = newId()
  const problem = {
    id,
    ...of,
    visit_id,
    problem_code_system: 'icd10',
    problem_code: 'I10',
    problem_label: 'Hypertension',
    clinical_status: 'active',
    verification_status: 'confirmed',
    severity_score: 4,
    onset_date: '1995-03-04T00:00:00.000Z',
    metadata: {},
    is_deleted: false,
  }
  expect(await app.command('problems.create', problem)).toEqual({ success: true, id })
  expect(await app.command('problems.create', problem)).toEqual({ success: true, id })
  expect(
    (await app.tryCommand('problems.create', { ...problem, problem_code: 'E11' })).status,
  ).toBe(409)
  const { is_deleted: _sent, ...stored } = {
    ...problem,
    clinical_status: 'remission',
    severity_score: null,
  }
  const solved = { id, clinical_status: 'remission', severity_score: null, problem_label: '' }
  expect(await app.command('problems.update', solved)).toMatchObject(stored)
  expect(await app.query('problems.get', { id })).toMatchObject(stored)
  expect(await app.query('problems.list', of)).toMatchObject([stored])
  expect(await app.query('problems.get', { id: newId() })).toBeNull()
  expect(await app.command('events.delete', { id: answered['id'] })).toEqual({ success: true })
  expect(await app.query('events.by_form', { ...of, form_id: form.id })).toEqual([])
})

test('a form for a new visit is stored with the open visit of today in the user’s clinic, else with a new one', async ({
  db,
  make,
  person,
  online,
}) => {
  const [clinic, elsewhere] = [await make.clinic(), await make.clinic()]
  const amal = await person('provider', [clinic, elsewhere], EVERYTHING)
  await db.updateTable('users').set({ clinic_id: clinic.id }).where('id', '=', amal.id).execute()
  const app = await online(amal)
  const id = newId()
  await app.command('register_patient', toRegister(layla(id)))
  // neither a visit of another clinic, of another day nor a closed one
  await make.visit({ patient_id: id, clinic_id: elsewhere.id, check_in_timestamp: new Date() })
  const yesterday = new Date(Date.now() - 2 * 86_400_000)
  await make.visit({ patient_id: id, clinic_id: clinic.id, check_in_timestamp: yesterday })
  const closed = { check_in_timestamp: new Date(Date.now() - 1000), closed_at: new Date() }
  await make.visit({ patient_id: id, clinic_id: clinic.id, ...closed })

  /** As the app's screen of a new visit sends it. */
  const form = {
    patient_id: id,
    visit_id: null,
    event_type: 'Intake',
    form_id: (await make.eventForm()).id,
    form_data: [],
    metadata: {},
    recorded_by_user_id: amal.id,
  }
  const vital = {
    patient_id: id,
    visit_id: null,
    timestamp: new Date().toISOString(),
    heart_rate: 70,
  }
  const placed = async (table: 'patient_vitals' | 'patient_problems', of: string) =>
    (await db.selectFrom(table).select('visit_id').where('id', '=', of).executeTakeFirstOrThrow())
      .visit_id
  const early: { id: string } = await app.command('vitals.create', vital)
  expect(await placed('patient_vitals', early.id)).toBe(null)

  const first: { id: string; visit_id: string } = await app.command('events.create', form)
  const visits = await db
    .selectFrom('visits')
    .selectAll()
    .where('id', '=', first.visit_id)
    .execute()
  expect(visits).toMatchObject([
    {
      patient_id: id,
      clinic_id: clinic.id,
      provider_id: amal.id,
      provider_name: amal.name,
      closed_at: null,
    },
  ])
  expect(
    await db.selectFrom('events').select('visit_id').where('id', '=', first.id).execute(),
  ).toEqual([{ visit_id: first.visit_id }])
  // more of the same visit
  const { visit_id: _none, ...unsaid } = form
  for (const next of [form, { ...form, visit_id: '' }, unsaid])
    expect(await app.command('events.create', next)).toMatchObject({ visit_id: first.visit_id })
  const later: { id: string } = await app.command('vitals.create', vital)
  expect(await placed('patient_vitals', later.id)).toBe(first.visit_id)
  const old: { id: string } = await app.command('vitals.create', {
    ...vital,
    timestamp: yesterday.toISOString(),
  })
  expect(await placed('patient_vitals', old.id)).toBe(null)
  const problem: { id: string } = await app.command('problems.create', {
    patient_id: id,
    visit_id: null,
    problem_code_system: 'icd11',
    problem_code: 'BA00',
    problem_label: 'Hypertension',
    clinical_status: 'active',
    verification_status: 'confirmed',
  })
  expect(await placed('patient_problems', problem.id)).toBe(first.visit_id)

  // two forms at once make one visit, and a repeated one makes none
  await db
    .updateTable('visits')
    .set({ closed_at: new Date() })
    .where('id', '=', first.visit_id)
    .execute()
  const again = { ...form, id: newId() }
  const both: { visit_id: string }[] = await Promise.all([
    app.command('events.create', form),
    app.command('events.create', again),
  ])
  expect(new Set(both.map(({ visit_id }) => visit_id)).size).toBe(1)
  await db
    .updateTable('visits')
    .set({ closed_at: new Date() })
    .where('id', '=', both[0]!.visit_id)
    .execute()
  expect(await app.command('events.create', again)).toMatchObject({ visit_id: both[0]!.visit_id })
})

test('a form for a new visit of a user with several clinics, whose patient has none of them, is refused', async ({
  db,
  make,
  person,
  online,
}) => {
  const clinics = [await make.clinic(), await make.clinic()]
  const amal = await person('provider', clinics, EVERYTHING)
  const app = await online(amal)
  const id = newId()
  await app.command('register_patient', toRegister(layla(id)))
  const form = {
    patient_id: id,
    visit_id: null,
    event_type: 'x',
    form_id: '',
    form_data: [],
    metadata: {},
  }
  expect((await app.tryCommand('events.create', form)).status).toBe(409)
  await db
    .updateTable('patients')
    .set({ primary_clinic_id: clinics[1]!.id })
    .where('id', '=', id)
    .execute()
  const { visit_id }: { visit_id: string } = await app.command('events.create', form)
  expect(
    await db.selectFrom('visits').select('clinic_id').where('id', '=', visit_id).execute(),
  ).toEqual([{ clinic_id: clinics[1]!.id }])
})

test('searching filters by every field that is given', async ({ make, person, online }) => {
  const [clinic, theirs] = [await make.clinic(), await make.clinic()]
  const app = await online(await person('registrar', [clinic]))
  const named = (given_name: string, surname: string, more: Data = {}) =>
    make.patient({ primary_clinic_id: clinic.id, given_name, surname, sex: 'female', ...more })
  const one = await named('Rima', 'Khoury', { phone: '70 123 456', date_of_birth: '1988-02-03' })
  const two = await named('Rima', 'Saad', { hometown: 'Tyre' })
  await named('Samir', 'Khoury', { sex: 'male' })
  await make.patient({ primary_clinic_id: theirs.id, given_name: 'Rima', surname: 'Khoury' })
  const search = async (filters: Data, page: Data = { limit: 10, offset: 0 }) => {
    const found: { data: Data[] } = await app.query('search_patients', { filters, ...page })
    return {
      ...found,
      data: found.data.map(({ id }) => String(id)).toSorted((a, b) => a.localeCompare(b)),
    }
  }
  expect(await search({ given_name: 'rima' })).toEqual({
    data: [one.id, two.id].toSorted(),
    total: 2,
    limit: 10,
    offset: 0,
  })
  expect(await search({ given_name: 'Rima', surname: 'khou' })).toMatchObject({
    data: [one.id],
    total: 1,
  })
  // what is typed into the app's search box comes as the given name
  expect(await search({ given_name: 'Rima Khoury' })).toMatchObject({ data: [one.id] })
  expect(await search({ phone: '123' })).toMatchObject({ data: [one.id] })
  expect(await search({ hometown: 'tyre' })).toMatchObject({ data: [two.id] })
  expect(await search({ surname: 'Khoury', sex: 'female', date_of_birth: '1988' })).toMatchObject({
    data: [one.id],
  })
  const second = await search({ given_name: 'rima' }, { limit: 1, offset: 1 })
  expect(second).toMatchObject({
    data: [expect.any(String) as string],
    total: 2,
    limit: 1,
    offset: 1,
  })
  expect(
    (await app.tryQuery('search_patients', { filters: { shoe_size: '44' }, limit: 10, offset: 0 }))
      .status,
  ).toBe(404)
})

test('a call that the contract does not describe answers 404 and stores nothing', async ({
  db,
  make,
  person,
  online,
}) => {
  const clinic = await make.clinic()
  const app = await online(await person('provider', [clinic], EVERYTHING))
  const { id } = await make.patient({ primary_clinic_id: clinic.id })
  const visit = { patient_id: id, clinic_id: clinic.id }
  const tables = [
    'patients',
    'patient_additional_attributes',
    'visits',
    'events',
    'patient_vitals',
    'patient_problems',
  ] as const
  const counts = () =>
    Promise.all(
      tables.map((table) =>
        db
          .selectFrom(table)
          .select(sql<number>`count(*)`.as('n'))
          .executeTakeFirst(),
      ),
    )
  const before = await counts()
  const commands: unknown[] = [
    [],
    'no JSON',
    { command: 'register_patient' },
    { command: 'register_patient', given_name: 'Layla', surname: 'Haddad' },
    { command: 'register_patient', data: { given_name: 'Layla' } },
    {
      command: 'register_patient',
      data: { patient: { given_name: 'Layla' }, additional_attributes: [] },
    },
    {
      command: 'register_patient',
      data: { patient: { id: 'x', given_name: 'Layla' }, additional_attributes: [] },
    },
    { command: 'register_patient', data: { ...toRegister(layla(newId())), given_name: 'Layla' } },
    { command: 'register_patient', data: toRegister(layla(newId(), { shoe_size: 44 })) },
    {
      command: 'register_patient',
      data: toRegister(layla(newId()), [answerTo(newId(), 'a', { value: 'x' })]),
    },
    {
      command: 'register_patient',
      data: toRegister(layla(newId()), [
        { ...answerTo(newId(), 'a', { string_value: 'x' }), patient_id: newId() },
      ]),
    },
    { command: 'visits.create', ...visit },
    { command: 'visits.create', data: { visit } },
    { command: 'visits.create', data: { ...visit, ward: 'B' } },
    { command: 'visits.create', data: { ...visit, id: 'x' } },
    { command: 'vitals.create', data: {} },
    { command: 'events.update', data: { form_data: [] } },
    { command: 'events.delete', data: { event_id: newId() } },
    { command: 'patients.create', data: {} },
    { command: 'constructor', data: {} },
    { command: 'get_patients', data: { limit: 1, offset: 0 } },
    { command: 'sync_push', data: { lastPulledAt: 0 } },
    { command: 'sync_push', changes: {}, lastPulledAt: 0 },
  ]
  const queries: unknown[] = [
    { query: 'get_patients' },
    { query: 'get_patients', params: { limit: 'ten' } },
    { query: 'get_patient', params: { id } },
    { query: 'get_patient', params: { patient_id: 'x' } },
    { query: 'get_visits', params: {} },
    { query: 'get_visit_events', params: { visit_id: newId() } },
    { query: 'visits.create', params: visit },
    { query: 'sync_pull', last_pulled_at: 0 },
    { query: 'sync_pull', params: { lastPulledAt: 'yesterday' } },
    { query: 'no_such', params: {} },
  ]
  const statuses = async (path: string, bodies: unknown[]) => {
    const answers = await Promise.all(bodies.map((body) => app.post(path, body, app.bearer)))
    return bodies.map((body, at) => [JSON.stringify(body), answers[at]!.status])
  }
  for (const [path, bodies] of [
    ['/rpc/command', commands],
    ['/rpc/query', queries],
  ] as const)
    expect(await statuses(path, bodies)).toEqual(bodies.map((body) => [JSON.stringify(body), 404]))
  expect(await counts()).toEqual(before)
})

test('what is refused is an error at once, and nothing of it is stored', async ({
  db,
  make,
  person,
  online,
}) => {
  const [clinic, theirs] = [await make.clinic(), await make.clinic()]
  const registrar = await person('registrar', [clinic])
  const app = await online(registrar)
  const stranger = await make.patient({ primary_clinic_id: theirs.id, given_name: 'Nour' })
  const own = await make.patient({ primary_clinic_id: clinic.id })
  expect((await app.post('/rpc/query', { query: 'get_patients', params: {} })).status).toBe(401)
  expect(
    (await app.post('/rpc/query', { query: 'get_patients', params: {} }, 'Bearer nonsense')).status,
  ).toBe(401)
  expect(
    await app.post('/rpc/query', { query: 'get_patients', params: {} }, app.basic),
  ).toMatchObject({
    status: 200,
    body: { data: [{ id: own.id }], total: 1 },
  })
  expect(await app.query('get_patient', { patient_id: stranger.id })).toEqual({
    fields: [],
    values: {},
    error: expect.any(String) as string,
  })
  const changed = toRegister({ id: stranger.id, given_name: 'Taken' })
  expect((await app.tryCommand('register_patient', changed)).status).toBe(403)
  const elsewhere = toRegister(layla(newId(), { primary_clinic_id: theirs.id }))
  expect((await app.tryCommand('register_patient', elsewhere)).status).toBe(403)
  const id = newId()
  expect(
    await app.tryCommand(
      'register_patient',
      toRegister(layla(id, { date_of_birth: '1990-02-30' })),
    ),
  ).toMatchObject({
    status: 400,
    body: { fields: { date_of_birth: expect.any(String) as string } },
  })
  // one bad answer takes the patient with it
  const bad = answerTo(newId(), 'x', { number_value: 'many' })
  expect((await app.tryCommand('register_patient', toRegister(layla(id), [bad]))).status).toBe(400)
  expect(
    (await app.tryCommand('register_patient', toRegister(layla(id, { is_deleted: true })))).status,
  ).toBe(400)
  const visit = { patient_id: own.id, clinic_id: clinic.id, check_in_timestamp: NOW, metadata: {} }
  expect((await app.tryCommand('visits.create', visit)).status).toBe(403)
  expect((await app.tryCommand('visits.create', { ...visit, patient_id: newId() })).status).toBe(
    409,
  )
  expect((await app.tryCommand('events.delete', { id: newId() })).status).toBe(404)
  expect(await app.query('get_visits', { patient_id: own.id })).toEqual({ data: [] })
  const found = db.selectFrom('patients').select(['id', 'given_name'])
  expect(await found.where('id', 'in', [id, stranger.id]).execute()).toEqual([
    { id: stranger.id, given_name: 'Nour' },
  ])
  const kept = db.selectFrom('sync_quarantine').select('id').where('user_id', '=', registrar.id)
  expect(await kept.execute()).toEqual([])
})

test('an archived clinic takes nothing online: no patient, and no record of its visits', async ({
  db,
  make,
  person,
  online,
}) => {
  const [clinic, open] = [await make.clinic(), await make.clinic()]
  const app = await online(await person('provider', [clinic, open], EVERYTHING))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const other = await make.patient({ primary_clinic_id: open.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  const problem = await make.problem({ patient_id: patient.id, visit_id: visit.id })
  const event = await make.event({ patient_id: patient.id, visit_id: visit.id })
  await db.updateTable('clinics').set({ is_archived: true }).where('id', '=', clinic.id).execute()
  const calls: [string, Data][] = [
    ['visits.create', { patient_id: patient.id, clinic_id: clinic.id, check_in_timestamp: NOW }],
    [
      'vitals.create',
      { patient_id: patient.id, visit_id: visit.id, heart_rate: 70, timestamp: NOW },
    ],
    ['problems.update', { id: problem.id, problem_label: 'Changed' }],
    ['events.update', { id: event.id, form_data: [{ id: newId(), value: 1 }] }],
    ['events.delete', { id: event.id }],
    ['register_patient', toRegister(layla(newId(), { primary_clinic_id: clinic.id }))],
    ['register_patient', toRegister({ id: other.id, primary_clinic_id: clinic.id })],
  ]
  const answers = []
  for (const [command, data] of calls) {
    const { status, body } = await app.tryCommand(command, data)
    answers.push([command, status, body])
  }
  expect(answers).toEqual(calls.map(([command]) => [command, 409, expect.anything()]))
  const changed = toRegister({ id: patient.id, given_name: 'Changed' })
  expect((await app.tryCommand('register_patient', changed)).status).toBe(200)
  const moved = toRegister({ id: patient.id, primary_clinic_id: open.id })
  expect((await app.tryCommand('register_patient', moved)).status).toBe(200)
})

test('an empty phone holds after a forced download what a first sync gives, row by row', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const batch = await make.stock(clinic.id, 100)
  const one = phoneOf(amal)
  await one.sync()
  const drug = { id: String((await one.all('clinic_inventory'))[0]!['drug_id']) }
  await aChart(one, amal, clinic, { drug, batch, form: await make.eventForm() })
  await one.sync()
  const [synced, forced] = [phoneOf(amal), phoneOf(amal)]
  await synced.sync()
  const reported = await forced.forceDownload()
  let held = 0
  for (const table of Object.keys(phoneTables).filter((name) => name !== 'peers')) {
    expect([table, await forced.all(table)]).toEqual([table, await synced.all(table)])
    held += (await forced.all(table)).length
  }
  expect(reported).toBe(held)
  // a second one merges: what was edited and not sent stays
  const [patient] = await forced.all('patients')
  await forced.update('patients', String(patient!['id']), { hometown: 'Tyre' })
  await forced.forceDownload()
  expect(await forced.find('patients', String(patient!['id']))).toMatchObject({ hometown: 'Tyre' })
})

test('a forced upload by the phone changes nothing that is stored, and creates what is missing', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const batch = await make.stock(clinic.id, 100)
  const phone = phoneOf(amal)
  await phone.sync()
  const drug = { id: String((await phone.all('clinic_inventory'))[0]!['drug_id']) }
  const chart = await aChart(phone, amal, clinic, { drug, batch, form: await make.eventForm() })
  await phone.sync()
  await phone.sync()
  await db
    .updateTable('patients')
    .set({ hometown: 'Tyre' })
    .where('id', '=', chart.patients)
    .execute()
  const unsent = await phone.create('patients', aPatient(clinic, { given_name: 'Unsent' }))
  const rowsOf = async () => {
    const other = phoneOf(amal)
    await other.sync()
    return Promise.all(CHART_TABLES.map((table) => other.find(table, chart[table])))
  }
  const before = await rowsOf()
  await phone.forceUpload(0)
  expect(await rowsOf()).toEqual(before)
  const found = await db
    .selectFrom('patients')
    .select('given_name')
    .where('id', '=', unsent)
    .execute()
  expect(found).toEqual([{ given_name: 'Unsent' }])
  const inbox = db
    .selectFrom('sync_conflicts')
    .select(['column_name'])
    .where('user_id', '=', amal.id)
  // the value that the record had earlier: nobody typed it again
  expect(await inbox.execute()).toEqual([])
  expect(
    await db.selectFrom('sync_quarantine').select('row').where('user_id', '=', amal.id).execute(),
  ).toEqual([])
})

test('a forced download brings every row in `created`', async ({ make, person, online }) => {
  const clinic = await make.clinic()
  const app = await online(await person('provider', [clinic], EVERYTHING))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  for (const lastPulledAt of [0, 1_790_000_000_000]) {
    const pulled: {
      changes: Record<string, { created: Data[]; updated: Data[]; deleted: string[] }>
      timestamp: number
    } = await app.query('sync_pull', { lastPulledAt })
    expect(Object.keys(pulled)).toEqual(['changes', 'timestamp'])
    expect(pulled.changes['patients']!.created).toMatchObject([{ id: patient.id }])
    expect(pulled.changes['clinics']!.created).toMatchObject([{ id: clinic.id }])
    expect(Object.values(pulled.changes).flatMap(({ updated }) => updated)).toEqual([])
    expect(pulled.timestamp).toBeGreaterThan(0)
  }
})

test('a forced upload creates what is unknown and overwrites nothing', async ({
  db,
  make,
  person,
  online,
}) => {
  const clinic = await make.clinic()
  const app = await online(await person('provider', [clinic], EVERYTHING))
  const here = await make.patient({ primary_clinic_id: clinic.id, phone: '111' })
  const edited = await make.patient({
    primary_clinic_id: clinic.id,
    phone: '111',
    hometown: 'Tyre',
  })
  const { changes } = (await app.query('sync_pull', { lastPulledAt: 0 })) as {
    changes: { patients: { created: Data[] } }
  }
  const rows = new Map(changes.patients.created.map((row) => [row['id'], row]))
  const synced = { _status: 'synced', _changed: '' }
  const [unknown, alsoUnknown] = [newId(), newId()]
  // the app puts a row into `created` when it was made after the day that the user chose, whatever its _status
  const patients = {
    created: [
      { ...rows.get(here.id), phone: 'stale', ...synced },
      {
        ...rows.get(edited.id),
        phone: '222',
        hometown: 'stale',
        _status: 'updated',
        _changed: 'phone',
      },
      { ...rows.get(here.id), id: unknown, phone: '333', ...synced },
    ],
    updated: [{ ...rows.get(here.id), id: alsoUnknown, phone: '444', ...synced }],
    deleted: [],
  }
  await app.command('sync_push', { changes: { patients }, lastPulledAt: 0 })
  const stored = db.selectFrom('patients').select(['id', 'phone', 'hometown'])
  expect(
    await stored
      .where('id', 'in', [here.id, unknown, alsoUnknown, edited.id])
      .orderBy('phone')
      .execute(),
  ).toMatchObject([
    { id: here.id, phone: '111' },
    { id: edited.id, phone: '222', hometown: 'Tyre' },
    { id: unknown, phone: '333' },
    { id: alsoUnknown, phone: '444' },
  ])
  const inbox = db.selectFrom('sync_conflicts').select(['row_id', 'column_name', 'phone_value'])
  expect(await inbox.where('row_id', 'in', [here.id, edited.id]).execute()).toEqual([
    { row_id: here.id, column_name: 'phone', phone_value: 'stale' },
  ])
})

test('reads of the online mode and their refusals are in the access log', async ({
  db,
  make,
  person,
  online,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: mine.id })
  const other = await make.patient({ primary_clinic_id: theirs.id })
  const amal = await person('provider', [mine], EVERYTHING)
  const app = await online(amal)
  await app.query('get_patients', { limit: 50, offset: 0 })
  await app.query('vitals.list', { patient_id: patient.id })
  await app.query('get_patient', { patient_id: other.id })
  await app.tryCommand('visits.create', { patient_id: other.id, clinic_id: theirs.id })
  await app.tryQuery('get_everything', {})
  await stopAccesses()
  const entries = await db
    .selectFrom('access_log')
    .select(['operation', 'via', 'outcome', 'patient_ids'])
    .where('user_id', '=', amal.id)
    .orderBy('operation')
    .execute()
  const entry = (operation: string, outcome: string, id: string) => ({
    operation,
    via: 'phone',
    outcome,
    patient_ids: [id],
  })
  expect(entries).toEqual([
    entry('rpc.get_patient', 'not_found', other.id),
    entry('rpc.get_patients', 'shown', patient.id),
    entry('rpc.visits.create', 'refused', other.id),
    // none are recorded
    entry('rpc.vitals.list', 'not_found', patient.id),
  ])
})

test('each question about a patient is in the access log, also if no row answers it', async ({
  db,
  make,
  person,
  online,
}) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  const numbers = { government_id: `GOV-${newId()}`, phone: `0944 ${String(Date.now()).slice(-6)}` }
  const [known, unknown] = [
    await make.patient({ primary_clinic_id: mine.id, ...numbers }),
    await make.patient({ primary_clinic_id: theirs.id }),
  ]
  const visit = await make.visit({ patient_id: unknown.id, clinic_id: theirs.id })
  const problem = await make.problem({ patient_id: unknown.id })
  // every query of the app that names a patient, answered without rows
  const questions: Record<keyof typeof queries, [params: object, patient: { id: string }][]> = {
    get_patients: [],
    search_patients: [
      [{ filters: { given_name: numbers.phone }, limit: 0 }, known],
      [{ filters: { government_id: numbers.government_id }, offset: 50 }, known],
      [{ filters: { primary_clinic_id: mine.id, phone: numbers.phone }, limit: 0 }, known],
    ],
    get_patient: [[{ patient_id: unknown.id }, unknown]],
    get_visits: [
      [{ patient_id: known.id }, known],
      [{ patient_id: unknown.id }, unknown],
    ],
    get_visit_events: [[{ patient_id: newId(), visit_id: visit.id }, unknown]],
    'events.by_form': [[{ patient_id: known.id, form_id: newId() }, known]],
    'vitals.list': [[{ patient_id: known.id }, known]],
    'problems.list': [[{ patient_id: known.id }, known]],
    'problems.get': [[{ id: problem.id }, unknown]],
  }
  expect(Object.keys(questions).toSorted()).toEqual(Object.keys(queries).toSorted())
  for (const [name, asked] of Object.entries(questions))
    for (const [params, patient] of asked) {
      // the log remembers what a user asked in the last ten minutes
      const amal = await person('provider', [mine])
      await (await online(amal)).query(name, params as Data)
      await stopAccesses()
      const entries = await db
        .selectFrom('access_log')
        .select(['operation', 'patient_ids'])
        .where('user_id', '=', amal.id)
        .execute()
      expect(entries).toEqual([{ operation: `rpc.${name}`, patient_ids: [patient.id] }])
    }
})

test('pages of the online list beyond its last are one entry without patients', async ({
  db,
  make,
  person,
  online,
}) => {
  const clinic = await make.clinic()
  await make.patient({ primary_clinic_id: clinic.id })
  const amal = await person('provider', [clinic])
  const app = await online(amal)
  for (const given_name of ['Am', 'Ama', 'Amal'])
    await app.query('search_patients', { filters: { given_name }, limit: 0 })
  await stopAccesses()
  const entries = await db
    .selectFrom('access_log')
    .select(['operation', 'patient_ids', 'count'])
    .where('user_id', '=', amal.id)
    .execute()
  expect(entries).toEqual([{ operation: 'rpc.search_patients', patient_ids: [], count: 1 }])
})
