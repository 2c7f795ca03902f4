import { describe, expect, test } from 'vitest'
import { compareDoses } from '~/features/medicines/safety/rules/doses'
import type { CheckedPatient } from '~/features/medicines/safety/rules/rule'
import { AMOUNT_UNITS, type Dose, type Dosed, computeDosing, unitsFor } from '../writing/dose'
import { toWrittenDose } from './written-dose.server'

type Drug = Dosed & { route: string | null }
const tablet = (dosage_quantity: number, dosage_units: string, form = 'tablet'): Drug => ({
  form,
  route: 'oral',
  // on no list of doses: these rules need none
  ingredients: ['piracetam'],
  dosage_quantity,
  dosage_units,
  per_quantity: null,
  per_unit: null,
  ingredient_strengths: null,
})
const injection: Drug = {
  ...tablet(40, 'mg'),
  form: 'injection',
  route: 'intravenous',
  per_quantity: 1,
  per_unit: 'mL',
}
const insulin: Drug = {
  ...injection,
  route: 'subcutaneous',
  ingredients: ['insulin human'],
  dosage_quantity: 100,
  dosage_units: 'units',
}
const ampoule: Drug = { ...injection, form: 'ampule', dosage_quantity: 10, route: 'intramuscular' }
const vial: Drug = { ...injection, dosage_quantity: 1, dosage_units: 'g', per_unit: 'vial' }

const dose = (amount: number, unit: Dose['unit'], more: Partial<Dose> = {}): Dose => ({
  amount,
  unit,
  often: { kind: 'times', n: 1 },
  days: null,
  as_needed: false,
  max_per_day: null,
  route: null,
  food: null,
  ...more,
})
const often = (n: number, unit: Dose['unit'] = 'tablet') =>
  dose(1, unit, { often: { kind: 'times', n } })
const adult: CheckedPatient = {
  birth: { day: '1980-02-01', precision: 'day' },
  sex: 'female',
  today: '2026-11-30',
  weight: { kg: 68, at: new Date('2026-11-30T09:00:00Z') },
  pregnancy: { state: 'not_pregnant', weeks: null, at: null },
  kidneys: null,
  problems: [],
}
const asked = (drug: Drug, of: Dose) =>
  compareDoses(
    [
      {
        drugId: 'a',
        name: 'A',
        ingredients: drug.ingredients,
        route: drug.route,
        written: toWrittenDose(of, drug),
        dosing: computeDosing(of, drug),
      },
    ],
    adult,
  ).flatMap(({ warnings }) => warnings.map(({ rule, level }) => `${rule} ${level}`))

