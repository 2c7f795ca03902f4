import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { v7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { applyRefused, rejectRefused } from '~/features/office/devices/quarantine.server'
import type { Permission } from '~/shared/permissions'
import { releaseWaiting } from '~/sync/push/release.server'
import { pushedTables } from '~/sync/schema/tables'
import { aNewPrescription, aPatient } from './chart'
import { asAdmin, type Clinic, EVERYTHING, type Person, test } from './clinic'
import type { makeFactories } from '../factories'
import type { Phone, Row } from './phone'

/** The versions of a row in quarantine, in the order in which they came. */
const versionsOf = (db: Kysely<DB>, row: string) =>
  db
    .selectFrom('sync_quarantine')
    .select(['id', 'row', 'outcome'])
    .where('row_id', '=', row)
    .orderBy('received_at')
    .execute()
const aProblem = (patient_id: string): Row => ({
  patient_id,
  visit_id: null,
  problem_code_system: 'icd10',
  problem_code: 'I10',
  problem_label: 'Hypertension',
  clinical_status: 'active',
  verification_status: 'confirmed',
})
const prescriber: Permission[] = ['can_register_patients', 'can_prescribe_medications']

const send = async (phone: Phone, body: unknown) =>
  (
    await phone.request(
      'POST',
      `/api/v2/sync?last_pulled_at=${phone.lastPull?.timestamp ?? 0}`,
      JSON.stringify(body),
    )
  ).status

test('a row that one phone of a user sent is sent to the other one, whose push let it in', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const [one, other] = [phoneOf(amal), phoneOf(amal)]
  await one.sync()
  await other.sync()
  const id = await one.create('patients', aPatient(clinic, { date_of_birth: '1990-02-30' }))
  const problem = await one.create('patient_problems', aProblem(id))
  await one.sync()
  await other.create('patients', aPatient(clinic, { id }))
  await other.sync()
  await other.sync()
  expect(await other.find('patient_problems', problem)).toMatchObject({
    problem_label: 'Hypertension',
  })
})

test('what cannot be applied is kept whole with the reason, and the rest of the push is applied', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const good = await phone.create('patients', aPatient(clinic))
  const visit = await phone.create('visits', {
    patient_id: good,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 1,
  })
  const bad: Record<string, [string, Row]> = {
    'sync.reason_unknownPatient': [
      'patient_vitals',
      { patient_id: crypto.randomUUID(), timestamp: 1, weight_kg: 3 },
    ],
    'sync.reason_unknownVisit': [
      'patient_vitals',
      { patient_id: good, visit_id: crypto.randomUUID(), timestamp: 1 },
    ],
    'sync.reason_unknownReference': [
      'visits',
      {
        patient_id: good,
        clinic_id: clinic.id,
        provider_id: crypto.randomUUID(),
        provider_name: '',
        check_in_timestamp: 1,
      },
    ],
    'sync.reason_wrongType': ['patients', aPatient(clinic, { date_of_birth: '2026-02-30' })],
    'sync.reason_notJson': [
      'events',
      {
        patient_id: good,
        visit_id: visit,
        form_id: '',
        event_type: '',
        form_data: '[{',
        recorded_by_user_id: '',
      },
    ],
    'sync.reason_characters': [
      'visits',
      {
        patient_id: good,
        clinic_id: clinic.id,
        provider_id: '',
        provider_name: 'a\0b',
        check_in_timestamp: 1,
      },
    ],
    'sync.reason_rule': [
      'patient_problems',
      {
        patient_id: good,
        visit_id: visit,
        problem_code_system: 'icd99',
        problem_code: 'x',
        problem_label: 'x',
        clinical_status: 'active',
        verification_status: 'confirmed',
      },
    ],
    'sync.reason_notPermitted': ['patients', aPatient(await make.clinic())],
  }
  const made = Object.fromEntries(
    await Promise.all(
      Object.entries(bad).map(
        async ([reason, [table, row]]) => [reason, await phone.create(table, row)] as const,
      ),
    ),
  )
  await phone.sync()
  const kept = await db
    .selectFrom('sync_quarantine')
    .select(['row_id', 'reason', 'row'])
    .where('user_id', '=', amal.id)
    .execute()
  expect(Object.fromEntries(kept.map(({ reason, row_id }) => [reason, row_id]))).toEqual(made)
  for (const { row, row_id } of kept)
    expect(JSON.parse(row)).toMatchObject({ id: row_id, _status: 'created' })
  expect(
    await db.selectFrom('visits').select('id').where('patient_id', '=', good).execute(),
  ).toEqual([{ id: visit }])
  // a refused new row stays on its phone until it is resolved
  expect(await phone.find('patients', made['sync.reason_notPermitted']!)).toBeDefined()
})

