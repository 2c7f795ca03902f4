import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { brokenRule, test } from '../../../test/harness'
import { deleteAllergy, listAllergies, recordNoAllergies, saveAllergy } from './allergies.server'
import { suggestedSubstances } from './allergy'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const penicillins = {
  substance: 'Penicillins',
  substance_kind: 'drug_class' as const,
  substance_code: 'penicillins',
  reaction: 'Rash',
  severity: 'severe' as const,
  status: 'active' as const,
}

test('a class is suggested first, on an Arabic screen by its English name as well', () => {
  const classes = [{ name: 'penicillins' as const, label: 'البنسلينات' }]
  expect(suggestedSubstances('penicill', classes).slice(0, 2)).toEqual([
    'البنسلينات',
    'penicillamine',
  ])
  expect(suggestedSubstances('بنسل', classes)).toEqual(['البنسلينات'])
  expect(suggestedSubstances('Penicillamine', classes)).toEqual([])
})

describe('an allergy', () => {
  test('is recorded, corrected and listed: what holds first, the gravest on top', async ({
    asUser,
    make,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    const me = asUser(await make.user(), { [clinic_id]: treating })
    await make.allergy({
      patient_id,
      substance: 'Codeine',
      substance_code: 'codeine',
      status: 'refuted',
    })
    await make.allergy({
      patient_id,
      substance: 'Ibuprofen',
      substance_code: 'ibuprofen',
      severity: 'mild',
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

  test('in one\'s own words has no code, whether "" or null is sent for it', async ({
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient()
    await saveAllergy(me, {
      id: uuidv7(),
      patient_id,
      substance: 'Bees',
      substance_code: '',
      status: 'active',
    })
    expect(await listAllergies(me, { patientId: patient_id })).toMatchObject([
      { substance_code: null },
    ])
  })

  test('“none known” is recorded once, is refused beside an allergy, and ends with the first one', async ({
    asUser,
    make,
  }) => {
    const { id: patientId } = await make.patient()
    const me = asUser(await make.user({ role: 'admin' }))
    const said = await recordNoAllergies(me, { id: uuidv7(), patientId })
    expect(await recordNoAllergies(me, { id: uuidv7(), patientId })).toEqual(said)
    await saveAllergy(me, { ...penicillins, id: uuidv7(), patient_id: patientId })
    expect(await listAllergies(me, { patientId })).toMatchObject([
      { substance: 'Penicillins', status: 'active' },
      { substance_kind: 'none_known', status: 'refuted' },
    ])
    await expect(recordNoAllergies(me, { id: uuidv7(), patientId })).rejects.toMatchObject({
      text: { key: 'allergies.someKnown' },
    })
  })

  test('is recorded once, in any case, singular or plural; what is over may come back as another entry', async ({
    asUser,
    make,
  }) => {
    const { id: patient_id } = await make.patient()
    const me = asUser(await make.user({ role: 'admin' }))
    const save = (values: object) =>
      saveAllergy(me, { ...penicillins, id: uuidv7(), patient_id, ...values })
    const own = { substance_kind: 'other' as const, substance_code: null }
    const first = { id: uuidv7() }
    const saved = await save(first)
    // a correction of the entry itself is no second one
    await save({ ...first, severity: 'mild', last_modified: saved.last_modified })
    await save({ ...own, substance: 'Bee stings' })
    for (const second of [{ substance: 'penicillins' }, { ...own, substance: ' PENICILLIN' }]) {
      await expect(save(second)).rejects.toMatchObject({
        fields: {
          substance: { key: 'allergies.alreadyRecorded', values: { name: 'Penicillins' } },
        },
      })
    }
    await expect(save({ ...own, substance: 'bee sting' })).rejects.toMatchObject({
      code: 'invalid',
    })
    await save({ substance: 'penicillin', status: 'refuted' })
    await save({
      substance: 'Amoxicillin',
      substance_kind: 'ingredient',
      substance_code: 'amoxicillin',
    })
    expect(await listAllergies(me, { patientId: patient_id })).toHaveLength(4)
  })

  test('every problem with the input is reported beside its field', async ({ as, make }) => {
    const { id: patient_id } = await make.patient()
    const save = (values: object) =>
      saveAllergy(as('admin'), { ...penicillins, id: uuidv7(), patient_id, ...values })
    await expect(
      save({ substance: ' ', severity: 'deadly', status: 'gone', reaction: 'x'.repeat(301) }),
    ).rejects.toMatchObject({
      fields: {
        substance: { key: 'allergies.substanceRequired' },
        severity: { key: 'validation.option' },
        status: { key: 'validation.option' },
        reaction: { key: 'validation.tooLong' },
      },
    })
    for (const [substance_kind, substance_code] of [
      ['drug_class', 'vegetables'],
      ['ingredient', 'Amoxicillin Trihydrate'],
      ['ingredient', null],
      ['other', 'amoxicillin'],
    ] as const) {
      await expect(save({ substance_kind, substance_code })).rejects.toMatchObject({
        fields: { substance_code: { key: 'validation.option' } },
      })
    }
  })

  test('is seen by whoever dispenses to the patient, and by nobody without a reason', async ({
    as,
    make,
  }) => {
    const { clinic_id, patient_id } = await make.visit()
    const allergy = await make.allergy({ patient_id })
    const pharmacy = await make.clinic()
    const dispenser = as('provider', { [pharmacy.id]: ['can_dispense_medications'] })
    await expect(listAllergies(dispenser, { patientId: patient_id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await make.prescription({ patient_id, pickup_clinic_id: pharmacy.id })
    expect(await listAllergies(dispenser, { patientId: patient_id })).toHaveLength(1)
    await expect(
      saveAllergy(dispenser, { ...penicillins, id: uuidv7(), patient_id }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    const registrar = as('registrar', { [clinic_id]: ['can_register_patients'] })
    await expect(listAllergies(registrar, { patientId: patient_id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const colleague = as('provider', { [clinic_id]: treating })
    await expect(deleteAllergy(colleague, { id: allergy.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const stranger = as('provider', { [pharmacy.id]: [...treating, 'can_delete_records'] })
    const other = await make.allergy()
    await expect(deleteAllergy(stranger, { id: other.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await deleteAllergy(as('admin'), { id: allergy.id })
    expect(await listAllergies(colleague, { patientId: patient_id })).toEqual([])
  })

  test('a class or substance without its code is refused by the database', async ({ db, make }) => {
    const { id: patient_id } = await make.patient()
    const insert = db
      .insertInto('patient_allergies')
      .values({ id: uuidv7(), patient_id, substance: 'Penicillin', substance_kind: 'drug_class' })
    expect(await brokenRule(db, insert)).toBe('patient_allergies_substance_code_check')
  })
})
