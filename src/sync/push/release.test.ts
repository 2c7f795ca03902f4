import { sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import { grantApplication } from '~/db/roles.server'
import { applyRefused } from '~/features/office/devices/quarantine.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { prepareJobs } from '~/server/jobs.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { PERMISSIONS } from '~/shared/permissions'
import { makeFactories } from '../../../test/factories'
import { auditOf, cloneTemplate, test as base, urlsOf } from '../../../test/harness'
import { toChangeSource } from './change-source.server'
import { push as pushSource } from './push.server'
import { MOST_RELEASED, releaseWaiting } from './release.server'

const push = (ctx: Context, pullId: number, changes: unknown) =>
  pushSource(ctx, pullId, toChangeSource(changes))

const dates = { created_at: 1, updated_at: 1 }
const common = { ...dates, metadata: '{}', is_deleted: false, deleted_at: null, _status: 'created' }
const patientRow = (clinic: string, more: object = {}) => ({
  ...common,
  id: newId(),
  given_name: 'Amal',
  surname: 'Haddad',
  date_of_birth: '1990-02-28',
  citizenship: '',
  hometown: '',
  phone: '',
  sex: 'female',
  camp: null,
  additional_data: '{}',
  photo_url: null,
  government_id: '',
  external_patient_id: '',
  primary_clinic_id: clinic,
  last_modified_by: null,
  ...more,
})
const visitRow = (clinic: string, patient_id: string) => ({
  ...common,
  id: newId(),
  patient_id,
  clinic_id: clinic,
  provider_id: '',
  provider_name: 'Sent',
  check_in_timestamp: 1,
})
const vitalRow = (patient_id: string, visit_id: string | null) => ({
  ...common,
  id: newId(),
  patient_id,
  visit_id,
  timestamp: 1,
  heart_rate: 70,
})
const created = (...rows: object[]) => ({ created: rows, updated: [], deleted: [] })

const test = base.extend('clinic', async ({ make, asUser }) => {
  const clinic = await make.clinic()
  const provider = async () => {
    const user = await make.user({ role: 'provider' })
    await make.permission(user, clinic.id, PERMISSIONS)
    return asUser(user, { [clinic.id]: PERMISSIONS })
  }
  return { id: clinic.id, amal: await provider(), omar: await provider() }
})

const isHere = async ({ db }: Context, table: 'visits' | 'patient_vitals', id: string) =>
  (await db.selectFrom(table).select('id').where('id', '=', id).execute()).length === 1
const waitingOf = (ctx: Context, id: string) =>
  ctx.db
    .selectFrom('sync_quarantine')
    .select(['id', 'reason', 'outcome', 'settled_by'])
    .where('row_id', '=', id)
    .executeTakeFirst()

test('a row that comes again together with the record that it waited for keeps its newer value', async ({
  clinic: { id, amal },
}) => {
  const patient = patientRow(id, { date_of_birth: '1990-02-30' })
  const vital = vitalRow(patient.id, null)
  expect(
    await push(amal, 0, { patients: created(patient), patient_vitals: created(vital) }),
  ).toMatchObject({ refused: 2 })
  await push(amal, 0, {
    patients: created({ ...patient, date_of_birth: '1990-02-28' }),
    patient_vitals: created({ ...vital, heart_rate: 80 }),
  })
  const stored = await amal.db
    .selectFrom('patient_vitals')
    .select('heart_rate')
    .where('id', '=', vital.id)
    .executeTakeFirst()
  expect(stored).toEqual({ heart_rate: 80 })
  expect(await waitingOf(amal, vital.id)).toMatchObject({ outcome: 'superseded' })
})

test('rows that waited for a patient come in when an administrator corrects and applies it', async ({
  clinic: { id, amal },
  as,
}) => {
  const patient = patientRow(id, { date_of_birth: '1990-02-30' })
  const visit = visitRow(id, patient.id)
  const vital = vitalRow(patient.id, visit.id)
  const changes = {
    patients: created(patient),
    visits: created(visit),
    patient_vitals: created(vital),
  }
  expect(await push(amal, 0, changes)).toMatchObject({ refused: 3 })
  const waiting = await waitingOf(amal, patient.id)
  await applyRefused(as('admin'), { id: waiting!.id, values: { date_of_birth: '1990-02-28' } })
  // the vital signs wait for the patient first, and for the visit then
  expect(await releaseWaiting(amal.db)).toBe(2)
  expect(await isHere(amal, 'visits', visit.id)).toBe(true)
  expect(await isHere(amal, 'patient_vitals', vital.id)).toBe(true)
  expect(await waitingOf(amal, visit.id)).toMatchObject({
    outcome: 'applied',
    settled_by: amal.actor.userId,
  })
  expect(await auditOf(amal.db, visit.id)).toMatchObject([
    { action: 'sync.push', via: 'phone', user_id: amal.actor.userId },
  ])
})

test("a row that waited comes in with a patient of another user's phone, and what waited for it, too", async ({
  clinic: { id, amal, omar },
}) => {
  const patient = patientRow(id)
  const visit = visitRow(id, patient.id)
  const vital = vitalRow(patient.id, visit.id)
  await push(amal, 0, { patient_vitals: created(vital) })
  await push(amal, 0, { visits: created(visit) })
  await push(omar, 0, { patients: created(patient) })
  expect(await isHere(amal, 'visits', visit.id)).toBe(false)
  await releaseWaiting(amal.db)
  expect(await isHere(amal, 'visits', visit.id)).toBe(true)
  expect(await isHere(amal, 'patient_vitals', vital.id)).toBe(true)
})

test('a push applies what waited for it, and what waited for that', async ({
  clinic: { id, amal },
}) => {
  const patient = patientRow(id)
  const visit = visitRow(id, patient.id)
  const vital = vitalRow(patient.id, visit.id)
  await push(amal, 0, { patient_vitals: created(vital) })
  await sql`update sync_quarantine set reason = 'sync.reason_unknownVisit', detail = ${visit.id}
    where row_id = ${vital.id}`.execute(amal.db)
  await push(amal, 0, { visits: created(visit) })
  await push(amal, 0, { patients: created(patient) })
  expect(await isHere(amal, 'patient_vitals', vital.id)).toBe(true)
  expect(await waitingOf(amal, vital.id)).toMatchObject({ outcome: 'superseded' })
})

test('a row that waited for a patient comes in after the registration on the web', async ({
  clinic: { id, amal },
  make,
}) => {
  const patientId = newId()
  const visit = visitRow(id, patientId)
  await push(amal, 0, { visits: created(visit) })
  expect(await releaseWaiting(amal.db)).toBe(0)
  await make.patient({ id: patientId, primary_clinic_id: id })
  expect(await releaseWaiting(amal.db)).toBe(1)
  expect(await isHere(amal, 'visits', visit.id)).toBe(true)
})

test('a row that waited is tried again if its record was written in the millisecond of the last try', async ({
  clinic: { id, amal },
  make,
}) => {
  const patientId = newId()
  const visit = visitRow(id, patientId)
  await push(amal, 0, { visits: created(visit) })
  await make.patient({ id: patientId, primary_clinic_id: id })
  await sql`update sync_quarantine q set retried_at = p.last_modified
    from patients p where p.id = ${patientId} and q.row_id = ${visit.id}`.execute(amal.db)
  expect(await releaseWaiting(amal.db)).toBe(1)
})

test('a row of a deleted visit comes in when the visit is restored from the trash', async ({
  clinic: { id, amal },
  make,
  as,
}) => {
  const patient = await make.patient({ primary_clinic_id: id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: id })
  await sql`select soft_delete('visits', ${visit.id}, 'x', null)`.execute(amal.db)
  const vital = vitalRow(patient.id, visit.id)
  await push(amal, 0, { patient_vitals: created(vital) })
  expect(await releaseWaiting(amal.db)).toBe(0)
  const { rows } = await sql<{ id: string }>`
    select id from deletions where record_id = ${visit.id}`.execute(amal.db)
  await restoreDeletion(as('admin'), { id: rows[0]!.id })
  expect(await releaseWaiting(amal.db)).toBe(1)
  expect(await isHere(amal, 'patient_vitals', vital.id)).toBe(true)
})

test('a waiting row needs the present permissions of its author, also if another user brings its patient', async ({
  clinic: { id, amal, omar },
}) => {
  const patient = patientRow(id)
  const visit = visitRow(id, patient.id)
  await push(amal, 0, { visits: created(visit) })
  await sql`update user_clinic_permissions set is_deleted = true
    where user_id = ${amal.actor.userId}`.execute(amal.db)
  await push(omar, 0, { patients: created(patient) })
  expect(await releaseWaiting(amal.db)).toBe(0)
  expect(await isHere(amal, 'visits', visit.id)).toBe(false)
  expect(await waitingOf(amal, visit.id)).toMatchObject({
    reason: 'sync.reason_notPermitted',
    outcome: null,
  })
})

test('of two versions of a row that waited, the later one is applied', async ({
  clinic: { id, amal, omar },
}) => {
  const patient = patientRow(id)
  const visit = visitRow(id, patient.id)
  await push(amal, 0, { visits: created(visit) })
  await push(amal, 0, { visits: created({ ...visit, provider_name: 'Later' }) })
  await push(omar, 0, { patients: created(patient) })
  await releaseWaiting(amal.db)
  expect(
    await amal.db
      .selectFrom('visits')
      .select('provider_name')
      .where('id', '=', visit.id)
      .executeTakeFirst(),
  ).toEqual({ provider_name: 'Later' })
})

test('any number of rows that waited comes in, and those that still cannot are tried once', async ({
  clinic: { id, amal, omar },
  make,
}) => {
  const patient = patientRow(id)
  const many = Array.from({ length: MOST_RELEASED + 100 }, () => vitalRow(patient.id, null))
  // a visit of another patient is here, and no reason to try again
  const stranger = await make.visit({ clinic_id: id })
  const stuck = vitalRow(patient.id, stranger.id)
  await push(amal, 0, { patient_vitals: created(...many, stuck) })
  await push(omar, 0, { patients: created(patient) })
  expect(await releaseWaiting(amal.db)).toBe(many.length)
  expect(await waitingOf(amal, stuck.id)).toMatchObject({ reason: 'sync.reason_unknownVisit' })
  const tried = async () =>
    (await sql`select retried_at from sync_quarantine where row_id = ${stuck.id}`.execute(amal.db))
      .rows
  await releaseWaiting(amal.db)
  const before = await tried()
  await releaseWaiting(amal.db)
  expect(await tried()).toEqual(before)
})

test("a failure with the rows of one user keeps no other user's rows waiting", async ({
  clinic: { id, amal, omar },
  make,
}) => {
  const patientId = newId()
  const visit = visitRow(id, patientId)
  const broken = visitRow(id, patientId)
  await push(amal, 0, { visits: created(broken) })
  await sql`update sync_quarantine set row = '{' where row_id = ${broken.id}`.execute(amal.db)
  await push(omar, 0, { visits: created(visit) })
  await make.patient({ id: patientId, primary_clinic_id: id })
  expect(await releaseWaiting(amal.db)).toBe(1)
  expect(await isHere(amal, 'visits', visit.id)).toBe(true)
})

/** A database with the queue of jobs, which a server makes when it first starts. */
const withJobs = test.extend('own', async ({}, { onCleanup }) => {
  const name = `release_${crypto.randomUUID().replaceAll('-', '')}`
  const db = await cloneTemplate(name)
  onCleanup(() => db.destroy())
  await prepareJobs(urlsOf(name).ownerUrl)
  await grantApplication(urlsOf(name))
  return db
})

withJobs(
  "a push requests the job only if another user's row waits for what it brings",
  async ({ own, asUser }) => {
    const make = makeFactories(own)
    const clinic = await make.clinic()
    const [amal, omar] = [
      { ...asUser(await make.user({ role: 'super_admin' })), db: own },
      { ...asUser(await make.user({ role: 'super_admin' })), db: own },
    ]
    const requested = async () =>
      (
        await sql<{
          task: string
        }>`select task_identifier as task from graphile_worker.jobs`.execute(own)
      ).rows
    const patient = patientRow(clinic.id)
    await push(amal, 0, { visits: created(visitRow(clinic.id, patient.id)) })
    await push(omar, 0, { patients: created(patientRow(clinic.id)) })
    expect(await requested()).toEqual([])
    await push(omar, 0, { patients: created(patient) })
    expect(await requested()).toEqual([{ task: 'release_waiting' }])
  },
)

const withTwo = test.extend('own', async ({}, { onCleanup }) => {
  const name = `release_${crypto.randomUUID().replaceAll('-', '')}`
  const db = await cloneTemplate(name)
  const other = new pg.Client(urlsOf(name).ownerUrl)
  await other.connect()
  onCleanup(async () => {
    await other.end()
    await db.destroy()
  })
  return { db, other }
})

withTwo(
  'a row that waits for a second record comes in, also if that was written before the try and committed after it',
  async ({ own: { db, other }, asUser }) => {
    const make = makeFactories(db)
    const amal = { ...asUser(await make.user({ role: 'super_admin' })), db }
    const clinic = await make.clinic()
    const [patientId, visitId] = [newId(), newId()]
    const vital = vitalRow(patientId, visitId)
    await push(amal, 0, { patient_vitals: created(vital) })
    await make.patient({ id: patientId, primary_clinic_id: clinic.id })
    await other.query('begin')
    await other.query('insert into visits (id, patient_id, clinic_id) values ($1, $2, $3)', [
      visitId,
      patientId,
      clinic.id,
    ])
    expect(await releaseWaiting(db)).toBe(0)
    expect(await waitingOf(amal, vital.id)).toMatchObject({ reason: 'sync.reason_unknownVisit' })
    await other.query('commit')
    expect(await releaseWaiting(db)).toBe(1)
  },
)

withTwo(
  'a row is tried after a change of its record that is under way, not before',
  async ({ own: { db, other }, asUser }) => {
    const make = makeFactories(db)
    const amal = { ...asUser(await make.user({ role: 'super_admin' })), db }
    const clinic = await make.clinic()
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const stranger = await make.visit({ clinic_id: clinic.id })
    const vital = vitalRow(patient.id, stranger.id)
    await push(amal, 0, { patient_vitals: created(vital) })
    expect(await waitingOf(amal, vital.id)).toMatchObject({ reason: 'sync.reason_unknownVisit' })
    await other.query('begin')
    await other.query('update visits set patient_id = $1 where id = $2', [patient.id, stranger.id])
    const releasing = releaseWaiting(db)
    try {
      await Promise.race([releasing, aWaiter(other)])
    } finally {
      await other.query('commit')
    }
    expect(await releasing).toBe(1)
  },
)

/** Resolves when some transaction of the database waits for a lock. */
const aWaiter = (client: pg.Client) =>
  expect
    .poll(async () => (await client.query('select from pg_locks where not granted')).rowCount)
    .toBeGreaterThan(0)
