import { sql } from 'kysely'
import { expect } from 'vitest'
import type { makeFactories } from '../../test/factories'
import { aRequest, test } from '../../test/harness'
import { flushAccesses } from '~/server/access-log'
import { LARGE } from '~/features/people/patients/deletions/large-deletions.server'
import { asOutcome } from '~/server/http-refusal'
import { type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import { type Context, type OpenContext, signAudit } from '~/server/operation'
import type { FhirResponse } from './asked'
import { answer, explainFhirFailure } from './respond.server'

const SITE = { base: 'https://clinic.example/api/fhir' }

type More = { body?: unknown; headers?: Record<string, string> }

/** Sends a request as its handlers see it: `Patient?name=layla`. */
async function ask(
  ctx: OpenContext,
  method: string,
  url: string,
  more: More = {},
): Promise<FhirResponse> {
  const { pathname, searchParams } = new URL(url, 'https://clinic.example/')
  const asked = {
    method,
    path: decodeURIComponent(pathname).split('/').filter(Boolean),
    parameters: [...searchParams],
    body: more.body,
    headers: new Headers(more.headers),
  }
  const request = { ...aRequest('fhir'), headers: asked.headers }
  return answer(asked, { ctx: { ...ctx, request }, site: SITE }).catch((error: unknown) =>
    explainFhirFailure(error, 'a-request'),
  )
}

// oxlint-disable-next-line typescript/no-explicit-any -- a resource of any type
const bodyOf = ({ body }: FhirResponse) => body as any
const found = (answered: FhirResponse): string[] => {
  expect(bodyOf(answered)).toMatchObject({ resourceType: 'Bundle' })
  return (bodyOf(answered).entry ?? []).map(
    (entry: { resource: { id: string } }) => entry.resource.id,
  )
}
const searching = (ctx: Context) => async (query: string) => found(await ask(ctx, 'GET', query))

test('the CapabilityStatement is open and names what each type can do', async ({ anonymous }) => {
  const { status, body } = await ask(anonymous, 'GET', 'metadata')
  expect(status).toBe(200)
  expect(body).toMatchObject({ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1' })
})

test('a patient is read and found by each parameter', async ({ as, make }) => {
  const clinic = await make.clinic()
  const layla = await make.patient({
    given_name: 'Layla Noor',
    surname: 'Mansour',
    phone: '0501234567',
    government_id: 'NI-1',
    primary_clinic_id: clinic.id,
  })
  await make.patient({
    given_name: 'Omar',
    surname: 'Haddad',
    sex: 'male',
    date_of_birth: '2001-01-01',
    primary_clinic_id: clinic.id,
  })
  const ctx = as('provider', { [clinic.id]: [...PERMISSIONS] })
  const read = await ask(ctx, 'GET', `Patient/${layla.id}`)
  expect(read).toMatchObject({
    status: 200,
    body: {
      resourceType: 'Patient',
      id: layla.id,
      name: [{ family: 'Mansour', given: ['Layla', 'Noor'] }],
    },
  })
  const ids = searching(ctx)
  for (const query of [
    'name=lay',
    'given=noor',
    'family=MANS',
    'family:contains=nsou',
    'given:exact=Layla',
    'gender=female',
    'birthdate=1990-05-17',
    'birthdate=lt1991',
    'phone=0501234567',
    'identifier=NI-1',
    'identifier:of-type=http://terminology.hl7.org/CodeSystem/v2-0203|NI|NI-1',
    `_id=${layla.id}`,
    `organization=Organization/${clinic.id}&gender:not=male`,
    'deceased=false&name=layla',
  ])
    expect([query, await ids(`Patient?${query}`)]).toEqual([query, [layla.id]])
})

const CLINIC_USER = (clinicId: string) => ({ [clinicId]: [...PERMISSIONS] })
const AMAL = {
  resourceType: 'Patient',
  name: [{ family: 'Haddad', given: ['Amal'] }],
  gender: 'female',
  birthDate: '1984-02-29',
  telecom: [{ system: 'phone', value: '0501234567' }],
  address: [{ city: 'Jenin', district: 'Camp 4' }],
  communication: [
    { language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'ar' }] }, preferred: true },
  ],
  identifier: [
    {
      type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'NI' }] },
      value: '123-A',
    },
    { system: 'urn:other:system', value: 'X-7' },
  ],
}

