import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { auditOf, brokenRule, test as base } from '../../../../../test/harness'
import { WORDING_VERSION } from './consent'
import { loadConsents, consentsOfPatient, saveConsent } from './consents.server'

const test = base
  .extend('clinic', async ({ make }) => await make.clinic())
  .extend('desk', async ({ make, asUser, clinic }) =>
    asUser(await make.user({ role: 'registrar' }), { [clinic.id]: ['can_register_patients'] }),
  )
  .extend('patient', async ({ make, clinic }) => make.patient({ primary_clinic_id: clinic.id }))

const answer = (patient_id: string, more: object = {}) => ({
  id: uuidv7(),
  patient_id,
  channel: 'sms' as const,
  agreed: true,
  ...more,
})

describe('the consent of a patient', () => {
  test('is no until the patient agrees, for each channel by itself', async ({
    desk,
    patient,
    db,
  }) => {
    expect(await consentsOfPatient(desk, { patientId: patient.id })).toEqual({
      agreed: { sms: false, letter: false },
      answers: [],
    })
    const given = answer(patient.id)
    await saveConsent(desk, given)
    expect(await consentsOfPatient(desk, { patientId: patient.id })).toMatchObject({
      agreed: { sms: true, letter: false },
      answers: [
        {
          id: given.id,
          channel: 'sms',
          agreed: true,
          wording_version: WORDING_VERSION,
          recorded_by: expect.any(String),
          recorded_at: expect.any(Date),
        },
      ],
    })
    expect(await auditOf(db, given.id)).toMatchObject([
      { action: 'consents.save', patient_id: patient.id, changes: { agreed: [null, true] } },
    ])
  })

  test('is withdrawn by a newer answer, and every answer is kept', async ({
    desk,
    patient,
    db,
  }) => {
    await saveConsent(desk, answer(patient.id))
    await saveConsent(desk, answer(patient.id, { agreed: false }))
    const { agreed, answers } = await consentsOfPatient(desk, { patientId: patient.id })
    expect(agreed).toEqual({ sms: false, letter: false })
    expect(answers.map((each) => each.agreed)).toEqual([false, true])
    // throws unless the database refuses
    await brokenRule(db, db.updateTable('contact_consents').set({ agreed: true }))
    await brokenRule(db, db.deleteFrom('contact_consents'))
  })

  test('is recorded once by a repeated request, and its id serves no other patient', async ({
    desk,
    patient,
    make,
    clinic,
  }) => {
    const given = answer(patient.id)
    await saveConsent(desk, given)
    await saveConsent(desk, given)
    expect((await consentsOfPatient(desk, { patientId: patient.id })).answers).toHaveLength(1)
    const other = await make.patient({ primary_clinic_id: clinic.id })
    await expect(saveConsent(desk, { ...given, patient_id: other.id })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('belongs to users who change the identity of the patients of their clinics', async ({
    make,
    asUser,
    clinic,
    patient,
  }) => {
    const elsewhere = await make.clinic()
    const stranger = asUser(await make.user({ role: 'registrar' }), {
      [elsewhere.id]: ['can_register_patients'],
    })
    await expect(saveConsent(stranger, answer(patient.id))).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(consentsOfPatient(stranger, { patientId: patient.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    const reader = asUser(await make.user(), { [clinic.id]: ['can_view_history'] })
    expect((await consentsOfPatient(reader, { patientId: patient.id })).answers).toEqual([])
    await expect(saveConsent(reader, answer(patient.id))).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('names the fields that are wrong', async ({ desk, patient }) => {
    await expect(
      saveConsent(desk, answer(patient.id, { channel: 'fax', agreed: 'yes' }) as never),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: { channel: { key: 'validation.option' }, agreed: { key: 'validation.required' } },
    })
  })

  test('of a merged record counts for the winner, the newest answer of both; and returns', async ({
    as,
    desk,
    patient,
    make,
    clinic,
    db,
  }) => {
    const loser = await make.patient({ primary_clinic_id: clinic.id })
    await saveConsent(desk, answer(patient.id))
    await saveConsent(desk, answer(loser.id, { agreed: false }))
    const id = uuidv7()
    await mergePatients(as('admin'), { id, winnerId: patient.id, loserId: loser.id, choices: {} })
    expect(await loadConsents(db, patient.id)).toEqual({ sms: false, letter: false })
    const { answers } = await consentsOfPatient(desk, { patientId: patient.id })
    expect(answers).toHaveLength(2)
    await unmergePatients(as('admin'), { mergeId: id })
    expect(await loadConsents(db, patient.id)).toEqual({ sms: true, letter: false })
    expect(await loadConsents(db, loser.id)).toEqual({ sms: false, letter: false })
  })
})
