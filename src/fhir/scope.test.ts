import { expect } from 'vitest'
import { makeFactories } from '../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../test/harness'
import { flushAccesses } from '~/server/access-log'
import type { Context } from '~/server/operation'
import { actorById } from '~/server/session.server'
import { FHIR_TYPES, hasScope, scopesGranted } from '~/shared/fhir-scopes'
import { newId } from '~/shared/id'
import type { FhirResponse } from './asked'
import { runFhirExports } from './export-run.server'
import { exportAnswer } from './export-http.server'
import { answer, explainFhirFailure } from './respond.server'
import { RESOURCES } from './resources/all'

const SITE = { base: 'https://clinic.example/api/fhir' }

/** A job has transactions of its own. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`fhir_scopes_${process.pid}`)
  onCleanup(() => db.destroy())
  return db
})

/** The context as that of a program with these scopes. */
const within = (ctx: Context, scopes: string, id = newId()): Context => ({
  ...ctx,
  actor: { ...ctx.actor, client: { id, scopes } },
})

type More = { body?: unknown; headers?: Record<string, string> }

async function ask(
  ctx: Context,
  method: string,
  url: string,
  more: More = {},
): Promise<FhirResponse> {
  const { pathname, searchParams } = new URL(url, `${SITE.base}/`)
  const headers = new Headers(more.headers)
  const path = decodeURIComponent(pathname).replace('/api/fhir', '').split('/').filter(Boolean)
  const asked = { method, path, parameters: [...searchParams] as [string, string][], headers }
  const answering = { ctx: { ...ctx, request: { ...aRequest('fhir'), headers } }, site: SITE }
  try {
    return (
      (await exportAnswer(asked, answering)) ??
      (await answer({ ...asked, body: more.body }, answering))
    )
  } catch (error) {
    return explainFhirFailure(error, 'a-request')
  }
}
// oxlint-disable-next-line typescript/no-explicit-any -- a resource of any type
const bodyOf = ({ body }: FhirResponse) => body as any
const typesIn = (answered: FhirResponse): string[] => [
  ...new Set<string>(
    (bodyOf(answered).entry ?? []).map(
      ({ resource }: { resource: { resourceType: string } }) => resource.resourceType,
    ),
  ),
]

test('scopes name the types that there are', () => {
  expect([...FHIR_TYPES]).toEqual(RESOURCES.map(({ type }) => type).toSorted())
})

test('a program gets what it asks for, as far as it is registered', () => {
  for (const [asked, held, granted] of [
    ['system/Patient.rs', 'system/Patient.rs', 'system/Patient.rs'],
    ['system/Patient.read', 'system/*.rs', 'system/Patient.read'],
    ['system/Patient.*', 'system/Patient.rs', 'system/Patient.rs'],
    ['system/Patient.write', 'system/Patient.c', 'system/Patient.c'],
    [
      'system/*.rs',
      'system/Patient.r system/Condition.crus',
      'system/Patient.r system/Condition.rs',
    ],
    ['system/*.cruds', 'system/*.rs system/Patient.c', 'system/*.rs system/Patient.crs'],
    ['system/Patient.r system/Patient.r', 'system/Patient.r', 'system/Patient.r'],
    ['system/Patient.c', 'system/Patient.rs', ''],
    ['system/Patient.rs?name=a', 'system/*.cruds', ''],
    ['patient/Patient.rs user/*.rs launch openid', 'system/*.cruds', ''],
    ['system/Patient.sr system/patient.r system/X.r', 'system/*.cruds', ''],
    ['', 'system/*.cruds', ''],
  ])
    expect([asked, held, scopesGranted(asked!, held!)]).toEqual([asked, held, granted])
  expect(hasScope('system/*.r', 'Patient', 'r')).toBe(true)
  expect(hasScope('system/*.r', 'Patient', 's')).toBe(false)
  expect(hasScope('system/Condition.cruds', 'Patient', 'r')).toBe(false)
  expect(hasScope('', 'Patient', 'r')).toBe(false)
})