test('medical record numbers have the system that is set', async ({ asUser, make, db }) => {
  const clinic = await make.clinic()
  const ctx = asUser(
    await make.user({ role: 'admin', clinic_id: clinic.id }),
    CLINIC_USER(clinic.id),
  )
  const type = {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }],
  }
  const own = { type, system: 'https://clinic.example/mrn', value: 'M-1' }
  const numbers = () => db.selectFrom('patients').select(['id', 'external_patient_id']).execute()
  const search = searching(ctx)

  // without a system, the number of another system is one of the other identifiers
  const before = bodyOf(await ask(ctx, 'POST', 'Patient', { body: { ...AMAL, identifier: [own] } }))
  expect(before).toMatchObject({ identifier: [own] })
  expect(await numbers()).toEqual([{ id: before['id'], external_patient_id: null }])

  await db
    .updateTable('app_config')
    .set({ value: own.system })
    .where('key', '=', 'medical-record-system')
    .execute()
  const mine = { ...own, value: 'M-2' }
  const other = { ...own, system: 'https://elsewhere.example/mrn' }
  const made = bodyOf(
    await ask(ctx, 'POST', 'Patient', { body: { ...AMAL, identifier: [other, mine] } }),
  )
  expect(made['identifier']).toEqual([mine, other])
  expect((await numbers()).find(({ id }) => id === made['id'])!.external_patient_id).toBe('M-2')
  for (const [query, found] of [
    [`${mine.system}|M-2`, [made['id']]],
    ['M-2', [made['id']]],
    ['|M-2', []],
    [`${other.system}|M-2`, []],
    [`${other.system}|M-1`, [made['id']]],
    [`${own.system}|M-1`, [before['id']]],
  ] as const)
    expect([query, await search(`Patient?identifier=${query}`)]).toEqual([query, found])

  const { identifier } = bodyOf(
    await ask(ctx, 'PUT', `Patient/${String(made['id'])}`, {
      body: { ...made, identifier: [{ ...mine, value: 'M-3' }] },
    }),
  )
  expect(identifier).toEqual([{ ...mine, value: 'M-3' }])
})

