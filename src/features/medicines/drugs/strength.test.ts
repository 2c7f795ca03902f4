import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Message } from '~/shared/errors'
import type { Language } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { brokenRule, test } from '../../../../test/harness'
import { exportDrugs, importDrugs } from './catalogue-file.server'
import { newDrug } from './drug'
import { getDrug, listDrugs, saveDrug, searchDrugs } from './drugs.server'
import {
  isLabelRefused,
  readStrength,
  strength,
  type Strong,
  tidyStrengths,
} from '~/records/strength'

const sayIn = (language: Language) => (what: Sayable) =>
  sentence(language, typeof what === 'string' ? { key: what } : (what as Message))
const bare: Strong = {
  dosage_quantity: 250,
  dosage_units: 'mg',
  per_quantity: null,
  per_unit: null,
  ingredient_strengths: null,
}
const suspension = { ...bare, per_quantity: 5, per_unit: 'mL' }

describe('a strength names the volume that holds it', () => {
  test('in each language, with one shown as no number', () => {
    const insulin = {
      ...bare,
      dosage_quantity: 100,
      dosage_units: 'units',
      per_quantity: 1,
      per_unit: 'mL',
    }
    const shown = (drug: Strong) =>
      (['en', 'es', 'ar'] as const).map((language) => strength(drug, sayIn(language)))
    expect(shown(suspension)).toEqual(['250 mg/5 mL', '250 mg/5 mL', '250 ملغ/5 مل'])
    expect(shown(insulin)).toEqual(['100 units/mL', '100 unidades/mL', '100 وحدة/مل'])
    expect(shown(bare)).toEqual(['250 mg', '250 mg', '250 ملغ'])
  })

  test('a combination shows the strength of each ingredient', () => {
    const tablet = { ...bare, dosage_quantity: 625, ingredient_strengths: '500 mg + 125 mg' }
    expect(strength(tablet, sayIn('en'))).toBe('500 mg + 125 mg')
    expect(strength({ ...suspension, ingredient_strengths: '400 mg + 57 mg' }, sayIn('en'))).toBe(
      '(400 mg + 57 mg)/5 mL',
    )
  })

  test('less than 1 mg is in micrograms, and thousands are divided', () => {
    expect(strength({ ...bare, dosage_quantity: 0.25 }, sayIn('en'))).toBe('250 micrograms')
    expect(strength({ ...bare, dosage_quantity: 0.0625 }, sayIn('ar'))).toBe('62.5 ميكروغرام')
    expect(strength({ ...bare, dosage_quantity: 0.5, dosage_units: 'g' }, sayIn('en'))).toBe(
      '500 mg',
    )
    const nystatin = {
      ...bare,
      dosage_quantity: 100_000,
      dosage_units: 'units',
      per_quantity: 1,
      per_unit: 'mL',
    }
    expect(strength(nystatin, sayIn('en'))).toBe('100\u202F000 units/mL')
  })

  test('a label of insulin needs the millilitre, one of an injection some volume', () => {
    const injection = { form: 'injection', per_unit: null, ingredients: ['insulin human'] }
    expect(isLabelRefused(injection)).toBe(true)
    expect(isLabelRefused({ ...injection, per_unit: 'vial' })).toBe(true)
    expect(isLabelRefused({ ...injection, per_unit: 'mL' })).toBe(false)
    expect(isLabelRefused({ ...injection, ingredients: ['ceftriaxone'] })).toBe(true)
    expect(isLabelRefused({ ...injection, ingredients: ['ceftriaxone'], per_unit: 'vial' })).toBe(
      false,
    )
    expect(isLabelRefused({ form: 'tablet', per_unit: null, ingredients: ['metformin'] })).toBe(
      false,
    )
  })
})

describe('a strength as people write it', () => {
  test.each([
    ['250 mg/5 mL', { dosage_quantity: 250, dosage_units: 'mg', per_quantity: 5, per_unit: 'mL' }],
    ['250mg/5ml', { dosage_quantity: 250, dosage_units: 'mg', per_quantity: 5, per_unit: 'mL' }],
    [
      '100 units/mL',
      { dosage_quantity: 100, dosage_units: 'units', per_quantity: 1, per_unit: 'mL' },
    ],
    ['40 mg/mL', { dosage_quantity: 40, dosage_units: 'mg', per_quantity: 1, per_unit: 'mL' }],
    [
      '100 µg per puff',
      { dosage_quantity: 100, dosage_units: 'mcg', per_quantity: 1, per_unit: 'actuation' },
    ],
    ['٢٥٠ ملغ/٥ مل', { dosage_quantity: 250, dosage_units: 'mg', per_quantity: 5, per_unit: 'mL' }],
    ['10 mg/g', { dosage_quantity: 10, dosage_units: 'mg', per_quantity: 1, per_unit: 'g' }],
    ['500 mg', { dosage_quantity: 500, dosage_units: 'mg' }],
    ['500 mg/125 mg', { ingredient_strengths: '500 mg + 125 mg' }],
    ['500/125 mg', { ingredient_strengths: '500 mg + 125 mg' }],
    [
      '400 mg + 57 mg/5 mL',
      { ingredient_strengths: '400 mg + 57 mg', per_quantity: 5, per_unit: 'mL' },
    ],
  ])('%s', (written, read) => expect(readStrength(written)).toEqual({ ...read }))

  test.each(['1%', '500', '', 'strong', '1,000 mg', 'mg/5 mL', '5 mL + 10 mL'])(
    '%s is not guessed',
    (written) => expect(readStrength(written)).toBeNull(),
  )

  test('the strengths of a combination are kept in one way', () => {
    expect(tidyStrengths('500mg/125mg')).toBe('500 mg + 125 mg')
    expect(tidyStrengths('500 mg')).toBeNull()
    expect(tidyStrengths('400 mg + 57 mg/5 mL')).toBeNull()
  })
})