test('many bad rows among good ones: each of the good is applied', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const rows = Array.from({ length: 200 }, (_, at) => ({
    ...aPatient(clinic),
    id: crypto.randomUUID(),
    _status: 'created',
    _changed: '',
    created_at: 1,
    updated_at: 1,
    // larger than PostgreSQL's numbers: only it can tell
    metadata: at % 20 === 3 ? '{"count":1e200000}' : '{}',
  }))
  expect(await send(phone, { patients: { created: rows, updated: [], deleted: [] } })).toBe(200)
  const { applied } = await db
    .selectFrom('patients')
    .select(({ fn }) => fn.countAll<number>().as('applied'))
    .where('primary_clinic_id', '=', clinic.id)
    .executeTakeFirstOrThrow()
  expect(applied).toBe(190)
  const { refused } = await db
    .selectFrom('sync_quarantine')
    .select(({ fn }) => fn.countAll<number>().as('refused'))
    .where('user_id', '=', amal.id)
    .executeTakeFirstOrThrow()
  expect(refused).toBe(10)
})

test('a row that waited for another is applied when that comes in', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const patient = { ...aPatient(clinic), id: crypto.randomUUID(), _status: 'created', _changed: '' }
  const visit = {
    id: crypto.randomUUID(),
    patient_id: patient.id,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 4,
    _status: 'created',
    _changed: '',
  }
  expect(await send(phone, { visits: { created: [visit], updated: [], deleted: [] } })).toBe(200)
  expect(await db.selectFrom('visits').select('id').where('id', '=', visit.id).execute()).toEqual(
    [],
  )
  expect(await send(phone, { patients: { created: [patient], updated: [], deleted: [] } })).toBe(
    200,
  )
  expect(await db.selectFrom('visits').select('id').where('id', '=', visit.id).execute()).toEqual([
    { id: visit.id },
  ])
  expect(
    await db
      .selectFrom('sync_quarantine')
      .select('outcome')
      .where('row_id', '=', visit.id)
      .execute(),
  ).toEqual([{ outcome: 'superseded' }])
})

test('what is applied in quarantine comes to the phone with what waited for it, what is rejected leaves it', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, theirs] = [await make.clinic(), await make.clinic()]
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  const admin = await person('admin')
  await phone.sync()
  const wrong = await phone.create('patients', aPatient(theirs, { given_name: 'Rejected' }))
  const right = await phone.create('patients', aPatient(theirs, { given_name: 'Corrected' }))
  const visit = await phone.create('visits', {
    patient_id: right,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: 'Waited',
    check_in_timestamp: 4,
  })
  await phone.sync()
  const ctx = asAdmin(db, admin)
  const idOf = async (row: string) =>
    (
      await db
        .selectFrom('sync_quarantine')
        .select('id')
        .where('row_id', '=', row)
        .executeTakeFirstOrThrow()
    ).id
  await rejectRefused(ctx, { id: await idOf(wrong) })
  await applyRefused(ctx, { id: await idOf(right), values: { primary_clinic_id: clinic.id } })
  // the job that a server runs after a decision
  await releaseWaiting(db)
  await phone.sync()
  // what its user types until the next push arrives before the rejected row leaves
  expect(await phone.find('patients', wrong)).toBeDefined()
  await phone.sync()
  expect(await phone.find('patients', wrong)).toBeUndefined()
  expect(await phone.find('patients', right)).toMatchObject({ primary_clinic_id: clinic.id })
  const stored = db.selectFrom('visits').select(['provider_name']).where('id', '=', visit)
  expect(await stored.execute()).toEqual([{ provider_name: 'Waited' }])
  expect(await phone.find('visits', visit)).toMatchObject({ provider_name: 'Waited' })
})