test('a birth not known to the day stays what it is when a client writes back what it read', async ({
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const ctx = asUser(
    await make.user({ role: 'admin', clinic_id: clinic.id }),
    CLINIC_USER(clinic.id),
  )
  const born = async (id: string) =>
    db.selectFrom('patients').select(['date_of_birth', 'metadata']).where('id', '=', id).execute()
  for (const [date_of_birth, precision, sent] of [
    ['2026-05-10', 'week', '2026-05'],
    ['2026-05-02', 'week', '2026'],
    ['2026-05-29', 'month', '2026'],
    ['2026-05-15', 'month', '2026-05'],
    ['1984-07-01', 'age', '1984'],
    ['1984-01-01', 'year', '1984'],
  ] as const) {
    const stored = [{ date_of_birth, metadata: { date_of_birth_precision: precision } }]
    const { id } = await make.patient({
      primary_clinic_id: clinic.id,
      date_of_birth,
      metadata: JSON.stringify(stored[0]!.metadata),
    })
    const found = await ask(ctx, 'GET', `Patient/${id}`)
    const read = bodyOf(found)
    expect([precision, read['birthDate']]).toEqual([precision, sent])
    const telecom = [{ system: 'phone', value: '0509876543' }]
    const put = (body: object, headers = {}) =>
      ask(ctx, 'PUT', `Patient/${id}`, { body: { ...read, ...body }, headers })
    expect((await put({ telecom }, { 'if-match': found.headers!['etag']! })).body).toMatchObject({
      telecom,
      birthDate: sent,
    })
    expect([precision, await born(id)]).toEqual([precision, stored])
    await put({ telecom, birthDate: '2025-12-31' })
    expect(await born(id)).toEqual([{ date_of_birth: '2025-12-31', metadata: {} }])
  }
})

test('a client creates, changes and deletes a patient, with the version that it read', async ({
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const user = await make.user({ role: 'admin', clinic_id: clinic.id })
  const ctx = asUser(user, CLINIC_USER(clinic.id))
  const made = await ask(ctx, 'POST', 'Patient', { body: AMAL })
  expect([made.status, made.body]).toEqual([201, expect.objectContaining(AMAL)])
  const { id } = bodyOf(made)
  expect(made.headers?.['location']).toBe(`${SITE.base}/Patient/${id}`)
  const spoken = () =>
    db
      .selectFrom('patients')
      .select('language')
      .where('id', '=', id as string)
      .executeTakeFirst()
  expect(await spoken()).toEqual({ language: 'ar' })
  expect(await searching(ctx)('Patient?identifier=urn:other:system|X-7')).toEqual([id])

  const died = { ...bodyOf(made), deceasedDateTime: '2026-01-01', birthDate: '1984' }
  const put = (body: unknown, headers = {}) => ask(ctx, 'PUT', `Patient/${id}`, { body, headers })
  expect((await put(died, { 'if-match': 'W/"1"' })).status).toBe(412)
  const changed = await put(died, { 'if-match': made.headers!['etag']! })
  expect([changed.status, bodyOf(changed)]).toEqual([
    200,
    expect.objectContaining({ deceasedDateTime: '2026-01-01', birthDate: '1984' }),
  ])
  // its own change is the newest one
  expect((await put(AMAL && { ...AMAL, id })).status).toBe(200)
  const now = await ask(ctx, 'GET', `Patient/${id}`)
  const unchanged = await ask(ctx, 'GET', `Patient/${id}`, {
    headers: { 'if-none-match': now.headers!['etag']! },
  })
  expect([unchanged.status, unchanged.body]).toEqual([304, undefined])
  await signAudit(db, 'patients.save', { ...ctx, request: aRequest('web') })
  await db.updateTable('patients').set({ phone: '1' }).where('id', '=', id).execute()
  expect((await put({ ...AMAL, id })).status).toBe(412)

  // what only the server writes comes back as it was read
  await db.updateTable('patients').set({ photo_url: id }).where('id', '=', id).execute()
  const withPhoto = await ask(ctx, 'GET', `Patient/${id}`)
  const match = { 'if-match': withPhoto.headers!['etag']! }
  expect((await put({ ...bodyOf(withPhoto), gender: 'male' }, match)).status).toBe(200)

  expect((await ask(ctx, 'DELETE', `Patient/${id}`)).status).toBe(204)
  expect((await ask(ctx, 'GET', `Patient/${id}`)).status).toBe(410)
  const trail = await db
    .selectFrom('audit_log')
    .select(['action', 'via'])
    .where('record_id', '=', id)
    .where('via', '=', 'fhir')
    .orderBy('id')
    .execute()
  expect([...new Set(trail.map(({ action }) => action))]).toEqual([
    'patients.create',
    'patients.save',
    'patients.delete',
  ])
})

test('the deletion of a patient with many records answers that it is only accepted', async ({
  as,
  make,
  db,
}) => {
  const { id } = await make.patient()
  await sql`insert into patient_additional_attributes (id, patient_id, attribute_id, attribute, string_value)
    select gen_random_uuid(), ${id}::uuid, gen_random_uuid()::text, 'x', 'y'
    from generate_series(1, ${LARGE + 1}::integer)`.execute(db)
  const ctx = as('super_admin')
  const accepted = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'information', code: 'informational' }],
  }
  expect(await ask(ctx, 'DELETE', `Patient/${id}`)).toMatchObject({ status: 202, body: accepted })
  expect((await ask(ctx, 'GET', `Patient/${id}`)).status).toBe(200)
  const entry = [{ request: { method: 'DELETE', url: `Patient/${id}` } }]
  const body = { resourceType: 'Bundle', type: 'batch', entry }
  expect(bodyOf(await ask(ctx, 'POST', '', { body })).entry).toMatchObject([
    { response: { status: '202', outcome: accepted } },
  ])
})

