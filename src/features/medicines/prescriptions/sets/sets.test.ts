import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { test } from '../../../../../test/harness'
import { amountOfBand } from './band-amount'
import { deleteSet, listSets, saveSet, useSet } from './sets.server'
import { newItem } from '../writing/prescription-draft'
import { itemsFor, itemsOfSet, noteOfSet } from './used-set'

const PRESCRIBES = ['can_view_history', 'can_prescribe_medications'] as const
const say = (what: unknown) => JSON.stringify(what)
const yearsAgo = (years: number) => `${new Date().getFullYear() - years}-01-01`
const twiceADay = {
  amount: 2,
  unit: 'capsule' as const,
  often: { kind: 'times' as const, n: 3 },
  days: 5,
}

const sets = test.extend('room', async ({ make, asUser, as }) => {
  const clinic = await make.clinic()
  const doctor = await make.user()
  const amoxicillin = await make.drug({
    generic_name: 'Amoxicillin',
    ingredients: ['amoxicillin'],
    form: 'capsule',
    route: 'oral',
    dosage_quantity: 250,
    dosage_units: 'mg',
  })
  const item = (drug_id = amoxicillin.id, more: object = {}) => ({
    drug_id,
    dosage_instructions: '2 capsules by mouth, 3 times a day, for 5 days',
    dose: twiceADay,
    quantity_prescribed: 30,
    ...more,
  })
  const me = asUser(doctor, { [clinic.id]: [...PRESCRIBES] })
  const save = (given: object = {}, ctx = me) =>
    saveSet(ctx, { id: uuidv7(), name: 'Pneumonia', items: [item()], ...given })
  const child = async (kg: number | null, at = new Date(), born = yearsAgo(3)) => {
    const patient = await make.patient({ primary_clinic_id: clinic.id, date_of_birth: born })
    if (kg) await make.vital({ patient_id: patient.id, weight_kg: kg, timestamp: at })
    return patient
  }
  return { clinic, doctor, amoxicillin, item, me, save, child, admin: as('super_admin') }
})

