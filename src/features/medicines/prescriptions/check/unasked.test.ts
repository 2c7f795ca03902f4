import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { recordNoAllergies } from '~/features/care/allergies/allergies.server'
import { dispense } from '~/features/medicines/dispensing/dispensing.server'
import { summaryCare } from '~/features/reports/dashboard/administration.server'
import { listOverrides, reviewOverride } from '~/features/medicines/safety/overrides.server'
import { saveEvent } from '~/features/forms/events/event-answers.server'
import type { makeFactories } from '../../../../../test/factories'
import { test } from '../../../../../test/harness'
import { getPrescription, savePrescription } from '../prescriptions.server'

type Make = ReturnType<typeof makeFactories>
/** What a form asks about a medicine, as it is stored. */
const parts = {
  name: '',
  route: [],
  form: [],
  frequency: '',
  intervals: '',
  dose: '',
  doseUnits: [],
  duration: '',
  durationUnits: [],
}
const refused = {
  code: 'invalid',
  fields: { allergies_reason: { key: 'allergies.askFirst' } },
}
const why = 'The patient is unconscious'

/** A medicine that warns of nothing beside the others. */
const metformin = async (make: Make) =>
  (await make.drug({ generic_name: 'Metformin', ingredients: ['metformin'] })).id

/** A prescription for a patient who was not asked about allergies. */
async function unasked(make: Make, userId: string) {
  const { patient_id, clinic_id, id: visit_id } = await make.visit()
  const batch = await make.stock(clinic_id, 50)
  const item = { id: uuidv7(), drug_id: batch.drug_id, dosage_instructions: 'Twice a day' }
  const prescription = {
    id: uuidv7(),
    patient_id,
    provider_id: userId,
    pickup_clinic_id: clinic_id,
    visit_id,
    notes: '',
    items: [item],
  }
  return { patient_id, clinic_id, visit_id, batch, item, prescription }
}