describe('the catalogue asks for the volume', () => {
  const syrup = {
    ...newDrug,
    generic_name: 'Amoxicillin',
    ingredients: ['amoxicillin'],
    form: 'syrup' as const,
    route: 'oral' as const,
    dosage_quantity: 250,
    dosage_units: 'mg' as const,
  }

  test('of a new syrup or injection; a tablet needs none', async ({ as }) => {
    const save = (drug: object) => saveDrug(as('admin'), { id: uuidv7(), ...syrup, ...drug })
    for (const form of ['syrup', 'drops', 'injection', 'ampule', 'inhaler', 'cream']) {
      await expect(save({ form })).rejects.toMatchObject({
        fields: { per_quantity: { key: 'drugs.perRequired' } },
      })
    }
    await save({ form: 'tablet' })
    const { id } = await save({ per_quantity: 5, per_unit: 'mL' })
    expect(await getDrug(as('admin'), { id })).toMatchObject({
      dosage_quantity: 250,
      per_quantity: 5,
      per_unit: 'mL',
    })
    expect(await searchDrugs(as('admin'), { searchQuery: 'amoxi' })).toContainEqual(
      expect.objectContaining({ id, per_quantity: 5, per_unit: 'mL' }),
    )
  })

  test('one that is there stays, is listed for completion, and an older program does not erase the volume', async ({
    as,
    make,
  }) => {
    const old = await make.drug({ form: 'syrup', generic_name: 'Paracetamol' })
    const whole = await make.drug({ form: 'injection', per_quantity: 1, per_unit: 'mL' })
    await make.drug({ form: 'tablet' })
    expect((await listDrugs(as('admin'), { only: 'no_volume' })).rows.map(({ id }) => id)).toEqual([
      old.id,
    ])

    const { id, last_modified } = await getDrug(as('admin'), { id: old.id })
    await saveDrug(as('admin'), { ...syrup, id, last_modified })
    const read = await getDrug(as('admin'), { id: whole.id })
    await saveDrug(as('admin'), { ...syrup, id: whole.id, last_modified: read.last_modified })
    expect(await getDrug(as('admin'), { id: whole.id })).toMatchObject({
      per_quantity: 1,
      per_unit: 'mL',
    })
  })

  test('each half of it at its field, and one strength for each ingredient', async ({
    as,
    db,
    make,
  }) => {
    const save = (drug: object) => saveDrug(as('admin'), { id: uuidv7(), ...syrup, ...drug })
    await expect(save({ per_quantity: 5 })).rejects.toMatchObject({
      fields: { per_unit: { key: 'validation.required' } },
    })
    await expect(save({ per_unit: 'mL' })).rejects.toMatchObject({
      fields: { per_quantity: { key: 'validation.required' } },
    })
    const per = { per_quantity: 5, per_unit: 'mL' }
    await expect(save({ ...per, ingredient_strengths: '400 and 57' })).rejects.toMatchObject({
      fields: { ingredient_strengths: { key: 'drugs.ingredientStrengthsWrong' } },
    })
    await expect(save({ ...per, ingredient_strengths: '400 mg/57 mg' })).rejects.toMatchObject({
      fields: { ingredient_strengths: { key: 'drugs.ingredientStrengthsCount' } },
    })
    const both = {
      ...per,
      ingredients: ['amoxicillin', 'clavulanic acid'],
      ingredient_strengths: '400 mg/57 mg',
    }
    const { id } = await save(both)
    expect(await getDrug(as('admin'), { id })).toMatchObject({
      ingredient_strengths: '400 mg + 57 mg',
    })
    const { id: plain } = await make.drug()
    expect(
      await brokenRule(
        db,
        db.updateTable('drug_catalogue').set({ per_quantity: 5 }).where('id', '=', plain),
      ),
    ).toBe('drug_catalogue_per_check')
  })

  test('a file completes what has none, and its own export comes back as it was', async ({
    as,
    make,
  }) => {
    const old = await make.drug({
      form: 'syrup',
      generic_name: 'Amoxicillin',
      brand_name: null,
      dosage_quantity: 250,
    })
    const row = {
      generic_name: 'Amoxicillin',
      form: 'syrup',
      route: 'oral',
      dosage_quantity: '250 mg/5 mL',
    }
    expect(await importDrugs(as('admin'), { rows: [row] })).toMatchObject({
      added: 0,
      changed: 1,
      rejected: [],
    })
    expect(await getDrug(as('admin'), { id: old.id })).toMatchObject({
      per_quantity: 5,
      per_unit: 'mL',
    })
    // another concentration is another medicine
    expect(
      await importDrugs(as('admin'), { rows: [{ ...row, dosage_quantity: '250 mg/mL' }] }),
    ).toMatchObject({
      added: 1,
    })
    const { columns, rows: lines } = await exportDrugs(as('admin'), {})
    const back = lines.map((line) =>
      Object.fromEntries(columns.map((name, at) => [name, line[at]!])),
    )
    expect(await importDrugs(as('admin'), { rows: back })).toMatchObject({
      added: 0,
      changed: 0,
      unchanged: 2,
    })
    const percent = { ...row, form: 'cream', dosage_quantity: '1%' }
    expect(await importDrugs(as('admin'), { rows: [percent] })).toMatchObject({
      added: 0,
      rejected: [{ field: 'dosage_quantity' }, { field: 'dosage_units' }],
    })
  })
})