test('the phone’s own trail is kept, its address book dropped, and what is not its to write left alone', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic]))
  await phone.sync()
  const log = await phone.create('event_logs', {
    transaction_id: 't',
    action_type: 'CREATE',
    table_name: 'patients',
    row_id: 'r',
    changes: '{}',
    device_id: 'd',
    app_id: 'a',
    user_id: 'u',
    hash: 'h',
    synced: false,
  })
  await phone.update('clinics', clinic.id, { name: 'Mine' })
  await phone.sync()
  const [kept] = await db.selectFrom('event_logs').select('row').where('id', '=', log).execute()
  expect(JSON.parse(kept!.row)).toMatchObject({ device_id: 'd', table_name: 'patients' })
  expect(
    await db.selectFrom('clinics').select('name').where('id', '=', clinic.id).executeTakeFirst(),
  ).toEqual({
    name: clinic.name,
  })
  expect(
    await db
      .selectFrom('sync_quarantine')
      .selectAll()
      .where('table_name', 'in', ['clinics', 'peers'])
      .execute(),
  ).toEqual([])
})

test('what is no change set at all is refused, so that the phone keeps it', async ({
  make,
  person,
  phoneOf,
}) => {
  const phone = phoneOf(await person('provider', [await make.clinic()]))
  for (const body of [
    '',
    'null',
    '[]',
    '7',
    '"x"',
    '{',
    JSON.stringify({
      patients: { created: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) as unknown },
    }),
  ]) {
    const { status } = await phone.request('POST', '/api/v2/sync?last_pulled_at=0', body)
    expect([body, status]).toEqual([body, 400])
  }
})

