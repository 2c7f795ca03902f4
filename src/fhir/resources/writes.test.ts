import { expect } from 'vitest'
import { aRequest, test } from '../../../test/harness'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { type Permission, PERMISSIONS } from '~/shared/permissions'
import type { FhirResponse } from '../asked'
import type { Fhir } from '../resource'
import { answer, explainFhirFailure } from '../respond.server'

const SITE = { base: 'https://clinic.example/api/fhir' }
type Send = { body?: object; headers?: Record<string, string> }

async function send(
  ctx: Context,
  method: string,
  url: string,
  more: Send = {},
): Promise<FhirResponse> {
  const headers = new Headers(more.headers)
  return answer(
    { method, path: url.split('/'), parameters: [], headers, body: more.body },
    { ctx: { ...ctx, request: { ...aRequest('fhir'), headers } }, site: SITE },
  ).catch((error: unknown) => explainFhirFailure(error, 'a-request'))
}
const coded = (system: string, code: string) => ({ coding: [{ system, code }] })
const HL7 = 'http://terminology.hl7.org/CodeSystem'

test('a program records a visit with all that belongs to it, and reads back what it sent', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const user = await make.user()
  const ctx = asUser(user, { [clinic.id]: [...PERMISSIONS] })
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const form = await make.eventForm({
    form_fields: JSON.stringify([
      {
        id: 'smokes',
        name: 'Smokes',
        description: '',
        required: false,
        fieldType: 'binary',
        inputType: 'radio',
        options: [
          { id: 'a', label: 'Yes', value: 'yes' },
          { id: 'b', label: 'No', value: 'no' },
        ],
      },
    ]),
  })
  const subject = { reference: `Patient/${patient.id}` }
  const visit = newId()
  const encounter = { reference: `Encounter/${visit}` }
  const sent: Fhir[] = [
    {
      resourceType: 'Encounter',
      id: visit,
      status: 'finished',
      class: { system: `${HL7}/v3-ActCode`, code: 'AMB' },
      subject,
      participant: [{ individual: { reference: `Practitioner/${user.id}` } }],
      period: { start: '2026-02-03T08:00:00.000Z', end: '2026-02-03T09:00:00.000Z' },
      reasonCode: [{ text: 'Cough' }],
      serviceProvider: { reference: `Organization/${clinic.id}` },
    },
    {
      resourceType: 'Observation',
      status: 'final',
      category: [coded(`${HL7}/observation-category`, 'vital-signs')],
      code: coded('http://loinc.org', '29463-7'),
      subject,
      encounter,
      effectiveDateTime: '2026-02-03T08:10:00.000Z',
      valueQuantity: { value: 71.5, system: 'http://unitsofmeasure.org', code: 'kg' },
    },
    {
      resourceType: 'Condition',
      clinicalStatus: coded(`${HL7}/condition-clinical`, 'active'),
      verificationStatus: coded(`${HL7}/condition-ver-status`, 'confirmed'),
      code: { ...coded('http://hl7.org/fhir/sid/icd-10', 'J20'), text: 'Bronchitis' },
      subject,
      encounter,
      onsetDateTime: '2026-02-01T10:30:00.000Z',
    },
    {
      resourceType: 'AllergyIntolerance',
      clinicalStatus: coded(`${HL7}/allergyintolerance-clinical`, 'active'),
      verificationStatus: coded(`${HL7}/allergyintolerance-verification`, 'confirmed'),
      category: ['food'],
      code: { text: 'Peanuts' },
      patient: subject,
      reaction: [{ manifestation: [{ text: 'Hives' }], severity: 'moderate' }],
    },
    {
      resourceType: 'QuestionnaireResponse',
      questionnaire: `${SITE.base}/Questionnaire/${form.id}|1`,
      status: 'completed',
      subject,
      encounter,
      item: [{ linkId: 'smokes', answer: [{ valueBoolean: false }] }],
    },
    {
      resourceType: 'Appointment',
      status: 'booked',
      start: '2030-03-01T09:00:00.000Z',
      end: '2030-03-01T09:30:00.000Z',
      minutesDuration: 30,
      reasonCode: [{ text: 'follow-up' }],
      comment: 'Bring the inhaler',
      participant: [
        { actor: subject, status: 'accepted' },
        { actor: { reference: `Location/${clinic.id}` }, status: 'accepted' },
      ],
    },
  ]
  for (const resource of sent) {
    const { resourceType: type, id } = resource
    const { status, headers, body } = id
      ? await send(ctx, 'PUT', `${type}/${id as string}`, { body: resource })
      : await send(ctx, 'POST', type, { body: resource })
    expect([type, status, status === 201 ? null : body]).toEqual([type, 201, null])
    const stored = headers!['location']!.split('/fhir/')[1]!.replace(/\/_history.*$/, '')
    const read = await send(ctx, 'GET', stored)
    expect(read).toMatchObject({ status: 200, body: resource })
  }
})

