import { v7 as uuidv7 } from 'uuid'
import { saveProblem } from '~/features/care/problems/problems.server'
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
  // a program is not asked
  await saveProblem(me, { ...first, id: uuidv7(), confirmed: undefined })
})
