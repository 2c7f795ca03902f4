import { v7 as uuidv7 } from 'uuid'
import { deleteProblem, saveProblem } from '~/features/care/problems/problems.server'
import { expect } from 'vitest'
import { test } from '../../../../test/harness'

const asthma = {
  problem_code_system: 'icd10' as const,
  problem_code: 'J45.9',
  problem_label: 'Asthma',
  clinical_status: 'active' as const,
  verification_status: 'confirmed' as const,
}

test('a problem that is in the list already is asked about; one that is over or of the other side is not', async ({
  asUser,
  make,
}) => {
  const { clinic_id, patient_id } = await make.visit()
  const me = asUser(await make.user(), { [clinic_id]: ['can_view_history', 'can_edit_records'] })
  const of = (more: object = {}) => ({ ...asthma, id: uuidv7(), patient_id, ...more })
  const first = of({ laterality: 'left', confirmed: [] })
  const { last_modified } = await saveProblem(me, first)
  await expect(saveProblem(me, { ...first, id: uuidv7() })).rejects.toMatchObject({
    text: { key: 'asked.against_record' },
    fields: { problem_label: { key: 'problems.recordedAlready', values: { name: 'Asthma' } } },
  })
  await saveProblem(me, of({ laterality: 'right', confirmed: [] }))
  await saveProblem(me, of({ laterality: 'left', clinical_status: 'resolved', confirmed: [] }))
  await saveProblem(me, { ...first, last_modified, clinical_status: 'resolved' })
  await saveProblem(me, { ...first, id: uuidv7() })
  await saveProblem(me, { ...first, id: uuidv7(), confirmed: ['against_record'] })
  // made current again beside it
  const over = { ...first, laterality: 'right' as const, id: uuidv7() }
  const saved = await saveProblem(me, { ...over, clinical_status: 'resolved' })
  await expect(
    saveProblem(me, { ...over, last_modified: saved.last_modified }),
  ).rejects.toMatchObject({ text: { key: 'asked.against_record' } })
  // a program is not asked
  await saveProblem(me, { ...first, id: uuidv7(), confirmed: undefined })
})

test('what comes back after more than four weeks, with another visit or without one, is not asked about', async ({
  asUser,
  make,
}) => {
  const { id: visit_id, clinic_id, patient_id } = await make.visit()
  const me = asUser(await make.user(), {
    [clinic_id]: ['can_view_history', 'can_edit_records', 'can_delete_records'],
  })
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const malaria = { ...asthma, problem_code: 'B54', problem_label: 'Malaria', patient_id }
  const again = (more: object = {}) =>
    saveProblem(me, { ...malaria, id: uuidv7(), confirmed: [], ...more })
  const asks = { text: { key: 'asked.against_record' } }

  await make.problem({ ...malaria, created_at: ago(40) })
  const { id } = await again()
  await expect(again()).rejects.toMatchObject(asks)
  await deleteProblem(me, { id })
  // typed today for a visit of then
  const then = await make.visit({ patient_id, clinic_id, check_in_timestamp: ago(38) })
  await expect(again({ visit_id: then.id })).rejects.toMatchObject(asks)
  await again({ visit_id })
})

test('a disease that stays is asked about however old it is, and words beside the same words with a code', async ({
  asUser,
  make,
}) => {
  const { id: visit_id, clinic_id, patient_id } = await make.visit()
  const me = asUser(await make.user(), { [clinic_id]: ['can_view_history', 'can_edit_records'] })
  const save = (more: object) =>
    saveProblem(me, { ...asthma, id: uuidv7(), patient_id, confirmed: [], ...more })
  const asks = { text: { key: 'asked.against_record' } }
  const old = { patient_id, created_at: new Date('2020-01-05') }
  const uncoded = { problem_code_system: 'uncoded' as const, problem_code: '' }

  await make.problem({ ...asthma, ...old })
  await expect(save({})).rejects.toMatchObject(asks)
  // by its own words, and by the Arabic name of its code
  await expect(save({ ...uncoded, problem_label: ' asthma' })).rejects.toMatchObject(asks)
  await expect(save({ ...uncoded, problem_label: 'الربو' })).rejects.toMatchObject(asks)
  await save({ ...uncoded, problem_label: 'Asthma in childhood' })

  // the other way round: the words are there, and the code is added; a cold is no disease that stays
  await save({ ...uncoded, problem_label: 'Cold' })
  const cold = { problem_code: 'J00', problem_label: 'Cold' }
  await expect(save(cold)).rejects.toMatchObject(asks)
  await make.problem({ ...cold, problem_code: 'J06.9', problem_label: 'Sore throat', ...old })
  await save({ ...uncoded, problem_label: 'Sore throat' })

  // as the diagnosis of one visit after the other it is no second entry; nor is what comes in episodes
  const visitOf = async (at: string) =>
    (await make.visit({ patient_id, clinic_id, check_in_timestamp: new Date(at) })).id
  const pressure = { problem_code: 'I10', problem_label: 'Hypertension' }
  await make.problem({ ...pressure, ...old, visit_id: await visitOf('2026-01-05T09:00:00Z') })
  await save({ ...pressure, visit_id })
  await make.problem({ ...old, problem_code: 'F32.1', problem_label: 'Depression' })
  await save({ problem_code: 'F32.1', problem_label: 'Depression' })
})
