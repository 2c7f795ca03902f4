import fc from 'fast-check'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { aRequest, test } from '../../test/harness'
import { makeWorld } from '../../test/world'
import type { Context } from '~/server/operation'
import { actorById } from '~/server/session.server'
import { FHIR_TYPES, hasScope } from '~/shared/fhir-scopes'
import { newId } from '~/shared/id'
import type { Fhir } from './resource'
import { answer, explainFhirFailure, respondFhir } from './respond.server'
import { RESOURCES } from './resources/all'

/** Requests that no client of good will sends: each is answered with a resource, and none with a 500. */
const SITE = { base: 'https://clinic.example/api/fhir' }

const TYPES = RESOURCES.map(({ type }) => type)
const NAMES = [...new Set(RESOURCES.flatMap(({ search }) => Object.keys(search)))]
const CONTROLS = [
  '_id',
  '_lastUpdated',
  '_sort',
  '_count',
  '_total',
  '_summary',
  '_elements',
  '_include',
]
const MORE_CONTROLS = [
  '_revinclude',
  '_after',
  '_has:Observation:patient:code',
  'patient.name',
  '__proto__',
]
const MODIFIERS = [
  '',
  ':exact',
  ':contains',
  ':not',
  ':missing',
  ':of-type',
  ':below',
  ':Patient',
  ':x',
]
const VALUES = [
  "'; drop table patients; --",
  '%',
  '_',
  '\\',
  '\\\\%',
  '|',
  '||',
  '$',
  'a$b',
  ',',
  ',,,',
  '\0',
  '\uD800',
  '𝒳',
  'true',
  '9'.repeat(400),
  '-1',
  '1e999',
  '1e99',
  'NaN',
  'gt',
  'ge9999-12-31',
  'lt0001-01-01',
  'sa2024-02-30',
  '2024-01-01T00:00:00+14:00',
  '0000-00-00',
  'Patient/../../x',
  'https://x/Patient/1',
  '00000000-0000-0000-0000-000000000000',
  '{00000000-0000-0000-0000-000000000000}',
  Buffer.from('["x",null]').toString('base64url'),
  Buffer.from('["x"]').toString('base64url'),
  'family:asc',
  '-family,family',
  '__proto__',
  'constructor',
  'Observation:patient',
]

const text = fc.oneof(fc.constantFrom(...VALUES), fc.string({ unit: 'binary', maxLength: 20 }))
const parameter = fc.tuple(
  fc
    .tuple(fc.constantFrom(...NAMES, ...CONTROLS, ...MORE_CONTROLS), fc.constantFrom(...MODIFIERS))
    .map(([name, modifier]) => name + modifier),
  text,
)
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.record(
    {
      resourceType: fc.constantFrom(...TYPES, 'Bundle', 'x'),
      id: text,
      type: fc.constantFrom('batch', 'transaction'),
      entry: fc.array(fc.record({ request: fc.jsonValue({ maxDepth: 2 }) }), { maxLength: 2 }),
      name: fc.jsonValue({ maxDepth: 3 }),
      identifier: fc.jsonValue({ maxDepth: 3 }),
      birthDate: text,
      code: fc.jsonValue({ maxDepth: 3 }),
      subject: fc.record({ reference: text }),
      extension: fc.jsonValue({ maxDepth: 3 }),
    },
    { requiredKeys: ['resourceType'] },
  ),
)
const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
  path: fc.oneof(
    fc.tuple(fc.constantFrom(...TYPES)),
    fc.tuple(fc.constantFrom(...TYPES), text),
    fc.tuple(
      fc.constantFrom('Patient'),
      text,
      fc.constantFrom('$everything', '$summary', '$x', 'x'),
    ),
    fc.array(text, { maxLength: 4 }),
  ),
  parameters: fc.array(parameter, { maxLength: 3 }),
  body: fc.option(json, { nil: undefined }),
})

test('no hostile request is a server error, and each refusal says why as an OperationOutcome', async ({
  db,
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const user = await make.user({ role: 'super_admin', clinic_id: clinic.id })
  const { id } = await make.patient({ primary_clinic_id: clinic.id })
  await make.vital({ patient_id: id })
  const ctx = { ...asUser(user), request: aRequest('fhir') }
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      // a refused statement ends the transaction of the test
      await sql`savepoint hostile`.execute(db)
      const { status, body } = await answer(
        { ...asked, headers: new Headers() },
        { ctx, site: SITE },
      ).catch((error: unknown) => explainFhirFailure(error, 'a-request'))
      await sql`rollback to savepoint hostile`.execute(db)
      expect(status).toBeLessThan(500)
      if (status >= 400) {
        expect(body).toMatchObject({ resourceType: 'OperationOutcome' })
        expect(JSON.stringify(body).length).toBeLessThan(20_000)
      }
    }),
    { numRuns: 300 },
  )
})

/** Any scopes that a program can have; most programs have few. */
const scopes = fc
  .array(
    fc
      .tuple(
        fc.oneof(
          { weight: 1, arbitrary: fc.constant('*') },
          { weight: 9, arbitrary: fc.constantFrom(...FHIR_TYPES) },
        ),
        fc.subarray([...'cruds'], { minLength: 1 }),
      )
      .map(([type, letters]) => `system/${type}.${letters.join('')}`),
    { minLength: 1, maxLength: 6 },
  )
  .map((all) => all.join(' '))

const references = (type: string) =>
  Object.entries(RESOURCES.find((each) => each.type === type)!.search)
    .filter(([, { reference }]) => reference)
    .map(([name]) => name)
const includes = TYPES.flatMap((type) => references(type).map((name) => [type, name] as const))

