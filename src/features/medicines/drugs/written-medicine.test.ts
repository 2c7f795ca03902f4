import { isSameStrength, readStrength } from '~/records/strength'
import { describe, expect, test } from 'vitest'
import { formIn, partsOfName, readWrittenMedicine, routeIn } from './written-medicine.server'

describe('options as people write them', () => {
  test.each([
    ['Tablets', 'tablet'],
    ['TAB', 'tablet'],
    ['Film coated tablet', 'tablet'],
    ['Comprimido', 'tablet'],
    ['Comprimidos recubiertos', 'tablet'],
    ['أقراص', 'tablet'],
    ['Capsule, hard', 'capsule'],
    ['Oral suspension', 'syrup'],
    ['Powder for injection', 'injection'],
    ['Inyectable', 'injection'],
    ['Ampoules', 'ampule'],
    ['شراب', 'syrup'],
    ['Eye drops', 'drops'],
    ['ORAL LIQUID ORDINARY SYRUPS', 'syrup'],
    ['Topical creams', 'cream'],
    ['Suppositories', 'suppository'],
  ])('the form %s is %s', (text, form) => expect(formIn(text)).toBe(form))
  test.each(['Gauze', 'Tablet or capsule', 'Pulvis', '', 'Ointment'])(
    'the text "%s" is no certain form',
    (text) => expect(formIn(text)).toBeUndefined(),
  )
  test.each([
    ['IV', 'intravenous'],
    ['I.M.', 'intramuscular'],
    ['Oral use', 'oral'],
    ['PO', 'oral'],
    ['Vía oral', 'oral'],
    ['في الوريد', 'intravenous'],
    ['subcut', 'subcutaneous'],
  ])('the route %s is %s', (text, route) => expect(routeIn(text)).toBe(route))
  test.each(['IV/IM', 'by the book', ''])('the text "%s" is no certain route', (text) =>
    expect(routeIn(text)).toBeUndefined(),
  )
  test.each([
    ['MG', 'mg'],
    ['gm', 'g'],
    ['µg', 'mcg'],
    ['IU', 'units'],
    ['ملغ', 'mg'],
  ])('the unit %s is %s', (dosage_units, unit) =>
    expect(
      readWrittenMedicine({ generic_name: 'X', dosage_quantity: '5', dosage_units }, {}).given,
    ).toMatchObject({ dosage_quantity: 5, dosage_units: unit }),
  )
})

test.each([
  ['Amoxicillin 500mg capsules', 'Amoxicillin', '500mg', 'capsule'],
  ['Tab. Paracetamol 500 mg', 'Paracetamol', '500 mg', 'tablet'],
  ['Ibuprofeno 400 mg comprimidos', 'Ibuprofeno', '400 mg', 'tablet'],
  ['Amoxicillin 250 mg/5 ml oral suspension', 'Amoxicillin', '250 mg/5 ml', 'syrup'],
  ['Co-trimoxazole 400mg+80mg tab', 'Co-trimoxazole', '400mg+80mg', 'tablet'],
  ['باراسيتامول 500 ملغ أقراص', 'باراسيتامول', '500 ملغ', 'tablet'],
  ['Vitamin B12', 'Vitamin B12', null, undefined],
  ['500 mg', '500 mg', null, undefined],
])('the text %s is taken apart', (text, name, strength, form) => {
  expect(partsOfName(text)).toEqual({ name, strength, form, rest: '' })
})

test('a word after the strength is kept, and a liquid by 5 mL is taken by mouth', () => {
  expect(readWrittenMedicine({ generic_name: 'Amoxicillin 250mg/5ml susp' }, {})).toMatchObject({
    given: { generic_name: 'Amoxicillin', dosage_quantity: 250, per_quantity: 5, per_unit: 'mL' },
    assumed: { form: 'syrup', route: 'oral', ingredients: ['amoxicillin'] },
  })
  expect(readWrittenMedicine({ generic_name: 'Depo 150mg/ml suspension' }, {})).toMatchObject({
    given: { generic_name: 'Depo suspension' },
    assumed: { form: 'other', route: 'other' },
  })
})

