import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { push } from '~/sync/push/push.server'
import { toChangeSource } from '~/sync/push/change-source.server'
import { test } from '../../../../../test/harness'
import { aNewPrescription } from '../../../../../test/sync/chart'
import { getPrescription, savePrescription } from '../prescriptions.server'

test('a prescription names the problem that it is for, and a save without it leaves it', async ({
  make,
  asUser,
  db,
}) => {
  const { patient_id, clinic_id } = await make.visit()
  await make.noAllergies(patient_id)
  const doctor = await make.user()
  const me = asUser(doctor, {
    [clinic_id]: ['can_view_history', 'can_prescribe_medications', 'can_edit_records'],
  })
  const problem = await make.problem({ patient_id, recorded_clinic_id: clinic_id })
  const drug = await make.drug({ generic_name: 'Metformin', ingredients: ['metformin'] })
  const id = uuidv7()
  const prescription = {
    id,
    patient_id,
    provider_id: doctor.id,
    pickup_clinic_id: clinic_id,
    notes: '',
    items: [{ id: uuidv7(), drug_id: drug.id, dosage_instructions: 'Twice a day' }],
  }
  const other = await make.problem({
    patient_id: (await make.patient({ primary_clinic_id: clinic_id })).id,
    recorded_clinic_id: clinic_id,
  })
  const deleted = await make.problem({
    patient_id,
    recorded_clinic_id: clinic_id,
    is_deleted: true,
  })
  for (const wrong of [other.id, deleted.id, uuidv7()])
    await expect(
      savePrescription(me, { ...prescription, problem_id: wrong }),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: { problem_id: { key: 'prescriptions.problemNotFound' } },
    })
  expect(await savePrescription(me, { ...prescription, problem_id: problem.id })).toMatchObject({
    ok: true,
  })
  const read = () => getPrescription(me, { id })
  expect((await read()).problem).toMatchObject({ id: problem.id, problem_label: 'Hypertension' })
  const version = async () => ({ last_modified: (await read()).last_modified })
  // a program of before, which does not know the column
  await savePrescription(me, { ...prescription, ...(await version()), notes: 'Again' })
  expect((await read()).problem).toMatchObject({ id: problem.id })
  // an edit of a phone
  const { items: _items, ...row } = prescription
  const edit = {
    ...aNewPrescription({ ...doctor, username: '' } as never, { id: clinic_id }, patient_id),
    ...row,
    priority: 'high',
    metadata: '{}',
    is_deleted: false,
    deleted_at: null,
    created_at: 1,
    updated_at: Date.now() + 1000,
    _status: 'updated',
    _changed: 'priority,updated_at',
  }
  await push(
    me,
    0,
    toChangeSource({ prescriptions: { created: [], updated: [edit], deleted: [] } }),
  )
  expect(await read()).toMatchObject({ priority: 'high', problem: { id: problem.id } })
  // what was prescribed for it stays as it was written
  await db
    .updateTable('patient_problems')
    .set({ is_deleted: true })
    .where('id', '=', problem.id)
    .execute()
  expect((await read()).problem).toMatchObject({ id: problem.id, is_deleted: true })
  expect(
    await savePrescription(me, { ...prescription, ...(await version()), problem_id: problem.id }),
  ).toMatchObject({ ok: true })
  await savePrescription(me, { ...prescription, ...(await version()), problem_id: null })
  expect((await read()).problem).toBeNull()
})

test('a problem that another clinic recorded and did not open cannot be chosen', async ({
  make,
  asUser,
}) => {
  const { patient_id, clinic_id } = await make.visit()
  await make.noAllergies(patient_id)
  const elsewhere = await make.clinic()
  const doctor = await make.user()
  const me = asUser(doctor, { [clinic_id]: ['can_view_history', 'can_prescribe_medications'] })
  const hidden = await make.problem({ patient_id, recorded_clinic_id: elsewhere.id })
  const drug = await make.drug({ generic_name: 'Metformin', ingredients: ['metformin'] })
  await expect(
    savePrescription(me, {
      id: uuidv7(),
      patient_id,
      provider_id: doctor.id,
      pickup_clinic_id: clinic_id,
      notes: '',
      problem_id: hidden.id,
      items: [{ id: uuidv7(), drug_id: drug.id, dosage_instructions: 'Twice a day' }],
    }),
  ).rejects.toMatchObject({ fields: { problem_id: { key: 'prescriptions.problemNotFound' } } })
})
