import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Message } from '~/shared/errors'
import type { Language } from '~/shared/language'
import type { Permission } from '~/shared/permissions'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { test } from '../../../../../test/harness'
import { dispense } from '~/features/medicines/dispensing/dispensing.server'
import { getToDispense } from '~/features/medicines/dispensing/queue.server'
import {
  daysSupply,
  type Dose,
  type Dosed,
  doseText,
  computeDosing,
  oftenMatching,
  proposedQuantity,
  formatQuantity,
  totalVolume,
} from './dose'
import { getPrescription, savePrescription } from '../prescriptions.server'
import { checkDrugs } from '../check/safety-check.server'
import { unsafeNotations } from './unsafe-notations'

const sayIn = (language: Language) => (what: Sayable) =>
  sentence(language, typeof what === 'string' ? { key: what } : (what as Message))
const inAll = (dose: Dose, drug: Dosed) =>
  (['en', 'ar', 'es'] as const).map((language) => doseText(dose, drug, sayIn(language)))

const tablet: Dosed = {
  form: 'tablet',
  ingredients: ['paracetamol'],
  dosage_quantity: 500,
  dosage_units: 'mg',
  per_quantity: null,
  per_unit: null,
  ingredient_strengths: null,
}
const suspension: Dosed = {
  ...tablet,
  form: 'syrup',
  ingredients: ['amoxicillin'],
  dosage_quantity: 250,
  per_quantity: 5,
  per_unit: 'mL',
}
const insulin: Dosed = {
  ...suspension,
  form: 'injection',
  ingredients: ['insulin human'],
  dosage_quantity: 100,
  dosage_units: 'units',
  per_quantity: 1,
}
const augmentin: Dosed = {
  ...tablet,
  ingredients: ['amoxicillin', 'clavulanic acid'],
  dosage_quantity: 625,
  ingredient_strengths: '500 mg + 125 mg',
}

const plain: Dose = {
  amount: 1,
  unit: 'tablet',
  often: { kind: 'times', n: 3 },
  days: 5,
  as_needed: false,
  max_per_day: null,
  route: 'oral',
  food: 'after',
}
const liquid: Dose = { ...plain, amount: 5, unit: 'mL', food: null }

test('a typed number finds its own frequency first, in Latin and Arabic digits', () => {
  const options = [
    ['times:1', 'once a day'],
    ['times:2', 'twice a day'],
    ['hours:6', 'every 6 hours'],
    ['hours:12', 'every 12 hours'],
    ['days:2', 'every other day'],
    ['days:14', 'every 2 weeks'],
    ['once', 'once only'],
  ].map(([value, label]) => ({ value: value!, label: label! }))
  const found = (typed: string) => oftenMatching(options, typed).map(({ value }) => value)
  expect(found('1')).toEqual(['times:1', 'hours:12', 'days:14'])
  expect(found('١')).toEqual(found('1'))
  expect(found('2')).toEqual(['times:2', 'days:2'])
  expect(found('12')).toEqual(['hours:12'])
  expect(found('once')).toEqual(['times:1', 'once'])
  expect(found('')).toHaveLength(options.length)
})

