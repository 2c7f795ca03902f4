/** Long because one table has many kinds of limits, and each has its cases here. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tellTimeZone } from '~/shared/zone'
import { bandDose } from '../../prescriptions/sets/band-doses'
import table from '../tables/doses.json'
import { findDoseBand, compareDoses, dosesUnchecked } from './doses'
import { canonicalIngredient, isKnownIngredient } from './ingredients'
import type { CheckedDrug, Dosing, CheckedPatient } from './rule'

const today = '2026-11-22'
const patient = (born: string, kg: number | null, weighed = today): CheckedPatient => ({
  birth: { day: born, precision: 'day' },
  sex: null,
  today,
  weight: kg === null ? null : { kg, at: new Date(`${weighed}T09:00:00Z`) },
  pregnancy: { state: 'not_known', weeks: null, at: null },
  kidneys: null,
  problems: [],
})
const adult = patient('1980-01-01', 70)
const toddler = (kg: number | null, weighed?: string) => patient('2024-05-01', kg, weighed)

const drug = (
  ingredient: string,
  quantity: number,
  dosing: Partial<Dosing> = {},
  route = 'oral',
): CheckedDrug => ({
  drugId: ingredient,
  name: ingredient,
  ingredients: [ingredient],
  route,
  dosing: {
    perDose: [{ ingredient, quantity, unit: 'mg' }],
    dosesPerDay: 1,
    everyDays: 1,
    ...dosing,
  },
})
const warnings = (one: CheckedDrug, of: CheckedPatient | undefined) =>
  compareDoses([one], of).flatMap((compared) => compared.warnings)
const levels = (one: CheckedDrug, of: CheckedPatient | undefined) =>
  warnings(one, of).map(({ level }) => level)
const unchecked = (drugs: readonly CheckedDrug[], of: CheckedPatient | undefined) =>
  dosesUnchecked(compareDoses(drugs, of))

describe('the highest dose', () => {
  test('of a child goes by weight: 10 kg, paracetamol 15 mg/kg and 75 mg/kg a day', () => {
    expect(levels(drug('paracetamol', 150, { dosesPerDay: 4 }), toddler(10))).toEqual([])
    expect(levels(drug('paracetamol', 164, { dosesPerDay: 3 }), toddler(10))).toEqual([])
    expect(levels(drug('paracetamol', 170, { dosesPerDay: 3 }), toddler(10))).toEqual(['avoid'])
    // the single dose is right, the day is not
    expect(levels(drug('paracetamol', 150, { dosesPerDay: 5 }), toddler(10))).toEqual([])
    expect(levels(drug('paracetamol', 150, { dosesPerDay: 6 }), toddler(10))).toEqual(['avoid'])
    // one single time
    expect(levels(drug('paracetamol', 300, { everyDays: null }), toddler(10))).toEqual([])
    expect(levels(drug('paracetamol', 400, { everyDays: null }), toddler(10))).toEqual(['avoid'])
    // 120 mg/5 mL taken for 100 mg/mL: ten times as much
    expect(levels(drug('paracetamol', 500, { dosesPerDay: 3 }), toddler(10))).toEqual(['must_not'])
    expect(levels(drug('acetaminophen', 500, { dosesPerDay: 3 }), toddler(10))).toEqual([
      'must_not',
    ])
  })

  test('of an adult is absolute', () => {
    expect(levels(drug('paracetamol', 1000, { dosesPerDay: 4 }), adult)).toEqual([])
    expect(levels(drug('paracetamol', 1000, { dosesPerDay: 6 }), adult)).toEqual(['avoid'])
    expect(levels(drug('amlodipine', 10), adult)).toEqual([])
    expect(levels(drug('amlodipine', 20), adult)).toEqual(['avoid'])
    expect(levels(drug('amlodipine', 50), adult)).toEqual(['must_not'])
    expect(levels(drug('metformin', 1000, { dosesPerDay: 3 }), adult)).toEqual([])
    expect(levels(drug('metformin', 1000, { dosesPerDay: 3 }), patient('2015-03-01', 40))).toEqual([
      'avoid',
    ])
  })

  test('without a weight, or with an old one, a child is to be weighed', () => {
    expect(levels(drug('paracetamol', 150), toddler(null))).toEqual(['caution'])
    expect(levels(drug('paracetamol', 150), toddler(10, '2026-07-01'))).toEqual(['caution'])
    expect(levels(drug('paracetamol', 150), toddler(10, '2026-10-01'))).toEqual([])
    // below two years a month is old
    expect(levels(drug('paracetamol', 100), patient('2026-01-10', 8, '2026-10-01'))).toEqual([
      'caution',
    ])
    // the limit of adults holds all the same
    expect(levels(drug('paracetamol', 3000), toddler(null))).toEqual(['must_not', 'caution'])
  })

  test('names the clinic’s day of an old weight', () => {
    onTestFinished(() => tellTimeZone(undefined))
    tellTimeZone('America/Mexico_City')
    const weight = { kg: 10, at: new Date('2026-07-02T01:00:00Z') }
    const [warning] = warnings(drug('paracetamol', 150), { ...toddler(10), weight })
    expect(warning?.text.en).toContain('is of Jul 1, 2026;')
  })

  test('goes by the youngest possible age, and by the route', () => {
    const vague: CheckedPatient = { ...toddler(10), birth: { day: '2015-07-01', precision: 'age' } }
    expect(levels(drug('paracetamol', 1000), vague)).toEqual(['must_not'])
    expect(levels(drug('gentamicin', 300, {}, 'ophthalmic'), toddler(10))).toEqual([])
    expect(levels(drug('gentamicin', 300, {}, 'intramuscular'), toddler(10))).toEqual(['must_not'])
  })

  test('a large dose of alendronic acid, and each of mefloquine but in a treatment, is of a week', () => {
    expect(levels(drug('alendronic acid', 70), adult)).toEqual(['must_not'])
    expect(levels(drug('alendronic acid', 70, { everyDays: 7 }), adult)).toEqual([])
    expect(levels(drug('alendronic acid', 10), adult)).toEqual([])
    // of Paget's disease
    expect(levels(drug('alendronic acid', 40), adult)).toEqual([])
    expect(levels(drug('mefloquine', 250), adult)).toEqual(['avoid'])
    expect(levels(drug('mefloquine', 250, { everyDays: 7 }), adult)).toEqual([])
    expect(levels(drug('mefloquine', 1000, { everyDays: null }), adult)).toEqual([])
    expect(levels(drug('mefloquine', 500, { days: 3 }), adult)).toEqual([])
    expect(levels(drug('mefloquine', 750, { dosesPerDay: 2, days: 1 }), adult)).toEqual([])
    expect(levels(drug('mefloquine', 250, { days: 4 }), adult)).toEqual(['avoid'])
    const withArtesunate = [drug('mefloquine', 440), drug('artesunate', 200)]
    const both = compareDoses(withArtesunate, adult).flatMap((compared) => compared.warnings)
    expect(both).toEqual([])
    const later = compareDoses([drug('mefloquine', 440)], adult, undefined, [
      drug('artesunate', 200),
    ])
    expect(later.flatMap((compared) => compared.warnings)).toEqual([])
  })

  test('risedronic acid and a large dose of vitamin D are of a week as well', () => {
    expect(levels(drug('risedronate', 35), adult)).toEqual(['avoid'])
    expect(levels(drug('risedronate', 35, { everyDays: 7 }), adult)).toEqual([])
    // of Paget's disease, and two days of a month
    expect(levels(drug('risedronate', 30), adult)).toEqual([])
    expect(levels(drug('risedronate', 75, { days: 2 }), adult)).toEqual([])
    const vitaminD = (quantity: number, everyDays: number | null) =>
      drug('colecalciferol', 0, {
        perDose: [{ ingredient: 'colecalciferol', quantity, unit: 'units' }],
        everyDays,
      })
    expect(levels(vitaminD(50_000, 1), adult)).toEqual(['avoid'])
    expect(levels(vitaminD(50_000, 7), adult)).toEqual([])
    expect(levels(vitaminD(300_000, null), adult)).toEqual([])
    expect(levels(vitaminD(2000, 1), adult)).toEqual([])
  })

  test('what is right once, or with days between, is too much every day', () => {
    const digoxin = (more: Partial<Dosing>) => levels(drug('digoxin', 0.25, more), adult)
    expect(digoxin({ dosesPerDay: 4 })).toEqual(['avoid'])
    expect(digoxin({ dosesPerDay: 4, days: 1 })).toEqual([])
    expect(digoxin({ dosesPerDay: 2 })).toEqual([])
    expect(levels(drug('digoxin', 1, { everyDays: null }), adult)).toEqual([])
    expect(levels(drug('isoniazid', 300, { dosesPerDay: 3 }), adult)).toEqual(['must_not'])
    expect(levels(drug('isoniazid', 900, { everyDays: 3 }), adult)).toEqual([])
    expect(levels(drug('isoniazid', 300), adult)).toEqual([])
    // a child's 300 mg twice a week are too much every day
    expect(levels(drug('isoniazid', 300, { everyDays: 3 }), toddler(10))).toEqual([])
    expect(levels(drug('isoniazid', 300), toddler(10))).toEqual(['avoid'])
    expect(levels(drug('isoniazid', 100), toddler(10))).toEqual([])
  })

  test('vitamin A goes by age, and is less every day than once', () => {
    const vitaminA = (quantity: number, of: CheckedPatient, more: Partial<Dosing>) =>
      levels(
        drug('retinol', 0, {
          perDose: [{ ingredient: 'retinol', quantity, unit: 'units' }],
          ...more,
        }),
        of,
      )
    const once = { everyDays: null }
    const infant = patient('2026-02-01', 8)
    const young = patient('2026-09-01', 5)
    expect(vitaminA(200_000, toddler(10), once)).toEqual([])
    expect(vitaminA(200_000, toddler(10), { days: 2 })).toEqual([])
    expect(vitaminA(200_000, toddler(10), { days: 5 })).toEqual(['avoid'])
    expect(vitaminA(100_000, infant, once)).toEqual([])
    expect(vitaminA(200_000, infant, once)).toEqual(['avoid'])
    expect(vitaminA(50_000, young, { days: 2 })).toEqual([])
    expect(vitaminA(100_000, young, once)).toEqual(['avoid'])
    expect(vitaminA(50_000, adult, { days: 14 })).toEqual([])
    expect(vitaminA(50_000, adult, {})).toEqual(['must_not'])
    expect(vitaminA(20_000, adult, {})).toEqual([])
    expect(vitaminA(20_000, toddler(10), {})).toEqual(['avoid'])
    expect(vitaminA(5000, toddler(10), {})).toEqual([])
  })

  test('quinine goes by the bands of weight; injections for a child by weight or age', () => {
    const once = { everyDays: null }
    expect(levels(drug('quinine', 450, { dosesPerDay: 3 }), patient('2016-01-01', 36))).toEqual([])
    expect(levels(drug('quinine', 600, { dosesPerDay: 3 }), toddler(13))).toEqual(['must_not'])
    expect(levels(drug('quinine', 600, { dosesPerDay: 3 }), adult)).toEqual([])
    for (const [name, right, wrong, route] of [
      ['furosemide', 10, 50, 'intravenous'],
      ['phenobarbital', 200, 600, 'intramuscular'],
      ['promethazine', 12.5, 50, 'oral'],
      ['phytomenadione', 1, 10, 'intramuscular'],
      ['metoclopramide', 1, 10, 'intramuscular'],
      ['paracetamol', 150, 1000, 'intravenous'],
    ] as const) {
      const infant = patient('2025-09-01', 10)
      expect([name, levels(drug(name, right, once, route), infant)]).toEqual([name, []])
      expect([name, levels(drug(name, wrong, once, route), infant)]).not.toEqual([name, []])
    }
  })

  test('a suspension for a muscle into a vein must not be, by its salt or its name', () => {
    const penicillin = (ingredient: string, route: string) =>
      warnings({ ...drug('penicillin', 1, {}, route), ingredients: [ingredient] }, adult)
        .map(({ rule }) => rule)
        .includes('depot_into_vein')
    expect(penicillin('benzathine benzylpenicillin', 'intravenous')).toBe(true)
    expect(penicillin('bencilpenicilina benzatínica', 'intravenous')).toBe(true)
    expect(penicillin('benzathine benzylpenicillin', 'intramuscular')).toBe(false)
    expect(penicillin('benzylpenicillin', 'intravenous')).toBe(false)
    expect(penicillin('procaine benzylpenicillin', 'intravenous')).toBe(true)
    const inVein = (name: string, ingredient = name.toLowerCase()) =>
      warnings({ ...drug(ingredient, 1, {}, 'intravenous'), name }, adult).some(
        ({ rule }) => rule === 'depot_into_vein',
      )
    const depots: [name: string, ingredient?: string][] = [
      ['Haloperidol decanoate'],
      ['هالوبيريدول ديكانوات', 'haloperidol'],
      ['Haloperidol, طويل المفعول', 'haloperidol'],
      ['Haldol LA 50 mg', 'haloperidol'],
      ['Fluphenazine retard', 'fluphenazine'],
      ['Flufenazina de acción prolongada', 'fluphenazine'],
      ['Leuprorelin depot', 'leuprorelin'],
      ['Methylprednisolone acetate'],
      ['Triamcinolone acetonide'],
      ['Medroxyprogesterone acetate'],
      ['Testosterone enanthate'],
    ]
    for (const one of depots) expect([one, inVein(...one)]).toEqual([one, true])
    const plain: [name: string, ingredient?: string][] = [
      ['Methylprednisolone sodium succinate'],
      ['Haloperidol'],
      ['Haloperidol, non-depot', 'haloperidol'],
      ['Cloruro de sodio para la infusión', 'sodium chloride'],
      ['Procaine'],
    ]
    for (const one of plain) expect([one, inVein(...one)]).toEqual([one, false])
  })

  test('what is given once in weeks is asked about every day, and not once in two years', () => {
    const zoledronic = (everyDays: number | null) =>
      levels(drug('zoledronic acid', 5, { everyDays }, 'intravenous'), adult)
    expect([null, 730, 28, 1].map(zoledronic)).toEqual([[], [], [], ['must_not']])
    const injected = (name: string, amount: number, everyDays: number, route: string) =>
      levels(drug(name, amount, { everyDays }, route), adult)
    expect(injected('semaglutide', 1, 7, 'subcutaneous')).toEqual([])
    expect(injected('semaglutide', 1, 1, 'subcutaneous')).toEqual(['must_not'])
    expect(injected('denosumab', 60, 182, 'subcutaneous')).toEqual([])
    expect(injected('denosumab', 60, 1, 'subcutaneous')).toEqual(['must_not'])
    // once a day for one day is one dose; three within the days are three
    const denosumab = (dosing: Partial<Dosing>) =>
      levels(drug('denosumab', 60, dosing, 'subcutaneous'), adult)
    expect(denosumab({ everyDays: 1, days: 1 })).toEqual([])
    expect(denosumab({ everyDays: 1, days: 2 })).toEqual(['must_not'])
    expect(denosumab({ everyDays: 182, dosesPerDay: 3 })).toContain('must_not')
    // a contraceptive of three months, and a dose of cancer; a depot, and the daily injection
    expect(injected('medroxyprogesterone', 150, 84, 'intramuscular')).toEqual([])
    expect(injected('medroxyprogesterone', 150, 1, 'intramuscular')).toEqual(['must_not'])
    expect(injected('medroxyprogesterone', 500, 1, 'intramuscular')).toEqual([])
    expect(injected('leuprorelin', 3.75, 1, 'intramuscular')).toEqual(['must_not'])
    expect(injected('leuprorelin', 1, 1, 'subcutaneous')).toEqual([])
  })

  test('a patch of several days is asked about every day, whatever its strength', () => {
    const patch = (name: string, everyDays: number, form = 'patch') =>
      levels({ ...drug(name, 0, { perDose: [], everyDays }, 'transdermal'), form }, adult)
    expect(patch('fentanyl', 3)).toEqual([])
    expect(patch('fentanyl', 1)).toEqual(['must_not'])
    expect(patch('clonidine', 7)).toEqual([])
    expect(patch('clonidine', 1)).toEqual(['must_not'])
    expect(patch('estradiol', 1, 'gel')).toEqual([])
  })

  test('local anaesthetics go by weight, pyrazinamide of three days a week is too much every day', () => {
    const skin = (mg: number) =>
      levels(drug('lidocaine', mg, { everyDays: null }, 'subcutaneous'), adult)
    expect(skin(490)).toEqual([])
    expect(skin(2100)).toEqual(['must_not'])
    const tablets = (mg: number, everyDays: number) =>
      levels(drug('pyrazinamide', mg, { everyDays }), adult)
    expect(tablets(2000, 1)).toEqual([])
    expect(tablets(3000, 2)).toEqual([])
    expect(tablets(3000, 1)).toEqual(['avoid'])
  })

  test('primaquine of once a week is asked about every day', () => {
    const primaquine = (mg: number, days?: number) =>
      levels(drug('primaquine', mg, { ...(days && { days }) }), patient('1980-01-01', 60))
    expect(primaquine(30, 14)).toEqual([])
    expect(primaquine(60, 7)).toEqual([])
    expect(primaquine(45)).toEqual(['avoid'])
  })

  test('bottles of glucose and mannitol run into a vein', () => {
    const bottle = (name: string, mg: number) => {
      const written = { ...drug(name, mg, { everyDays: null }, 'intravenous') }
      return warnings(written, adult).map(({ rule }) => rule)
    }
    expect(bottle('glucose', 50_000)).toEqual([])
    expect(bottle('mannitol', 100_000)).toEqual([])
    expect(bottle('mannitol', 1_000_000)).toEqual(['mannitol_vein'])
  })

  test('a form with another dose is compared with its own', () => {
    expect(levels(drug('tenofovir alafenamide', 25), adult)).toEqual([])
    expect(levels(drug('tenofovir alafenamide', 250), adult)).toEqual(['must_not'])
    expect(unchecked([drug('tenofovir disoproxil', 300)], adult)).toEqual([])
  })

  test('a band that is a limit alone is not proposed as a dose', () => {
    const oral = { route: 'oral' }
    expect(findDoseBand(oral, 'amoxicillin', 15, () => true)).toMatchObject({ single: 750 })
    expect(findDoseBand(oral, 'paracetamol', 15, () => true)).toBeNull()
    expect(levels(drug('paracetamol', 250, { dosesPerDay: 4 }), toddler(15))).toEqual([])
  })

  test('injections are compared, and what runs into a vein by its milligrams', () => {
    const given = (name: string, mg: number, route = 'intravenous') =>
      levels(drug(name, mg, { everyDays: null }, route), adult)
    expect(given('hydralazine', 10)).toEqual([])
    expect(given('hydralazine', 100)).toEqual(['must_not'])
    expect(given('magnesium sulfate', 10_000, 'intramuscular')).toEqual([])
    expect(given('magnesium sulfate', 10_000)).toEqual(['avoid'])
    // the depot of a month, the same every day, and the same of one that is no depot
    const depot = 'haloperidol decanoate'
    expect(given(depot, 100, 'intramuscular')).toEqual([])
    expect(levels(drug(depot, 100, {}, 'intramuscular'), adult)).toEqual(['must_not'])
    for (const route of ['intramuscular', 'intravenous']) {
      expect(given('haloperidol', 10, route)).toEqual([])
      expect(given('haloperidol', 50, route)).toEqual(['must_not'])
    }
    expect(given('olanzapine', 100, 'intramuscular')).toEqual(['must_not'])
    expect(given('olanzapine pamoate', 405, 'intramuscular')).toEqual([])
  })

  test('amphotericin B is that of the liposome only where its name says so', () => {
    const given = (name: string, mg: number) => {
      const one = drug('amphotericin b', mg, {}, 'intravenous')
      return levels({ ...one, name }, patient('1980-01-01', 60))
    }
    expect(given('Amphotericin B', 90)).toEqual([])
    expect(given('Amphotericin B', 300)).toEqual(['must_not'])
    expect(given('Amphotericin B, non-liposomal', 300)).toEqual(['must_not'])
    expect(given('Amphotericin B, lipid-free', 300)).toEqual(['must_not'])
    for (const name of [
      'AmBisome',
      'Liposomal amphotericin B',
      'Anfotericina B lipídica',
      'Anfotericina B lipossomal',
      'Amphotericin B colloidal dispersion',
      'Fungisome',
      'أمفوتيريسين ب شحمي',
      'أمفوتيريسين ب دهني',
    ])
      expect([name, given(name, 300), given(name, 3000)]).toEqual([name, [], ['must_not']])
    // 10 mg/kg are given once
    const one = (everyDays: number | null) => ({
      ...drug('amphotericin b', 600, { everyDays }, 'intravenous'),
      name: 'AmBisome',
    })
    const heavy = patient('1980-01-01', 60)
    expect([null, 1].map((days) => levels(one(days), heavy))).toEqual([[], ['avoid']])
  })

  test('erythromycin of a small child goes by weight', () => {
    const given = (mg: number, kg: number, born: string, dosesPerDay = 4) =>
      levels(drug('erythromycin', mg, { dosesPerDay }), patient(born, kg))
    expect(given(250, 3.5, '2026-10-18')).toEqual(['must_not'])
    expect(given(125, 4, '2026-09-20')).toEqual([])
    expect(given(250, 4.5, '2026-09-20')).toEqual(['avoid'])
    expect(given(500, 10, '2025-11-01')).toEqual(['avoid'])
    expect(given(250, 8.5, '2025-11-01')).toEqual([])
    expect(given(500, 13, '2023-11-01')).toEqual([])
    expect(given(500, 10, '2025-11-01', 2)).toEqual([])
  })

  test('right doses of trichinellosis, organophosphates and by weight are not asked about', () => {
    const vein = { everyDays: null }
    const heavy = patient('1980-01-01', 80)
    expect(levels(drug('mebendazole', 400, { dosesPerDay: 3 }), adult)).toEqual([])
    expect(levels(drug('mebendazole', 5000), adult)).toEqual(['must_not'])
    expect(levels(drug('atropine', 5, vein, 'intravenous'), adult)).toEqual([])
    expect(levels(drug('atropine', 2, vein, 'intravenous'), toddler(10))).toEqual(['avoid'])
    const vancomycin = (mg: number) => drug('vancomycin', mg, { dosesPerDay: 3 }, 'intravenous')
    expect(levels(vancomycin(1250), heavy)).toEqual([])
    expect(levels(vancomycin(1250), patient('1980-01-01', 35))).toEqual(['avoid'])
    const piperacillin = drug('piperacillin', 4500, { dosesPerDay: 4 }, 'intravenous')
    expect(levels(piperacillin, adult)).toEqual([])
  })

  test('morphine, diazepam and chlorphenamine are compared by route and age', () => {
    expect(levels(drug('morphine', 10, { dosesPerDay: 6 }), adult)).toEqual([])
    expect(levels(drug('morphine', 60, { dosesPerDay: 2 }), adult)).toEqual([])
    expect(levels(drug('morphine', 100, { dosesPerDay: 6 }), adult)).toEqual(['must_not'])
    expect(levels(drug('morphine', 10, {}, 'intravenous'), adult)).toEqual([])
    expect(levels(drug('morphine', 100, {}, 'intravenous'), adult)).toEqual(['must_not'])
    // a syringe driver gives the dose of a day
    expect(levels(drug('morphine', 60, {}, 'subcutaneous'), adult)).toEqual([])
    expect(levels(drug('diazepam', 3, { everyDays: null }, 'intravenous'), toddler(10))).toEqual([])
    expect(levels(drug('diazepam', 5, { everyDays: null }, 'rectal'), toddler(10))).toEqual([])
    expect(levels(drug('diazepam', 10, { everyDays: null }, 'intravenous'), toddler(10))).toEqual([
      'must_not',
    ])
    expect(levels(drug('chlorphenamine', 4, { dosesPerDay: 4 }), adult)).toEqual([])
    expect(levels(drug('chlorphenamine', 1, { dosesPerDay: 2 }), toddler(10))).toEqual([])
    expect(levels(drug('chlorphenamine', 4, { dosesPerDay: 2 }), toddler(10))).toEqual(['avoid'])
    expect(levels(drug('chlorphenamine', 4, { dosesPerDay: 2 }), patient('2025-05-01', 9))).toEqual(
      ['must_not'],
    )
  })

  test('a child is asked about what is many times the dose of an adult, where none of children is listed', () => {
    const child = patient('2018-05-01', 20)
    const ezetimibe = (quantity: number, of: CheckedPatient) =>
      warnings(drug('ezetimibe', quantity), of).map(({ text }) => text.en)
    expect(ezetimibe(10, child)).toEqual([])
    expect(ezetimibe(10, { ...child, weight: { kg: 18, at: new Date(today) } })).toEqual([
      expect.stringContaining('no dose of children is listed. 10 mg a day for 18 kg is'),
    ])
    expect(unchecked([drug('ezetimibe', 10)], child)).toEqual(['ezetimibe'])
    // an infant is given more per kilogram
    expect(levels(drug('levothyroxine', 0.05), patient('2026-10-01', 4))).toEqual([])
  })

  /** Ingredient, mg at once, times a day, weight, age in years: doses of labels and of the WHO. */
  const RIGHT: readonly [string, number, number, number, number][] = [
    ['abacavir', 60, 2, 3, 0.1],
    ['lamivudine', 30, 2, 3, 0.1],
    ['zidovudine', 60, 2, 3, 0.1],
    ['efavirenz', 150, 1, 5, 0.5],
    ['atazanavir', 200, 1, 5, 0.5],
    ['raltegravir', 800, 2, 25, 8],
    ['emtricitabine', 120, 1, 14, 3],
    ['clavulanic acid', 62.5, 2, 3, 0.3],
    ['amodiaquine', 150, 1, 7.5, 1],
    ['diethylcarbamazine', 200, 1, 16, 6],
    ['diethylcarbamazine', 233, 3, 70, 40],
    ['losartan', 50, 1, 20, 6],
    ['valsartan', 80, 1, 18, 6],
    ['clonazepam', 0.5, 2, 4, 0.4],
    ['acetazolamide', 250, 4, 10, 1],
    ['levofloxacin', 300, 1, 10, 2],
    ['celecoxib', 50, 2, 10, 2],
    ['ethosuximide', 500, 2, 20, 6],
    ['propranolol', 40, 2, 10, 2],
    ['pyridoxine', 100, 1, 3, 0.05],
    ['thiamine', 100, 1, 3, 0.1],
    ['fludrocortisone', 0.2, 1, 3.5, 0.1],
    ['cefuroxime', 1000, 1, 70, 30],
    ['piperaquine', 1600, 1, 85, 30],
    ['ofloxacin', 800, 1, 70, 30],
    ['lithium', 1560, 2, 80, 30],
    ['levodopa', 490, 5, 70, 60],
    ['paroxetine', 75, 1, 70, 30],
    ['prazosin', 20, 2, 70, 50],
    ['ribavirin', 1000, 4, 70, 30],
    ['fludrocortisone', 0.4, 1, 70, 30],
    ['metoclopramide', 15, 4, 70, 30],
    ['risperidone', 3, 1, 15, 6],
    ['topiramate', 60, 2, 5, 0.5],
    ['sildenafil', 40, 3, 50, 11],
    ['sildenafil', 80, 3, 70, 30],
    ['fenofibrate', 100, 4, 70, 50],
    ['tamoxifen', 40, 2, 60, 30],
    ['clarithromycin', 180, 2, 12, 3],
    ['omeprazole', 120, 3, 70, 50],
    ['atovaquone', 1500, 2, 70, 40],
    ['loperamide', 2, 4, 20, 8],
    ['prednisolone', 120, 1, 30, 10],
    ['prednisone', 120, 1, 30, 10],
    ['pyridoxine', 250, 2, 70, 30],
    ['levothyroxine', 0.25, 1, 40, 11],
    ['verapamil', 20, 3, 4, 0.2],
    ['phenoxymethylpenicillin', 62.5, 4, 3, 0.1],
    ['amiodarone', 100, 2, 10, 2],
    ['flecainide', 40, 2, 10, 2],
  ]
  test('a dose of a label or of the WHO is not asked about', () => {
    const asked = RIGHT.filter(([ingredient, mg, dosesPerDay, kg, years]) => {
      const born = new Date(Date.parse(today) - years * 365.25 * 86_400_000)
      const of = patient(born.toISOString().slice(0, 10), kg)
      return warnings(drug(ingredient, mg, { dosesPerDay }), of).length > 0
    })
    expect(asked).toEqual([])
  })

  test('ten times the dose of a child, or of one dose, is asked about', () => {
    for (const [ingredient, mg, of] of [
      ['flecainide', 200, toddler(10)],
      ['amiodarone', 500, toddler(10)],
      ['sotalol', 200, toddler(10)],
      ['clonidine', 0.5, toddler(10)],
      ['clonidine', 1, adult],
      ['ranitidine', 1500, adult],
      ['estradiol', 20, adult],
      ['desmopressin', 1, adult],
    ] as const)
      expect([ingredient, levels(drug(ingredient, mg), of).length]).toEqual([ingredient, 1])
  })

  test('propylthiouracil: the first day of a thyroid storm, and the days after it', () => {
    const storm = (quantity: number, dosesPerDay: number, days: number) =>
      levels(drug('propylthiouracil', quantity, { dosesPerDay, days }), adult)
    expect(storm(500, 5, 1)).toEqual([])
    expect(storm(250, 6, 7)).toEqual([])
    expect(storm(500, 5, 7)).toEqual(['avoid'])
  })

  test('of albendazole a child of two years is given as much as an adult, a younger one half', () => {
    const albendazole = drug('albendazole', 400, { everyDays: null })
    expect(levels(albendazole, toddler(9.5))).toEqual([])
    expect(levels(drug('albendazole', 200), patient('2025-05-01', 8))).toEqual([])
    expect(levels(albendazole, patient('2025-05-01', 8))).toEqual(['avoid'])
    expect(levels(drug('albendazole', 4000), toddler(9.5))).toEqual(['must_not'])
  })

  test('methotrexate is weekly', () => {
    expect(levels(drug('methotrexate', 15), adult)).toEqual(['must_not'])
    expect(levels(drug('methotrexate', 15, { everyDays: 2 }), adult)).toEqual(['must_not'])
    expect(levels(drug('methotrexate', 15, { everyDays: 7 }), adult)).toEqual([])
  })

  test('that kills: what passed with one grey line at the end', () => {
    const vein = (name: string, quantity: number) => drug(name, quantity, {}, 'intravenous')
    expect(levels(drug('digoxin', 250), adult)).toEqual(['must_not'])
    expect(levels(drug('levothyroxine', 100), adult)).toEqual(['must_not'])
    expect(levels(drug('warfarin', 50), adult)).toEqual(['must_not'])
    expect(levels(drug('epinephrine', 1.2, {}, 'intramuscular'), toddler(12))).toEqual(['must_not'])
    expect(levels(vein('gentamicin', 1400), adult)).toEqual(['must_not'])
    // without a weight no limit is that of the patient, and nobody is asked to weigh an adult
    expect(levels(vein('gentamicin', 320), patient('1980-01-01', null))).toEqual([])
    expect(unchecked([vein('gentamicin', 320)], patient('1980-01-01', null))).toHaveLength(1)
    // a light patient of 14 years: 4 g a day are 143 mg/kg
    const light = patient('2012-06-01', 28)
    expect(levels(drug('paracetamol', 1000, { dosesPerDay: 4 }), light)).toEqual(['avoid'])
    expect(levels(drug('paracetamol', 500, { dosesPerDay: 4 }), light)).toEqual([])
  })

  test('by the chart of IMCI is not too high at the ends of its bands', () => {
    const twice = { dosesPerDay: 2 }
    for (const [kg, mg] of [
      [4, 250],
      [9.9, 250],
      [10, 500],
      [14, 750],
      [19, 750],
    ] as const)
      expect([kg, levels(drug('amoxicillin', mg, twice), patient('2024-05-01', kg))]).toEqual([
        kg,
        [],
      ])
    expect(levels(drug('amoxicillin', 500, twice), patient('2026-05-01', 4))).toEqual(['avoid'])
  })

  test('a dose below a tenth of the lowest published one asks; above it nothing is said', () => {
    expect(levels(drug('metformin', 40), adult)).toEqual(['avoid'])
    expect(levels(drug('metformin', 250), adult)).toEqual([])
    expect(levels(drug('paracetamol', 9), toddler(10))).toEqual(['avoid'])
    expect(levels(drug('paracetamol', 15), toddler(10))).toEqual([])
    expect(warnings(drug('metformin', 40), adult)[0]!.text.en).toBe(
      'metformin: one dose of 40 mg is a tenth, or less, of the lowest published dose of 500 mg.',
    )
  })

  test('a graver excess has another key, so that an old reason does not cover it', () => {
    const keyOf = (quantity: number) => warnings(drug('amlodipine', quantity), adult)[0]!.key
    expect(new Set([keyOf(15), keyOf(20), keyOf(50)]).size).toBe(3)
  })
})

