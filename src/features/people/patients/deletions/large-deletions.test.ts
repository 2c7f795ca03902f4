import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import type { Context } from '~/server/operation'
import { makeFactories } from '../../../../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../../../../test/harness'
import { deletePatientWithRecords, deletePatients } from './deletions.server'
import { LARGE, largeDeletion, stopLargeDeletion } from './large-deletions.server'
import { runLargeDeletions } from './run.server'

/** Jobs have connections of their own, so these tests have a database of their own. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate('large_deletions')
  onCleanup(() => db.destroy())
  return db
})

const answer = (db: Kysely<DB>, patientId: string, count: number) =>
  sql`insert into patient_additional_attributes (id, patient_id, attribute_id, attribute, string_value)
    select gen_random_uuid(), ${patientId}::uuid, gen_random_uuid()::text, 'x', 'y'
    from generate_series(1, ${count}::integer)`.execute(db)

/** The live records of a patient: answers, visits, vital signs, and the patient. */
async function live(db: Kysely<DB>, id: string) {
  const { rows } = await sql<{ records: number }>`
    select (select count(*) from patient_additional_attributes where patient_id = ${id} and not is_deleted)
      + (select count(*) from visits where patient_id = ${id} and not is_deleted)
      + (select count(*) from patient_vitals where patient_id = ${id} and not is_deleted)
      + (select count(*) from patients where id = ${id} and not is_deleted) as records`.execute(db)
  return rows[0]!.records
}

async function large(whole: Kysely<DB>, count: number) {
  const make = makeFactories(whole)
  const admin = contextOf(whole, await make.user({ role: 'super_admin' }))
  const patient = await make.patient()
  const visit = await make.visit({ patient_id: patient.id })
  await make.vital({ patient_id: patient.id, visit_id: visit.id })
  await answer(whole, patient.id, count)
  return { admin, id: patient.id, records: count + 3 }
}

const contextOf = (db: Kysely<DB>, user: { id: string; name: string }): Context => ({
  db,
  request: aRequest(),
  actor: {
    userId: user.id,
    name: user.name,
    role: 'super_admin',
    language: 'en',
    clinicId: null,
    grants: {},
  },
})

test(
  'a job deletes a patient with 6,000 answers at once or not at all, and the trash restores all',
  {
    timeout: 120_000,
  },
  async ({ whole }) => {
    const { admin, id, records } = await large(whole, 6_000)
    const { deletionId, job } = await deletePatientWithRecords(admin, { id })
    expect(await largeDeletion(admin, { id: job! })).toMatchObject({
      status: 'waiting',
      total: records - 1,
      done: 0,
    })
    expect(await live(whole, id)).toBe(records)
    // pressed twice
    expect(await deletePatientWithRecords(admin, { id })).toEqual({ deletionId, job })
    expect(await deletePatients(admin, { ids: [id] })).toEqual({
      deleted: [{ id, deletionId }],
      job,
    })

    // the process is shut down on the way
    const shutdown = new AbortController()
    await Promise.all([
      runLargeDeletions(whole, shutdown.signal),
      untilBegun(admin, job!).then(() => shutdown.abort()),
    ])
    expect((await largeDeletion(admin, { id: job! })).status).toBe('running')
    expect(await live(whole, id)).toBe(records)

    await runLargeDeletions(whole)
    expect((await largeDeletion(admin, { id: job! })).status).toBe('finished')
    expect(await live(whole, id)).toBe(0)
    const { rows } = await sql<{ items: number; signed: number }>`
    select (select count(*)::integer from deletion_items where deletion_id = ${deletionId}) as items,
      (select count(*)::integer from audit_log
        where action = 'patients.delete' and user_id = ${admin.actor.userId} and patient_id = ${id}) as signed`.execute(
      whole,
    )
    expect(rows).toEqual([{ items: records, signed: records }])
    await restoreDeletion(admin, { id: deletionId })
    expect(await live(whole, id)).toBe(records)
  },
)

test(
  'a deletion that its user stops has deleted nothing; another user can neither see nor stop it',
  {
    timeout: 120_000,
  },
  async ({ whole }) => {
    const { admin, id, records } = await large(whole, 4_000)
    const { deletionId, job } = await deletePatientWithRecords(admin, { id })
    const user = await makeFactories(whole).user({ role: 'provider' })
    const other = contextOf(whole, user)
    other.actor.role = 'provider'
    await expect(largeDeletion(other, { id: job! })).rejects.toMatchObject({ code: 'not_found' })
    await expect(stopLargeDeletion(other, { id: job! })).rejects.toMatchObject({
      code: 'not_found',
    })
    await Promise.all([
      runLargeDeletions(whole),
      untilBegun(admin, job!).then(() => stopLargeDeletion(admin, { id: job! })),
    ])
    expect((await largeDeletion(admin, { id: job! })).status).toBe('stopped')
    expect(await live(whole, id)).toBe(records)
    await expect(restoreDeletion(admin, { id: deletionId })).rejects.toMatchObject({
      code: 'not_found',
    })
    // asked again, it is another deletion
    expect((await deletePatientWithRecords(admin, { id })).deletionId).not.toBe(deletionId)
  },
)

test('a request deletes what is not large itself, also on a connection with plans for one row', async ({
  db,
  make,
  asUser,
}) => {
  const admin = asUser(await make.user({ role: 'super_admin' }))
  const [small, larger] = [await make.patient(), await make.patient()]
  await answer(db, small.id, 1)
  expect((await deletePatientWithRecords(admin, { id: small.id })).job).toBeNull()
  await answer(db, larger.id, LARGE)
  expect((await deletePatientWithRecords(admin, { id: larger.id })).job).toBeNull()
  expect(await live(db, larger.id)).toBe(0)
})

async function untilBegun(admin: Context, id: string) {
  for (;;) {
    const { status, done } = await largeDeletion(admin, { id })
    if (done > 0) return
    if (status !== 'waiting' && status !== 'running') throw new Error(`It is ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
