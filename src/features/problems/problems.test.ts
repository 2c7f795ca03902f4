import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { test } from '../../../test/harness'
import { importCodes, searchCodes } from './codes.server'
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

  test('every problem with the input is reported beside its field', async ({ as, make }) => {
    const { id: patient_id } = await make.patient({ date_of_birth: '2000-01-01' })
    const save = (values: object) =>
      saveProblem(as('admin'), { ...asthma, id: uuidv7(), patient_id, ...values })
    await expect(
      save({
        problem_code_system: 'icd9',
        problem_code: '',
        problem_label: ' ',
        clinical_status: 'gone',
        severity_score: 11,
        onset_date: '2026-02-30',
      }),
    ).rejects.toMatchObject({
      fields: {
        problem_code_system: { key: 'validation.option' },
        problem_code: { key: 'problems.codeRequired' },
        problem_label: { key: 'problems.labelRequired' },
        clinical_status: { key: 'validation.option' },
        severity_score: { key: 'validation.tooLarge' },
        onset_date: { key: expect.anything() },
      },
    })
    await expect(save({ onset_date: '2150-01-01' })).rejects.toMatchObject({
      fields: { onset_date: { key: 'problems.inFuture' } },
    })
    await expect(save({ onset_date: '1999-12-31' })).rejects.toMatchObject({
      fields: { onset_date: { key: 'problems.beforeBirth' } },
    })
    await expect(
      save({ onset_date: '2020-01-02', end_date: '2020-01-01', clinical_status: 'resolved' }),
    ).rejects.toMatchObject({
      fields: { end_date: { key: 'problems.endBeforeOnset' } },
    })
    await expect(save({ end_date: '2020-01-01' })).rejects.toMatchObject({
      fields: { clinical_status: { key: 'problems.activeHasEnded' } },
    })
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

describe('the code list', () => {
  test.for([
    ['asthma', 'J45.9'],
    ['J45', 'J45.9'],
    ['astma', 'J45.9'],
    ['الربو', 'J45.9'],
    ['HIPERTENSION', 'I10'],
    ['hipertensión arterial', 'I10'],
    ['سكري النوع الثانى', 'E11.9'],
    ['diabetes 2', 'E11.9'],
    ['anemia ferropenica', 'D50.9'],
    ['pain back', 'M54.5'],
    ['i10', 'I10'],
  ])('finds by "%s" %s', async ([query, code], { as }) => {
    const found = await searchCodes(as('admin'), { query: query!, limit: 5 })
    expect(found.map((each) => each.code)).toContain(code)
  })

  test('begins with the everyday ones, and takes pattern signs literally', async ({ as }) => {
    expect(await searchCodes(as('admin'), { query: '' })).toHaveLength(15)
    expect(await searchCodes(as('admin'), { query: '%' })).toEqual([])
    expect(await searchCodes(as('admin'), { query: 'asthma', system: 'icd11' })).toEqual([])
  })

  test('is imported in batches: again changes nothing, and what cannot be taken is reported with its line', async ({
    as,
  }) => {
    const rows = [
      { code: 'CA23', system: 'icd11', label_en: 'Asthma' },
      {
        code: 'J45.9',
        system: 'icd10',
        label_en: 'Asthma',
        label_ar: '',
        label_es: 'Asma bronquial',
      },
      { code: '', system: 'icd11', label_en: 'No code' },
      { code: 'CA24', system: 'icd12', label_en: 'No such system' },
      { code: 'CA25', system: 'icd11', label_en: ' ' },
      { code: 'CA23', system: 'icd11', label_en: 'Twice' },
    ]
    expect(await importCodes(as('admin'), { rows, firstLine: 1002 })).toMatchObject({
      added: 1,
      changed: 1,
      unchanged: 0,
      rejected: [
        { line: 1004, field: 'code', text: { key: 'problems.codeRequired' } },
        { line: 1005, field: 'system', text: { key: 'validation.option' } },
        { line: 1006, field: 'label_en', text: { key: 'problems.labelRequired' } },
        { line: 1007, field: 'code', text: { key: 'problems.codeTwice' } },
      ],
    })
    expect(await importCodes(as('admin'), { rows: rows.slice(0, 2) })).toEqual({
      added: 0,
      changed: 0,
      unchanged: 2,
      rejected: [],
    })
    // a list in one language keeps the labels of the others
    const [found] = await searchCodes(as('admin'), { query: 'J45.9', system: 'icd10' })
    expect(found?.labels).toEqual({ en: 'Asthma', ar: 'الربو', es: 'Asma bronquial' })
  })

  test('is imported by administrators alone', async ({ as, make }) => {
    const clinic = await make.clinic()
    const me = as('provider', { [clinic.id]: [...treating, 'is_clinic_admin'] })
    await expect(
      importCodes(me, { rows: [{ code: 'X', system: 'icd10', label_en: 'X' }] }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

test('the short list names dangerous problems and calls codes what they are; what was recorded stays', async ({
  as,
  make,
  db,
}) => {
  const first = async (query: string) => (await searchCodes(as('admin'), { query, limit: 1 }))[0]
  for (const [query, code] of [
    ['تشنجات الحمل', 'O15.9'],
    ['خارج الرحم', 'O00.9'],
    ['Dengue grave', 'A97.2'],
    ['anaphylactic', 'T78.2'],
  ])
    expect((await first(query!))?.code).toBe(code)
  expect(await first('Q21.9')).toMatchObject({ labels: { en: 'Septal heart defect, congenital' } })
  // a code that WHO has moved is still there for what was recorded with it, and is not offered first
  const { rows } = await sql<{ code: string }>`
    select code from problem_codes where code in ('A90', 'I84') and not is_common order by code`.execute(
    db,
  )
  expect(rows).toEqual([{ code: 'A90' }, { code: 'I84' }])
  const { patient_id } = await make.problem({
    problem_code_system: 'icd10',
    problem_code: 'I84',
    problem_label: 'Piles',
  })
  expect(await listProblems(as('admin'), { patientId: patient_id })).toMatchObject([
    {
      problem_code: 'I84',
      problem_label: 'Piles',
      labels: { en: 'Haemorrhoids (older code, now K64)' },
    },
  ])
})