describe('a dose that nobody takes at once asks, without any list', () => {
  test.for([
    [tablet(500, 'mg'), dose(8, 'tablet'), []],
    [tablet(500, 'mg'), dose(9, 'tablet'), ['many_pieces avoid']],
    // a list has the highest dose of paracetamol, and says more of ten tablets than a count
    [{ ...tablet(50, 'mg'), ingredients: ['paracetamol'] }, dose(10, 'tablet'), []],
    [
      { ...tablet(50, 'mg'), ingredients: ['paracetamol'] },
      dose(11, 'tablet'),
      ['many_pieces avoid'],
    ],
    [ampoule, dose(8, 'mL'), []],
    [ampoule, dose(90, 'mg'), ['many_contents avoid']],
    // a syringe of 40 mg/0.4 mL: ten of them at once
    [{ ...injection, per_quantity: 0.4 }, dose(80, 'mg'), []],
    [{ ...injection, per_quantity: 0.4 }, dose(400, 'mg'), ['many_contents avoid']],
    [tablet(500, 'mg'), often(6), []],
    [tablet(500, 'mg'), often(7), ['many_times avoid']],
    // a dose works for about four hours
    [{ ...tablet(60, 'mg'), ingredients: ['pyridostigmine'] }, often(8), []],
    [{ ...tablet(5, 'mg', 'syrup'), per_quantity: 5, per_unit: 'mL' }, often(8, 'mL'), []],
    [{ ...tablet(500, 'mg'), route: 'intravenous' }, dose(1, 'tablet'), ['other_route avoid']],
    [tablet(500, 'mg'), dose(1, 'tablet', { route: 'rectal' }), []],
    [tablet(125, 'mg', 'suppository'), dose(1, 'suppository'), ['other_route avoid']],
    [tablet(500, 'mg', 'capsule'), dose(6000, 'mg'), ['many_pieces avoid']],
    [tablet(500, 'mg', 'capsule'), dose(120, 'capsule'), ['many_pieces must_not']],
    [injection, dose(10, 'mL'), []],
    [injection, dose(10.5, 'mL'), ['large_into_vein avoid']],
    // 1.4 g of an injection of 40 mg/mL is 35 mL
    [injection, dose(1400, 'mg'), ['large_into_vein avoid']],
    [{ ...injection, route: 'intramuscular' }, dose(10.5, 'mL'), ['large_injection avoid']],
    // 100 mL run into a vein are no slip where a list limits the milligrams, or the strength is that of a bottle
    [
      { ...injection, dosage_quantity: 10, ingredients: ['paracetamol'] },
      dose(1000, 'mg', { often: { kind: 'times', n: 4 } }),
      [],
    ],
    [{ ...injection, dosage_quantity: 500, per_quantity: 100 }, dose(500, 'mg'), []],
    // an infusion in a bottle is larger
    [{ ...injection, form: 'bottle' }, dose(500, 'mL'), []],
    [{ ...injection, form: 'syrup', route: 'oral' }, dose(61, 'mL'), ['large_drink avoid']],
    [
      { ...injection, form: 'syrup', route: 'oral', ingredients: ['lactulose'] },
      dose(90, 'mL'),
      [],
    ],
    [{ ...tablet(100, 'mcg', 'inhaler'), route: 'inhalation' }, dose(10, 'actuation'), []],
    [
      { ...tablet(100, 'mcg', 'inhaler'), route: 'inhalation' },
      dose(20, 'actuation'),
      ['many_puffs avoid'],
    ],
    [{ ...tablet(5, 'mg', 'drops'), route: 'ophthalmic' }, dose(2, 'drop'), []],
    [{ ...tablet(5, 'mg', 'drops'), route: 'otic' }, dose(20, 'drop'), ['many_drops avoid']],
    [
      { ...tablet(5, 'mg', 'drops'), route: 'ophthalmic' },
      dose(6, 'drop'),
      ['many_eye_drops avoid'],
    ],
    [{ ...injection, route: 'subcutaneous' }, dose(5, 'mL'), []],
    [{ ...injection, route: 'subcutaneous' }, dose(6, 'mL'), ['large_below_skin avoid']],
    [{ ...injection, route: 'subcutaneous' }, dose(11, 'mL'), ['large_injection avoid']],
    [
      { ...tablet(25, 'mg', 'suppository'), route: 'rectal' },
      dose(250, 'mg'),
      ['many_applied avoid'],
    ],
    [tablet(5, 'mg', 'drops'), dose(40, 'drop'), []],
    [
      { ...tablet(125, 'mg', 'suppository'), route: 'rectal' },
      dose(10, 'suppository'),
      ['many_applied avoid'],
    ],
    [{ ...injection, form: 'syrup', route: 'oral' }, dose(15, 'mL'), []],
    [{ ...vial, ingredients: ['ceftriaxone'] }, dose(2, 'ampule'), []],
    [vial, dose(1, 'ampule'), []],
    [vial, dose(2, 'ampule'), []],
    [vial, dose(3000, 'mg'), ['many_vials avoid']],
    [insulin, dose(100, 'units'), []],
    [insulin, dose(1000, 'units'), ['many_units avoid']],
    [insulin, dose(2, 'mL'), ['many_units avoid']],
    [tablet(5, 'mg'), dose(3, 'tablet', { often: { kind: 'times', n: 4 }, days: 83 }), []],
    [
      tablet(5, 'mg'),
      dose(3, 'tablet', { often: { kind: 'times', n: 4 }, days: 84 }),
      ['large_quantity avoid'],
    ],
  ] as const)('%#', ([drug, of, rules]) => {
    expect(asked(drug, of)).toEqual(rules)
  })

  // ingredient, mg of an ampoule, its mL, form, route, the right dose, and ten times of it
  test.for([
    ['furosemide', 20, 2, 'injection', 'intravenous', 40, 400],
    ['labetalol', 100, 20, 'injection', 'intravenous', 20, 200],
    ['phenytoin', 250, 5, 'injection', 'intravenous', 100, 1000],
    ['methylprednisolone', 40, null, 'injection', 'intravenous', 40, 400],
    ['haloperidol', 5, 1, 'ampule', 'intramuscular', 5, 50],
    ['olanzapine', 10, null, 'injection', 'intramuscular', 10, 100],
    ['flupentixol', 20, 1, 'ampule', 'intramuscular', 20, 200],
    ['salbutamol', 1, 1, 'ampule', 'inhalation', 1, 10],
    ['atropine', 0.6, 1, 'ampule', 'intramuscular', 0.6, 6],
    // a syringe of 50 %, and one of 8.4 %
    ['glucose', 500, 1, 'injection', 'intravenous', 25_000, 250_000],
    ['sodium bicarbonate', 84, 1, 'injection', 'intravenous', 4200, 42_000],
  ] as const)('ten times a right injection: %s', ([name, mg, mL, form, route, right, wrong]) => {
    const held = { dosage_quantity: mg, per_quantity: mL ?? 1, per_unit: mL ? 'mL' : 'vial' }
    const one: Drug = { ...injection, ...held, form, route, ingredients: [name] }
    const once = { often: { kind: 'once' } } as const
    expect(asked(one, dose(right, 'mg', once))).toEqual([])
    expect(asked(one, dose(wrong, 'mg', once))).not.toEqual([])
  })

  test('a unit a thousand times that of the strength asks, once', () => {
    // what a form proposed 30,000 tablets for
    const digoxin = { ...tablet(250, 'mcg'), ingredients: ['piracetam'] }
    expect(asked(digoxin, dose(250, 'mg', { days: 30 }))).toEqual([
      'large_quantity must_not',
      'other_unit must_not',
    ])
    expect(asked(tablet(100, 'mcg'), dose(100, 'mg'))).toEqual(['other_unit must_not'])
    const syrup: Drug = { ...tablet(120, 'mg', 'syrup'), per_quantity: 5, per_unit: 'mL' }
    expect(asked(syrup, dose(5, 'g'))).toEqual(['other_unit avoid'])
    // the usual way to write two tablets of 500 mg, and one of 250 micrograms
    expect(asked(tablet(500, 'mg'), dose(1, 'g'))).toEqual([])
    expect(asked(tablet(250, 'mcg'), dose(0.25, 'mg'))).toEqual([])
  })

  test('milligrams of a strength in units ask, and the other way round', () => {
    expect(asked(insulin, dose(10, 'mg'))).toEqual(['other_kind avoid'])
    expect(asked(injection, dose(10, 'units'))).toEqual(['other_kind avoid'])
  })

  test('a unit that does not fit the form asks', () => {
    const syrup: Drug = { ...tablet(120, 'mg', 'syrup'), per_quantity: 5, per_unit: 'mL' }
    expect(asked(syrup, dose(1, 'tablet'))).toEqual(['other_form avoid'])
    expect(asked(tablet(500, 'mg'), dose(5, 'mL'))).toEqual(['other_form avoid'])
    expect(asked({ ...insulin, form: 'ampule' }, dose(1, 'suppository'))).toEqual([
      'other_form avoid',
    ])
    expect(asked(syrup, dose(5, 'mL'))).toEqual([])
    expect(asked(syrup, dose(120, 'mg'))).toEqual([])
    expect(asked(tablet(500, 'mg', 'capsule'), dose(1, 'tablet'))).toEqual([])
    expect(asked(tablet(500, 'mg', 'other'), dose(1, 'sachet'))).toEqual([])
  })

  test('the units that fit form and strength are offered first, and all others after them', () => {
    const syrup: Drug = { ...tablet(120, 'mg', 'syrup'), per_quantity: 5, per_unit: 'mL' }
    expect(unitsFor(syrup).slice(0, 6)).toEqual(['mL', 'drop', 'sachet', 'mg', 'mcg', 'g'])
    expect(unitsFor(tablet(250, 'mcg'))[0]).toBe('tablet')
    expect(unitsFor(insulin)[0]).toBe('units')
    for (const one of [syrup, tablet(5, 'mg'), insulin])
      expect(unitsFor(one).toSorted()).toEqual(AMOUNT_UNITS.toSorted())
  })

  test('a dose that is text is no slip', () => {
    const [compared] = compareDoses(
      [{ drugId: 'a', name: 'A', ingredients: ['piracetam'], written: null, dosing: null }],
      undefined,
    )
    expect(compared).toMatchObject({ warnings: [], notCompared: [{ lack: 'text' }] })
  })
})
