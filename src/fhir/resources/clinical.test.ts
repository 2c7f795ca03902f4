import { expect } from 'vitest'
import type { makeFactories } from '../../../test/factories'
import { aRequest, test } from '../../../test/harness'
import { takenByEach } from '~/features/medicines/prescriptions/check/taken.server'
import { listMedicines } from '~/features/medicines/taken/medicines.server'
import { loadCurrentMedicines } from '~/features/medicines/taken/current.server'
import { decideMedicine, deleteDecision } from '~/features/medicines/taken/reconciliation.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import type { Actor } from '~/shared/actor'
import { type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import type { Fhir } from '../resource'
import type { FhirResponse } from '../asked'
import { answer, explainFhirFailure } from '../respond.server'

const SITE = { base: 'https://clinic.example/api/fhir' }

async function ask(ctx: Context, url: string): Promise<FhirResponse> {
  const { pathname, searchParams } = new URL(url, 'https://clinic.example/')
  const headers = new Headers()
  return answer(
    {
      method: 'GET',
      path: decodeURIComponent(pathname).split('/').filter(Boolean),
      parameters: [...searchParams],
      headers,
    },
    { ctx: { ...ctx, request: { ...aRequest('fhir'), headers } }, site: SITE },
  ).catch((error: unknown) => explainFhirFailure(error, 'a-request'))
}
type Entry = { resource: { id: string } }
const idsOf = ({ body }: FhirResponse) =>
  ((body as { entry?: Entry[] }).entry ?? []).map(({ resource }) => resource.id)

type Fixtures = {
  as: (role: Role, grants?: Record<string, readonly Permission[]>, more?: Partial<Actor>) => Context
  make: ReturnType<typeof makeFactories>
}
/** One row of each type, of one patient, recorded in one clinic. */
async function world({ as, make }: Fixtures) {
  const clinic = await make.clinic()
  const clinic_id = clinic.id
  const user = (await make.user()).id
  const ctx = as('provider', { [clinic_id]: [...PERMISSIONS] }, { userId: user })
  const patient_id = (await make.patient({ primary_clinic_id: clinic_id })).id
  const visit = await make.visit({
    patient_id,
    clinic_id,
    check_in_timestamp: '2026-02-03T08:00:00Z',
    closed_at: '2026-02-03T09:00:00Z',
    reason: 'Cough',
  })
  const own = { patient_id, recorded_clinic_id: clinic_id }
  const of = { ...own, visit_id: visit.id, recorded_by_user_id: user }
  const vital = await make.vital({
    ...of,
    timestamp: '2026-02-03T08:10:00Z',
    systolic_bp: 128,
    diastolic_bp: 82,
  })
  const problem = await make.problem({
    ...of,
    onset_date: '2026-01-02T00:00:00Z',
    verification_status: 'confirmed',
  })
  const allergy = await make.allergy({ ...own, recorded_by_user_id: user, severity: 'severe' })
  const drug = await make.drug({ barcode: '05012345678900' })
  const prescription = await make.prescription({
    ...own,
    visit_id: visit.id,
    pickup_clinic_id: clinic_id,
    prescribed_at: '2026-02-03T08:30:00Z',
    expiration_date: '2099-12-31T10:00:00Z',
    items: JSON.stringify(['Paracetamol 500 mg']),
    problem_id: problem.id,
  })
  const item = await make.prescriptionItem(prescription, { drug_id: drug.id })
  const appointment = await make.appointment({
    patient_id,
    clinic_id,
    timestamp: '2026-03-01T09:00:00Z',
  })
  const immunization = await make.immunization({ ...own, visit_id: visit.id })
  const form = await make.eventForm({ name: 'Check-up' })
  const event = await make.event({
    ...of,
    form_id: form.id,
    form_version: 1,
    created_at: '2026-02-03T08:20:00Z',
  })
  const rows = {
    visit,
    vital,
    problem,
    allergy,
    drug,
    prescription,
    item,
    appointment,
    immunization,
    form,
    event,
  }
  return { ctx, clinic_id, patient_id, ...rows }
}

test('each clinical resource is read, and found by its search parameters', async ({ as, make }) => {
  const { ctx, clinic_id, patient_id, ...row } = await world({ as, make })
  const encounter = `encounter=Encounter/${row.visit.id}`
  const patient = `patient=${patient_id}`
  const searches: [type: string, id: string, queries: string[]][] = [
    [
      'Encounter',
      row.visit.id,
      [patient, 'date=2026-02-03', 'status=finished', 'class=AMB', `service-provider=${clinic_id}`],
    ],
    [
      'Observation',
      `${row.vital.id}-bp`,
      [
        `${patient}&code=http://loinc.org|85354-9`,
        'combo-code=8480-6',
        'date=2026-02-03&code=85354-9',
        'component-code-value-quantity=8480-6$gt120',
        'component-code-value-quantity=http://loinc.org|8462-4$82',
      ],
    ],
    [
      'Observation',
      `${row.vital.id}-temperature`,
      ['code=8310-5', 'value-quantity=37.2|http://unitsofmeasure.org|Cel', 'value-quantity=gt37'],
    ],
    [
      'Condition',
      row.problem.id,
      [
        patient,
        'code=http://hl7.org/fhir/sid/icd-10|I10',
        'clinical-status=active',
        'verification-status=confirmed',
        'onset-date=lt2026-01-05',
        'category=problem-list-item',
        encounter,
      ],
    ],
    [
      'AllergyIntolerance',
      row.allergy.id,
      [patient, 'clinical-status=active', 'category=medication', 'code=amoxicillin'],
    ],
    [
      'MedicationRequest',
      row.item.id,
      [
        `${patient}&medication=Medication/${row.drug.id}`,
        `status=active&intent=order&authoredon=2026-02-03&medication=${row.drug.id}`,
        `${encounter}&medication=${row.drug.id}`,
      ],
    ],
    ['MedicationRequest', `${row.prescription.id}-f1`, [`_id=${row.prescription.id}-f1`]],
    [
      'Medication',
      row.drug.id,
      [
        'identifier=05012345678900',
        `code:text=${row.drug.generic_name}`,
        'form=capsule&status=active',
      ],
    ],
    [
      'Immunization',
      row.immunization.id,
      [patient, 'date=2026-01-05', 'vaccine-code=http://hl7.org/fhir/sid/cvx|139'],
    ],
    [
      'Appointment',
      row.appointment.id,
      [patient, 'date=2026-03-01', 'status=booked', `location=Location/${clinic_id}`],
    ],
    [
      'Questionnaire',
      `${row.form.id}-1`,
      ['title=check', 'status=active&name=Check', 'version=1&title=check'],
    ],
    [
      'QuestionnaireResponse',
      row.event.id,
      [patient, `questionnaire=Questionnaire/${row.form.id}|1`, 'authored=2026-02-03', encounter],
    ],
  ]
  for (const [type, id, queries] of searches) {
    expect(await ask(ctx, `${type}/${id}`)).toMatchObject({
      status: 200,
      body: { resourceType: type, id },
    })
    for (const query of queries) {
      const found = await ask(ctx, `${type}?${query}`)
      expect([type, query, found.status, idsOf(found)]).toEqual([type, query, 200, [id]])
    }
  }
})

test('an allergy is found by the verification that is read of it, a statement of none too', async ({
  db,
  as,
  make,
}) => {
  const { ctx, patient_id, allergy } = await world({ as, make })
  await db.updateTable('patient_allergies').set({ status: 'inactive' }).execute()
  const none = await make.noAllergies(patient_id)
  const found = async (word: string) =>
    idsOf(await ask(ctx, `AllergyIntolerance?patient=${patient_id}&verification-status=${word}`))
  expect(await found('confirmed')).toEqual([none.id])
  expect(await ask(ctx, `AllergyIntolerance/${none.id}`)).toMatchObject({
    body: { verificationStatus: { coding: [{ code: 'confirmed' }] } },
  })
  expect(await found('unconfirmed')).toEqual([])
  await db.updateTable('patient_allergies').set({ status: 'refuted' }).execute()
  expect((await found('refuted')).toSorted()).toEqual([allergy.id, none.id].toSorted())
  expect(await found('confirmed')).toEqual([])
})

test('a medicine names the problem that its prescription is for', async ({ as, make }) => {
  const row = await world({ as, make })
  const { body } = await ask(row.ctx, `MedicationRequest/${row.item.id}`)
  expect(body).toMatchObject({ reasonReference: [{ reference: `Condition/${row.problem.id}` }] })
})

test('a medicine that a review has stopped is active nowhere, until the stop is taken back', async ({
  db,
  as,
  make,
}) => {
  const { ctx, patient_id, prescription, item } = await world({ as, make })
  const elsewhere = await make.medicine({ patient_id, name: 'Digoxin', until: null })
  const statuses = async () =>
    Object.fromEntries(
      await Promise.all(
        ['MedicationRequest', 'MedicationStatement'].flatMap((type) =>
          ['active', 'stopped', 'cancelled', 'completed'].map(async (status) => {
            const { body } = await ask(ctx, `${type}?patient=${patient_id}&status=${status}`)
            const { entry = [] } = body as { entry?: { resource: Fhir & { id: string } }[] }
            // what is found by a status says that status
            for (const { resource } of entry) expect(resource['status']).toBe(status)
            return [`${type} ${status}`, entry.map(({ resource }) => resource.id).toSorted()]
          }),
        ),
      ),
    )
  const text = `${prescription.id}-f1`
  expect(await statuses()).toMatchObject({
    'MedicationRequest active': [item.id, text].toSorted(),
    'MedicationStatement active': [elsewhere.id],
  })
  const stops: Record<string, string> = {}
  for (const { id: line, name, instructions: dose } of (await loadCurrentMedicines(ctx, patient_id))
    .rows) {
    const id = newId()
    await decideMedicine(ctx, {
      id,
      patient_id,
      line,
      name,
      dose,
      decision: 'stop',
      reason: 'Muscle pain for weeks',
    })
    stops[line] = id
  }
  expect(await statuses()).toEqual({
    'MedicationRequest active': [],
    'MedicationRequest stopped': [text],
    'MedicationRequest cancelled': [item.id],
    'MedicationRequest completed': [],
    'MedicationStatement active': [],
    'MedicationStatement stopped': [elsewhere.id],
    'MedicationStatement cancelled': [],
    'MedicationStatement completed': [],
  })
  // at once on each door, though the last day of one is not over
  expect((await loadCurrentMedicines(ctx, patient_id)).rows).toEqual([])
  expect((await listMedicines(ctx, { patientId: patient_id })).rows).toMatchObject([
    { id: elsewhere.id, isTaken: false },
  ])
  const [checked] = await takenByEach(db, [{ patientId: patient_id }])
  expect(checked!.filter(({ standing }) => standing !== 'ended')).toEqual([])
  const read = async (address: string) => (await ask(ctx, address)).body as Fhir & Stamped
  expect(await read(`MedicationStatement/${elsewhere.id}`)).toMatchObject({
    statusReason: [{ text: 'Muscle pain for weeks' }],
  })
  const { meta } = await read(`MedicationRequest/${text}`)
  expect(meta.lastUpdated > prescription.last_modified.toISOString()).toBe(true)
  await deleteDecision(ctx, { id: stops[text]! })
  expect(await read(`MedicationRequest/${text}`)).toMatchObject({ status: 'active' })
})
type Stamped = { meta: { lastUpdated: string } }

test('no clinical resource shows what its user could not see on a screen', async ({ as, make }) => {
  const { clinic_id, patient_id, ...row } = await world({ as, make })
  const other = await make.clinic()
  // cares for the same patient in another clinic, without what the first one recorded
  await make.visit({ patient_id, clinic_id: other.id })
  const addresses = [
    `Encounter/${row.visit.id}`,
    `Observation/${row.vital.id}-bp`,
    `Condition/${row.problem.id}`,
    `MedicationRequest/${row.item.id}`,
    `MedicationRequest/${row.prescription.id}-f1`,
    `Immunization/${row.immunization.id}`,
    `QuestionnaireResponse/${row.event.id}`,
    `Appointment/${row.appointment.id}`,
  ]
  const elsewhere = as('provider', { [other.id]: ['can_view_history', 'can_edit_records'] })
  const registrar = as('registrar', { [clinic_id]: ['can_register_patients'] })
  for (const address of addresses) {
    const [type] = address.split('/')
    expect([address, (await ask(elsewhere, address)).status]).toEqual([address, 404])
    expect([type, idsOf(await ask(elsewhere, `${type}?_count=50`)).length]).toEqual([
      type,
      type === 'Encounter' ? 1 : 0,
    ])
    // a registrar sees appointments, and of the history nothing
    expect([address, (await ask(registrar, address)).status]).toEqual([
      address,
      type === 'Appointment' ? 200 : 403,
    ])
  }
})

test('a deleted clinical record answers 410, and an id that no record can have answers 404', async ({
  db,
  as,
  make,
}) => {
  const { ctx, ...row } = await world({ as, make })
  await db
    .updateTable('patient_problems')
    .set({ is_deleted: true })
    .where('id', '=', row.problem.id)
    .execute()
  expect((await ask(ctx, `Condition/${row.problem.id}`)).status).toBe(410)
  for (const address of [
    `Observation/${row.vital.id}`,
    `Observation/${row.vital.id}-weight`,
    `Observation/${newId()}-bp`,
    `MedicationRequest/${row.prescription.id}-f2`,
    `Questionnaire/${row.form.id}`,
    'Condition/1',
  ])
    expect([address, (await ask(ctx, address)).status]).toEqual([address, 404])
})

type Bundle = { link: { relation: string; url: string }[]; entry: { resource: Fhir }[] }

test('$everything gives the whole record in pages, of some types or since a moment', async ({
  as,
  make,
}) => {
  const { ctx, patient_id, ...row } = await world({ as, make })
  const other = await make.patient({ primary_clinic_id: row.clinic_id })
  await make.problem({ patient_id: other.id, recorded_clinic_id: row.clinic_id })
  const seen: string[] = []
  let next: string | undefined = `Patient/${patient_id}/$everything?_count=3`
  while (next) {
    const { status, body } = await ask(ctx, next)
    expect(status).toBe(200)
    const { entry, link } = body as unknown as Bundle
    expect(entry.length).toBeLessThanOrEqual(3)
    seen.push(...entry.map(({ resource }) => `${resource.resourceType}/${String(resource['id'])}`))
    next = link.find(({ relation }) => relation === 'next')?.url.slice(SITE.base.length + 1)
  }
  expect(seen.toSorted()).toEqual(
    [
      `Patient/${patient_id}`,
      `Encounter/${row.visit.id}`,
      `Observation/${row.vital.id}-bp`,
      `Observation/${row.vital.id}-temperature`,
      `Condition/${row.problem.id}`,
      `AllergyIntolerance/${row.allergy.id}`,
      `MedicationRequest/${row.item.id}`,
      `MedicationRequest/${row.prescription.id}-f1`,
      `Immunization/${row.immunization.id}`,
      `Appointment/${row.appointment.id}`,
      `QuestionnaireResponse/${row.event.id}`,
    ].toSorted(),
  )
  const everything = `Patient/${patient_id}/$everything`
  expect(idsOf(await ask(ctx, `${everything}?_type=Condition`))).toEqual([row.problem.id])
  expect(idsOf(await ask(ctx, `${everything}?_since=2999-01-01`))).toEqual([])
  expect((await ask(ctx, `${everything}?_type=Medication`)).status).toBe(400)
  expect((await ask(ctx, `Patient/${newId()}/$everything`)).status).toBe(404)
})

test('$summary is a document in the language of its user, and says what nobody asked', async ({
  as,
  make,
}) => {
  const { ctx, patient_id, ...row } = await world({ as, make })
  const { status, body } = await ask(ctx, `Patient/${patient_id}/$summary`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ resourceType: 'Bundle', type: 'document' })
  const resources = (body as unknown as Bundle).entry.map(({ resource }) => resource)
  const [composition] = resources
  const sections = composition!['section'] as { entry?: { reference: string }[] }[]
  const names = resources.map(({ resourceType, id }) => `${resourceType}/${String(id)}`)
  // every reference of the document is answered in the document
  const referred = [...JSON.stringify(body).matchAll(/"reference":"([^"]+)"/g)].map(([, to]) => to)
  expect(referred.filter((to) => !names.includes(to!))).toEqual([])
  const entries = sections.flatMap(({ entry = [] }) => entry.map(({ reference }) => reference))
  expect(new Set(entries)).toEqual(
    new Set([
      `Condition/${row.problem.id}`,
      `AllergyIntolerance/${row.allergy.id}`,
      `MedicationRequest/${row.item.id}`,
      `MedicationRequest/${row.prescription.id}-f1`,
      `Immunization/${row.immunization.id}`,
      `Observation/${row.vital.id}-bp`,
      `Observation/${row.vital.id}-temperature`,
    ]),
  )
  expect(names).toContain(`Medication/${row.drug.id}`)

  const nobody = await make.patient({ primary_clinic_id: row.clinic_id, given_name: '<b>' })
  const arabic = { ...ctx, actor: { ...ctx.actor, language: 'ar' as const } }
  const empty = await ask(arabic, `Patient/${nobody.id}/$summary`)
  const [of] = (empty.body as unknown as Bundle).entry
  expect(of!.resource).toMatchObject({
    section: [
      { emptyReason: { coding: [{ code: 'notasked' }] }, title: 'المشكلات الصحية' },
      { emptyReason: { coding: [{ code: 'notasked' }] } },
      { emptyReason: { coding: [{ code: 'notasked' }] } },
    ],
  })
})

test('a summary says that records of other clinics are withheld, not that there are none', async ({
  as,
  make,
}) => {
  const { patient_id } = await world({ as, make })
  const other = await make.clinic()
  await make.visit({ patient_id, clinic_id: other.id })
  const elsewhere = as('provider', { [other.id]: ['can_view_history'] })
  const { body } = await ask(elsewhere, `Patient/${patient_id}/$summary`)
  const [composition] = (body as unknown as Bundle).entry
  const withheld = { emptyReason: { coding: [{ code: 'withheld' }] } }
  expect(composition!.resource['section']).toMatchObject([
    withheld,
    // allergies are never hidden
    { entry: [{}] },
    // nor are medicines that are taken now
    { entry: [{}, {}] },
    withheld,
    withheld,
    // results of the laboratory
    withheld,
    withheld,
  ])
  const registrar = as('registrar', { [other.id]: ['can_register_patients'] })
  expect((await ask(registrar, `Patient/${patient_id}/$summary`)).status).toBe(403)
})