test('strength and form come from columns of their own, or from the name', () => {
  expect(
    readWrittenMedicine(
      { generic_name: 'Amoxicillin', strength: '250mg/5ml', form: 'Susp. oral' },
      {},
    ).given,
  ).toMatchObject({
    generic_name: 'Amoxicillin',
    dosage_quantity: 250,
    dosage_units: 'mg',
    per_quantity: 5,
    per_unit: 'mL',
  })
  expect(readWrittenMedicine({ generic_name: 'Paracetamol 500 mg tablets' }, {})).toMatchObject({
    given: { generic_name: 'Paracetamol', dosage_quantity: 500, dosage_units: 'mg' },
    assumed: { form: 'tablet', route: 'oral', ingredients: ['paracetamol'] },
  })
  expect(
    readWrittenMedicine({ generic_name: 'Hydrocortisone', strength: '1%', form: 'Cream' }, {})
      .given,
  ).toMatchObject({ dosage_quantity: 10, dosage_units: 'mg', per_quantity: 1, per_unit: 'g' })
  expect(
    readWrittenMedicine(
      { generic_name: 'Amoxicillin + clavulanic acid', strength: '500 mg + 125 mg', form: 'Tab' },
      {},
    ),
  ).toMatchObject({
    given: { ingredient_strengths: '500 mg + 125 mg' },
    assumed: { ingredients: ['amoxicillin', 'clavulanic acid'] },
  })
})

test.each([
  ['1mg per tablet', { dosage_quantity: 1, dosage_units: 'mg' }],
  ['each tablet contains: 250 mg of abiraterone', { dosage_quantity: 250, dosage_units: 'mg' }],
  ['1gm', { dosage_quantity: 1, dosage_units: 'g' }],
  ['5 I.U.', { dosage_quantity: 5, dosage_units: 'units' }],
])('the strength %s is read', (strength, read) => {
  expect(readWrittenMedicine({ generic_name: 'X', strength }, {}).given).toMatchObject(read)
})

test('a sentence with two numbers is no strength', () => {
  const { given } = readWrittenMedicine(
    { generic_name: 'X', strength: 'each 5 ml contains 250 mg' },
    {},
  )
  expect(given).toMatchObject({ generic_name: 'X each 5 ml contains 250 mg' })
  expect(given).not.toHaveProperty('dosage_quantity')
})

describe('a strength in two cells', () => {
  const headings = { strength: 'Strength', dosage_quantity: 'Value', dosage_units: 'Units' }
  const readRow = (cells: object) =>
    readWrittenMedicine({ generic_name: 'Xyl', ...cells }, headings)

  test('the written one says more than a number beside it', () => {
    const syrup = readRow({ strength: '250 mg/5 mL', dosage_quantity: '250', dosage_units: 'mg' })
    expect(syrup.given).toMatchObject({ dosage_quantity: 250, per_quantity: 5, per_unit: 'mL' })
    const both = { strength: '500 mg + 125 mg', dosage_quantity: '500', dosage_units: 'mg' }
    expect(readRow({ ...both, generic_name: 'Amoxicillin + clavulanic acid' }).given).toMatchObject(
      { ingredient_strengths: '500 mg + 125 mg' },
    )
    const bare = readRow({ strength: '500mg', dosage_quantity: '500' })
    expect(bare.given).toMatchObject({ generic_name: 'Xyl', dosage_quantity: 500 })
    for (const { given } of [syrup, bare]) expect(given).not.toHaveProperty('notes')
  })

  test.each([
    // the cell whose text was kept is named
    [
      { strength: 'see box', dosage_quantity: '5', dosage_units: 'mg' },
      { generic_name: 'Xyl see box', dosage_quantity: 5 },
      [{ value: 'see box', column: 'Strength' }],
    ],
    [
      { dosage_quantity: '500', dosage_units: 'tabs' },
      { generic_name: 'Xyl 500 tabs' },
      [{ value: '500', column: 'Value' }],
    ],
    [
      { generic_name: 'Xyl 20 mg', dosage_quantity: '500', dosage_units: 'tabs' },
      { generic_name: 'Xyl 20 mg', dosage_quantity: 20, notes: 'Value: 500; Units: tabs' },
      [],
    ],
    [{ dosage_quantity: '5', dosage_units: 'mg/mL' }, { dosage_quantity: 5, per_unit: 'mL' }, []],
    [
      { strength: '20 mg', dosage_quantity: '2', dosage_units: 'mg' },
      { dosage_quantity: 20, notes: 'Value: 2' },
      [],
    ],
    [{ strength: '0', dosage_units: 'mg' }, { generic_name: 'Xyl' }, []],
    // a number without a unit is no strength beside one in the name
    [
      { generic_name: 'Xyl 20 mg', dosage_quantity: '500' },
      { dosage_quantity: 20, dosage_units: 'mg', notes: 'Value: 500' },
      [],
    ],
  ])('nothing of %o is lost', (cells, given, kept) => {
    const read = readRow(cells)
    expect(read.given).toMatchObject(given)
    const notes = read.notes.filter(({ key }) => key === 'imports.reasons.strengthKept')
    expect(notes.map(({ values }) => values)).toEqual(kept)
  })
})

