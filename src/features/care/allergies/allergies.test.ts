import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { brokenRule, test } from '../../../../test/harness'
import { deleteAllergy, listAllergies, recordNoAllergies, saveAllergy } from './allergies.server'
import { suggestSubstances } from './allergy'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const penicillins = {
  substance: 'Penicillins',
  substance_kind: 'drug_class' as const,
  substance_code: 'penicillins',
  reaction: 'Rash',
  severity: 'severe' as const,
  status: 'active' as const,
}
const own = { substance_kind: 'other' as const, substance_code: null }

test('a class is suggested first, on an Arabic screen by its English name as well', () => {
  const classes = [{ name: 'penicillins' as const, label: 'البنسلينات' }]
  const suggested = (typed: string) => suggestSubstances(typed, classes)
  expect(suggested('penicill').slice(0, 2)).toEqual(['البنسلينات', 'penicillamine'])
  expect(suggested('بنسل')).toEqual(['البنسلينات'])
  expect(suggested('Penicillamine')).toEqual([])
})

/** An administrator saves allergies of a new patient. */
const withPatient = test.extend('patient', async ({ asUser, make }) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const { id: patientId } = await make.patient()
  const save = (values: object = {}) =>
    saveAllergy(me, { ...penicillins, id: uuidv7(), patient_id: patientId, ...values })
  return { me, patientId, save, list: () => listAllergies(me, { patientId }) }
})

