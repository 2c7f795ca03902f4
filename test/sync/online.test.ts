import { expect } from 'vitest'
import { PASSWORD } from '../sessions'
import { aPatient } from './chart'
import { EVERYTHING, type Person, test as base } from './clinic'

/** The app in its online mode: a token, names of queries and commands, plain JSON. */
const test = base.extend('online', ({ server }) => async (person: Person) => {
  const call = async (path: string, body: object, token?: string) => {
    const response = await fetch(server.origin + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  const { body } = await call('/rpc/command', { command: 'login', email: person.email, password: PASSWORD })
  const token = String(body['token'])
  return {
    query: (query: string, params: object = {}) => call('/rpc/query', { query, ...params }, token),
    command: (command: string, params: object = {}) => call('/rpc/command', { command, ...params }, token),
    anonymous: (query: string) => call('/rpc/query', { query }),
  }
})

test('a visit, online from registering to the last reading', async ({ db, make, person, online }) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const form = await make.eventForm()
  const app = await online(amal)
  const { patient } = (
    await app.command('register_patient', { ...aPatient(clinic), hometown: '', metadata: { seen: true } })
  ).body as never as { patient: { id: string; metadata: object; created_at: string } }
  expect(patient).toMatchObject({ given_name: 'Layla', metadata: { seen: true }, hometown: '' })
  expect(patient.created_at).toMatch(/^\d{4}-\d\d-\d\dT/)
  const of = { patient_id: patient.id }
  const { visit } = (await app.command('visits.create', { ...of, clinic_id: clinic.id, provider_id: amal.id }))
    .body as never as { visit: { id: string } }
  const made = await app.command('events.create', {
    ...of,
    visit_id: visit.id,
    form_id: form.id,
    form_data: [{ fieldId: 'a', value: 0 }],
  })
  const { event } = made.body as never as { event: { id: string; form_data: unknown } }
  expect(event.form_data).toEqual([{ fieldId: 'a', value: 0 }])
  await app.command('events.update', { id: event.id, form_data: '', event_type: 'Renamed' })
  expect((await app.query('get_visit_events', { visit_id: visit.id })).body).toMatchObject({
    events: [{ event_type: 'Renamed', form_data: [{ fieldId: 'a', value: 0 }] }],
  })
  expect((await app.query('events.by_form', { form_id: form.id })).body['events']).toHaveLength(1)
  await app.command('vitals.create', { ...of, visit_id: visit.id, temperature_celsius: 36.85, systolic_bp: '' })
  expect((await app.query('vitals.list', of)).body).toMatchObject({
    vitals: [{ temperature_celsius: 36.85, systolic_bp: null, recorded_by_user_id: amal.id }],
  })
  const { problem } = (
    await app.command('problems.create', {
      ...of,
      visit_id: visit.id,
      problem_code_system: 'icd10',
      problem_code: 'I10',
      problem_label: 'Hypertension',
      clinical_status: 'active',
      verification_status: 'confirmed',
      onset_date: '1995-03-04T00:00:00Z',
    })
  ).body as never as { problem: { id: string } }
  await app.command('problems.update', {
    id: problem.id,
    clinical_status: 'remission',
    problem_label: '',
    onset_date: '',
  })
  expect((await app.query('problems.get', { id: problem.id })).body).toMatchObject({
    problem: { clinical_status: 'remission', problem_label: 'Hypertension', onset_date: '1995-03-04T00:00:00.000Z' },
  })
  expect((await app.query('problems.list', of)).body['problems']).toHaveLength(1)
  expect((await app.query('get_visits', of)).body).toMatchObject({ visits: [{ id: visit.id, provider_id: amal.id }] })
  expect((await app.query('search_patients', { search_query: 'layla' })).body).toMatchObject({
    patients: [{ id: patient.id }],
  })
  expect((await app.query('get_patients', { limit: 10 })).body).toMatchObject({ patients: [{ id: patient.id }] })
  expect((await app.query('get_patient', { id: patient.id })).body).toMatchObject({ patient: { id: patient.id } })
  expect((await app.command('events.delete', { id: event.id })).status).toBe(200)
  expect((await app.query('get_visit_events', { visit_id: visit.id })).body).toEqual({ events: [] })
  const trail = await db
    .selectFrom('audit_log')
    .select(['user_id', 'via'])
    .where('record_id', '=', event.id)
    .distinct()
    .execute()
  expect(trail).toEqual([{ user_id: amal.id, via: 'phone' }])
})

test('what is refused is said at once, with the field', async ({ make, person, online }) => {
  const [clinic, theirs] = [await make.clinic(), await make.clinic()]
  const app = await online(await person('registrar', [clinic]))
  const stranger = await make.patient({ primary_clinic_id: theirs.id })
  const own = await make.patient({ primary_clinic_id: clinic.id })
  expect((await app.anonymous('get_patients')).status).toBe(401)
  expect((await app.query('get_patient', { id: stranger.id })).status).toBe(404)
  expect((await app.query('get_patient', { id: 'x' })).status).toBe(400)
  expect((await app.query('no_such')).status).toBe(400)
  const forbidden = { status: 403, body: { error: 'You do not have permission to do this' } }
  expect(await app.command('register_patient', aPatient(theirs))).toMatchObject(forbidden)
  expect(await app.command('register_patient', aPatient(clinic, { date_of_birth: 'x' }))).toMatchObject({
    status: 400,
    body: { fields: { date_of_birth: expect.any(String) as string } },
  })
  expect(await app.command('visits.create', { patient_id: own.id, clinic_id: clinic.id })).toMatchObject(forbidden)
  expect((await app.query('get_visits', { patient_id: own.id })).body).toEqual({ visits: [] })
})

test('pulls and pushes go through it, too', async ({ db, make, person, online }) => {
  const clinic = await make.clinic()
  const app = await online(await person('provider', [clinic], EVERYTHING))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const pulled = (await app.query('sync_pull', { last_pulled_at: 0, schema_version: 9 })).body as never as {
    timestamp: number
    changes: { patients: { updated: { id: string }[] } }
  }
  expect(pulled.changes.patients.updated).toMatchObject([{ id: patient.id }])
  const edited = { ...pulled.changes.patients.updated[0], phone: '77', _status: 'updated', _changed: 'phone' }
  const changes = { patients: { created: [], updated: [edited], deleted: [] } }
  expect((await app.command('sync_push', { last_pulled_at: pulled.timestamp, changes })).body).toMatchObject({
    success: true,
    rows: 1,
    refused: 0,
  })
  expect(await db.selectFrom('patients').select('phone').where('id', '=', patient.id).executeTakeFirst()).toEqual({
    phone: '77',
  })
})