test('strengths that contradict each other are said, and equal ones leave nothing', () => {
  const headings = { generic_name: 'Name', dosage_quantity: 'Value' }
  const readRow = (cells: object) =>
    readWrittenMedicine({ generic_name: 'Xyl', ...cells }, headings)
  const differing = (cells: object) =>
    readRow(cells).notes.flatMap(({ key, values }) =>
      key === 'imports.reasons.strengthDiffers' ? [values] : [],
    )
  const ofCells = { dosage_quantity: '500', dosage_units: 'mg' }
  expect(differing({ strength: '20 mg', ...ofCells })).toEqual([
    { value: '500 mg', column: 'Value', used: '20 mg' },
  ])
  expect(differing({ generic_name: 'Xyl 20 mg', ...ofCells })).toEqual([
    { value: '20 mg', column: 'Name', used: '500 mg' },
  ])
  for (const strength of ['0.5 g', '500 mg', '500 mg/5 mL', '500 mg + 125 mg']) {
    expect([strength, differing({ strength, ...ofCells })]).toEqual([strength, []])
    expect(readRow({ strength, ...ofCells }).given).not.toHaveProperty('notes')
  }
})

test('two strengths are one in any order of their parts, and of one kind of volume alone', () => {
  const isSame = (a: string, b: string) => isSameStrength(readStrength(a)!, readStrength(b)!)
  expect(isSame('400 mg/80 mg', '80 mg/400 mg')).toBe(true)
  expect(isSame('50 mg/mL', '250 mg/5 mL')).toBe(true)
  expect(isSame('5 mg/mL', '5 mg/g')).toBe(false)
  expect(isSame('10000 units + 500 units', '10500 mg')).toBe(false)
})

test('an unknown form, route or strength is kept and asserts nothing', () => {
  const read = readWrittenMedicine(
    { generic_name: 'Ethanol', strength: '70 %', form: 'Liquid', route: 'by the book' },
    { form: 'Form', route: 'Route', strength: 'Strength' },
  )
  expect(read).toMatchObject({
    given: { generic_name: 'Ethanol 70 %', notes: 'Form: Liquid; Route: by the book' },
    assumed: { form: 'other', route: 'other', dosage_quantity: null },
    notes: [
      { key: 'imports.reasons.formUnknown', values: { value: 'Liquid', column: 'Form' } },
      { key: 'imports.reasons.strengthKept', values: { value: '70 %', column: 'Strength' } },
      { key: 'imports.reasons.routeUnknown', values: { value: 'by the book', column: 'Route' } },
    ],
  })
  expect(read.given).not.toHaveProperty('dosage_quantity')
})
