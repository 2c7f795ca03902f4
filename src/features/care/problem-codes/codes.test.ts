import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { listProblems } from '~/features/care/problems/problems.server'
import { test } from '../../../../test/harness'
import { importCodes, searchCodes } from './codes.server'

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

  test('begins with what the clinic records most often', async ({ as, make }) => {
    const clinic = await make.clinic()
    const [here, elsewhere] = [as('admin', {}, { clinicId: clinic.id }), as('admin')]
    const patient = await make.patient()
    const before = await searchCodes(here, { query: 'diabetes' })
    const rare = before.at(-1)!
    for (let times = 0; times < 2; times += 1)
      await make.problem({
        patient_id: patient.id,
        recorded_clinic_id: clinic.id,
        problem_code_system: rare.system,
        problem_code: rare.code,
        problem_label: 'Diabetes',
      })
    expect((await searchCodes(here, { query: 'diabetes' }))[0]).toEqual(rare)
    expect(await searchCodes(elsewhere, { query: 'diabetes' })).toEqual(before)
  })

  test('takes no code that a spreadsheet shortened, and no label that is unreadable', async ({
    as,
    db,
  }) => {
    const rows = [
      { code: '1.00E+50', system: 'icd11', label_en: 'Hepatitis A' },
      { code: '44054006.0', system: 'snomed', label_en: 'Diabetes' },
      { code: '1E50', system: 'icd11', label_es: 'Hepatitis aguda en niÃ±os' },
      { code: '1E51', system: 'icd11', label_ar: 'التهاب \uFFFD\uFFFD' },
      { code: '1E52', system: 'icd11', label_en: 'Hepatitis C' },
    ]
    const { rejected, added } = await importCodes(as('admin'), { rows })
    expect(added).toBe(1)
    expect(rejected.map(({ line, field, text }) => [line, field, text.key])).toEqual([
      [2, 'code', 'imports.reasons.shortened'],
      [3, 'code', 'imports.reasons.shortened'],
      [4, 'label_es', 'imports.reasons.garbled'],
      [5, 'label_ar', 'imports.reasons.garbled'],
    ])
    const stored = db.selectFrom('problem_codes').select('code').where('system', '=', 'icd11')
    expect(await stored.where('code', 'like', '1%').execute()).toEqual([{ code: '1E52' }])
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
    const me = as('provider', { [clinic.id]: ['can_view_history', 'is_clinic_admin'] })
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