test('a walk-in of another day is kept as what it was, and opens no visit', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const me = as('admin', {}, { userId: (await make.user()).id })
  const walkIn = (status: string) => ({
    resourceType: 'Appointment',
    status,
    appointmentType: coded('http://terminology.hl7.org/CodeSystem/v2-0276', 'WALKIN'),
    start: '2026-02-03T08:00:00.000Z',
    participant: [
      { actor: { reference: `Patient/${patient.id}` }, status: 'accepted' },
      { actor: { reference: `Location/${clinic.id}` }, status: 'accepted' },
    ],
  })
  const kept = await send(me, 'POST', 'Appointment', { body: walkIn('fulfilled') })
  expect(kept).toMatchObject({ status: 201 })
  const stored = kept.headers!['location']!.split('/fhir/')[1]!.replace(/\/_history.*$/, '')
  expect(await send(me, 'GET', stored)).toMatchObject({ body: walkIn('fulfilled') })
  expect(await db.selectFrom('visits').selectAll().execute()).toEqual([])
  // who is to be checked in comes today
  const toCome = { ...walkIn('booked'), start: new Date(Date.now() + 7 * 86_400_000).toISOString() }
  for (const body of [walkIn('checked-in'), toCome])
    expect(await send(me, 'POST', 'Appointment', { body })).toMatchObject({ status: 422 })
  const update = { body: { ...walkIn('checked-in'), id: stored.split('/')[1] } }
  expect(await send(me, 'PUT', stored, update)).toMatchObject({ status: 422 })
  expect(await db.selectFrom('visits').selectAll().execute()).toEqual([])
  // one with a visit of its day goes on in that visit, as on the screen
  const seen = { check_in_timestamp: '2026-02-03T08:00:00Z', closed_at: '2026-02-03T09:00:00Z' }
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id, ...seen })
  const id = update.body.id!
  const ofVisit = { fulfilled_visit_id: visit.id }
  await db.updateTable('appointments').set(ofVisit).where('id', '=', id).execute()
  const { headers } = await send(me, 'GET', stored)
  const match = { 'if-match': headers!['etag']! }
  expect(await send(me, 'PUT', stored, { ...update, headers: match })).toMatchObject({
    status: 200,
  })
  const visits = await db.selectFrom('visits').select(['id', 'closed_at']).execute()
  expect(visits).toEqual([{ id: visit.id, closed_at: null }])
})