/** Reads and searches by a program of good will, of any record that there is. */
const readOf = (ids: readonly string[]) =>
  fc
    .oneof(
      fc.constantFrom(...TYPES).map((type) => ({ path: [type], parameters: [] })),
      fc
        .constantFrom(...includes)
        .map(([type, name]) => ({ path: [type], parameters: [['_include', `${type}:${name}`]] })),
      fc
        .tuple(fc.constantFrom(...includes), fc.constantFrom(...TYPES))
        .map(([[type, name], of]) => ({
          path: [of],
          parameters: [['_revinclude', `${type}:${name}`]],
        })),
      fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom(...ids)).map(([type, id]) => ({
        path: [type, id],
        parameters: [],
      })),
      fc
        .tuple(fc.constantFrom(...ids), fc.constantFrom('$everything', '$summary'))
        .map(([id, name]) => ({ path: ['Patient', id, name], parameters: [] })),
    )
    .map((asked) => ({
      method: 'GET',
      ...(asked as { path: string[]; parameters: [string, string][] }),
    }))

/** Made for a summary: what holds of a pregnancy today, and what is taken of what was dispensed. */
const ofSummary = /-(pregnancy|due-date|taken)$/

/** Resources of an answer that are stored; a Composition is made for it. */
function shownIn(body: unknown): Fhir[] {
  const { resourceType, entry } = Object(body) as {
    resourceType?: string
    entry?: { resource?: Fhir }[]
  }
  const all =
    resourceType === 'Bundle' ? (entry ?? []).map(({ resource }) => resource) : [body as Fhir]
  return all
    .flatMap((each) => (each?.resourceType === 'Bundle' ? shownIn(each) : (each ?? [])))
    .filter(({ resourceType, id }) => TYPES.includes(resourceType) && !ofSummary.test(String(id)))
}

test('no scope shows a program what its user could not see on a screen', async ({ db }) => {
  const world = await makeWorld(db)
  const idsOf = (side: object) =>
    Object.values(side).flatMap((row) => (Object(row) as { id?: unknown }).id ?? []) as string[]
  const ids = [...idsOf(world.own), ...idsOf(world.other)]
  const askAs = async (ctx: Context, asked: object) =>
    answer({ headers: new Headers(), ...asked } as never, { ctx, site: SITE }).catch(
      (error: unknown) => explainFhirFailure(error, 'a-request'),
    )
  const users: { ctx: Context; visible: Set<string> }[] = []
  for (const who of ['registrar', 'provider', 'clinic admin', 'admin']) {
    const actor = (await actorById(db, world.actors[who]!.userId))!
    const ctx = { db, actor, request: aRequest('fhir') }
    const visible = new Set<string>()
    for (const type of TYPES) {
      const asked = { method: 'GET', path: [type], parameters: [['_count', '1000']] }
      for (const { id } of shownIn((await askAs(ctx, asked)).body))
        visible.add(`${type}/${id as string}`)
    }
    users.push({ ctx, visible })
  }
  // the users differ, and none but the administrator sees both clinics
  expect(new Set(users.map(({ visible }) => visible.size)).size).toBeGreaterThan(2)
  let shown = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...users),
      scopes,
      fc.array(readOf(ids), { minLength: 1, maxLength: 4 }),
      async ({ ctx, visible }, held, reads) => {
        const actor = { ...ctx.actor, client: { id: newId(), scopes: held } }
        const program = { ...ctx, actor }
        const entry = reads.map(({ method, path, parameters }) => ({
          request: { method, url: `${path.join('/')}?${new URLSearchParams(parameters)}` },
        }))
        const body = { resourceType: 'Bundle', type: 'batch', entry }
        for (const asked of [...reads, { method: 'POST', path: [], parameters: [], body }])
          for (const resource of shownIn((await askAs(program, asked)).body)) {
            const { resourceType: type, id } = resource
            shown += 1
            expect(visible).toContain(`${type}/${id as string}`)
            expect([type, hasScope(held, type, 'r') || hasScope(held, type, 's')]).toEqual([
              type,
              true,
            ])
          }
      },
    ),
    { numRuns: 200 },
  )
  expect(shown).toBeGreaterThan(100)
})

test('an Observation with 200,000 components is read without the stack, and refused with the reason', async ({
  db,
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = {
    ...asUser(await make.user({ role: 'super_admin', clinic_id: clinic.id })),
    request: aRequest('fhir'),
  }
  const { id } = await make.patient({ primary_clinic_id: clinic.id })
  const coded = (code: string) => ({ coding: [{ system: 'http://loinc.org', code }] })
  const component = { code: coded('8480-6'), dataAbsentReason: { text: 'unknown' } }
  const body = {
    resourceType: 'Observation',
    status: 'final',
    code: coded('85354-9'),
    subject: { reference: `Patient/${id}` },
    effectiveDateTime: '2026-01-01T10:00:00Z',
    component: Array.from({ length: 200_000 }, () => component),
  }
  await sql`savepoint hostile`.execute(db)
  const asked = { method: 'POST', path: ['Observation'], parameters: [], headers: new Headers() }
  const answered = await answer({ ...asked, body }, { ctx, site: SITE }).catch((error: unknown) =>
    explainFhirFailure(error, 'a-request'),
  )
  await sql`rollback to savepoint hostile`.execute(db)
  expect([answered.status, answered.body?.resourceType]).toEqual([422, 'OperationOutcome'])
})

test('a body with more levels than are stored is refused with the reason', async () => {
  const deep = `{"resourceType":"Patient","extension":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const response = await respondFhir(
    new Request('https://clinic.example/api/fhir/Patient', {
      method: 'POST',
      body: deep,
      headers: { 'content-type': 'application/fhir+json' },
    }),
  )
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { resourceType: 'OperationOutcome', issue: [{ code: 'structure' }] },
  ])
})
