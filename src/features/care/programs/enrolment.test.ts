import type { Kysely } from 'kysely'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { test } from '../../../../test/harness'
import { settleFollowUps } from './stale.server'

const on = (day: string) => new Date(`${day}T09:00:00Z`)

async function rowsOf(db: Kysely<DB>, patientId: string) {
  await settleFollowUps({ db })
  return db
    .selectFrom('program_enrollments')
    .select(['program', 'clinic_id', 'enrolled_on', 'ended_on', 'end_reason', 'lmp'])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .orderBy('enrolled_on')
    .execute()
}

describe('the first problem of a program that is not refuted enrols', () => {
  test('on the day of its visit, in the primary clinic', async ({ db, make }) => {
    const home = await make.clinic()
    const { id: patient_id } = await make.patient({ primary_clinic_id: home.id })
    const visit = await make.visit({ patient_id, check_in_timestamp: on('2026-03-04') })
    await make.problem({ patient_id, visit_id: visit.id, problem_code: 'i11.9' })
    expect(await rowsOf(db, patient_id)).toEqual([
      {
        program: 'hypertension',
        clinic_id: home.id,
        enrolled_on: '2026-03-04',
        ended_on: null,
        end_reason: null,
        lmp: null,
      },
    ])
  })

  test('without a primary clinic in that of the visit; without a visit on the day it was created', async ({
    db,
    make,
  }) => {
    const visit = await make.visit({ check_in_timestamp: on('2026-03-04') })
    const { patient_id } = visit
    await make.problem({ patient_id, visit_id: visit.id, problem_code: 'E11' })
    await make.problem({ patient_id, problem_code: 'A15.0', created_at: on('2026-02-01') })
    expect(await rowsOf(db, patient_id)).toMatchObject([
      { program: 'tuberculosis', enrolled_on: '2026-02-01', clinic_id: visit.clinic_id },
      { program: 'diabetes', enrolled_on: '2026-03-04', clinic_id: visit.clinic_id },
    ])
  })

  test.for([
    ['icd10', 'I16', 0],
    ['icd10', 'I15.2', 1],
    ['icd11', 'BA00.0', 1],
    ['snomed', '38341003', 1],
    ['snomed', '383410031', 0],
    ['icd10cm', 'E10.65', 1],
    ['icd10cm', 'E09', 0],
    ['icd10', 'B24', 1],
    ['icd10', 'Z21', 1],
    ['icd10', 'J45.9', 1],
    ['icd10', 'J44.1', 1],
    ['icd10', 'J43.9', 0],
    ['icd10', 'G40.9', 1],
    ['icd10', 'R56.8', 0],
    ['icd10', 'F20.0', 1],
    ['icd10', 'F32.9', 1],
    ['icd10', 'F41.9', 0],
    ['icd11', 'CA23.0', 1],
    ['snomed', '84757009', 1],
  ] as const)('%s %s: %i', async ([system, code, enrolled], { db, make }) => {
    const { patient_id } = await make.visit()
    await make.problem({ patient_id, problem_code_system: system, problem_code: code })
    expect(await rowsOf(db, patient_id)).toHaveLength(enrolled)
  })

  test('an earlier problem that comes later moves the day; a refuted or deleted one takes it back', async ({
    db,
    make,
  }) => {
    const { patient_id } = await make.visit()
    const later = await make.problem({ patient_id, created_at: on('2026-05-01') })
    expect(await rowsOf(db, patient_id)).toMatchObject([{ enrolled_on: '2026-05-01' }])
    const earlier = await make.problem({ patient_id, created_at: on('2026-04-01') })
    expect(await rowsOf(db, patient_id)).toMatchObject([{ enrolled_on: '2026-04-01' }])
    const refute = (id: string, verification_status: string) =>
      db.updateTable('patient_problems').set({ verification_status }).where('id', '=', id).execute()
    await refute(earlier.id, 'refuted')
    expect(await rowsOf(db, patient_id)).toMatchObject([{ enrolled_on: '2026-05-01' }])
    await refute(later.id, 'refuted')
    expect(await rowsOf(db, patient_id)).toEqual([])
    await refute(earlier.id, 'confirmed')
    expect(await rowsOf(db, patient_id)).toMatchObject([{ enrolled_on: '2026-04-01' }])
  })

  test('a resolved problem ends it on that day; a later one begins a second', async ({
    db,
    make,
  }) => {
    const { patient_id } = await make.visit()
    const tb = { patient_id, problem_code: 'A15.0' }
    await make.problem({
      ...tb,
      created_at: on('2025-01-10'),
      clinical_status: 'resolved',
      end_date: on('2025-07-10'),
    })
    await make.problem({ ...tb, created_at: on('2026-06-01') })
    expect(await rowsOf(db, patient_id)).toMatchObject([
      { enrolled_on: '2025-01-10', ended_on: '2025-07-10', end_reason: 'completed' },
      { enrolled_on: '2026-06-01', ended_on: null },
    ])
  })

  test('acute malnutrition enrols below five years only', async ({ db, make }) => {
    const of = async (date_of_birth: string, problem_code: string) => {
      const { id: patient_id } = await make.patient({ date_of_birth })
      const visit = await make.visit({ patient_id, check_in_timestamp: on('2026-03-04') })
      await make.problem({ patient_id, visit_id: visit.id, problem_code })
      return (await rowsOf(db, patient_id)).map(({ program }) => program)
    }
    expect(await of('2025-01-31', 'E43')).toEqual(['malnutrition'])
    expect(await of('2025-01-31', 'E44.0')).toEqual(['malnutrition'])
    expect(await of('2025-01-31', 'E44.1')).toEqual([])
    expect(await of('1990-01-31', 'E43')).toEqual([])
  })

  test('a death ends all programs, whatever records it, and clearing it takes that back', async ({
    db,
    make,
  }) => {
    const { patient_id } = await make.visit()
    await make.problem({ patient_id, created_at: on('2026-01-01') })
    await make.problem({ patient_id, problem_code: 'E11', created_at: on('2026-02-01') })
    await rowsOf(db, patient_id)
    const die = (died_on: string | null) =>
      db.updateTable('patients').set({ died_on }).where('id', '=', patient_id).execute()
    await die('2026-01-20')
    expect(await rowsOf(db, patient_id)).toMatchObject([
      { ended_on: '2026-01-20', end_reason: 'died' },
      // the problem was recorded after the death
      { enrolled_on: '2026-02-01', ended_on: '2026-02-01', end_reason: 'died' },
    ])
    await die(null)
    expect(await rowsOf(db, patient_id)).toMatchObject([{ ended_on: null }, { ended_on: null }])
  })

  test('a pregnancy is dated by its answers and ends at birth', async ({ db, make }) => {
    const { patient_id } = await make.visit()
    await make.problem({ patient_id, problem_code: 'Z34.0', created_at: on('2026-03-01') })
    const answer = (values: object) =>
      db
        .insertInto('patient_pregnancies')
        .values({ id: crypto.randomUUID(), patient_id, state: 'pregnant', asked_on: '', ...values })
        .execute()
    await answer({ asked_on: '2026-03-01', due_on: '2026-10-08', dating: 'due_date' })
    // due date less 280 days
    expect(await rowsOf(db, patient_id)).toMatchObject([{ lmp: '2026-01-01' }])
    await answer({ state: 'after_birth', asked_on: '2026-10-10', ended_on: '2026-10-05' })
    expect(await rowsOf(db, patient_id)).toMatchObject([
      { ended_on: '2026-10-05', end_reason: 'birth' },
    ])
  })

  test('the first dose of a child enrols it, that of an adult does not', async ({ db, make }) => {
    const clinic = await make.clinic()
    const dose = (patient_id: string) =>
      db
        .insertInto('patient_immunizations')
        .values({
          id: crypto.randomUUID(),
          patient_id,
          clinic_id: clinic.id,
          vaccine: 'bcg',
          given_on: '2026-02-02',
        })
        .execute()
    const child = await make.patient({ date_of_birth: '2026-01-31' })
    const adult = await make.patient({ date_of_birth: '1990-01-31' })
    await dose(child.id)
    await dose(adult.id)
    expect(await rowsOf(db, child.id)).toMatchObject([
      { program: 'child-immunization', enrolled_on: '2026-02-02', clinic_id: clinic.id },
    ])
    expect(await rowsOf(db, adult.id)).toEqual([])
  })
})
