import { sql } from 'kysely'
import { expect } from 'vitest'
import { makeFactories } from '../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../test/harness'
import { deleteProblem } from '~/features/care/problems/problems.server'
import { deletePatientWithRecords } from '~/features/people/patients/deletions/deletions.server'
import type { Context } from '~/server/operation'
import { runFhirExports } from './export-run.server'
import { exportAnswer } from './export-http.server'
import { fileWriter, exportFile, removeExport } from './export-files.server'
import { newId } from '~/shared/id'
import { explainFhirFailure } from './respond.server'

/** A job has transactions of its own. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`fhir_exports_${process.pid}`)
  onCleanup(() => db.destroy())
  return db
})

const SITE = { base: 'https://clinic.example/api/fhir' }

async function ask(ctx: Context, url: string, method = 'GET', body?: unknown) {
  const { pathname, searchParams } = new URL(url, `${SITE.base}/`)
  const asked = {
    method,
    path: decodeURIComponent(pathname)
      .replace(/^\/api\/fhir/, '')
      .split('/')
      .filter(Boolean),
    parameters: [...searchParams] as [string, string][],
    body,
  }
  const context = { ...ctx, request: aRequest('fhir') }
  const answered = await exportAnswer(asked, { ctx: context, site: SITE }).catch((error: unknown) =>
    explainFhirFailure(error, 'a-request'),
  )
  return { status: 404, headers: {}, ...answered } as {
    status: number
    headers: Record<string, string>
    body?: Record<'output' | 'deleted', { type: string; url: string; count: number }[]> & {
      requiresAccessToken: boolean
    }
    stream?: ReadableStream
  }
}
const linesOf = async (stream: ReadableStream) =>
  (await new Response(stream).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { resourceType: string; id: string })

test('an export of the patients holds what its user may take, for that user alone', async ({
  whole: db,
  asUser,
  as,
}) => {
  const make = makeFactories(db)
  const [clinic, other] = [await make.clinic(), await make.clinic()]
  const user = await make.user()
  const grants = {
    [clinic.id]: ['can_view_history', 'can_register_patients', 'can_download_patient_reports'],
    // sees these patients, and may not take their records out
    [other.id]: ['can_view_history'],
  } as const
  const ctx = { ...asUser(user, grants), db }
  await db
    .insertInto('user_clinic_permissions')
    .values([
      {
        user_id: user.id,
        clinic_id: clinic.id,
        can_view_history: true,
        can_register_patients: true,
        can_download_patient_reports: true,
      },
      { user_id: user.id, clinic_id: other.id, can_view_history: true },
    ])
    .execute()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const foreign = await make.patient({ primary_clinic_id: other.id })
  const problem = await make.problem({ patient_id: patient.id, recorded_clinic_id: clinic.id })
  await make.problem({ patient_id: foreign.id, recorded_clinic_id: other.id })

  const begun = await ask(ctx, 'Patient/$export?_type=Patient,Condition&_outputFormat=ndjson')
  expect(begun.status).toBe(202)
  const status = begun.headers['content-location']!
  expect(await ask(ctx, status)).toMatchObject({
    status: 202,
    headers: { 'x-progress': 'waiting' },
  })
  await runFhirExports(db)
  const { status: done, body, headers } = await ask(ctx, status)
  expect(done).toBe(200)
  expect(headers['expires']).toMatch(/GMT$/)
  expect(body).toMatchObject({
    requiresAccessToken: true,
    output: [
      { type: 'Patient', count: 1 },
      { type: 'Condition', count: 1 },
    ],
  })
  const files = await Promise.all(
    body!.output.map(async ({ url }) => linesOf((await ask(ctx, url)).stream!)),
  )
  expect(files.flat().map(({ id }) => id)).toEqual([patient.id, problem.id])

  // another user who may export finds neither the status nor the files
  const stranger = { ...as('provider', { [clinic.id]: ['can_download_patient_reports'] }), db }
  for (const url of [status, body!.output[0]!.url])
    expect([url, (await ask(stranger, url)).status]).toEqual([url, 404])
  expect((await ask(ctx, status, 'DELETE')).status).toBe(202)
  expect((await ask(ctx, status)).status).toBe(404)
  expect((await ask(ctx, body!.output[0]!.url)).status).toBe(404)
})

test('an export since a moment names what was deleted after it', async ({ whole: db, asUser }) => {
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const user = await make.user({ role: 'super_admin' })
  const ctx = { ...asUser(user), db }
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const kept = await make.patient({ primary_clinic_id: clinic.id })
  const problem = await make.problem({ patient_id: kept.id, recorded_clinic_id: clinic.id })
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const since = encodeURIComponent(rows[0]!.now.toISOString())
  await deletePatientWithRecords(ctx, { id: patient.id })
  await deleteProblem(ctx, { id: problem.id })

  for (const scope of ['Patient', `Group/${clinic.id}`]) {
    const begun = await ask(ctx, `${scope}/$export?_type=Patient,Condition&_since=${since}`)
    await runFhirExports(db)
    const { body } = await ask(ctx, begun.headers['content-location']!)
    expect([scope, body!.output]).toEqual([scope, []])
    expect([scope, body!.deleted]).toMatchObject([scope, [{ type: 'Bundle', count: 2 }]])
    const lines = await linesOf((await ask(ctx, body!.deleted[0]!.url)).stream!)
    expect(lines).toEqual(
      [`Patient/${patient.id}`, `Condition/${problem.id}`].map((url) => ({
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [{ request: { method: 'DELETE', url } }],
      })),
    )
  }
  // without a moment there is nothing to compare with
  const whole = await ask(ctx, `Group/${clinic.id}/$export?_type=Patient`)
  await runFhirExports(db)
  const { body } = await ask(ctx, whole.headers['content-location']!)
  expect(body).toMatchObject({ output: [{ type: 'Patient', count: 1 }], deleted: [] })
})

test('an export is refused without the right, the group, or a known type', async ({
  db,
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const user = await make.user()
  const ctx = asUser(user, { [clinic.id]: ['can_view_history', 'can_download_patient_reports'] })
  const nobody = asUser(user, { [clinic.id]: ['can_view_history'] })
  const admin = asUser({ ...user, role: 'admin' })
  expect((await ask(ctx, '$export')).status).toBe(403)
  expect((await ask(nobody, 'Patient/$export')).status).toBe(403)
  expect((await ask(ctx, 'Group/$export')).status).toBe(400)
  expect((await ask(ctx, `Group/${newId()}/$export`)).status).toBe(404)
  expect((await ask(ctx, 'Group/x/$export')).status).toBe(404)
  expect((await ask(ctx, 'Patient/$export?_type=Medication')).status).toBe(400)
  expect((await ask(ctx, 'Patient/$export?_since=yesterday')).status).toBe(400)
  expect((await ask(ctx, 'Patient/$export?_outputFormat=csv')).status).toBe(400)
  expect((await ask(ctx, 'Patient/$export', 'PUT')).status).toBe(405)
  const typed = (valueCode: string) => ({
    resourceType: 'Parameters',
    parameter: [{ name: '_type', valueCode }],
  })
  expect((await ask(ctx, 'Patient/$export', 'POST', typed('Medication'))).status).toBe(400)
  expect((await ask(ctx, 'Patient/$export', 'POST', { resourceType: 'Patient' })).status).toBe(400)
  expect(await db.selectFrom('fhir_exports').selectAll().execute()).toEqual([])
  // five may wait
  for (const url of [
    '$export',
    'Patient/$export',
    `Group/${clinic.id}/$export`,
    '$export',
    '$export',
  ])
    expect([url, (await ask(admin, url)).status]).toEqual([url, 202])
  // as with GET, by a resource
  await db.deleteFrom('fhir_exports').execute()
  expect((await ask(admin, '$export', 'POST', typed('Patient,Condition'))).status).toBe(202)
  expect(await db.selectFrom('fhir_exports').select('types').execute()).toEqual([
    { types: ['Patient', 'Condition'] },
  ])
  for (let more = 0; more < 4; more += 1) await ask(admin, '$export', 'POST')
  expect(await ask(admin, '$export')).toMatchObject({
    status: 429,
    headers: { 'retry-after': '60' },
  })
})

test('a file of an export ends at its largest number of lines', async () => {
  const id = newId()
  const writer = await fileWriter(id, 3)
  await writer.write('Patient', ['1', '2'])
  await writer.write('Patient', ['3', '4', '5', '6', '7'])
  await writer.write('Condition', ['8'])
  await writer.close()
  expect(writer.files).toEqual([
    { type: 'Patient', lines: 3 },
    { type: 'Patient', lines: 3 },
    { type: 'Patient', lines: 1 },
    { type: 'Condition', lines: 1 },
  ])
  expect(await new Response(await exportFile(id, 1)).text()).toBe('4\n5\n6\n')
  await removeExport(id)
  expect(await exportFile(id, 1)).toBeNull()
})