test(
  'whatever arrives, there is never a failure, a good row lost, or a row written that its author may not write',
  { timeout: 300_000 },
  async ({ db, make, person, phoneOf }) => {
    const [clinic, theirs] = [await make.clinic(), await make.clinic()]
    const author: Person = await person('provider', [clinic])
    const phone = phoneOf(author)
    const stranger = await make.patient({ primary_clinic_id: theirs.id })
    const own = await make.patient({ primary_clinic_id: clinic.id })
    await phone.sync()
    const foreign = () =>
      sql<{
        all: string
      }>`select md5(string_agg(p::text, '' order by p.id) || coalesce((
          select string_agg(v::text, '') from visits v where clinic_id = ${theirs.id}), '')) as all
      from patients p where primary_clinic_id = ${theirs.id} or id = ${stranger.id}`.execute(db)
    const before = await foreign()
    const nasty = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(clinic.id, theirs.id, stranger.id, own.id, author.id, '', null),
      },
      fc.constantFrom(
        '\0',
        '\uD800',
        '{',
        '[]',
        'x'.repeat(50_000),
        '2026-02-30',
        "'; drop table users",
        '__proto__',
      ),
      fc.constantFrom(
        -1,
        0,
        1e308,
        2 ** 53,
        0.1,
        Number.MAX_VALUE,
        -8.64e15,
        true,
        undefined,
        [],
        {},
      ),
      fc.anything({ maxDepth: 3 }),
    )
    const tables = [...pushedTables.map(([name]) => name), 'event_logs']
    const columns = pushedTables.flatMap(([, table]) => Object.keys(table.columns))
    const aRow = fc
      .tuple(
        fc.oneof(fc.uuid(), nasty),
        fc.dictionary(fc.constantFrom(...columns, 'id', 'unknown'), nasty, { maxKeys: 12 }),
        fc.constantFrom('created', 'updated', ''),
        fc.subarray(columns, { maxLength: 4 }),
      )
      .map(([id, row, _status, changed]) => ({ id, ...row, _status, _changed: changed.join() }))
    const changes = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          created: fc.array(aRow, { maxLength: 4 }),
          updated: fc.array(aRow, { maxLength: 4 }),
          deleted: fc.array(fc.oneof(fc.uuid(), nasty), { maxLength: 3 }),
        }),
      },
      nasty,
    )
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...tables, 'users', 'unknown'), changes, { maxKeys: 5 }),
        async (body) => {
          const good = {
            ...aPatient(clinic),
            id: crypto.randomUUID(),
            _status: 'created',
            _changed: '',
          }
          const created = (body['patients'] as { created?: unknown[] } | undefined)?.created
          const patients = {
            updated: [],
            deleted: [],
            ...(body['patients'] as object),
            created: [...(Array.isArray(created) ? created : []), good],
          }
          expect(await send(phone, { ...body, patients })).toBe(200)
          expect(
            await db.selectFrom('patients').select('id').where('id', '=', good.id).execute(),
          ).toHaveLength(1)
        },
      ),
      { numRuns: Number(process.env['SANAD_FUZZ_RUNS'] ?? 60) },
    )
    expect((await foreign()).rows).toEqual(before.rows)
  },
)

test('a prescription of before the death is applied, one of after it waits for a decision', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const patient_id = await phone.create('patients', aPatient(clinic))
  await phone.sync()
  await db
    .updateTable('patients')
    .set({ died_on: '2026-03-10' })
    .where('id', '=', patient_id)
    .execute()
  const prescribed = (at: string) =>
    phone.create('prescriptions', {
      patient_id,
      provider_id: amal.id,
      filled_by: null,
      pickup_clinic_id: clinic.id,
      visit_id: null,
      priority: 'normal',
      expiration_date: 0,
      prescribed_at: Date.parse(at),
      filled_at: null,
      status: 'pending',
      items: '[]',
      notes: '',
    })
  const [before, after] = [
    await prescribed('2026-03-10T09:00:00Z'),
    await prescribed('2026-03-20T09:00:00Z'),
  ]
  await phone.sync()
  const applied = await db
    .selectFrom('prescriptions')
    .select('id')
    .where('patient_id', '=', patient_id)
    .execute()
  expect(applied).toEqual([{ id: before }])
  const kept = await db
    .selectFrom('sync_quarantine')
    .select(['row_id', 'reason'])
    .where('user_id', '=', amal.id)
    .execute()
  expect(kept).toEqual([{ row_id: after, reason: 'sync.reason_rule' }])
  // the phone's later edit of the patient leaves the date of death as it is
  await phone.update('patients', patient_id, { phone: '0944' })
  await phone.sync()
  expect(
    await db
      .selectFrom('patients')
      .select(['phone', 'died_on'])
      .where('id', '=', patient_id)
      .executeTakeFirst(),
  ).toEqual({ phone: '0944', died_on: '2026-03-10' })
})

test('of two versions of a refused row one is rejected, and the other is on its phone once it is released', async ({
  db,
  person,
  synced,
}) => {
  const { mine: clinic, phone } = await synced()
  const patient = await phone.create('patients', aPatient(clinic, { date_of_birth: '1990-02-30' }))
  const problem = await phone.create('patient_problems', aProblem(patient))
  await phone.sync()
  await phone.update('patient_problems', problem, { problem_label: 'Second version' })
  await phone.sync()
  const [first, second] = await versionsOf(db, problem)
  expect(JSON.parse(second!.row)).toMatchObject({ problem_label: 'Second version' })
  await rejectRefused(asAdmin(db, await person('admin')), { id: first!.id })
  await phone.sync()
  await phone.update('patients', patient, { date_of_birth: '1990-02-28' })
  await phone.sync()
  for (let time = 0; time < 3; time += 1) await phone.sync()
  expect(await phone.find('patient_problems', problem)).toMatchObject({
    problem_label: 'Second version',
  })
})

