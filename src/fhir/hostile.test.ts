import fc from 'fast-check'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { aRequest, test } from '../../test/harness'
import { answer, refusalOf } from './respond.server'
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
      ).catch((error: unknown) => refusalOf(error, 'a-request'))
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