describe('a dose as a sentence', () => {
  test('in each language, with amount, route, frequency, days and food', () => {
    expect(inAll(plain, tablet)).toEqual([
      '1 tablet by mouth, 3 times a day, for 5 days, after meals',
      'قرص واحد عن طريق الفم، 3 مرات في اليوم، لمدة 5 أيام، بعد الأكل',
      '1 tableta por vía oral, 3 veces al día, durante 5 días, después de las comidas',
    ])
    const weekly: Dose = {
      ...plain,
      amount: 0.5,
      often: { kind: 'days', n: 7 },
      days: null,
      food: null,
    }
    expect(inAll(weekly, tablet)).toEqual([
      'half a tablet by mouth, once a week',
      'نصف قرص عن طريق الفم، مرة واحدة في الأسبوع',
      'media tableta por vía oral, una vez a la semana',
    ])
    const depot: Dose = { ...weekly, amount: 1, often: { kind: 'days', n: 84 }, route: null }
    expect(inAll(depot, tablet)).toEqual([
      '1 tablet, every 12 weeks',
      'قرص واحد، كل 12 أسبوعًا',
      '1 tableta, cada 12 semanas',
    ])
    const asNeeded: Dose = {
      ...plain,
      amount: 2,
      often: { kind: 'hours', n: 6 },
      as_needed: true,
      max_per_day: 4,
      days: null,
      food: null,
    }
    expect(inAll(asNeeded, tablet)).toEqual([
      '2 tablets by mouth, every 6 hours, only when needed, not more than 4 doses in 24 hours',
      'قرصان عن طريق الفم، كل 6 ساعات، عند الحاجة فقط، لا أكثر من 4 جرعات خلال 24 ساعة',
      '2 tabletas por vía oral, cada 6 horas, solo si es necesario, no más de 4 dosis en 24 horas',
    ])
  })

  test('a liquid says both millilitres and milligrams, whichever was prescribed; insulin says units', () => {
    const short = { ...liquid, days: null, route: null }
    expect(doseText(short, suspension, sayIn('en'))).toBe('5 mL (250 mg), 3 times a day')
    expect(doseText({ ...short, amount: 125, unit: 'mg' }, suspension, sayIn('en'))).toBe(
      '125 mg (2.5 mL), 3 times a day',
    )
    expect(
      doseText(
        { ...short, amount: 12, unit: 'units', often: { kind: 'times', n: 2 } },
        insulin,
        sayIn('es'),
      ),
    ).toBe('12 unidades, 2 veces al día')
  })

  test('quantities name what is counted', () => {
    expect(['tablet', 'syrup'].map((form) => formatQuantity(20, form, sayIn('en')))).toEqual([
      '20 tablets',
      '20 × Syrup',
    ])
    expect(formatQuantity(3, 'capsule', sayIn('ar'))).toBe('3 كبسولات')
    expect(formatQuantity(6, 'other', sayIn('en'))).toBe('Quantity: 6')
  })
})

describe('quantity and supply follow from the dose', () => {
  test('in pieces, also from milligrams; a bottle is chosen by its volume', () => {
    expect(proposedQuantity(plain, tablet)).toBe(15)
    expect(proposedQuantity({ ...plain, amount: 250, unit: 'mg' }, tablet)).toBe(8)
    expect(
      proposedQuantity({ ...plain, amount: 0.5, often: { kind: 'days', n: 2 }, days: 30 }, tablet),
    ).toBe(8)
    expect(proposedQuantity({ ...plain, often: { kind: 'once' }, days: null }, tablet)).toBe(1)
    expect(proposedQuantity({ ...plain, days: null }, tablet)).toBeNull()
    expect(proposedQuantity({ ...plain, amount: 333, unit: 'mg' }, tablet)).toBeNull()
    expect(proposedQuantity(liquid, suspension)).toBeNull()
    expect(totalVolume(liquid, suspension)).toBe(75)
    expect(totalVolume({ ...liquid, amount: 125, unit: 'mg' }, suspension)).toBe(37.5)
  })

  test('as many days as the pieces last', () => {
    expect(daysSupply(plain, tablet, 15)).toBe(5)
    expect(daysSupply({ ...plain, often: { kind: 'days', n: 7 } }, tablet, 4)).toBe(28)
    expect(daysSupply({ ...plain, as_needed: true, max_per_day: 4 }, tablet, 20)).toBe(5)
    expect(daysSupply(liquid, suspension, 1)).toBe(5)
  })

  test('what one dose holds of each substance, where the strength says it', () => {
    expect(computeDosing(plain, augmentin)).toEqual({
      perDose: [
        { ingredient: 'amoxicillin', quantity: 500, unit: 'mg' },
        { ingredient: 'clavulanic acid', quantity: 125, unit: 'mg' },
      ],
      dosesPerDay: 3,
      everyDays: 1,
      days: 5,
    })
    expect(computeDosing(liquid, suspension)?.perDose).toEqual([
      { ingredient: 'amoxicillin', quantity: 250, unit: 'mg' },
    ])
    expect(
      computeDosing({ ...liquid, often: { kind: 'hours', n: 8 } }, suspension)?.dosesPerDay,
    ).toBe(3)
    // no volume, or milligrams of a combination: nothing is guessed
    expect(computeDosing(liquid, { ...suspension, per_quantity: null, per_unit: null })).toBeNull()
    expect(computeDosing({ ...plain, amount: 500, unit: 'mg' }, augmentin)).toBeNull()
    expect(computeDosing(plain, { ...augmentin, ingredient_strengths: null })).toBeNull()
  })
})