test('a row that its phone removed comes back with the push that releases another version of it', async ({
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  await phone.sync()
  const patient = await phone.create('patients', aPatient(clinic, { date_of_birth: '1990-02-30' }))
  const problem = await phone.create('patient_problems', aProblem(patient))
  await phone.sync()
  // as after an earlier rejection
  await phone.database.write(async () => {
    await (await phone.database.get('patient_problems').find(problem)).destroyPermanently()
  })
  await phone.update('patients', patient, { date_of_birth: '1990-02-28' })
  await phone.sync()
  await phone.sync()
  expect(await phone.find('patient_problems', problem)).toBeDefined()
})

test('an edit typed in a rejected row is in quarantine before the row leaves its phone', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const [clinic, theirs] = [await make.clinic(), await make.clinic()]
  const phone = phoneOf(await person('provider', [clinic], EVERYTHING))
  const admin = asAdmin(db, await person('admin'))
  await phone.sync()
  const id = await phone.create('patients', aPatient(theirs))
  await phone.sync()
  const [sent] = await versionsOf(db, id)
  await rejectRefused(admin, { id: sent!.id })
  await phone.update('patients', id, { hometown: 'Typed after the rejection' })
  await phone.sync()
  const [, edited] = await versionsOf(db, id)
  expect(JSON.parse(edited!.row)).toMatchObject({ hometown: 'Typed after the rejection' })
  for (let time = 0; time < 3; time += 1) await phone.sync()
  // a version waits
  expect(await phone.find('patients', id)).toBeDefined()
  await rejectRefused(admin, { id: edited!.id })
  await phone.sync()
  await phone.sync()
  expect(await phone.find('patients', id)).toBeUndefined()
})

test('an edit typed in a row that its author may not see is in quarantine before the row leaves the phone', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const author = await person('provider', [clinic], prescriber)
  const phone = phoneOf(author)
  await phone.sync()
  const patient = await phone.create('patients', aPatient(clinic))
  const id = await phone.create('prescriptions', aNewPrescription(author, clinic, patient))
  await phone.sync()
  await phone.update('prescriptions', id, { notes: 'Typed after the push' })
  await phone.sync()
  const [edited] = await versionsOf(db, id)
  expect(JSON.parse(edited!.row)).toMatchObject({ notes: 'Typed after the push' })
  await phone.sync()
  await phone.sync()
  expect(await phone.find('prescriptions', id)).toBeUndefined()
})

test('a released row that its author may not see leaves the phone, also if another phone released it', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const clinic = await make.clinic()
  const author = await person('provider', [clinic], prescriber)
  const [one, other] = [phoneOf(author), phoneOf(author)]
  await one.sync()
  await other.sync()
  const waiting = async () => {
    const patient = await one.create('patients', aPatient(clinic, { date_of_birth: '1990-02-30' }))
    return [patient, await one.create('prescriptions', aNewPrescription(author, clinic, patient))]
  }
  const [[byJob, first], [byPhone, second]] = [await waiting(), await waiting()] as [
    [string, string],
    [string, string],
  ]
  await one.sync()
  const [sent] = await versionsOf(db, byJob)
  const values = { date_of_birth: '1990-02-28' }
  await applyRefused(asAdmin(db, await person('admin')), { id: sent!.id, values })
  await releaseWaiting(db)
  await other.create('patients', aPatient(clinic, { id: byPhone }))
  await other.sync()
  const stored = await db
    .selectFrom('prescriptions')
    .select('id')
    .where('id', 'in', [first, second])
    .execute()
  expect(stored).toHaveLength(2)
  await one.sync()
  expect(await one.find('prescriptions', first)).toBeDefined()
  await one.sync()
  expect(await one.find('prescriptions', first)).toBeUndefined()
  expect(await one.find('prescriptions', second)).toBeUndefined()
})

