import { sql } from 'kysely'
import { expect } from 'vitest'
import { makeFactories } from '../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../test/harness'
import { flushAccesses } from '~/server/access-log'
import type { Context } from '~/server/operation'
import { actorById } from '~/server/session.server'
import { answer, explainFhirFailure } from './respond.server'
import { CONDITIONAL_CREATE } from './writes.server'

/** Requests at the same moment have transactions of their own. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`fhir_conditional_${process.pid}`)
  onCleanup(() => db.destroy())
  return db
})

const create = (ctx: Context, value: string) =>
  answer(
    {
      method: 'POST',
      path: ['Patient'],
      parameters: [],
      headers: new Headers({ 'if-none-exist': `identifier=urn:lab|${value}` }),
      body: {
        resourceType: 'Patient',
        identifier: [{ system: 'urn:lab', value }],
        name: [{ family: 'Haddad', given: ['Amal'] }],
        gender: 'female',
        birthDate: '1984-02-29',
      },
    },
    { ctx, site: { base: 'https://clinic.example/api/fhir' } },
  ).catch((error: unknown) => explainFhirFailure(error, 'a-request'))

test('conditional creates at the same moment create one patient', async ({ whole: db }) => {
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const user = await make.user({ role: 'super_admin', clinic_id: clinic.id })
  const ctx: Context = { db, actor: (await actorById(db, user.id))!, request: aRequest('fhir') }
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(ctx, 'X-1')))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 200, 200, 200, 200, 200, 200, 201,
  ])
  expect(new Set(answers.map(({ body }) => body!['id'])).size).toBe(1)

  // another machine holds the lock
  const elsewhere = await db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(hashtext(${CONDITIONAL_CREATE}))`.execute(elsewhere)
  const waiting = create(ctx, 'X-2')
  await expect
    .poll(async () => {
      const { rows } = await sql`select from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(
        db,
      )
      return rows.length
    })
    .toBe(1)
  await elsewhere.commit().execute()
  expect((await waiting).status).toBe(201)
})

test('the access log records a refused deletion of a patient who is not visible to the user', async ({
  db,
  as,
  make,
}) => {
  const [clinic, other] = [await make.clinic(), await make.clinic()]
  const { id } = await make.patient({ primary_clinic_id: other.id })
  const ctx = as('provider', {
    [clinic.id]: ['can_view_history', 'can_delete_patient_records', 'can_register_patients'],
  })
  const answered = await answer(
    { method: 'DELETE', path: ['Patient', id], parameters: [], headers: new Headers() },
    { ctx: { ...ctx, request: aRequest('fhir') }, site: { base: 'https://clinic.example' } },
  ).catch((error: unknown) => explainFhirFailure(error, 'a-request'))
  expect(answered.status).toBe(404)
  await flushAccesses(db)
  const entries = await db
    .selectFrom('access_log')
    .select(['operation', 'outcome', 'patient_ids'])
    .where('via', '=', 'fhir')
    .execute()
  expect(entries).toEqual([{ operation: 'fhir.delete', outcome: 'not_found', patient_ids: [id] }])
})