const PATIENT = {
  resourceType: 'Patient',
  name: [{ family: 'Haddad', given: ['Amal'] }],
  gender: 'female',
  birthDate: '1984-02-29',
}

test('each request needs its scopes, and has enough with them', async ({ asUser, make, db }) => {
  const clinic = await make.clinic()
  const user = await make.user({ role: 'super_admin', clinic_id: clinic.id })
  const { id } = await make.patient({ primary_clinic_id: clinic.id })
  const ctx = asUser(user)
  const read = await ask(ctx, 'GET', `Patient/${id}`)
  const asStored = { ...bodyOf(read), gender: 'male' }
  const unknown = newId()
  const requests: [string, string, readonly string[], More?][] = [
    ['GET', `Patient/${id}`, ['Patient.r']],
    ['GET', 'Patient', ['Patient.s']],
    ['POST', 'Patient/_search', ['Patient.s']],
    ['GET', `Patient/${id}/$everything`, ['Patient.s']],
    [
      'GET',
      `Patient/${id}/$summary`,
      [
        'Patient.s',
        'Condition.s',
        'AllergyIntolerance.s',
        'MedicationRequest.s',
        'Immunization.s',
        'Observation.s',
        'Medication.s',
        'Organization.s',
      ],
    ],
    ['POST', 'Patient', ['Patient.c'], { body: PATIENT }],
    [
      'POST',
      'Patient',
      ['Patient.c', 'Patient.s'],
      { body: PATIENT, headers: { 'if-none-exist': 'identifier=X-7' } },
    ],
    [
      'PUT',
      `Patient/${unknown}`,
      ['Patient.c', 'Patient.u'],
      { body: { ...PATIENT, id: unknown } },
    ],
    [
      'PUT',
      `Patient/${id}`,
      ['Patient.u'],
      { body: asStored, headers: { 'if-match': read.headers!['etag']! } },
    ],
    ['GET', 'AuditEvent', ['AuditEvent.s']],
    ['GET', '$export?_type=Condition', ['Condition.r', 'Condition.s']],
    ['GET', 'Patient/$export?_type=Patient', ['Patient.r', 'Patient.s']],
    ['DELETE', `Patient/${id}`, ['Patient.d']],
  ]
  for (const [method, url, needed, more] of requests) {
    for (const missing of needed) {
      const [type, letter] = missing.split('.') as [string, string]
      const others = FHIR_TYPES.filter((each) => each !== type).map(
        (each) => `system/${each}.cruds`,
      )
      const scopes = [...others, `system/${type}.${'cruds'.replace(letter, '')}`].join(' ')
      const refused = await ask(within(ctx, scopes), method, url, more)
      expect([method, url, missing, refused.status]).toEqual([method, url, missing, 403])
      expect(bodyOf(refused).issue[0].diagnostics).toContain(`system/${missing}`)
    }
    // some need two interactions of one type
    const byType = Object.groupBy(needed, (each) => each.split('.')[0]!)
    const exact = Object.entries(byType)
      .map(([type, all = []]) => {
        const letters = all.map((each) => each.split('.')[1]!)
        return `system/${type}.${[...'cruds'].filter((one) => letters.includes(one)).join('')}`
      })
      .join(' ')
    const client = await make.apiClient(await make.user(), { scopes: exact })
    const { status } = await ask(within(ctx, exact, client.id), method, url, more)
    expect([method, url, exact, status]).toEqual([
      method,
      url,
      exact,
      expect.toBeOneOf([200, 201, 202, 204]),
    ])
  }
  // a refused write is in the access log, with the patient
  await flushAccesses(db)
  const rows = await db
    .selectFrom('access_log')
    .select(['operation', 'patient_ids'])
    .where('outcome', '=', 'refused')
    .execute()
  expect(rows).toContainEqual({ operation: 'fhir.delete', patient_ids: [id] })
  expect(rows).toContainEqual({ operation: 'fhir.update', patient_ids: [id] })
})

