import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { openEmergency } from '~/features/record/sharing/emergencies.server'
import { deleteProblem } from '~/features/care/problems/problems.server'
import { listVisits } from '~/features/record/visits/visits.server'
import { exportAccesses } from '~/features/office/audit/accesses.server'
import { exportAudit, listAudit } from '~/features/office/audit/audit.server'
import { listConflicts } from '~/features/office/devices/conflicts.server'
import { getRefused } from '~/features/office/devices/quarantine.server'
import { changeOwnPassword } from '~/features/office/sessions/account.server'
import { getPatient } from '~/features/people/patients/patients.server'
import { exportPatients } from '~/features/people/patients/search/export.server'
import { listPatients, searchPatients } from '~/features/people/patients/search/search.server'
import { newId } from '~/shared/id'
import { aRequest, cloneTemplate, test } from '../../test/harness'
import { makeFactories } from '../../test/factories'
import { asking, givePassword, sessionFor } from '../../test/sessions'
import { recording } from '../../test/statements'
import { flushAccesses } from './access-log'
import type { Context } from './operation'

const REPEAT_MS = 10 * 60_000

const entries = async ({ db }: Pick<Context, 'db'>) => {
  await flushAccesses(db)
  return db
    .selectFrom('access_log')
    .select(['user_id', 'via', 'operation', 'patient_ids', 'clinic_id', 'outcome', 'count'])
    .orderBy('at')
    .orderBy('xid')
    .execute()
}

test('a read is in the log with the user, the way in, the clinic and the patients', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const user = await make.user({ clinic_id: clinic.id })
  const amal = asUser(user, { [clinic.id]: ['can_view_history'] })

  await getPatient(amal, { id: patient.id })
  await listPatients(amal, { clinicId: clinic.id })
  await searchPatients(amal, { searchQuery: 'no patient is called so' })
  const of = { user_id: user.id, via: 'web', patient_ids: [patient.id], clinic_id: clinic.id }
  expect(await entries(amal)).toEqual([
    { ...of, operation: 'patients.get', outcome: 'shown', count: 1 },
    { ...of, operation: 'patients.list', outcome: 'shown', count: 1 },
    { ...of, operation: 'patients.search', outcome: 'not_found', count: 1, patient_ids: [] },
  ])
})

test('repeats within ten minutes are one entry, and a list adds only patients who are new in it', async ({
  as,
  make,
}) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const admin = as('admin')
    const clinic = await make.clinic()
    const first = await make.patient({ primary_clinic_id: clinic.id })
    const listed = async () => {
      await listPatients(admin, { clinicId: clinic.id })
      return (await entries(admin)).map(({ patient_ids }) => patient_ids)
    }
    await listed()
    expect(await listed()).toEqual([[first.id]])
    const second = await make.patient({ primary_clinic_id: clinic.id })
    expect(await listed()).toEqual([[first.id], [second.id]])
    vi.advanceTimersByTime(REPEAT_MS + 1)
    expect((await listed()).map((ids) => ids.length)).toEqual([1, 1, 2])
  } finally {
    vi.useRealTimers()
  }
})

test('each refusal is in the log before the response, with the patients of the rows that were named', async ({
  as,
  asUser,
  make,
}) => {
  const [own, other] = [await make.clinic(), await make.clinic()]
  const problem = await make.problem({
    patient_id: (await make.patient({ primary_clinic_id: other.id })).id,
  })
  const amal = asUser(await make.user(), { [own.id]: ['can_view_history', 'can_delete_records'] })
  const of = { via: 'web', operation: 'problems.delete', clinic_id: null, count: 1 }

  await expect(deleteProblem(amal, { id: problem.id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteProblem(amal, { id: newId() })).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteProblem(as('registrar'), { id: problem.id })).rejects.toMatchObject({
    code: 'forbidden',
  })
  expect(await amal.db.selectFrom('access_log').selectAll().orderBy('at').execute()).toMatchObject([
    { ...of, outcome: 'not_found', patient_ids: [problem.patient_id] },
    { ...of, outcome: 'not_found', patient_ids: [] },
    { ...of, outcome: 'refused', patient_ids: [problem.patient_id] },
  ])
})

test('how often a refusal was repeated is an entry when the ten minutes are over', async ({
  asUser,
  make,
}) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const amal = asUser(await make.user())
    for (let guess = 0; guess < 30; guess += 1)
      await expect(getPatient(amal, { id: newId() })).rejects.toMatchObject({ code: 'not_found' })
    expect(await entries(amal)).toMatchObject([{ outcome: 'not_found', count: 1 }])
    vi.advanceTimersByTime(REPEAT_MS + 1)
    expect((await entries(amal)).map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([
      1, 29,
    ])
  } finally {
    vi.useRealTimers()
  }
})

