import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { pushed } from '~/sync/schema/tables'
import { test } from '../../../../test/harness'
import { deleteProblem, getProblem, listProblems, saveProblem } from './problems.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const asthma = {
  problem_code_system: 'icd10' as const,
  problem_code: 'J45.9',
  problem_label: 'Asthma',
  clinical_status: 'active' as const,
  verification_status: 'confirmed' as const,
}

describe('a problem', () => {
  test('is recorded, resolved and listed: active ones first', async ({ asUser, make }) => {
    const visit = await make.visit()
    const me = asUser(await make.user(), { [visit.clinic_id]: treating })
    const patient_id = visit.patient_id
    await make.problem({ patient_id, clinical_status: 'resolved' })
    const problem = {
      ...asthma,
      id: uuidv7(),
      patient_id,
      visit_id: visit.id,
      onset_date: '2020-02-29',
    }
    const saved = await saveProblem(me, problem)
    expect(await saveProblem(me, problem)).toEqual(saved)
    expect(
      (await listProblems(me, { patientId: patient_id })).map(({ problem_label }) => problem_label),
    ).toEqual(['Asthma', 'Hypertension'])
    expect(await getProblem(me, { id: problem.id })).toMatchObject({
      onset_date: '2020-02-29',
      labels: { es: 'Asma', ar: 'الربو' },
    })
    await saveProblem(me, {
      ...problem,
      clinical_status: 'resolved',
      end_date: '2026-01-01',
      last_modified: saved.last_modified,
    })
    expect(await getProblem(me, { id: problem.id })).toMatchObject({
      clinical_status: 'resolved',
      end_date: '2026-01-01',
    })
  })

  test('has a side where the user records one; a program and a phone that do not know it keep it', async ({
    asUser,
    make,
    db,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient()
    const cataract = { ...asthma, problem_code: 'H25.9', problem_label: 'Cataract' }
    const problem = { ...cataract, id: uuidv7(), patient_id, laterality: 'left' as const }
    const saved = await saveProblem(me, problem)
    expect(await getProblem(me, { id: problem.id })).toMatchObject({ laterality: 'left' })
    const { laterality: _side, ...known } = problem
    const later = { ...known, last_modified: saved.last_modified, problem_label: 'Senile cataract' }
    const again = await saveProblem(me, later)
    expect(await getProblem(me, { id: problem.id })).toMatchObject({
      problem_label: 'Senile cataract',
      laterality: 'left',
    })
    await saveProblem(me, { ...problem, last_modified: again.last_modified, laterality: null })
    expect(await getProblem(me, { id: problem.id })).toMatchObject({ laterality: null })
    await expect(
      db.updateTable('patient_problems').set({ laterality: 'up' }).execute(),
    ).rejects.toMatchObject({ constraint: 'patient_problems_laterality_check' })
    expect(Object.keys(pushed.patient_problems.columns)).not.toContain('laterality')
  })

  test('a visit and a day that are "" are none', async ({ asUser, make }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient()
    const problem = { ...asthma, id: uuidv7(), patient_id, visit_id: '', onset_date: '' }
    await saveProblem(me, problem)
    expect(await getProblem(me, { id: problem.id })).toMatchObject({
      visit_id: null,
      onset_date: null,
    })
  })

  test('keeps the moment that a phone chose while its day stays', async ({ as, make, db }) => {
    const { id, patient_id, last_modified } = await make.problem({
      onset_date: new Date('2024-05-05T13:45:00Z'),
    })
    await saveProblem(as('admin'), {
      ...asthma,
      id,
      patient_id,
      onset_date: '2024-05-05',
      last_modified,
    })
    const { onset_date } = await db
      .selectFrom('patient_problems')
      .select('onset_date')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(onset_date).toEqual(new Date('2024-05-05T13:45:00Z'))
  })

  test('reports each error of the input at its field', async ({ as, make }) => {
    const { id: patient_id } = await make.patient({ date_of_birth: '2000-01-01' })
    for (const [values, field, key] of [
      [{ problem_code_system: 'icd9' }, 'problem_code_system', 'validation.option'],
      [{ problem_code: '' }, 'problem_code', 'problems.codeRequired'],
      [{ problem_label: ' ' }, 'problem_label', 'problems.labelRequired'],
      [{ clinical_status: 'gone' }, 'clinical_status', 'validation.option'],
      [{ severity_score: 11 }, 'severity_score', 'validation.tooLarge'],
      [{ onset_date: '2026-02-30' }, 'onset_date', expect.anything()],
      [{ onset_date: '2150-01-01' }, 'onset_date', 'problems.inFuture'],
      [{ onset_date: '1999-12-31' }, 'onset_date', 'problems.beforeBirth'],
      [{ end_date: '1999-12-31', clinical_status: 'resolved' }, 'end_date', 'problems.beforeBirth'],
      [
        { onset_date: '2020-01-02', end_date: '2020-01-01', clinical_status: 'resolved' },
        'end_date',
        'problems.endBeforeOnset',
      ],
      [{ end_date: '2020-01-01' }, 'clinical_status', 'problems.activeHasEnded'],
    ] as const)
      await expect(
        saveProblem(as('admin'), { ...asthma, id: uuidv7(), patient_id, ...(values as object) }),
      ).rejects.toMatchObject({ fields: { [field]: { key } } })
  })

  test('is not for a registrar, not for another clinic, and deleted only with the right to', async ({
    as,
    make,
  }) => {
    const visit = await make.visit()
    const problem = await make.problem({ patient_id: visit.patient_id, visit_id: visit.id })
    const registrar = as('registrar', { [visit.clinic_id]: ['can_register_patients'] })
    await expect(listProblems(registrar, { patientId: visit.patient_id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const stranger = as('provider', {
      [(await make.clinic()).id]: [...treating, 'can_delete_records'],
    })
    for (const attempt of [
      () => getProblem(stranger, { id: problem.id }),
      () => deleteProblem(stranger, { id: problem.id }),
      () => saveProblem(stranger, { ...asthma, id: uuidv7(), patient_id: visit.patient_id }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
    }
    const colleague = as('provider', { [visit.clinic_id]: treating })
    await expect(deleteProblem(colleague, { id: problem.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await deleteProblem(
      as('provider', { [visit.clinic_id]: [...treating, 'can_delete_records'] }),
      { id: problem.id },
    )
    expect(await listProblems(colleague, { patientId: visit.patient_id })).toEqual([])
  })
})