test('a create is refused where an element has no place, and made once with If-None-Exist', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = asUser(await make.user({ role: 'registrar', clinic_id: clinic.id }), {
    [clinic.id]: ['can_register_patients'],
  })
  const refused = await ask(ctx, 'POST', 'Patient', {
    body: { ...AMAL, maritalStatus: { text: 'Married' } },
  })
  expect([refused.status, bodyOf(refused).issue[0].expression]).toEqual([
    422,
    ['Patient.maritalStatus'],
  ])
  const french = { language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'fr' }] } }
  const unspoken = await ask(ctx, 'POST', 'Patient', { body: { ...AMAL, communication: [french] } })
  expect([unspoken.status, bodyOf(unspoken).issue[0].expression]).toEqual([
    422,
    ['Patient.communication[0]'],
  ])
  const once = () =>
    ask(ctx, 'POST', 'Patient', { body: AMAL, headers: { 'if-none-exist': 'identifier=123-A' } })
  const [first, second] = [await once(), await once()]
  expect([first.status, second.status, bodyOf(second).id]).toEqual([201, 200, bodyOf(first).id])
  await ask(ctx, 'POST', 'Patient', { body: AMAL })
  expect((await once()).status).toBe(412)
  const own = crypto.randomUUID()
  expect((await ask(ctx, 'PUT', `Patient/${own}`, { body: { ...AMAL, id: own } })).status).toBe(201)
  const batch = await ask(ctx, 'POST', '', {
    body: {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [
        { request: { method: 'GET', url: `Patient/${own}` } },
        { request: { method: 'POST', url: 'Patient' }, resource: { ...AMAL, photo: [{}] } },
        { request: { method: 'TRACE', url: 'Patient' } },
      ],
    },
  })
  expect(
    bodyOf(batch).entry.map((each: { response: { status: string } }) => each.response.status),
  ).toEqual(['200', '422', '400'])
})

/** Three patients of one clinic with vital signs, and a user who reads them. */
type Fixtures = {
  make: ReturnType<typeof makeFactories>
  as: (role: Role, grants: Record<string, Permission[]>) => Context
}
async function aWard({ make, as }: Fixtures) {
  const clinic = await make.clinic()
  const ids = []
  for (const [at, surname] of ['Haddad', 'Mansour', 'Saleh'].entries()) {
    const { id } = await make.patient({
      given_name: 'Layla',
      surname,
      date_of_birth: `199${at}-05-17`,
      primary_clinic_id: clinic.id,
    })
    const visit = await make.visit({ patient_id: id, clinic_id: clinic.id })
    await make.vital({
      patient_id: id,
      visit_id: visit.id,
      temperature_celsius: null,
      heart_rate: 70 + at,
      systolic_bp: 110 + at * 20,
      diastolic_bp: 80,
    })
    ids.push(id)
  }
  return { ctx: as('provider', CLINIC_USER(clinic.id)), ids, clinic }
}

test('a search includes what its rows refer to and what refers to them, within reach of the user', async ({
  make,
  as,
}) => {
  const { ctx, ids } = await aWard({ make, as })
  const types = async (query: string) =>
    (bodyOf(await ask(ctx, 'GET', query)).entry ?? []).map(
      (each: { resource: { resourceType: string }; search: { mode: string } }) =>
        `${each.search.mode} ${each.resource.resourceType}`,
    )
  expect(
    await types(`Observation?patient=${ids[0]}&code=8867-4&_include=Observation:patient`),
  ).toEqual(['match Observation', 'include Patient'])
  expect(await types(`Patient?_id=${ids[0]}&_revinclude=Encounter:patient`)).toEqual([
    'match Patient',
    'include Encounter',
  ])
  for (const star of ['_include=*', '_revinclude=*', '_include=Patient:*', '_include=Patient:name'])
    expect([star, (await ask(ctx, 'GET', `Patient?${star}`)).status]).toEqual([star, 400])
})