test.for([
  ['10 U at night', 'u'],
  ['10u', 'u'],
  ['10 IU', 'iu'],
  ['1 tab qd', 'qd'],
  ['1 tab q.o.d.', 'qod'],
  ['1 tab OD', 'od'],
  ['50 µg', 'micro'],
  ['50 μg', 'micro'],
  ['take .5 tablet', 'naked'],
  ['1.0 mg', 'trailing'],
  ['5 cc', 'cc'],
  ['tiw', 'tiw'],
] as const)('%s is pointed out', ([text, id]) =>
  expect(unsafeNotations(text)).toEqual([`dose.unsafe_${id}`]),
)
test('safe writing is left alone', () => {
  const safe = [
    '10 units',
    '0.5 tablet. 5 days',
    '1 tableta cada 8 horas',
    'قرص واحد كل 8 ساعات',
    '10.05 mL',
    'until gone',
    '1 unidad',
  ]
  expect(safe.flatMap(unsafeNotations)).toEqual([])
})

describe('a prescription with a structured dose', () => {
  const rights: Permission[] = [
    'can_view_history',
    'can_prescribe_medications',
    'can_dispense_medications',
  ]

  test('makes its sentence; a sentence from a phone replaces the numbers; the label keeps them', async ({
    make,
    asUser,
    db,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    await make.noAllergies(patient_id)
    const doctor = await make.user()
    const me = asUser(doctor, { [clinic_id]: rights })
    const batch = await make.stock(clinic_id, 50)
    const item = {
      id: uuidv7(),
      drug_id: batch.drug_id,
      dosage_instructions: 'whatever',
      quantity_prescribed: 15,
      dose: { ...plain, unit: 'capsule' as const },
    }
    const prescription = {
      id: uuidv7(),
      patient_id,
      provider_id: doctor.id,
      pickup_clinic_id: clinic_id,
      notes: '',
      items: [item],
    }
    expect(await savePrescription(me, prescription)).toMatchObject({ ok: true })
    const text = '1 capsule by mouth, 3 times a day, for 5 days, after meals'
    const read = async () => (await getPrescription(me, { id: prescription.id })).items[0]!
    expect(await read()).toMatchObject({
      dosage_instructions: text,
      dose: { ...plain, unit: 'capsule' },
    })

    const records = [{ id: uuidv7(), batchId: batch.id, quantity: 15 }]
    await dispense(me, {
      prescriptionId: prescription.id,
      items: [{ itemId: item.id, days_supply: 5, records }],
    })
    await db
      .updateTable('prescription_items')
      .set({ dosage_instructions: 'Two at night' })
      .where('id', '=', item.id)
      .execute()
    expect(await read()).toMatchObject({ dosage_instructions: 'Two at night', dose: null })
    expect((await getToDispense(me, { id: prescription.id })).records).toMatchObject([
      {
        dosage_instructions: text,
        dose: { amount: 1, unit: 'capsule', often: { kind: 'times', n: 3 } },
      },
    ])
  })

  test('an amount that is none is refused at its field', async ({ make, asUser }) => {
    const { patient_id, clinic_id } = await make.visit()
    const doctor = await make.user()
    const me = asUser(doctor, { [clinic_id]: rights })
    const drug = await make.drug()
    const item = {
      id: uuidv7(),
      drug_id: drug.id,
      dosage_instructions: 'x',
      dose: { ...plain, amount: 0 },
    }
    await expect(
      savePrescription(me, {
        id: uuidv7(),
        patient_id,
        provider_id: doctor.id,
        pickup_clinic_id: clinic_id,
        notes: '',
        items: [item],
      }),
    ).rejects.toMatchObject({ fields: { 'items.0.dose.amount': { key: 'dose.amountPositive' } } })
  })

  test('is compared with the limits; where dose or strength is missing, the check says so', async ({
    make,
    asUser,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    const me = asUser(await make.user(), { [clinic_id]: rights })
    const drug = await make.drug({
      generic_name: 'Simvastatin',
      ingredients: ['simvastatin'],
      form: 'tablet',
      dosage_quantity: 40,
    })
    const check = (dose: Partial<Dose> | null) =>
      checkDrugs(me, {
        patientId: patient_id,
        drugIds: [drug.id],
        doses: dose ? [{ drugId: drug.id, dose: { ...plain, ...dose } }] : undefined,
      })
    expect(await check(null)).toMatchObject({ dosesUnchecked: ['Simvastatin'] })
    expect(await check({ unit: 'mL' })).toMatchObject({ dosesUnchecked: ['Simvastatin'] })
    const once = await check({ often: { kind: 'times', n: 1 } })
    expect(once.dosesUnchecked).toEqual([])
    expect(once.warnings.filter(({ kind }) => kind === 'dose')).toEqual([])
    expect((await check({ often: { kind: 'times', n: 2 } })).warnings).toContainEqual(
      expect.objectContaining({ kind: 'dose', level: 'avoid', rule: 'simvastatin' }),
    )
  })
})