test('an element without a place, an impossible value and a missing right are refused, and nothing is stored', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const grants = (...held: Permission[]) => ({ [clinic.id]: held })
  const editor = as('provider', grants('can_view_history', 'can_edit_records'))
  const reader = as('provider', grants('can_view_history'))
  const subject = { reference: `Patient/${patient.id}` }
  const condition = {
    resourceType: 'Condition',
    clinicalStatus: coded(`${HL7}/condition-clinical`, 'active'),
    code: { ...coded('http://hl7.org/fhir/sid/icd-10', 'I10'), text: 'Hypertension' },
    subject,
  }
  const weight = {
    resourceType: 'Observation',
    status: 'final',
    code: coded('http://loinc.org', '29463-7'),
    subject,
    effectiveDateTime: '2026-02-03T08:10:00Z',
    valueQuantity: { value: 71.5, system: 'http://unitsofmeasure.org', code: 'kg' },
  }
  const cases: [type: string, body: object, expression: string][] = [
    ['Condition', { ...condition, stage: [{}] }, 'Condition.stage'],
    ['Condition', { ...condition, onsetDateTime: '2026' }, 'Condition.onsetDateTime'],
    ['Condition', { ...condition, onsetDateTime: '2999-01-01' }, 'Condition.onsetDateTime'],
    [
      'Observation',
      { ...weight, effectiveDateTime: '2026-02-03' },
      'Observation.effectiveDateTime',
    ],
    ['Observation', { ...weight, code: coded('http://loinc.org', '718-7') }, 'Observation.code'],
    ['Observation', { ...weight, code: coded('http://loinc.org', '39156-5') }, 'Observation.value'],
    [
      'Observation',
      { ...weight, performer: [{ reference: 'Practitioner/x' }] },
      'Observation.performer',
    ],
    ['Encounter', { resourceType: 'Encounter', status: 'planned' }, 'Encounter.status'],
  ]
  for (const [type, body, expression] of cases) {
    const { status, body: outcome } = await send(editor, 'POST', type, { body })
    const [issue] = (outcome as unknown as { issue: { expression?: string[] }[] }).issue
    expect([type, expression, status]).toEqual([type, expression, 422])
    expect(issue!.expression![0]).toContain(expression)
  }
  expect((await send(reader, 'POST', 'Condition', { body: condition })).status).toBe(403)
  const nowhere = { ...condition, subject: { reference: `Patient/${newId()}` } }
  expect((await send(editor, 'POST', 'Condition', { body: nowhere })).status).toBe(404)
  for (const type of ['MedicationRequest', 'MedicationDispense', 'Medication', 'Immunization'])
    expect([
      type,
      (await send(editor, 'POST', type, { body: { resourceType: type } })).status,
    ]).toEqual([type, 405])
  const weightAt = { ...weight, id: newId() }
  expect((await send(editor, 'PUT', `Observation/${weightAt.id}`, { body: weightAt })).status).toBe(
    405,
  )
  expect(await db.selectFrom('patient_problems').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('patient_vitals').selectAll().execute()).toEqual([])
})

test('a change of a record by FHIR needs the version that it replaces', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = asUser(await make.user(), { [clinic.id]: [...PERMISSIONS] })
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const problem = await make.problem({
    patient_id: patient.id,
    recorded_clinic_id: clinic.id,
    verification_status: 'confirmed',
  })
  const address = `Condition/${problem.id}`
  const { body, headers } = await send(ctx, 'GET', address)
  const resolved = {
    ...body,
    clinicalStatus: coded(`${HL7}/condition-clinical`, 'resolved'),
    abatementDateTime: '2026-02-05',
  }
  expect((await send(ctx, 'PUT', address, { body: resolved })).status).toBe(412)
  const match = { headers: { 'if-match': headers!['etag']! } }
  expect(await send(ctx, 'PUT', address, { body: resolved, ...match })).toMatchObject({
    status: 200,
    body: { abatementDateTime: '2026-02-05', code: { text: 'Hypertension' } },
  })
  expect((await send(ctx, 'PUT', address, { body: resolved, ...match })).status).toBe(412)
})

test('what other programs say beside it is read: codes, recurrence, an unconfirmed allergy, no birth', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = asUser(await make.user(), { [clinic.id]: [...PERMISSIONS] })
  const { id } = await make.patient({
    primary_clinic_id: clinic.id,
    sex: null,
    date_of_birth: null,
  })
  const subject = { reference: `Patient/${id}` }
  const written = async (body: Fhir) => {
    const { status, headers, body: refusal } = await send(ctx, 'POST', body.resourceType, { body })
    expect([status, status === 201 ? null : refusal]).toEqual([201, null])
    const stored = headers!['location']!.split('/fhir/')[1]!.replace(/\/_history.*$/, '')
    return (await send(ctx, 'GET', stored)).body
  }
  const icd10 = { system: 'http://hl7.org/fhir/sid/icd-10', code: 'J45', display: 'Asthma' }
  expect(
    await written({
      resourceType: 'Condition',
      clinicalStatus: coded(`${HL7}/condition-clinical`, 'recurrence'),
      code: { coding: [{ system: 'urn:local', code: '12', display: 'Asma' }, icd10] },
      subject,
    }),
  ).toMatchObject({
    clinicalStatus: coded(`${HL7}/condition-clinical`, 'active'),
    code: { coding: [icd10] },
  })
  const amoxicillin = { system: 'urn:sanad:ingredient', code: 'amoxicillin' }
  const snomed = { system: 'http://snomed.info/sct', code: '372687004' }
  const unsure = coded(`${HL7}/allergyintolerance-verification`, 'unconfirmed')
  expect(
    await written({
      resourceType: 'AllergyIntolerance',
      clinicalStatus: coded(`${HL7}/allergyintolerance-clinical`, 'active'),
      verificationStatus: unsure,
      code: { coding: [snomed, amoxicillin], text: 'Amoxicillin' },
      patient: subject,
    }),
  ).toMatchObject({
    verificationStatus: unsure,
    code: { coding: [{ ...amoxicillin, display: 'Amoxicillin' }], text: 'Amoxicillin' },
  })
  const own = await make.allergy({ patient_id: id, recorded_clinic_id: clinic.id })
  const { body: leaving } = await send(ctx, 'GET', `AllergyIntolerance/${own.id}`)
  expect(leaving).not.toHaveProperty('verificationStatus')

  const read = await send(ctx, 'GET', `Patient/${id}`)
  expect(read.body).not.toHaveProperty('gender')
  expect(read.body).toMatchObject({ _birthDate: { extension: [{ valueCode: 'unknown' }] } })
  const headers = { 'if-match': read.headers!['etag']! }
  const put = await send(ctx, 'PUT', `Patient/${id}`, { body: read.body as Fhir, headers })
  expect(put.status).toBe(200)
  expect((await send(ctx, 'GET', `Patient/${id}`)).body).toMatchObject({
    ...(read.body as Fhir),
    meta: expect.anything(),
  })
})