describe('the first medicine of a patient who was never asked about allergies', () => {
  test('is given in an emergency without a reason, which the dashboard counts until it is closed', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { prescription, clinic_id } = await unasked(make, me.actor.userId)
    expect(
      await savePrescription(me, { ...prescription, allergies_reason: 'emergency' }),
    ).toMatchObject({ ok: true })
    const { rows } = await listOverrides(me, { state: 'emergency' })
    expect(rows).toMatchObject([
      { reason: null, reason_code: 'emergency', warning: { kind: 'not_asked' } },
    ])
    const counted = async (ctx: typeof me) => (await summaryCare(ctx, null)).askedLater
    expect(await counted(me)).toEqual({ count: 1, unasked: 1 })
    const doctor = asUser(await make.user(), { [clinic_id]: ['can_prescribe_medications'] })
    expect(await counted(doctor)).toEqual({ count: 1, unasked: 1 })
    const elsewhere = asUser(await make.user(), {
      [(await make.clinic()).id]: ['can_prescribe_medications'],
    })
    expect(await counted(elsewhere)).toEqual({ count: 0, unasked: 0 })
    const nurse = asUser(await make.user(), { [clinic_id]: ['can_dispense_medications'] })
    expect(await counted(nurse)).toEqual({ count: 0, unasked: 0 })
    const [{ id } = { id: '' }] = rows
    await expect(reviewOverride(doctor, { id, note: 'later' })).rejects.toMatchObject({
      fields: { note: { key: 'safety.emergencyNote' } },
    })
    await reviewOverride(doctor, { id, note: 'Came unconscious' })
    expect(await counted(me)).toEqual({ count: 0, unasked: 0 })
  })

  test('is on the sheet of its day, with a second identifier if the reader may see the patient', async ({
    make,
    asUser,
    db,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { prescription, clinic_id, patient_id } = await unasked(make, me.actor.userId)
    const said = { ...prescription, allergies_reason: 'emergency' }
    expect(await savePrescription(me, said)).toMatchObject({ ok: true })
    const noon = new Date('2024-03-02T12:00:00Z')
    await db.updateTable('safety_overrides').set({ overridden_at: noon }).execute()
    const on = async (ctx: typeof me, day: string) =>
      (await listOverrides(ctx, { state: 'all', clinicId: clinic_id, day })).rows
    expect(await on(me, '2024-03-01')).toEqual([])
    expect(await on(me, '2024-03-02')).toMatchObject([
      { patient_id, identifiers: { date_of_birth: expect.anything() }, reason_code: 'emergency' },
    ])
    const doctor = asUser(await make.user(), { [clinic_id]: ['can_prescribe_medications'] })
    expect(await on(doctor, '2024-03-02')).toMatchObject([{ patient: null, identifiers: null }])
  })

  test('is refused until the answer, an allergy or a reason is given; the reason counts for the day', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { prescription, item } = await unasked(make, me.actor.userId)
    await expect(savePrescription(me, prescription)).rejects.toMatchObject(refused)
    await expect(
      savePrescription(me, { ...prescription, allergies_reason: 'aaaa' }),
    ).rejects.toMatchObject({
      fields: { allergies_reason: { key: 'allergies.reasonRequired' } },
    })
    const saved = await savePrescription(me, { ...prescription, allergies_reason: why })
    expect(saved).toMatchObject({ ok: true })
    expect((await listOverrides(me, {})).rows).toMatchObject([
      { stage: 'prescribing', reason: why, warning: { kind: 'not_asked' }, reviewed_at: null },
    ])
    // once a day: the next medicine asks for nothing more
    const { last_modified } = await getPrescription(me, { id: prescription.id })
    const second = { ...item, id: uuidv7(), drug_id: await metformin(make) }
    expect(
      await savePrescription(me, { ...prescription, last_modified, items: [item, second] }),
    ).toMatchObject({ ok: true })
    expect((await listOverrides(me, {})).rows).toHaveLength(1)
  })

  test('is prescribed once "none known" is recorded, and nothing is listed', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { prescription, patient_id } = await unasked(make, me.actor.userId)
    await recordNoAllergies(me, { id: uuidv7(), patientId: patient_id })
    expect(await savePrescription(me, prescription)).toMatchObject({ ok: true })
    expect((await listOverrides(me, {})).rows).toEqual([])
  })

  test('"NKDA" of a phone is no answer', async ({ make, asUser }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { prescription, patient_id } = await unasked(make, me.actor.userId)
    await make.allergy({
      patient_id,
      substance: 'NKDA',
      substance_kind: 'other',
      substance_code: null,
    })
    await expect(savePrescription(me, prescription)).rejects.toMatchObject(refused)
  })

  test('is refused at the counter, too; a prescription that only changes its notes is not', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const prescription = await make.prescription()
    const batch = await make.stock(prescription.pickup_clinic_id!, 50)
    const item = await make.prescriptionItem(prescription, { drug_id: batch.drug_id })
    const records = [{ id: uuidv7(), batchId: batch.id, quantity: 2 }]
    const request = { prescriptionId: prescription.id, items: [{ itemId: item.id, records }] }
    await expect(dispense(me, request)).rejects.toMatchObject(refused)
    const stored = await getPrescription(me, { id: prescription.id })
    expect(
      await savePrescription(me, {
        id: prescription.id,
        patient_id: prescription.patient_id,
        provider_id: me.actor.userId,
        pickup_clinic_id: prescription.pickup_clinic_id!,
        notes: 'With food',
        last_modified: stored.last_modified,
        items: [
          {
            id: item.id,
            drug_id: batch.drug_id,
            dosage_instructions: 'Twice a day',
            quantity_prescribed: 10,
          },
        ],
      }),
    ).toMatchObject({ ok: true })
    expect(await dispense(me, { ...request, allergies_reason: why })).toEqual({ ok: true })
    expect((await listOverrides(me, {})).rows).toMatchObject([{ stage: 'dispensing', reason: why }])
  })

  test('is refused in a form, at its field; what a program of FHIR sends is kept', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const visit = await make.visit()
    const question = { id: 'meds', name: 'Medicines', description: '', required: false }
    const form = await make.eventForm({
      form_fields: JSON.stringify([
        {
          ...question,
          fieldType: 'medicine',
          inputType: 'input-group',
          options: [],
          fields: parts,
        },
      ]),
    })
    const event = (id: string) => ({
      id,
      patient_id: visit.patient_id,
      visit_id: visit.id,
      form_id: form.id,
      answers: [{ fieldId: 'meds', value: [{ id: 'm1', name: 'Ibuprofen' }] }],
    })
    await expect(saveEvent(me, event(uuidv7()))).rejects.toMatchObject(refused)
    const program = { ...me, request: { ...me.request, via: 'fhir' as const } }
    await expect(saveEvent(program, event(uuidv7()))).resolves.toMatchObject({})
    await expect(
      saveEvent(me, { ...event(uuidv7()), allergies_reason: why }),
    ).resolves.toMatchObject({})
  })
})