test('chains and _has find patients by their records, of what the user may see only', async ({
  make,
  as,
}) => {
  const { ctx, ids } = await aWard({ make, as })
  const seek = searching(ctx)
  expect(await seek('Patient?_has:Observation:patient:code=8867-4')).toEqual(ids)
  expect(await seek('Patient?_has:Observation:patient:code=no-such')).toEqual([])
  expect(await seek('Observation?patient.family=Mansour&code=8867-4')).toHaveLength(1)
  expect(await seek('Observation?patient:Patient.birthdate=1990&code=8867-4')).toHaveLength(1)
  const blood = 'component-code-value-quantity'
  expect(await seek(`Observation?${blood}=http://loinc.org|8480-6$gt120`)).toHaveLength(2)
  const other = await make.clinic()
  const stranger = searching(as('provider', CLINIC_USER(other.id)))
  expect(await stranger('Observation?patient.family=Mansour')).toEqual([])
  expect(await stranger('Patient?_has:Observation:patient:code=8867-4')).toEqual([])
  expect(await stranger(`Organization?_has:Patient:organization:family=Mansour`)).toEqual([])
  for (const query of [
    'Observation?code.family=x',
    'Patient?organization.name.x=1',
    'Patient?_has:a:b=1',
  ])
    expect([query, (await ask(ctx, 'GET', query)).status]).toEqual([query, 400])
})

test('pages follow one another by their links, in any order, and count if asked', async ({
  make,
  as,
}) => {
  const { ctx, ids } = await aWard({ make, as })
  const next = ({ link }: { link: { relation: string; url: string }[] }) =>
    link.find(({ relation }) => relation === 'next')?.url.replace(`${SITE.base}/`, '')
  for (const [order, expected] of [
    ['', ids],
    ['&_sort=-birthdate', ids.toReversed()],
    ['&_sort=family,-_lastUpdated', ids],
    ['&_sort=-_lastUpdated', undefined],
    ['&_sort=phone', ids],
  ] as const) {
    const seen = []
    for (let url: string | undefined = `Patient?_count=1${order}`; url;) {
      const answered = await ask(ctx, 'GET', url)
      seen.push(...found(answered))
      url = next(bodyOf(answered))
    }
    expect([order, seen]).toEqual([order, expected ?? expect.arrayContaining(ids)])
    expect(seen).toHaveLength(3)
  }
  expect(bodyOf(await ask(ctx, 'GET', 'Patient?_count=1&_total=accurate')).total).toBe(3)
  const counted = bodyOf(await ask(ctx, 'GET', 'Patient?_summary=count'))
  expect([counted.total, counted.entry]).toEqual([3, undefined])
  const part = bodyOf(await ask(ctx, 'GET', `Patient?_id=${ids[0]}&_elements=birthDate`))
  expect(Object.keys(part.entry[0].resource)).toEqual(['resourceType', 'id', 'meta', 'birthDate'])
  expect(part.entry[0].resource.meta.tag[0].code).toBe('SUBSETTED')
  const read = bodyOf(await ask(ctx, 'GET', `Patient/${ids[0]}?_elements=gender`))
  expect(Object.keys(read)).toEqual(['resourceType', 'id', 'meta', 'gender'])
  const posted = await answer(
    {
      method: 'POST',
      path: ['Patient', '_search'],
      parameters: [['family', 'saleh']],
      headers: new Headers(),
    },
    { ctx, site: SITE },
  )
  expect(found(posted)).toEqual([ids[2]])
})

test.for([
  ['Patient?nonsense=1', 400],
  ['Patient?name:fuzzy=1', 400],
  ['Patient?birthdate=1990-13', 400],
  ['Patient?_sort=nonsense', 400],
  ['Patient?_count=many', 400],
  ['Patient?_id=no-such', 200],
  ['Patient/no-such', 404],
  ['Patient/01900000-0000-7000-8000-000000000000', 404],
  ['Patient/01900000-0000-7000-8000-000000000000/_history', 404],
  ['ValueSet/$expand', 404],
  ['CodeSystem/$lookup', 404],
  ['Nonsense', 404],
  ['AuditEvent', 403],
  ['Patient?_after=x', 400],
  ['Patient?name=%00', 422],
  ['Patient?birthdate=-1', 400],
  [`Patient?identifier=${'x,'.repeat(600)}`, 400],
] as const)('%s is answered with %d', async ([url, status], { as, make }) => {
  const clinic = await make.clinic()
  const answered = await ask(as('provider', CLINIC_USER(clinic.id)), 'GET', url)
  expect(answered.status).toBe(status)
  if (status >= 400) expect(answered.body).toMatchObject({ resourceType: 'OperationOutcome' })
})

