import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { dispense } from '~/features/medicines/dispensing/dispensing.server'
import { savePrescription } from '../prescriptions.server'
import type { makeFactories } from '../../../../../test/factories'
import { test } from '../../../../../test/harness'
import { listOverrides, reviewOverride } from '~/features/medicines/safety/overrides.server'
import { isGrave, namesMedicine, type Warning } from '~/features/medicines/safety/rules/warning'

type Make = ReturnType<typeof makeFactories>

/** Amoxicillin for a patient with this allergy to it. */
async function dangerous(make: Make, userId: string, allergy: object) {
  const { patient_id, clinic_id } = await make.visit()
  await make.allergy({ patient_id, ...allergy })
  const drug = await make.drug({
    generic_name: 'Amoxicillin',
    brand_name: null,
    ingredients: ['amoxicillin'],
  })
  const item = { id: uuidv7(), drug_id: drug.id, dosage_instructions: 'Twice a day' }
  return {
    clinic_id,
    patient_id,
    drug,
    prescription: {
      id: uuidv7(),
      patient_id,
      provider_id: userId,
      pickup_clinic_id: clinic_id,
      notes: '',
      items: [item],
    },
  }
}
const severe = { severity: 'severe', reaction: 'Anaphylaxis' }
const reason = 'Skin test was negative'

/** The key of the warning that a save without reasons answers with. */
async function keyOf(me: Parameters<typeof savePrescription>[0], prescription: object) {
  const answer = await savePrescription(me, prescription as never)
  if (answer.ok) throw new Error('The safety check warned of nothing')
  return answer.warnings.find(({ kind }) => kind === 'allergy')!.key
}

describe('a medicine against a recorded severe reaction', () => {
  test('needs the name of the medicine beside the reason, at every door', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { prescription, clinic_id } = await dangerous(make, me.actor.userId, severe)
    const key = await keyOf(me, prescription)
    for (const medicine of [undefined, null, '', 'aaaaaaaaaa', 'Metformin'])
      await expect(
        savePrescription(me, { ...prescription, overrides: [{ key, reason, medicine }] }),
      ).rejects.toMatchObject({
        code: 'invalid',
        fields: { 'overrides.0.medicine': { key: 'safety.typeName' } },
      })
    expect(
      await savePrescription(me, {
        ...prescription,
        overrides: [{ key, reason, medicine: ' AMOXICILLIN ' }],
      }),
    ).toMatchObject({ ok: true })
    const [item] = prescription.items
    const batch = await make.stock(clinic_id, 10, { drug_id: item!.drug_id })
    const request = {
      prescriptionId: prescription.id,
      items: [{ itemId: item!.id, records: [{ id: uuidv7(), batchId: batch.id, quantity: 1 }] }],
    }
    await expect(dispense(me, { ...request, overrides: [{ key, reason }] })).rejects.toMatchObject({
      fields: { 'overrides.0.medicine': { key: 'safety.typeName' } },
    })
  })

  test('in an emergency, is given at once; a prescriber closes it with the reason later', async ({
    make,
    asUser,
  }) => {
    const doctor = await make.user()
    const admin = asUser(await make.user({ role: 'admin' }))
    const { prescription, clinic_id } = await dangerous(make, doctor.id, severe)
    const me = asUser(doctor, { [clinic_id]: ['can_view_history', 'can_prescribe_medications'] })
    const key = await keyOf(me, prescription)
    expect(
      await savePrescription(me, { ...prescription, overrides: [{ key, code: 'emergency' }] }),
    ).toMatchObject({ ok: true })
    const { rows } = await listOverrides(me, { state: 'emergency' })
    expect(rows).toMatchObject([{ reason: null, reason_code: 'emergency', reviewed_at: null }])
    const { id } = rows[0]!
    await expect(reviewOverride(me, { id, note: 'ok' })).rejects.toMatchObject({
      fields: { note: { key: 'safety.emergencyNote' } },
    })
    const other = asUser(await make.user(), {
      [(await make.clinic()).id]: ['can_prescribe_medications'],
    })
    await expect(reviewOverride(other, { id, note: reason })).rejects.toMatchObject({
      code: 'not_found',
    })
    await reviewOverride(me, { id, note: reason })
    expect((await listOverrides(admin, { state: 'emergency' })).rows).toEqual([])
    expect((await listOverrides(admin, { state: 'reviewed' })).rows).toMatchObject([
      { id, review_note: reason },
    ])
  })

  test('a mild reaction asks for a reason alone, and no emergency answers for it', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const mild = { severity: 'mild', reaction: 'Rash' }
    const { prescription } = await dangerous(make, me.actor.userId, mild)
    const key = await keyOf(me, prescription)
    expect(
      await savePrescription(me, { ...prescription, overrides: [{ key, code: 'emergency' }] }),
    ).toMatchObject({ ok: false })
    await expect(
      savePrescription(me, { ...prescription, overrides: [{ key, reason: 'aaaaaaaaaaaa' }] }),
    ).rejects.toMatchObject({ fields: { 'overrides.0.reason': { key: 'safety.reasonShort' } } })
    expect(
      await savePrescription(me, { ...prescription, overrides: [{ key, reason }] }),
    ).toMatchObject({ ok: true })
  })
})

test('anaphylaxis in the words of the reaction is severe, in three languages', () => {
  const warning = (reaction: string | null, severity: string | null) =>
    ({
      kind: 'allergy',
      match: 'same',
      level: 'must_not',
      reaction,
      severity,
    }) as unknown as Warning
  for (const reaction of ['Anaphylactic shock', 'anafilaxia', 'تأق بعد الحقن'])
    expect([reaction, isGrave(warning(reaction, null))]).toEqual([reaction, true])
  expect(isGrave(warning('Rash', 'severe'))).toBe(true)
  expect(isGrave(warning('Rash', null))).toBe(false)
})

test('a medicine is named by its name, with or without strength, or by its substance', () => {
  const names = (typed: string) =>
    namesMedicine(typed, {
      drug: 'Augmentin (amoxicillin + clavulanic acid)',
      ingredient: 'amoxicillin',
    })
  for (const typed of ['augmentin', ' Augmentin (Amoxicillin +  Clavulanic acid)', 'Amoxicillin'])
    expect([typed, names(typed)]).toEqual([typed, true])
  for (const typed of ['', ' ', 'aug', 'clavulanic', 'yes'])
    expect([typed, names(typed)]).toEqual([typed, false])
})