test('a call with a session that is locked is a refusal of its user', async ({ db, make }) => {
  const user = await make.user({ role: 'admin' })
  const patient = await make.patient()
  const { request } = await asking(db, { token: await sessionFor(db, user.id) })
  const ctx = { db, actor: null, request: { ...request, sessionUserId: user.id } }
  await expect(getPatient(ctx, { id: patient.id })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  expect(await entries({ db })).toMatchObject([
    { user_id: user.id, outcome: 'refused', patient_ids: [patient.id] },
  ])
})

test('an export and a read by emergency access are written before the response', async ({
  as,
  asUser,
  make,
  db,
}) => {
  const patient = await make.patient()
  const clinic = await make.clinic()
  const user = await make.user({ role: 'provider' })
  const provider = asUser(user, { [clinic.id]: ['can_view_history'] })
  const reason = 'found unconscious'
  await openEmergency(provider, { id: newId(), patientId: patient.id, reason })
  const inEmergency = { ...provider, actor: { ...provider.actor, emergency: [patient.id] } }
  await listVisits(inEmergency, { patientId: patient.id })
  await exportPatients(as('admin'), { format: 'csv', language: 'en' })
  const written = await db.selectFrom('access_log').selectAll().orderBy('at').execute()
  expect(written).toMatchObject([
    { operation: 'visits.list', patient_ids: [patient.id] },
    { operation: 'patients.export', patient_ids: [patient.id] },
  ])
})

test('an export and a refusal that cannot be recorded fail; another read does not', async ({
  as,
  owner: db,
}) => {
  const patient = await makeFactories(db).patient()
  const [admin, registrar] = [
    { ...as('admin'), db },
    { ...as('registrar'), db },
  ]
  await sql`alter table access_log rename to unwritable`.execute(db)
  const attempt = async (call: () => Promise<unknown>) => {
    await sql`savepoint attempt`.execute(db)
    const outcome = await call().catch((error: unknown) => String(error))
    await sql`rollback to savepoint attempt`.execute(db)
    return outcome
  }
  expect(await attempt(() => exportPatients(admin, { format: 'csv', language: 'en' }))).toMatch(
    'access_log',
  )
  expect(await attempt(() => getPatient(registrar, { id: patient.id }))).toMatch('access_log')
  expect(await attempt(() => getPatient(admin, { id: patient.id }))).toMatchObject({
    patient: { id: patient.id },
  })
})

test('a read runs no statement for the log; one statement writes all waiting reads', async ({
  onTestFinished,
}) => {
  const db = await cloneTemplate(`access_${process.pid}`)
  onTestFinished(() => db.destroy())
  const make = makeFactories(db)
  const user = await make.user({ role: 'admin' })
  const [first, second] = [await make.patient(), await make.patient()]
  const actor = {
    userId: user.id,
    name: '',
    role: 'admin',
    language: 'en',
    clinicId: null,
    grants: {},
  }
  const { ctx, statements } = recording({ db, actor, request: aRequest() } as Context)

  await getPatient(ctx, { id: first.id })
  await getPatient(ctx, { id: second.id })
  expect(statements.filter((text) => text.includes('access_log'))).toEqual([])
  await flushAccesses(ctx.db)
  expect(statements.filter((text) => text.includes('access_log'))).toHaveLength(1)
  expect(await db.selectFrom('access_log').select('patient_ids').orderBy('at').execute()).toEqual([
    { patient_ids: [first.id] },
    { patient_ids: [second.id] },
  ])
})

test('the ids in a refused call are looked up in every table of patients', async ({ db }) => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
      join pg_attribute i on i.attrelid = c.oid and i.attname = 'id' and i.atttypid = 'uuid'::regtype
      join pg_attribute p on p.attrelid = c.oid and p.attname = 'patient_id'
    where c.relkind = 'r' and c.relname <> 'deletions'
      and pg_get_functiondef('records_named'::regproc) !~ ('from ' || c.relname || ' where')`.execute(
    db,
  )
  expect(rows).toEqual([])
})

test('guesses beyond the limit are in the log as refusals of the session’s user', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const ctx = (await asking(db, { token: await sessionFor(db, user.id) })) as Context
  const guesses = Array.from({ length: 6 }, (_, i) => `wrong guess ${i}`)
  const outcomes = []
  for (const password of guesses)
    outcomes.push(
      await changeOwnPassword(ctx, { password, newPassword: 'nine grey cranes' }).catch(
        ({ code }: { code: string }) => code,
      ),
    )
  expect(outcomes.at(-1)).toBe('too_many_requests')
  expect(await entries(ctx)).toMatchObject([
    { user_id: user.id, operation: 'account.changePassword', outcome: 'refused' },
  ])
})

describe('a patient that an answer names only inside a value is in the log', () => {
  const world = test.extend('named', async ({ make, db }) => {
    const [subject, inside] = [await make.patient(), await make.patient()]
    const author = await make.user()
    const row = await make.refusedRow(subject, author)
    const value = await make.lostValue(subject, author)
    const sent = { id: newId(), patient_id: inside.id }
    await db
      .updateTable('sync_quarantine')
      .set({ table_name: 'visits', row: JSON.stringify(sent) })
      .where('id', '=', row.id)
      .execute()
    await db
      .updateTable('sync_conflicts')
      .set({ phone_value: JSON.stringify(inside.id) })
      .where('id', '=', value.id)
      .execute()
    await db
      .insertInto('audit_log')
      .values({
        via: 'web',
        request_id: '',
        action: 'patients.export',
        table_name: 'patients',
        patient_id: subject.id,
        changes: JSON.stringify({ export: [null, { filters: [{ patientId: inside.id }] }] }),
      })
      .execute()
    const filter = { patientId: subject.id, action: 'patients.export' }
    return { ids: [subject.id, inside.id], row, filter }
  })

  const readers: [string, (ctx: Context, named: Named) => Promise<unknown>][] = [
    ['a screen of the audit trail', (ctx, { filter }) => listAudit(ctx, filter)],
    ['a file of the audit trail', (ctx, { filter }) => exportAudit(ctx, { ...filter, ...asCsv })],
    ['the conflicts of phones', (ctx) => listConflicts(ctx, {})],
    ['a refused row of a phone', (ctx, { row }) => getRefused(ctx, { id: row.id })],
  ]
  type Named = { filter: { patientId: string; action: string }; row: { id: string } }
  const asCsv = { format: 'csv', language: 'en' } as const
  for (const [name, read] of readers)
    world(name, async ({ named, as }) => {
      const admin = as('admin')
      await read(admin, named)
      const [entry] = await entries(admin)
      expect(entry!.patient_ids.toSorted()).toEqual(named.ids.toSorted())
    })
})

test('the file of the access log is recorded with the patients that it names', async ({
  as,
  make,
}) => {
  const [clinic, admin] = [await make.clinic(), as('admin')]
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await listPatients(admin, { clinicId: clinic.id })
  await flushAccesses(admin.db)
  await exportAccesses(admin, { format: 'csv', language: 'en' })
  expect((await entries(admin)).at(-1)).toMatchObject({
    operation: 'audit.exportAccesses',
    patient_ids: [patient.id],
  })
})