describe('a dose counts as compared only if it was', () => {
  test('what could not be compared is named once', () => {
    const free = { ...drug('amlodipine', 5), dosing: null }
    const all = [free, free, drug('paracetamol', 500), drug('medroxyprogesterone', 5)]
    expect(unchecked(all, adult)).toEqual(['amlodipine', 'medroxyprogesterone'])
    // the row of cloxacillin is for children, by weight
    expect(unchecked([drug('cloxacillin', 2500, {}, 'intravenous')], adult)).toEqual([
      'cloxacillin',
    ])
    expect(unchecked([drug('amoxicillin', 250)], toddler(null))).toEqual(['amoxicillin'])
    expect(unchecked([drug('amoxicillin', 250)], toddler(10))).toEqual([])
  })

  test('a child who was not weighed is not compared with the limit of adults', () => {
    // 1 g for a child of 7 kg is 143 mg/kg
    expect(unchecked([drug('paracetamol', 1000)], toddler(null))).toEqual(['paracetamol'])
    expect(levels(drug('paracetamol', 1000), toddler(null))).toEqual(['caution'])
    expect(levels(drug('paracetamol', 1000), toddler(7))).toEqual(['must_not'])
    // a row for adults alone says nothing about a child; a limit of the day needs no weight
    expect(unchecked([drug('ezetimibe', 5)], toddler(10))).toEqual(['ezetimibe'])
    expect(unchecked([drug('metformin', 500)], patient('2015-03-01', null))).toEqual([])
  })

  test('without the date of birth no limit is that of the patient', () => {
    const ageless: CheckedPatient = { ...adult, birth: null }
    expect(unchecked([drug('paracetamol', 1000)], ageless)).toEqual(['paracetamol'])
    // too much for anybody is too much
    expect(levels(drug('paracetamol', 3000), ageless)).toEqual(['must_not'])
  })

  test('a row with a limit by kg and day alone needs a weight like any other', () => {
    const row = {
      ...table.rows[0]!,
      id: 'by_day',
      ingredient: 'lopinavir',
      child: { perKgDay: 60 },
      most: {},
    }
    table.rows.push(row as never)
    onTestFinished(() => void table.rows.pop())
    const one = drug('lopinavir', 150, { dosesPerDay: 6 })
    expect(unchecked([one], toddler(null))).toEqual(['lopinavir'])
    expect(levels(one, toddler(null))).toEqual(['caution'])
    expect(unchecked([one], toddler(10))).toEqual([])
    expect(levels(one, toddler(10))).toEqual(['avoid'])
  })

  test('the amount of a weekly medicine is compared as well as how often; a part says nothing of a combination', () => {
    expect(levels(drug('methotrexate', 100, { everyDays: 7 }), adult)).toEqual(['must_not'])
    expect(unchecked([drug('methotrexate', 100, { everyDays: 7 })], adult)).toEqual([])
    const perDose = (['paracetamol', 'caffeine'] as const).map((ingredient) => ({
      ingredient,
      quantity: 500,
      unit: 'mg' as const,
    }))
    expect(unchecked([drug('paracetamol', 0, { perDose })], adult)).toEqual([
      'paracetamol (caffeine)',
    ])
    const inUnits = [{ ingredient: 'paracetamol', quantity: 5, unit: 'units' as const }]
    expect(unchecked([drug('paracetamol', 0, { perDose: inUnits })], adult)).toEqual([
      'paracetamol',
    ])
  })

  test('a rule that is switched off compares nothing', () => {
    const off = compareDoses([drug('paracetamol', 9000)], adult, (row) => row !== 'paracetamol')
    expect([dosesUnchecked(off), off.flatMap((one) => one.warnings)]).toEqual([['paracetamol'], []])
  })

  test('an old weight is said to be one, and a newer one that was left out with it', () => {
    const old: CheckedPatient = {
      ...toddler(10, '2026-07-01'),
      unusableWeight: {
        kg: 105,
        at: new Date('2026-11-01T09:00:00Z'),
        isConfirmed: false,
        why: 'implausible',
      },
    }
    expect(warnings(drug('paracetamol', 150), old).map(({ text }) => text)).toEqual([
      {
        en:
          'The weight of 105 kg of Nov 1, 2026 is implausible for 2 years and was not confirmed. ' +
          'The weight of 10 kg is of Jul 1, 2026; the dose of paracetamol was compared with it.',
        ar:
          'الوزن 105 كغ بتاريخ 1 نوفمبر 2026 غير معقول (العمر: سنتان) ولم يُؤكَّد. ' +
          'الوزن 10 كغ مسجل بتاريخ 1 يوليو 2026، وبه قورنت جرعة paracetamol.',
        es:
          'El peso de 105 kg del 1 nov 2026 no es verosímil para 2 años y no se confirmó. ' +
          'El peso de 10 kg es del 1 jul 2026; con él se comparó la dosis de paracetamol.',
      },
    ])
  })
})