describe('an allergy', () => {
  test('is recorded, corrected and listed: active ones first, the most severe of them first', async ({
    asUser,
    make,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    const me = asUser(await make.user(), { [clinic_id]: treating })
    for (const [substance, values] of [
      ['Codeine', { status: 'refuted' }],
      ['Ibuprofen', { severity: 'mild' }],
    ] as const)
      await make.allergy({
        patient_id,
        substance,
        substance_code: substance.toLowerCase(),
        ...values,
      })
    const allergy = { ...penicillins, id: uuidv7(), patient_id }
    const saved = await saveAllergy(me, allergy)
    expect(await saveAllergy(me, allergy)).toEqual(saved)
    const names = async () =>
      (await listAllergies(me, { patientId: patient_id })).map(({ substance }) => substance)
    expect(await names()).toEqual(['Penicillins', 'Ibuprofen', 'Codeine'])
    await saveAllergy(me, { ...allergy, status: 'inactive', last_modified: saved.last_modified })
    expect(await names()).toEqual(['Ibuprofen', 'Penicillins', 'Codeine'])
  })

  withPatient('in the user’s own words has no code, for "" as for null', async ({ patient }) => {
    await patient.save({ substance: 'Bees', substance_kind: undefined, substance_code: '' })
    expect(await patient.list()).toMatchObject([{ substance_code: null }])
  })

  withPatient(
    '“none known” is recorded once, is refused beside an allergy, and ends with the first one',
    async ({ patient: { me, patientId, save, list } }) => {
      const recordNone = () => recordNoAllergies(me, { id: uuidv7(), patientId })
      expect(await recordNone()).toEqual(await recordNone())
      await save()
      expect(await list()).toMatchObject([
        { substance: 'Penicillins', status: 'active' },
        { substance_kind: 'none_known', status: 'refuted' },
      ])
      await expect(recordNone()).rejects.toMatchObject({ text: { key: 'allergies.someKnown' } })
    },
  )

  withPatient(
    'that says that there is none is refused, and one that came otherwise is replaced once confirmed',
    async ({ patient: { me, patientId, save, list }, make }) => {
      for (const substance of ['NKDA', 'ninguna', 'لا يوجد'])
        await expect(save({ ...own, substance })).rejects.toMatchObject({
          fields: { substance: { key: 'allergies.saysNone' } },
        })
      const arrived = { patient_id: patientId, substance_kind: 'other', substance_code: null }
      await make.allergy({ ...arrived, substance: 'NKDA' })
      expect(await list()).toMatchObject([{ substance: 'NKDA', status: 'active' }])
      await recordNoAllergies(me, { id: uuidv7(), patientId })
      expect(await list()).toMatchObject([
        { substance_kind: 'none_known', status: 'active' },
        { substance: 'NKDA', status: 'refuted' },
      ])
    },
  )

  withPatient(
    'is recorded once, in any case, singular or plural; one that ended can be another entry',
    async ({ patient: { save, list } }) => {
      const first = { id: uuidv7() }
      const { last_modified } = await save(first)
      // a correction of the entry is not a second one
      await save({ ...first, severity: 'mild', last_modified })
      await save({ ...own, substance: 'Bee stings' })
      for (const [second, name] of [
        [{ substance: 'penicillins' }, 'Penicillins'],
        [{ ...own, substance: ' PENICILLIN' }, 'Penicillins'],
        [{ ...own, substance: 'bee sting' }, 'Bee stings'],
      ] as const)
        await expect(save(second)).rejects.toMatchObject({
          fields: { substance: { key: 'allergies.alreadyRecorded', values: { name } } },
        })
      await save({ substance: 'penicillin', status: 'refuted' })
      const amoxicillin = { substance_kind: 'ingredient', substance_code: 'amoxicillin' }
      await save({ ...amoxicillin, substance: 'Amoxicillin' })
      expect(await list()).toHaveLength(4)
    },
  )

  withPatient('reports each error of the input at its field', async ({ patient: { save } }) => {
    const key = 'validation.option'
    for (const [values, fields] of [
      [{ substance: ' ' }, { substance: { key: 'allergies.substanceRequired' } }],
      [{ severity: 'deadly' }, { severity: { key } }],
      [{ status: 'gone' }, { status: { key } }],
      [{ reaction: 'x'.repeat(301) }, { reaction: { key: 'validation.tooLong' } }],
      [{ substance_code: 'vegetables' }, { substance_code: { key } }],
      [
        { substance_kind: 'ingredient', substance_code: 'Amoxicillin Trihydrate' },
        { substance_code: { key } },
      ],
      [{ substance_kind: 'ingredient', substance_code: null }, { substance_code: { key } }],
      [{ substance_kind: 'other', substance_code: 'amoxicillin' }, { substance_code: { key } }],
    ])
      await expect(save(values)).rejects.toMatchObject({ fields })
  })

  test('is seen by users who dispense to the patient, and by no one without a right', async ({
    as,
    make,
  }) => {
    const { clinic_id, patient_id } = await make.visit()
    const { id } = await make.allergy({ patient_id })
    const other = await make.allergy()
    const pharmacy = (await make.clinic()).id
    const list = { patientId: patient_id }
    const dispenser = as('provider', { [pharmacy]: ['can_dispense_medications'] })
    const registrar = as('registrar', { [clinic_id]: ['can_register_patients'] })
    const colleague = as('provider', { [clinic_id]: treating })
    const stranger = as('provider', { [pharmacy]: [...treating, 'can_delete_records'] })
    await expect(listAllergies(dispenser, list)).rejects.toMatchObject({ code: 'not_found' })
    await make.prescription({ patient_id, pickup_clinic_id: pharmacy })
    expect(await listAllergies(dispenser, list)).toHaveLength(1)
    for (const [attempt, code] of [
      [() => saveAllergy(dispenser, { ...penicillins, id: uuidv7(), patient_id }), 'forbidden'],
      [() => listAllergies(registrar, list), 'forbidden'],
      [() => deleteAllergy(colleague, { id }), 'forbidden'],
      [() => deleteAllergy(stranger, { id: other.id }), 'not_found'],
    ] as const)
      await expect(attempt()).rejects.toMatchObject({ code })
    await deleteAllergy(as('admin'), { id })
    expect(await listAllergies(colleague, list)).toEqual([])
  })

  test('a class or substance without its code is refused by the database', async ({ db, make }) => {
    const { id: patient_id } = await make.patient()
    const insert = db
      .insertInto('patient_allergies')
      .values({ id: uuidv7(), patient_id, substance: 'Penicillin', substance_kind: 'drug_class' })
    expect(await brokenRule(db, insert)).toBe('patient_allergies_substance_code_check')
  })
})
