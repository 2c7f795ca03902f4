import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { brokenRule, test } from '../../../../test/harness'
import { checkDrugs } from '~/features/medicines/prescriptions/check/safety-check.server'
import { listOverrides } from '~/features/medicines/safety/overrides.server'
import { deleteMedicine, listMedicines, saveMedicine } from './medicines.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
/** Patients who are not asked about pregnancy. */
const aMan = { sex: 'male', date_of_birth: '1980-01-05' }
const ibuprofen = {
  name: 'Brufen from the market',
  ingredients: ['ibuprofen'],
  source: 'pharmacy' as const,
}

describe('a medicine from elsewhere', () => {
  test('is recorded, changed and listed with its warnings: what is still taken first', async ({
    as,
    asUser,
    make,
  }) => {
    const { patient_id, clinic_id } = await make.visit({
      patient_id: (await make.patient(aMan)).id,
    })
    const me = asUser(await make.user(), { [clinic_id]: treating })
    await make.allergy({
      patient_id,
      substance: 'NSAIDs',
      substance_kind: 'drug_class',
      substance_code: 'nsaids',
    })
    await make.medicine({ patient_id, name: 'Aspirin', until: '2020-01-01' })
    const medicine = { ...ibuprofen, id: uuidv7(), patient_id, since: '2026-01-01' }
    const saved = await saveMedicine(me, medicine)
    expect(await saveMedicine(me, medicine)).toEqual(saved)
    const list = await listMedicines(me, { patientId: patient_id })
    expect(list.rows).toMatchObject([
      { name: 'Brufen from the market', isTaken: true, recorded_by: me.actor.name },
      { name: 'Aspirin', isTaken: false },
    ])
    expect(list.warnings).toMatchObject([{ kind: 'allergy', ingredient: 'ibuprofen' }])
    // a fact asks for no reason, but a user has to look at it
    const reviewer = as('admin')
    expect((await listOverrides(reviewer, {})).rows).toMatchObject([
      { stage: 'arrived', kind: 'allergy' },
    ])
    await saveMedicine(me, { ...medicine, until: '2026-02-01', last_modified: saved.last_modified })
    expect((await listMedicines(me, { patientId: patient_id })).warnings).toEqual([])
    expect((await listOverrides(reviewer, {})).rows).toEqual([])
  })

  test('counts as taken when a medicine is prescribed; an unknown name is reported as unchecked', async ({
    as,
    make,
  }) => {
    const { id: patientId } = await make.patient(aMan)
    await make.medicine({ patient_id: patientId, name: 'Zimmer drops' })
    const { warnings } = await listMedicines(as('admin'), { patientId })
    expect(warnings).toMatchObject([{ kind: 'unchecked', ingredient: 'zimmer drops' }])
    await make.medicine({ patient_id: patientId, name: 'Klacid', ingredients: ['clarithromycin'] })
    const drug = await make.drug({ generic_name: 'Simvastatin', ingredients: ['simvastatin'] })
    expect(
      (await checkDrugs(as('admin'), { patientId, drugIds: [drug.id] })).warnings,
    ).toMatchObject([{ kind: 'interaction', other: 'Klacid' }])
    // what is listed has started already: no reminder to monitor, here or when it is renewed
    await make.medicine({ patient_id: patientId, name: 'Metformin', ingredients: ['metformin'] })
    const renewed = await make.drug({ generic_name: 'Metformin', ingredients: ['metformin'] })
    const { warnings: listed } = await listMedicines(as('admin'), { patientId })
    const { warnings: checked } = await checkDrugs(as('admin'), {
      patientId,
      drugIds: [renewed.id],
    })
    expect([...listed, ...checked].filter(({ kind }) => kind === 'monitoring')).toEqual([])
  })

  test('is visible to users who dispense to the patient, and writable only with the right', async ({
    as,
    make,
  }) => {
    const { clinic_id, patient_id } = await make.visit()
    const { id } = await make.medicine({ patient_id })
    const pharmacy = await make.clinic()
    const dispenser = as('provider', { [pharmacy.id]: ['can_dispense_medications'] })
    await expect(listMedicines(dispenser, { patientId: patient_id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await make.prescription({ patient_id, pickup_clinic_id: pharmacy.id })
    expect((await listMedicines(dispenser, { patientId: patient_id })).rows).toHaveLength(1)
    const entry = { ...ibuprofen, id: uuidv7(), patient_id }
    await expect(saveMedicine(dispenser, entry)).rejects.toMatchObject({ code: 'forbidden' })
    const stranger = as('provider', { [pharmacy.id]: [...treating, 'can_delete_records'] })
    await expect(
      saveMedicine(stranger, { ...entry, patient_id: (await make.patient()).id }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    const colleague = as('provider', { [clinic_id]: treating })
    await expect(deleteMedicine(colleague, { id })).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('says each problem beside its field; the database keeps the days in order', async ({
    as,
    make,
    db,
  }) => {
    const { id: patient_id } = await make.patient()
    const save = (values: object) =>
      saveMedicine(as('admin'), { ...ibuprofen, id: uuidv7(), patient_id, ...values })
    await expect(save({ name: ' ', source: 'found', since: 'soon' })).rejects.toMatchObject({
      fields: {
        name: { key: 'medicines.nameRequired' },
        source: { key: 'validation.option' },
        since: { key: 'validation.date' },
      },
    })
    await expect(save({ since: '2026-02-01', until: '2026-01-01' })).rejects.toMatchObject({
      fields: { until: { key: 'medicines.untilBeforeSince' } },
    })
    const wrong = {
      id: uuidv7(),
      patient_id,
      name: 'X',
      source: 'brought',
      since: '2026-02-01',
      until: '2026-01-01',
    }
    expect(await brokenRule(db, db.insertInto('patient_medicines').values(wrong))).toBe(
      'patient_medicines_until_check',
    )
  })
})