test('every dose that a starter form or a program advises is not too much and not too little', () => {
  const forms = globSync(['src/forms/starter/*.json', 'src/features/care/programs/*.json']).map(
    (file) => readFileSync(file, 'utf8'),
  )
  // a dose in another wording, or a second one in a sentence, would not be looked at below
  const amounts = forms
    .flatMap((form) => [...form.matchAll(/"en": "[^"]*"/g)])
    .flatMap(([text]) => [
      ...text.matchAll(/\d (?:mg|mcg|micrograms?|units|IU)(?![\w/]|\/dL)(?:\/kg)?/g),
    ])
  const perKg = forms
    .flatMap((form) => [...form.matchAll(/"en": "[^"]*"/g)])
    .flatMap(([text]) => [...text.matchAll(/\d (?:mg|g|units)\/kg/g)])
  const advised = forms.flatMap((form) =>
    [...form.matchAll(/"en": "[^"]*?([a-z]+) (\d+) mg(\/kg)? (a|once a|twice a) day/g)].map(
      ([, name = '', mg = '', byWeight, often]) => ({
        name,
        mg: Number(mg),
        byWeight: byWeight !== undefined,
        dosesPerDay: often === 'twice a' ? 2 : 1,
      }),
    ),
  )
  expect(advised.map(({ name, mg }) => `${name} ${mg}`).toSorted()).toEqual([
    'aspirin 75',
    'ciprofloxacin 15',
  ])
  expect([amounts.length, perKg.length]).toEqual([1, 1])
  for (const { name, mg, byWeight, dosesPerDay } of advised)
    for (const kg of byWeight ? [4, 7, 12, 19] : [50]) {
      const of = byWeight ? toddler(kg) : adult
      const one = drug(canonicalIngredient(name), byWeight ? mg * kg : mg, { dosesPerDay })
      expect([name, kg, levels(one, of)]).toEqual([name, kg, []])
    }
  // "give oral amoxicillin": the doses of the chart are above
  expect(forms.join('')).toContain('Give oral amoxicillin for 5 days')
})

test('every dose that a set fills in from a weight band is not too much and not too little', () => {
  const banded = table.rows.flatMap((row) =>
    'child' in row && row.child && 'bands' in row.child && row.child.bands && !('unit' in row)
      ? [{ ...row, bands: row.child.bands }]
      : [],
  )
  expect(banded.length).toBeGreaterThan(3)
  let filled = 0
  for (const { ingredient, bands, ...row } of banded)
    for (const route of 'routes' in row && row.routes ? row.routes : ['oral'])
      for (const { fromKg, underKg } of bands)
        for (const kg of [
          Math.max(fromKg, 3),
          (Math.max(fromKg, 3) + Math.min(underKg, 45)) / 2,
          Math.min(underKg, 45) - 0.1,
        ]) {
          const child = patient(kg < 20 ? '2024-05-01' : '2017-05-01', kg)
          const band = bandDose({ ingredients: [ingredient], route }, child, () => true)
          if ('lack' in band) continue
          filled += 1
          const dosing = { dosesPerDay: band.timesADay ?? 1 }
          const one = drug(ingredient, band.singles[0]!, dosing, route)
          expect([ingredient, kg, levels(one, child)]).toEqual([ingredient, kg, []])
        }
  expect(filled).toBeGreaterThan(20)
})

test('a day is not beyond the highest dose of a child, or of an adult, that a page states', () => {
  const child = patient('2016-05-01', 38)
  const small = patient('2023-05-01', 15)
  const asked = (name: string, single: number, dosesPerDay: number, who: CheckedPatient) =>
    levels(drug(name, single, { dosesPerDay }, 'oral'), who).length > 0
  const doses = [
    ['phenytoin', 150, 2, child],
    ['phenytoin', 200, 2, child],
    ['lamotrigine', 200, 2, child],
    ['lamotrigine', 250, 2, child],
    ['amiodarone', 200, 2, child],
    ['amiodarone', 300, 2, child],
    ['flecainide', 200, 2, adult],
    ['flecainide', 300, 2, adult],
    ['amiodarone', 600, 3, adult],
    ['amiodarone', 800, 3, adult],
    ['vigabatrin', 1500, 2, child],
    ['vigabatrin', 2000, 2, child],
    ['vigabatrin', 1500, 2, adult],
    ['vigabatrin', 2500, 2, adult],
    ['candesartan', 16, 1, child],
    ['candesartan', 32, 1, child],
    ['candesartan', 8, 1, small],
    ['candesartan', 16, 1, small],
    ['losartan', 50, 1, child],
    ['losartan', 100, 1, child],
    ['nitrazepam', 7.5, 2, small],
    ['nitrazepam', 10, 2, small],
    ['nitazoxanide', 100, 2, small],
    ['nitazoxanide', 200, 2, small],
  ] as const
  expect(doses.map(([name, single, times, who]) => asked(name, single, times, who))).toEqual(
    doses.map((_, at) => at % 2 === 1),
  )
})

/** Pages that list products, on which no dose can be read. */
const LISTS =
  /search\.cfm|\/emc\/search|9789241547659|tga\.gov\.au\/products|europa\.eu\/en\/medicines$|EssDr\/english\/$/

test('each row names a known substance and its source, and says what of it was opened', () => {
  const opened: Record<string, number> = { all: 0, adults: 0, children: 0, part: 0, none: 0 }
  for (const { id, ingredient, source, date, opened: what = 'none', least } of table.rows) {
    expect([id, isKnownIngredient(ingredient), canonicalIngredient(ingredient)]).toEqual([
      id,
      true,
      ingredient,
    ])
    expect([id, source.url ?? what]).toEqual([
      id,
      expect.stringMatching(/^https?:\/\/|^(all|adults|children|part)$/),
    ])
    expect([id, what !== 'none' && LISTS.test(source.url ?? '')]).toEqual([id, false])
    const said = source.text.replaceAll(/(?<=\d),(?=\d{3})/g, '').match(/\d+(?:\.\d+)?/g) ?? []
    const isSaid = said.some((one) => [Number(one), Number(one) * 1000].includes(least!))
    expect([id, isSaid || what !== 'all' || least === undefined]).toEqual([id, true])
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    opened[what]! += 1
  }
  const { all, adults, children, part, none } = opened
  const isBare = ({ opened: what, source }: (typeof table.rows)[number]) =>
    what === 'all' && !('url' in source)
  const bare = table.rows.filter(isBare).length
  expect(readFileSync('docs/clinical-sources.md', 'utf8')).toContain(
    `Of the ${table.rows.length} rows ${all} rest on opened pages alone ` +
      `(${bare} of them without an address, so that nobody can check them), ${adults} for adults, ` +
      `${children} for children, ${part} in part; of ${none} nothing was opened.`,
  )
})