describe('a set', () => {
  sets(
    'is one’s own, or of a clinic, which its administrators change',
    async ({ room, make, asUser }) => {
      const { clinic, me, save } = room
      const own = await save()
      await expect(save({ name: 'PNEUMONIA' })).rejects.toMatchObject({
        fields: { name: { key: 'prescriptionSets.nameTaken' } },
      })
      await expect(save({ name: 'Malaria', clinic_id: clinic.id })).rejects.toMatchObject({
        code: 'forbidden',
      })
      const head = asUser(await make.user(), { [clinic.id]: ['is_clinic_admin'] })
      const shared = await save({ name: 'Malaria', clinic_id: clinic.id }, head)
      expect((await listSets(me, {})).map(({ name, mayChange }) => [name, mayChange])).toEqual([
        ['Malaria', false],
        ['Pneumonia', true],
      ])
      await expect(deleteSet(me, { id: shared.id })).rejects.toMatchObject({ code: 'forbidden' })
      // neither a colleague nor an administrator sees the sets of another user
      const colleague = asUser(await make.user(), { [clinic.id]: [...PRESCRIBES] })
      expect((await listSets(colleague, {})).map(({ name }) => name)).toEqual(['Malaria'])
      await expect(deleteSet(colleague, { id: own.id })).rejects.toMatchObject({
        code: 'not_found',
      })
      const elsewhere = asUser(await make.user(), { [(await make.clinic()).id]: [...PRESCRIBES] })
      expect(await listSets(elsewhere, {})).toEqual([])
    },
  )

  sets(
    'of a clinic that becomes one’s own is the user’s who made it so',
    async ({ room, make, asUser }) => {
      const { clinic, me, save } = room
      const rights = ['is_clinic_admin', ...PRESCRIBES] as const
      const head = asUser(await make.user(), { [clinic.id]: [...rights] })
      const { id, last_modified } = await save({ clinic_id: clinic.id }, head)
      const other = asUser(await make.user(), { [clinic.id]: [...rights] })
      await save({ id, last_modified, clinic_id: null }, other)
      expect((await listSets(other, {})).map(({ mayChange }) => mayChange)).toEqual([true])
      expect([...(await listSets(head, {})), ...(await listSets(me, {}))]).toEqual([])
    },
  )

  sets(
    'shows the strength and the dose of each medicine before it is used',
    async ({ room, make }) => {
      const { me, save, item } = room
      const zinc = await make.drug({
        generic_name: 'Zinc',
        ingredients: ['zinc'],
        form: 'tablet',
        dosage_quantity: 20,
        dosage_units: 'mg',
      })
      const plain = { dose: null, dosage_instructions: 'One tablet daily' }
      await save({ items: [item(), item(zinc.id, plain)] })
      const [listed] = await listSets(me, {})
      expect(listed!.items).toMatchObject([
        { dose: { amount: 2, unit: 'capsule' }, drug: { form: 'capsule' } },
        {
          dose: null,
          instructions: 'One tablet daily',
          drug: { generic_name: 'Zinc', dosage_quantity: 20, dosage_units: 'mg' },
        },
      ])
    },
  )

  sets('of a recorded problem comes first', async ({ room, make }) => {
    const { clinic, me, save } = room
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const problem = await make.problem({ patient_id: patient.id, recorded_clinic_id: clinic.id })
    await save({ name: 'A cold' })
    await save({
      name: 'Pressure',
      problem: {
        system: problem.problem_code_system,
        code: problem.problem_code,
        label: problem.problem_label,
      },
    })
    const listed = await listSets(me, { patientId: patient.id })
    expect(listed.map(({ name, is_of_problem }) => [name, is_of_problem])).toEqual([
      ['Pressure', true],
      ['A cold', false],
    ])
  })

  sets(
    'names the medicine that left the catalogue, and does not add it',
    async ({ room, make, db }) => {
      const { me, save, item, child } = room
      const inactive = await make.drug({ generic_name: 'Ranitidine', ingredients: ['ranitidine'] })
      const { id } = await save({ items: [item(), item(inactive.id)] })
      await db
        .updateTable('drug_catalogue')
        .set({ is_active: false })
        .where('id', '=', inactive.id)
        .execute()
      const [listed] = await listSets(me, {})
      expect(listed!.items.map(({ isInactive }) => isInactive)).toEqual([false, true])
      const used = await useSet(me, {
        id,
        patientId: (await child(null, new Date(), yearsAgo(40))).id,
      })
      expect(itemsOfSet(used.items, say)).toHaveLength(1)
      expect(used.items.map((one) => noteOfSet(one))).toEqual([
        null,
        {
          key: 'prescriptionSets.notInCatalogue',
          values: { name: expect.stringContaining('Ranitidine') },
        },
      ])
    },
  )

  sets('is deleted and restored; a repeated save creates it once', async ({ room }) => {
    const { me, save, admin } = room
    const id = uuidv7()
    const saved = await save({ id })
    expect(await save({ id })).toEqual(saved)
    const { deletionId } = await deleteSet(me, { id })
    expect(await listSets(me, {})).toEqual([])
    await restoreDeletion(admin, { id: deletionId })
    expect((await listSets(me, {})).map((one) => one.id)).toEqual([id])
  })

  sets(
    'without a medicine, or with one that is not in the catalogue, is refused',
    async ({ room }) => {
      const { save, item } = room
      await expect(save({ items: [] })).rejects.toMatchObject({
        fields: { items: { key: 'prescriptionSets.noItems' } },
      })
      await expect(save({ items: [item(uuidv7())] })).rejects.toMatchObject({
        fields: { 'items.0.drug_id': { key: 'prescriptions.drugNotFound' } },
      })
      await expect(save({ name: ' ' })).rejects.toMatchObject({
        fields: { name: { key: 'prescriptionSets.nameRequired' } },
      })
    },
  )
})