test('an unknown parameter is refused with the known ones, each once', async ({ as }) => {
  const admin = as('super_admin')
  for (const type of ['Patient', 'Condition']) {
    const refused = await ask(admin, 'GET', `${type}?nane=x`)
    const [, listed = ''] = /It has: (.*)\.$/.exec(bodyOf(refused).issue[0].diagnostics) ?? []
    const names = listed.split(', ')
    expect([type, refused.status, names.slice(0, 2)]).toEqual([type, 400, ['_id', '_lastUpdated']])
    expect(new Set(names).size).toBe(names.length)
  }
})

test('an unknown parameter is left out if the client prefers that, and not used in the link', async ({
  make,
  as,
}) => {
  const { ctx, ids } = await aWard({ make, as })
  const answered = await ask(ctx, 'GET', 'Patient?nonsense=1&family=saleh', {
    headers: { prefer: 'handling=lenient' },
  })
  expect(found(answered)).toEqual([ids[2]])
  expect(bodyOf(answered).link[0].url).toBe(`${SITE.base}/Patient?family=saleh`)
})

test('what a user cannot see on a screen is not there, and each answer is in the access log', async ({
  make,
  as,
  asUser,
  anonymous,
  db,
}) => {
  const { ids, clinic } = await aWard({ make, as })
  expect((await ask(anonymous, 'GET', `Patient/${ids[0]}`)).status).toBe(401)
  const other = await make.clinic()
  const stranger = await make.user({ clinic_id: other.id })
  const outside = asUser(stranger, CLINIC_USER(other.id))
  expect((await ask(outside, 'GET', `Patient/${ids[0]}`)).status).toBe(404)
  const nurse = await make.user({ clinic_id: clinic.id })
  const inside = asUser(nurse, { [clinic.id]: ['can_register_patients'] })
  expect((await ask(inside, 'GET', `Patient/${ids[0]}`)).status).toBe(200)
  expect((await ask(inside, 'GET', 'Observation')).status).toBe(403)
  await ask(asUser(nurse, CLINIC_USER(clinic.id)), 'GET', 'Observation?code=8867-4')
  await flushAccesses(db)
  const entries = await db
    .selectFrom('access_log')
    .select(['operation', 'outcome', 'via', 'patient_ids'])
    .where('user_id', 'in', [stranger.id, nurse.id])
    .orderBy('operation')
    .orderBy('outcome')
    .execute()
  expect(entries.map((entry) => ({ ...entry, patient_ids: entry.patient_ids.toSorted() }))).toEqual(
    [
      { operation: 'fhir.read', outcome: 'not_found', via: 'fhir', patient_ids: [ids[0]] },
      { operation: 'fhir.read', outcome: 'shown', via: 'fhir', patient_ids: [ids[0]] },
      { operation: 'fhir.search', outcome: 'refused', via: 'fhir', patient_ids: [] },
      { operation: 'fhir.search', outcome: 'shown', via: 'fhir', patient_ids: ids.toSorted() },
    ],
  )
})

test('the FHIR server says what it can do of each type, and no more', async ({ anonymous }) => {
  const statement = bodyOf(await ask(anonymous, 'GET', 'metadata'))
  const types = new Map<string, { interaction: { code: string }[] }>(
    statement.rest[0].resource.map((each: { type: string }) => [each.type, each]),
  )
  const codes = (type: string) => types.get(type)?.interaction.map(({ code }) => code)
  expect(codes('Patient')).toEqual(['read', 'search-type', 'create', 'update', 'delete'])
  expect(codes('Organization')).toEqual(['read', 'search-type'])
  expect(codes('MedicationRequest')).toEqual(['read', 'search-type'])
})

test('what the server itself refuses of a FHIR request is an OperationOutcome, too', async () => {
  const large = new Response('Content Too Large', { status: 413, headers: { connection: 'close' } })
  const answered = asOutcome(new Request('http://x/api/fhir/Patient'), large)
  expect([answered.status, answered.headers.get('connection')]).toEqual([413, 'close'])
  expect(await answered.json()).toMatchObject({
    resourceType: 'OperationOutcome',
    issue: [{ code: 'too-long' }],
  })
  expect(asOutcome(new Request('http://x/api/trpc/x'), large)).toBe(large)
})
