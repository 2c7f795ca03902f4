import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { strength } from '~/records/strength'
import type { Message } from '~/shared/errors'
import type { Language } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import { listTrash, restoreDeletion } from '~/features/office/trash/trash.server'
import { exportDrugs, importDrugs } from './catalogue-file.server'
import { drugName, drugTitle, newDrug } from './drug'
import {
  deleteDrug,
  getDrug,
  getDrugStats,
  listDrugs,
  saveDrug,
  scanDrug,
  searchDrugs,
  setDrugActive,
} from './drugs.server'

const id = uuidv7()
const amoxicillin = {
  ...newDrug,
  generic_name: 'Amoxicillin',
  ingredients: ['Amoxicillin'],
  form: 'capsule' as const,
  route: 'oral' as const,
  dosage_quantity: 500,
  dosage_units: 'mg' as const,
}

describe('the catalogue', () => {
  test('an administrator adds a medicine; everyone who works in a clinic sees it', async ({
    as,
    make,
  }) => {
    await saveDrug(as('admin'), {
      id,
      ...amoxicillin,
      brand_name: ' Amoxil ',
      barcode: '(01)09504000059101(10)A7',
    })
    const clinic = await make.clinic()

    expect(
      await getDrug(as('registrar', { [clinic.id]: ['can_register_patients'] }), { id }),
    ).toMatchObject({
      brand_name: 'Amoxil',
      ingredients: ['amoxicillin'],
      barcode: '09504000059101',
      dosage_quantity: 500,
      sale_price: null,
    })
    await expect(getDrug(as('registrar'), { id })).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('other users cannot add, change, import or delete', async ({ as, make }) => {
    const clinic = await make.clinic()
    const drug = await make.drug()
    const clinicAdmin = as('provider', {
      [clinic.id]: ['is_clinic_admin', 'can_dispense_medications'],
    })

    for (const attempt of [
      () => saveDrug(clinicAdmin, { id, ...amoxicillin }),
      () => setDrugActive(clinicAdmin, { id: drug.id, is_active: false }),
      () => deleteDrug(clinicAdmin, { id: drug.id }),
      () => importDrugs(clinicAdmin, { rows: [{ generic_name: 'X' }] }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' })
    }
  })

  test.for([
    ['generic_name', '', 'drugs.genericNameRequired'],
    ['form', 'pill', 'validation.option'],
    ['route', undefined, 'validation.required'],
    ['dosage_units', 'IU', 'validation.option'],
    ['dosage_quantity', 0, 'validation.tooSmall'],
    ['dosage_quantity', 'much', 'validation.wrongType'],
    ['sale_price', -1, 'validation.tooSmall'],
    ['sale_currency', 'J0D', 'drugs.currencyCode'],
    ['max_stock_level', -5, 'validation.tooSmall'],
    ['is_controlled', 'no', 'validation.wrongType'],
  ] as const)('%s %j is refused beside its field', async ([field, value, key], { as }) => {
    await expect(
      saveDrug(as('admin'), { id, ...amoxicillin, [field]: value }),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: { [field]: { key } },
    })
  })

  test('a maximum below the minimum is refused, by the form and by the database', async ({
    as,
    db,
    make,
  }) => {
    const levels = { min_stock_level: 10, max_stock_level: 9 }
    await expect(saveDrug(as('admin'), { id, ...amoxicillin, ...levels })).rejects.toMatchObject({
      fields: { max_stock_level: { key: 'drugs.maxBelowMin' } },
    })
    const drug = await make.drug()
    const update = db.updateTable('drug_catalogue').set(levels).where('id', '=', drug.id)
    expect(await brokenRule(db, update)).toBe('drug_catalogue_max_stock_level_check')
  })

  test('a barcode belongs to one medicine, with or without the zeros that GS1 puts in front', async ({
    as,
    make,
  }) => {
    await make.drug({ barcode: '9504000059101' })

    await expect(
      saveDrug(as('admin'), { id, ...amoxicillin, barcode: '09504000059101' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      fields: { barcode: { key: 'drugs.barcodeTaken' } },
    })
  })

  test('a stale save is refused, and the trail says who changed what', async ({
    as,
    asUser,
    make,
    db,
  }) => {
    const { last_modified } = await saveDrug(as('admin'), { id, ...amoxicillin })
    const amal = await make.user({ role: 'admin', name: 'Amal' })
    await saveDrug(asUser(amal), { id, last_modified, ...amoxicillin, dosage_quantity: 250 })

    await expect(
      saveDrug(as('admin'), { id, last_modified, ...amoxicillin }),
    ).rejects.toMatchObject({
      text: { key: 'errors.stale', values: { who: 'Amal' } },
      fields: { dosage_quantity: { values: { value: '250' } } },
    })
    expect((await auditOf(db, id)).at(-1)?.changes).toEqual({ dosage_quantity: [500, 250] })
  })

  test('what has stock is not deleted; what has none goes to the trash and comes back', async ({
    as,
    make,
  }) => {
    const stocked = await make.stock((await make.clinic()).id, 5)
    await expect(deleteDrug(as('admin'), { id: stocked.drug_id })).rejects.toMatchObject({
      text: { key: 'drugs.hasStock' },
    })

    const drug = await make.drug({ generic_name: 'Zinc', brand_name: 'Zincol' })
    const { deletionId } = await deleteDrug(as('admin'), { id: drug.id })
    await expect(getDrug(as('admin'), { id: drug.id })).rejects.toMatchObject({ code: 'not_found' })
    expect((await listTrash(as('admin'), {})).rows).toMatchObject([{ label: 'Zinc (Zincol)' }])
    await restoreDeletion(as('admin'), { id: deletionId })
    expect(await getDrug(as('admin'), { id: drug.id })).toMatchObject({ generic_name: 'Zinc' })
  })

  test('the numbers on top count what is there', async ({ as, make }) => {
    await make.drug({ is_controlled: true })
    await make.drug({ requires_refrigeration: true, is_active: false })
    await make.drug({ ingredients: [] })
    await make.drug({ is_deleted: true })

    expect(await getDrugStats(as('admin'), null)).toEqual({
      total: 3,
      active: 2,
      controlled: 1,
      refrigerated: 1,
      unnamed: 1,
    })
  })
})

describe('finding a medicine', () => {
  test.for([
    ['amox', 'Amoxicillin'],
    ['amoxicilin', 'Amoxicillin'],
    ['AMOXIL 500mg', 'Amoxicillin'],
    ['paracetmol', 'Paracetamol'],
    ['clavulan', 'Co-amoxiclav'],
    ['4006381333931', 'Paracetamol'],
    ['(01)04006381333931(17)291231', 'Paracetamol'],
    ['100%', null],
  ] as const)('%s finds %s', async ([searchQuery, found], { as, make }) => {
    await make.drug({ generic_name: 'Amoxicillin', brand_name: 'Amoxil' })
    await make.drug({
      generic_name: 'Paracetamol',
      ingredients: ['paracetamol'],
      barcode: '4006381333931',
    })
    await make.drug({
      generic_name: 'Co-amoxiclav',
      ingredients: ['amoxicillin', 'clavulanic acid'],
    })
    await make.drug({ generic_name: 'Furosemide', ingredients: ['furosemide'] })

    const rows = await searchDrugs(as('admin'), { searchQuery })
    expect(rows[0]?.generic_name ?? null).toBe(found)
  })

  test('what is not in use is listed but not offered', async ({ as, make }) => {
    const drug = await make.drug({ generic_name: 'Ranitidine' })
    await setDrugActive(as('admin'), { id: drug.id, is_active: false })

    expect(await searchDrugs(as('admin'), { searchQuery: 'ranitidine' })).toEqual([])
    expect(await listDrugs(as('admin'), { search: 'ranitidine', only: 'inactive' })).toMatchObject({
      rows: [{ is_active: false }],
      pagination: { total: 1 },
    })
  })

  test('the catalogue comes in pages of 100, in the order of names', async ({ as, make }) => {
    for (const name of ['Zinc', 'aspirin', 'Éosine']) await make.drug({ generic_name: name })

    expect(await listDrugs(as('admin'), { limit: 2, offset: 2 })).toMatchObject({
      rows: [{ generic_name: 'Zinc' }],
      pagination: { page: 2, pageSize: 2, total: 3 },
    })
    expect((await listDrugs(as('admin'), {})).pagination.pageSize).toBe(100)
  })

  test('a scanned package says batch and expiry, whether it is known or not', async ({
    as,
    make,
  }) => {
    const code = ']d201040063813339311729123110L7'
    expect(await scanDrug(as('admin'), { code })).toEqual({
      barcode: '04006381333931',
      batch: 'L7',
      expiry: '2029-12-31',
      drug: null,
    })
    const drug = await make.drug({ barcode: '4006381333931' })
    expect(await scanDrug(as('admin'), { code })).toMatchObject({ drug: { id: drug.id } })
  })
})

describe('a catalogue from a file', () => {
  const rows: Record<string, string>[] = [
    {
      'Generic name': 'Metformin',
      form: 'Tablet',
      route: 'oral',
      dosage_quantity: '500',
      dosage_units: 'mg',
      ingredients: 'Metformin',
    },
    {
      'Generic name': 'Insulin',
      form: 'injection',
      route: 'subcutaneous',
      dosage_quantity: '١٠',
      dosage_units: 'ml',
      requires_refrigeration: 'yes',
    },
    {
      'Generic name': 'Mystery',
      form: 'pill',
      route: 'oral',
      dosage_quantity: 'x',
      dosage_units: 'mg',
    },
  ]

  test('a line with unreadable text or a shortened barcode is refused beside its column', async ({
    as,
    db,
  }) => {
    const line = { form: 'tablet', route: 'oral', dosage_quantity: '500', dosage_units: 'mg' }
    const result = await importDrugs(as('admin'), {
      rows: [
        { ...line, generic_name: '\uFFFD\uFFFD\uFFFD\uFFFD' },
        { ...line, generic_name: 'Metamizol', notes: 'para niÃ±os' },
        { ...line, generic_name: 'ÈÇÑÇÓíÊÇãæá' },
        { ...line, 'generic name': 'Ibuprofen', Barcode: '9.5E+12' },
        { ...line, generic_name: 'Aspirin', barcode: '9504000059101.0' },
        { ...line, generic_name: 'Ácido fólico', notes: 'لا تتوفر', min_stock_level: '0' },
      ],
    })
    expect(result.added).toBe(1)
    expect(result.rejected.map(({ line: at, field, text }) => [at, field, text.key])).toEqual([
      [2, 'generic_name', 'imports.reasons.garbled'],
      [3, 'notes', 'imports.reasons.garbled'],
      [4, 'generic_name', 'imports.reasons.garbled'],
      [5, 'barcode', 'imports.reasons.shortened'],
      [6, 'barcode', 'imports.reasons.shortened'],
    ])
    expect(await db.selectFrom('drug_catalogue').select('generic_name').execute()).toEqual([
      { generic_name: 'Ácido fólico' },
    ])
  })

  test('a dry run tells, the import does, and the same file again changes nothing', async ({
    as,
    db,
  }) => {
    const count = () => db.selectFrom('drug_catalogue').select('id').execute()
    const preview = await importDrugs(as('admin'), { rows, dryRun: true })
    expect(preview).toEqual({
      added: 2,
      changed: 0,
      unchanged: 0,
      rejected: [
        { line: 4, field: 'form', text: { key: 'validation.option' } },
        { line: 4, field: 'dosage_quantity', text: { key: 'validation.wrongType' } },
      ],
    })
    expect(await count()).toHaveLength(0)
    expect(await importDrugs(as('admin'), { rows })).toEqual(preview)
    expect(await importDrugs(as('admin'), { rows })).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 2,
    })
    expect((await listDrugs(as('admin'), {})).rows).toMatchObject([
      {
        generic_name: 'Insulin',
        dosage_units: 'mL',
        dosage_quantity: 10,
        requires_refrigeration: true,
      },
      { generic_name: 'Metformin', ingredients: ['metformin'], form: 'tablet' },
    ])
  })

  test('a strength such as 100,000 or 1.000 is rejected with its line, never read as 100 or 1', async ({
    as,
    db,
  }) => {
    const nystatin = {
      generic_name: 'Nystatin',
      form: 'tablet',
      route: 'oral',
      dosage_units: 'units',
    }
    const preview = await importDrugs(as('admin'), {
      rows: [
        { ...nystatin, dosage_quantity: '100,000' },
        { ...nystatin, dosage_quantity: '1.000' },
        { ...nystatin, dosage_quantity: '100000' },
      ],
    })
    const text = { key: 'validation.ambiguousNumber' }
    expect(preview).toMatchObject({
      added: 1,
      rejected: [
        { line: 2, field: 'dosage_quantity', text },
        { line: 3, field: 'dosage_quantity', text },
      ],
    })
    expect(await db.selectFrom('drug_catalogue').select('dosage_quantity').execute()).toEqual([
      { dosage_quantity: 100_000 },
    ])
  })

  test('columns that a file lacks keep their values; a medicine or barcode that comes twice is refused', async ({
    as,
    make,
  }) => {
    const drug = await make.drug({ generic_name: 'Zinc', min_stock_level: 50, barcode: '96385074' })
    const again = { barcode: '00096385074', brand_name: 'Zincol' }

    expect(
      await importDrugs(as('admin'), {
        rows: [again, again, { ...rows[0]!, barcode: '96385074' }],
      }),
    ).toMatchObject({
      changed: 1,
      rejected: [
        { line: 3, text: { key: 'drugs.twiceInFile' } },
        { line: 4, text: { key: 'drugs.twiceInFile' } },
      ],
    })
    expect(await getDrug(as('admin'), { id: drug.id })).toMatchObject({
      brand_name: 'Zincol',
      min_stock_level: 50,
    })
  })

  test('an export comes back as it was', async ({ as, make }) => {
    await make.drug({
      generic_name: 'Co-amoxiclav, "strong"',
      ingredients: ['amoxicillin', 'clavulanic acid'],
      sale_price: 1.125,
      sale_currency: 'JOD',
    })
    await make.drug({ notes: '=1+1', is_controlled: true, dosage_quantity: 0.5 })
    const { columns, rows: lines } = await exportDrugs(as('admin'), {})
    const back = lines.map((line) =>
      Object.fromEntries(columns.map((name, at) => [name, line[at]!])),
    )

    expect(await importDrugs(as('admin'), { rows: back })).toEqual({
      added: 0,
      changed: 0,
      unchanged: 2,
      rejected: [],
    })
  })

  test('a file is given only to users who may download', async ({ as, make }) => {
    const clinic = await make.clinic()
    await expect(
      exportDrugs(as('registrar', { [clinic.id]: ['can_register_patients'] }), {}),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

test('a medicine is called by both names where they differ', () => {
  expect(drugName({ generic_name: 'Amoxicillin', brand_name: 'Amoxil' })).toBe(
    'Amoxicillin (Amoxil)',
  )
  expect(drugName({ generic_name: 'Zinc', brand_name: null })).toBe('Zinc')
})

const noVolume = { per_quantity: null, per_unit: null, ingredient_strengths: null }

test('name and strength do not mix where letters run the other way', () => {
  const amoxicillin = {
    generic_name: 'Amoxicillin',
    brand_name: null,
    dosage_quantity: 500,
    dosage_units: 'mg',
    ...noVolume,
  }
  const say = () => 'ملغ'
  expect(drugTitle(amoxicillin, say)).toBe('\u2068Amoxicillin\u2069 \u2068500\u00A0ملغ\u2069')
  expect(drugTitle({ ...amoxicillin, dosage_quantity: null }, say)).toBe('\u2068Amoxicillin\u2069')
})

test('micrograms are spelled out in every language: mcg and mg differ by a letter, the doses by a thousand', () => {
  const levothyroxine = { dosage_quantity: 50, dosage_units: 'mcg', ...noVolume }
  const shown = (language: Language) =>
    strength(levothyroxine, (what) =>
      sentence(language, typeof what === 'string' ? { key: what } : (what as Message)),
    )
  expect((['en', 'es', 'ar'] as const).map(shown)).toEqual([
    '50 micrograms',
    '50 microgramos',
    '50 ميكروغرام',
  ])
})

test('medicines whose ingredients the safety checks do not know are listed for correction', async ({
  as,
  make,
}) => {
  await make.drug({ generic_name: 'Amoxicillin', ingredients: ['amoxicillin (as trihydrate)'] })
  const odd = await make.drug({ generic_name: 'Kufnol', ingredients: ['paracetamol', 'kufnol'] })
  await make.drug({ generic_name: 'Nothing named', ingredients: [] })
  const { rows, pagination } = await listDrugs(as('admin'), { only: 'unknown' })
  expect(rows.map(({ id }) => id)).toEqual([odd.id])
  expect(pagination.total).toBe(1)
})