test('every stored answer leaves: of a removed question, and without a form; a PUT of it keeps it', async ({
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const user = await make.user()
  const ctx = asUser(user, { [clinic.id]: [...PERMISSIONS] })
  const patient_id = (await make.patient({ primary_clinic_id: clinic.id })).id
  const of = {
    patient_id,
    recorded_clinic_id: clinic.id,
    recorded_by_user_id: user.id,
    visit_id: null,
  }
  const form = await make.eventForm({ form_fields: '[]', is_editable: true })
  const stored = [
    {
      fieldId: 'removed',
      name: 'Weight at home',
      inputType: 'number',
      fieldType: 'free-text',
      value: 61,
    },
  ]
  const form_data = JSON.stringify(stored)
  const removed = await make.event({ ...of, form_id: form.id, form_version: 1, form_data })
  const loose = await make.event({ ...of, form_id: null, form_data })
  const item = [{ linkId: 'removed', text: 'Weight at home', answer: [{ valueString: '61' }] }]
  for (const { id } of [removed, loose])
    expect((await send(ctx, 'GET', `QuestionnaireResponse/${id}`)).body).toMatchObject({ item })
  const read = await send(ctx, 'GET', `QuestionnaireResponse/${removed.id}`)
  const put = (body: object, etag: string) =>
    send(ctx, 'PUT', `QuestionnaireResponse/${removed.id}`, {
      body,
      headers: { 'if-match': etag },
    })
  const again = await put(read.body as object, read.headers!['etag']!)
  expect(again).toMatchObject({ status: 200 })
  const changed = [{ ...item[0], answer: [{ valueString: '62' }] }]
  expect(
    (await put({ ...(read.body as object), item: changed }, again.headers!['etag']!)).status,
  ).toBe(422)
  const { form_data: kept } = await db
    .selectFrom('events')
    .select('form_data')
    .where('id', '=', removed.id)
    .executeTakeFirstOrThrow()
  expect(kept).toEqual(stored)
})

test('what is sent back as it was read keeps its version, and needs the right to write', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = asUser(await make.user(), { [clinic.id]: [...PERMISSIONS] })
  const reader = asUser(await make.user(), { [clinic.id]: ['can_view_history'] })
  const patient_id = (await make.patient({ primary_clinic_id: clinic.id })).id
  const of = { patient_id, recorded_clinic_id: clinic.id }
  const visit = await make.visit({ patient_id, clinic_id: clinic.id })
  const stored = [
    ['Encounter', visit.id],
    ['Condition', (await make.problem(of)).id],
    ['AllergyIntolerance', (await make.allergy(of)).id],
    ['Appointment', (await make.appointment({ patient_id, clinic_id: clinic.id })).id],
  ] as const
  for (const [type, id] of stored) {
    const url = `${type}/${id}`
    const { body, headers: read } = await send(ctx, 'GET', url)
    const headers = { 'if-match': read!['etag']! }
    const again = { body: JSON.parse(JSON.stringify(body)) as Fhir, headers }
    // every member of a clinic may change its appointments
    if (type !== 'Appointment')
      expect([type, (await send(reader, 'PUT', url, again)).status]).toEqual([type, 403])
    const put = await send(ctx, 'PUT', url, again)
    expect([type, put.status, put.headers!['etag']]).toEqual([type, 200, read!['etag']])
  }
})