describe('the dose of a used set', () => {
  test('is removed when another patient is chosen', () => {
    const [typed, filled] = [newItem(), newItem()]
    const draft = { patient: { id: 'a', name: 'Amal' }, items: [typed, filled] }
    const left = (id: string | null) =>
      itemsFor(id === null ? null : { id, name: id }, draft, [filled.id])
    expect(left('a')).toEqual([typed, filled])
    expect(left('b')).toEqual([typed])
    expect(left(null)).toEqual([typed])
  })

  sets('is that of the set for an adult', async ({ room }) => {
    const { me, save, child } = room
    const { id } = await save()
    const adult = await child(null, new Date(), yearsAgo(40))
    const used = await useSet(me, { id, patientId: adult.id })
    expect(itemsOfSet(used.items, say)).toMatchObject([
      { dose: { amount: 2, unit: 'capsule', often: { n: 3 } }, quantity: 30 },
    ])
  })

  sets('is that of the published weight band for a child', async ({ room }) => {
    const { me, save, child } = room
    const { id } = await save()
    const used = await useSet(me, { id, patientId: (await child(12)).id })
    // 10 to under 14 kg: 500 mg twice a day, and not the set's 2 capsules 3 times a day
    expect(itemsOfSet(used.items, say)).toMatchObject([
      { dose: { amount: 2, unit: 'capsule', often: { kind: 'times', n: 2 } }, quantity: 20 },
    ])
    expect(used.items.map((one) => noteOfSet(one))).toMatchObject([
      { key: 'prescriptionSets.fromBand', values: { from: 10, under: 14 } },
    ])
  })

  sets.for([
    ['no weight', null, 0, 'prescriptionSets.noDose_weight'],
    ['a weight of four months ago', 12, 120, 'prescriptionSets.noDose_old_weight'],
    ['a weight above all bands', 21, 0, 'prescriptionSets.noDose_band'],
  ] as const)('stays empty for a child with %s', async ([, kg, days, key], { room }) => {
    const { me, save, child } = room
    const { id } = await save()
    const at = new Date(Date.now() - days * 86_400_000)
    const used = await useSet(me, { id, patientId: (await child(kg, at)).id })
    expect(used.items.map((one) => noteOfSet(one))).toMatchObject([{ key }])
    expect(itemsOfSet(used.items, say)).toMatchObject([
      { dose: { amount: '', often: null }, dosage_instructions: '', quantity: 1 },
    ])
  })

  sets(
    'stays empty where the table has no band, and where the age is not known',
    async ({ room, make }) => {
      const { me, save, child, item, clinic } = room
      const ibuprofen = await make.drug({
        generic_name: 'Ibuprofen',
        ingredients: ['ibuprofen'],
        form: 'tablet',
        route: 'oral',
      })
      const { id } = await save({ items: [item(ibuprofen.id)] })
      const noteFor = async (patientId: string) => {
        const used = await useSet(me, { id, patientId })
        expect(itemsOfSet(used.items, say)).toMatchObject([{ dose: { amount: '' } }])
        return used.items.map((one) => noteOfSet(one))
      }
      expect(await noteFor((await child(12)).id)).toMatchObject([
        { key: 'prescriptionSets.noDose_band' },
      ])
      const unknown = await make.patient({ primary_clinic_id: clinic.id, date_of_birth: null })
      expect(await noteFor(unknown.id)).toMatchObject([{ key: 'prescriptionSets.noDose_age' }])
    },
  )
})

const drug = (given: object) => ({
  form: 'tablet',
  ingredients: ['amoxicillin'],
  ingredient_strengths: null,
  dosage_quantity: 250,
  dosage_units: 'mg',
  per_quantity: null,
  per_unit: null,
  ...given,
})

test.for([
  ['a whole tablet', [250], {}, { amount: 1, unit: 'tablet' }],
  ['half a tablet', [250], { dosage_quantity: 500 }, { amount: 0.5, unit: 'tablet' }],
  ['no third of a tablet', [250], { dosage_quantity: 750 }, null],
  ['no half capsule', [250], { form: 'capsule', dosage_quantity: 500 }, null],
  [
    'millilitres',
    [250],
    { form: 'syrup', dosage_quantity: 125, per_quantity: 5, per_unit: 'mL' },
    { amount: 10, unit: 'mL' },
  ],
  [
    'both substances of a tablet',
    [40, 240],
    {
      ingredients: ['artemether', 'lumefantrine'],
      ingredient_strengths: '20 mg + 120 mg',
      dosage_quantity: null,
    },
    { amount: 2, unit: 'tablet' },
  ],
  [
    'no tablet whose substances do not agree',
    [40, 120],
    {
      ingredients: ['artemether', 'lumefantrine'],
      ingredient_strengths: '20 mg + 120 mg',
      dosage_quantity: null,
    },
    null,
  ],
] as const)('a band gives %s', ([, singles, given, amount]) => {
  expect(amountOfBand(singles, drug(given) as Parameters<typeof amountOfBand>[1])).toEqual(amount)
})