test('a program that may write and not read is not shown what it wrote', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = asUser(await make.user({ role: 'super_admin', clinic_id: clinic.id }))
  const created = await ask(within(ctx, 'system/Patient.cu'), 'POST', 'Patient', { body: PATIENT })
  expect(created).toEqual({
    status: 201,
    headers: { location: expect.stringContaining(`${SITE.base}/Patient/`) },
  })
  expect((await ask(ctx, 'GET', created.headers!['location']!)).status).toBe(200)
})

test('no chain, _has, include or record tells of a type out of scope', async ({ asUser, make }) => {
  const clinic = await make.clinic()
  const ctx = asUser(await make.user({ role: 'super_admin', clinic_id: clinic.id }))
  const { id } = await make.patient({ primary_clinic_id: clinic.id, surname: 'Mansour' })
  await make.problem({ patient_id: id, recorded_clinic_id: clinic.id })
  await make.vital({ patient_id: id, recorded_clinic_id: clinic.id })
  const problems = within(ctx, 'system/Condition.rs system/Patient.r')
  const patients = within(ctx, 'system/Patient.rs system/Condition.r')
  for (const [program, url] of [
    [problems, 'Condition?patient.family=Mansour'],
    [patients, 'Patient?_has:Condition:patient:clinical-status=active'],
  ] as const) {
    expect([url, typesIn(await ask(ctx, 'GET', url)).length]).toEqual([url, 1])
    expect([url, typesIn(await ask(program, 'GET', url))]).toEqual([url, []])
  }
  for (const [program, url, types] of [
    [problems, 'Condition?_include=Condition:patient', ['Condition']],
    [patients, 'Patient?_revinclude=Condition:patient', ['Patient']],
    [patients, `Patient/${id}/$everything`, ['Patient']],
  ] as const) {
    expect([url, typesIn(await ask(ctx, 'GET', url)).length > 1]).toEqual([url, true])
    expect([url, typesIn(await ask(program, 'GET', url))]).toEqual([url, types])
  }
  // each entry of a batch by itself
  const entry = [`Condition/${newId()}`, 'Condition', 'Patient'].map((url) => ({
    request: { method: 'GET', url },
  }))
  const batch = { resourceType: 'Bundle', type: 'batch', entry }
  const answered = await ask(within(ctx, 'system/Patient.s'), 'POST', '', { body: batch })
  expect(
    bodyOf(answered).entry.map(({ response }: { response: { status: string } }) => response.status),
  ).toEqual(['403', '403', '200'])
})

test('an export holds the types in scope, for its program alone, and ends with it', async ({
  whole: db,
}) => {
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const user = await make.user({ role: 'super_admin' })
  const { id } = await make.patient({ primary_clinic_id: clinic.id })
  await make.problem({ patient_id: id, recorded_clinic_id: clinic.id })
  const client = await make.apiClient(user)
  const other = await make.apiClient(await make.user())
  const actor = (await actorById(db, user.id))!
  const ctx: Context = { db, actor, request: aRequest('fhir') }
  const program = within(ctx, 'system/Patient.rs system/Condition.s', client.id)
  const begun = await ask(program, 'GET', 'Patient/$export')
  expect(begun.status).toBe(202)
  await runFhirExports(db)
  const status = begun.headers!['content-location']!
  const done = await ask(program, 'GET', status)
  expect(bodyOf(done).output).toMatchObject([{ type: 'Patient', count: 1 }])
  const stranger = within(ctx, 'system/*.cruds', other.id)
  for (const url of [status, bodyOf(done).output[0].url])
    expect([url, (await ask(stranger, 'GET', url)).status]).toEqual([url, 404])
  expect((await ask(program, 'GET', bodyOf(done).output[0].url)).status).toBe(200)
  expect(
    (await ask(within(ctx, 'system/Condition.r', client.id), 'GET', 'Patient/$export')).status,
  ).toBe(403)
  const late = await ask(program, 'GET', 'Patient/$export')
  await db
    .updateTable('api_clients')
    .set({ is_active: false })
    .where('id', '=', client.id)
    .execute()
  await runFhirExports(db)
  expect((await ask(ctx, 'GET', late.headers!['content-location']!)).status).toBe(500)
})