test('a row that another phone brought leaves the phone whose version was refused', async ({
  person,
  phoneOf,
  synced,
}) => {
  const { theirs, phone } = await synced()
  const other = phoneOf(await person('provider', [theirs], EVERYTHING))
  await other.sync()
  const id = await phone.create('patients', aPatient(theirs))
  await phone.sync()
  // as after a restore
  await other.create('patients', aPatient(theirs, { id }))
  await other.sync()
  await phone.sync()
  expect(await phone.find('patients', id)).toBeDefined()
  await phone.sync()
  expect(await phone.find('patients', id)).toBeUndefined()
  expect(await other.find('patients', id)).toBeDefined()
})

test('a row that a forced upload without a pull brought leaves the phone once it is rejected', async ({
  db,
  person,
  synced,
}) => {
  const { theirs, phone } = await synced()
  const id = await phone.create('patients', aPatient(theirs))
  await phone.sync()
  // a restore has lost what the phone had sent
  await db.deleteFrom('sync_quarantine').where('row_id', '=', id).execute()
  await phone.forceUpload(0)
  const [version] = await versionsOf(db, id)
  await rejectRefused(asAdmin(db, await person('admin')), { id: version!.id })
  for (let round = 0; round < 3; round += 1) await phone.sync()
  expect(await phone.find('patients', id)).toBeUndefined()
})

test('a version that two phones of a user have sent leaves both once it is rejected', async ({
  db,
  person,
  phoneOf,
  synced,
}) => {
  const { theirs, amal, phone: one } = await synced()
  const other = phoneOf(amal)
  const id = v7()
  for (const phone of [one, other]) {
    await phone.sync()
    await phone.create('patients', aPatient(theirs, { id, created_at: 1, updated_at: 1 }))
    await phone.sync()
  }
  const versions = await versionsOf(db, id)
  expect(versions).toHaveLength(1)
  await rejectRefused(asAdmin(db, await person('admin')), { id: versions[0]!.id })
  for (let round = 0; round < 3; round += 1) for (const phone of [one, other]) await phone.sync()
  expect(await one.find('patients', id)).toBeUndefined()
  expect(await other.find('patients', id)).toBeUndefined()
})

// --- Rows that waited are edits of the time at which their phone sent them ---------------------------------

const problemNow = async (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('patient_problems')
    .select(['problem_label', 'severity_score', 'visit_id', 'is_deleted'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const inboxOf = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('sync_conflicts')
    .select(['column_name', 'phone_value', 'server_value'])
    .where('row_id', '=', id)
    .orderBy('received_at')
    .execute()
const aVisit = (clinic: { id: string }, patient_id: string, id: string): Row => ({
  id,
  patient_id,
  clinic_id: clinic.id,
  provider_id: '',
  provider_name: '',
  check_in_timestamp: 1,
})

type Given = {
  db: Kysely<DB>
  make: ReturnType<typeof makeFactories>
  person: (role: 'provider', clinics: Clinic[], held: readonly Permission[]) => Promise<Person>
  phoneOf: (person: Person) => Phone
}

/** An edit of a problem waits for a visit that is on no phone yet. */
const editThatWaits = async ({ db, make, person, phoneOf }: Given) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const patient = await phone.create('patients', aPatient(clinic))
  const problem = await phone.create('patient_problems', aProblem(patient))
  await phone.sync()
  await phone.sync()
  const visit = v7()
  await phone.update('patient_problems', problem, {
    problem_label: 'Older',
    severity_score: 3,
    visit_id: visit,
  })
  await phone.sync()
  const [waiting] = await versionsOf(db, problem)
  return { clinic, amal, phone, patient, problem, visit, waiting: waiting!.id }
}

test('a row released from quarantine keeps what its phone has sent since, and is that phone’s own work', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const { clinic, phone, patient, problem, visit } = await editThatWaits({
    db,
    make,
    person,
    phoneOf,
  })
  await phone.update('patient_problems', problem, { problem_label: 'Newer' })
  await phone.sync()
  expect(await problemNow(db, problem)).toMatchObject({ problem_label: 'Newer' })
  const other = phoneOf(await person('provider', [clinic], EVERYTHING))
  await other.sync()
  await other.create('visits', aVisit(clinic, patient, visit))
  await other.sync()
  await releaseWaiting(db)
  expect(await problemNow(db, problem)).toMatchObject({
    problem_label: 'Newer',
    severity_score: 3,
    visit_id: visit,
  })
  // the phone was not sent the released row yet
  await phone.update('patient_problems', problem, { severity_score: 5 })
  await phone.sync()
  expect(await problemNow(db, problem)).toMatchObject({ severity_score: 5 })
  expect(await inboxOf(db, problem)).toEqual([])
})

test('a row that the same push lets in keeps what that push says of it', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const { clinic, phone, patient, problem, visit } = await editThatWaits({
    db,
    make,
    person,
    phoneOf,
  })
  await phone.create('visits', aVisit(clinic, patient, visit))
  await phone.update('patient_problems', problem, { problem_label: 'Newer' })
  await phone.sync()
  expect(await problemNow(db, problem)).toMatchObject({
    problem_label: 'Newer',
    severity_score: 3,
    visit_id: visit,
  })
  expect(await inboxOf(db, problem)).toEqual([])
})

test('a row that another phone of its user lets in replaces nothing that its own phone had not seen', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const { clinic, amal, patient, problem, visit } = await editThatWaits({
    db,
    make,
    person,
    phoneOf,
  })
  await db
    .updateTable('patient_problems')
    .set({ problem_label: 'Of the web' })
    .where('id', '=', problem)
    .execute()
  const other = phoneOf(amal)
  for (let round = 0; round < 3; round += 1) {
    await other.create('patients', aPatient(clinic))
    await other.sync()
  }
  await other.create('visits', aVisit(clinic, patient, visit))
  await other.sync()
  await releaseWaiting(db)
  expect(await problemNow(db, problem)).toMatchObject({
    problem_label: 'Of the web',
    severity_score: 3,
  })
  expect(await inboxOf(db, problem)).toMatchObject([
    { column_name: 'problem_label', phone_value: 'Older', server_value: 'Of the web' },
  ])
})

test('an administrator who applies a row keeps what its phone has sent since, but for values entered anew', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const { phone, problem, waiting } = await editThatWaits({ db, make, person, phoneOf })
  await phone.update('patient_problems', problem, { problem_label: 'Newer' })
  await phone.sync()
  const admin = asAdmin(db, await person('admin'))
  await applyRefused(admin, { id: waiting, values: { visit_id: '', severity_score: 4 } })
  expect(await problemNow(db, problem)).toMatchObject({
    problem_label: 'Newer',
    severity_score: 4,
  })
})

test('a row whose phone has deleted it since is released without a conflict', async ({
  db,
  make,
  person,
  phoneOf,
}) => {
  const { clinic, phone, patient, problem, visit } = await editThatWaits({
    db,
    make,
    person,
    phoneOf,
  })
  await phone.delete('patient_problems', problem)
  await phone.sync()
  await make.visit({ id: visit, patient_id: patient, clinic_id: clinic.id })
  await releaseWaiting(db)
  expect(await problemNow(db, problem)).toMatchObject({
    problem_label: 'Hypertension',
    is_deleted: true,
  })
  expect(await inboxOf(db, problem)).toEqual([])
})
