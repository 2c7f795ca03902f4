import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { dispense } from '~/features/medicines/dispensing/dispensing.server'
import { hashPassword } from '~/features/office/sessions/passwords/password.server'
import { checkArrived } from '~/features/medicines/prescriptions/check/arrivals.server'
import { savePrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { cloneTemplate, test } from '../../../../../test/harness'
import { listOverrides } from '../overrides.server'
import { invalid } from '~/shared/errors'
import { refusedSeconds, withoutSeconds } from './second-person'
import { confirmOverride } from './second-person.server'

const RIGHTS = [
  'can_view_history',
  'can_prescribe_medications',
  'can_dispense_medications',
] as const
const reason = 'Skin test was negative'
const medicine = 'Amoxicillin'

/** Amoxicillin for a patient with a recorded anaphylaxis to it, where a second person is asked for. */
const grave = test.extend('room', async ({ make, asUser, db }) => {
  const { patient_id, clinic_id } = await make.visit()
  await make.allergy({ patient_id, severity: 'severe', reaction: 'Anaphylaxis' })
  const drug = await make.drug({
    generic_name: 'Amoxicillin',
    brand_name: null,
    ingredients: ['amoxicillin'],
  })
  const password = 'A long pass phrase of a colleague'
  const withPassword = async (rights: readonly (typeof RIGHTS)[number][], name: string) => {
    const user = await make.user({ name })
    if (rights.length > 0) await make.permission(user, clinic_id, [...rights])
    const hash = await hashPassword(password)
    await db.insertInto('credentials').values({ user_id: user.id, password: hash }).execute()
    return user
  }
  const doctor = await withPassword([], 'Dr. Amal')
  const me = asUser(doctor, { [clinic_id]: [...RIGHTS] })
  const nurse = await withPassword([], 'Nurse')
  const careful = await withPassword(['can_prescribe_medications'], 'Dr. Huda')
  await db
    .insertInto('second_factors')
    .values({ user_id: careful.id, secret: Buffer.from('sealed'), enabled_at: new Date() })
    .execute()
  const colleague = await withPassword(['can_prescribe_medications'], 'Dr. Salma')
  const turn = (value: string) =>
    db.updateTable('app_config').set({ value }).where('key', '=', 'second-sign-in').execute()
  const prescription = {
    id: uuidv7(),
    patient_id,
    provider_id: doctor.id,
    pickup_clinic_id: clinic_id,
    notes: '',
    items: [{ id: uuidv7(), drug_id: drug.id, dosage_instructions: 'Twice a day' }],
  }
  const first = await savePrescription(me, prescription)
  if (first.ok) throw new Error('The safety check warned of nothing')
  const { key } = first.warnings.find(({ kind }) => kind === 'allergy')!
  const save = (override: object, more: object = {}) =>
    savePrescription(me, {
      ...prescription,
      overrides: [{ key, reason, medicine, ...override }],
      ...more,
    })
  const confirm = (given: object = {}, ctx = me) =>
    confirmOverride(ctx, {
      patientId: patient_id,
      clinicId: clinic_id,
      key,
      email: colleague.email,
      password,
      ...given,
    })
  const confirmed = async (given: object = {}) => {
    const answer = await confirm(given)
    if (!answer.ok) throw new Error(JSON.stringify(answer))
    return answer.id
  }
  const stored = async () =>
    db
      .selectFrom('safety_overrides')
      .select(['stage', 'overridden_by', 'confirmed_by', 'is_unconfirmed'])
      .where('patient_id', '=', patient_id)
      .orderBy('overridden_at')
      .orderBy('id')
      .execute()
  return {
    patient_id,
    clinic_id,
    drug,
    doctor,
    me,
    colleague,
    nurse,
    careful,
    turn,
    prescription,
    key,
    save,
    confirm,
    confirmed,
    stored,
  }
})

grave('off, the name of the medicine and a reason are enough', async ({ room }) => {
  expect(await room.save({})).toMatchObject({ ok: true })
  expect(await room.stored()).toMatchObject([{ confirmed_by: null, is_unconfirmed: false }])
})

grave('on, a second person confirms; the override says who', async ({ room, make, as }) => {
  const {
    turn,
    save,
    confirmed,
    stored,
    colleague,
    doctor,
    me,
    prescription,
    clinic_id,
    key,
    drug,
  } = room
  await turn('true')
  const required = {
    code: 'invalid',
    fields: { 'overrides.0.second': { key: 'safety.secondRequired' } },
  }
  // also a save without any reason says that a second person is asked for
  expect(await savePrescription(me, prescription)).toMatchObject({ ok: false, asksSecond: true })
  await expect(save({})).rejects.toMatchObject(required)
  await expect(save({ second: uuidv7() })).rejects.toMatchObject(required)
  expect(await save({ second: await confirmed() })).toMatchObject({ ok: true })
  expect(await stored()).toEqual([
    {
      stage: 'prescribing',
      overridden_by: doctor.id,
      confirmed_by: colleague.id,
      is_unconfirmed: false,
    },
  ])
  // the same rule where it is dispensed
  const batch = await make.stock(clinic_id, 10, { drug_id: drug.id })
  const request = (second: string | null) => ({
    prescriptionId: prescription.id,
    items: [
      {
        itemId: prescription.items[0]!.id,
        records: [{ id: uuidv7(), batchId: batch.id, quantity: 1 }],
      },
    ],
    overrides: [{ key, reason, medicine, second }],
  })
  await expect(dispense(me, request(null))).rejects.toMatchObject(required)
  expect(await dispense(me, request(await confirmed()))).toEqual({ ok: true })
  expect((await stored()).map(({ confirmed_by }) => confirmed_by)).toEqual([
    colleague.id,
    colleague.id,
  ])
  const { rows } = await listOverrides(as('admin'), { state: 'all' })
  expect(rows.map(({ confirmed_by }) => confirmed_by)).toEqual(['Dr. Salma', 'Dr. Salma'])
})

grave(
  'never the same person, nor one who may not prescribe there, nor a wrong password',
  async ({ room, db }) => {
    const { turn, confirm, nurse, careful, me, doctor } = room
    await turn('true')
    expect(await confirm({ email: nurse.email })).toMatchObject({
      ok: false,
      fields: { email: { key: 'safety.secondMayNot' } },
    })
    expect(await confirm({ password: 'not the password' })).toMatchObject({
      ok: false,
      fields: { password: { key: 'sessions.wrong' } },
    })
    // with two-step verification, the password alone is not enough
    expect(await confirm({ email: careful.email })).toMatchObject({
      ok: false,
      fields: { code: { key: 'validation.required' } },
    })
    expect(await confirm({ email: careful.email, code: 'wrong-code' })).toMatchObject({
      ok: false,
      fields: { code: { key: 'sessions.wrongCode' } },
    })
    // a wrong guess is counted as at sign-in
    expect(
      await db
        .selectFrom('wrong_guesses')
        .select('subject')
        .where('subject', 'like', 'password %')
        .execute(),
    ).toHaveLength(1)
    expect(await confirm({ email: doctor.email }, me)).toMatchObject({
      ok: false,
      fields: { email: { key: 'safety.secondIsSame' } },
    })
  },
)

grave(
  'a confirmation counts once, for its warning, its patient and the user who asked',
  async ({ room, make, asUser }) => {
    const { turn, save, confirmed, clinic_id, prescription } = room
    await turn('true')
    const second = await confirmed()
    await expect(save({ second: await confirmed({ key: 'allergy:other' }) })).rejects.toMatchObject(
      {
        fields: { 'overrides.0.second': { key: 'safety.secondRequired' } },
      },
    )
    const other = asUser(await make.user(), { [clinic_id]: [...RIGHTS] })
    await expect(
      savePrescription(other, {
        ...prescription,
        provider_id: other.actor.userId,
        overrides: [{ key: room.key, reason, medicine, second }],
      }),
    ).rejects.toMatchObject({ fields: { 'overrides.0.second': { key: 'safety.secondRequired' } } })
    expect(await save({ second })).toMatchObject({ ok: true })
    await expect(
      save({ second }, { id: uuidv7(), items: [{ ...prescription.items[0]!, id: uuidv7() }] }),
    ).rejects.toMatchObject({
      fields: { 'overrides.0.second': { key: 'safety.secondRequired' } },
    })
  },
)

grave(
  'in an emergency nobody is asked, and what a phone sent is marked',
  async ({ room, make, db }) => {
    const { turn, save, stored, patient_id, clinic_id, drug } = room
    await turn('true')
    expect(await save({ code: 'emergency', reason: null, medicine: null })).toMatchObject({
      ok: true,
    })
    const sent = await make.prescription({ patient_id, pickup_clinic_id: clinic_id })
    await make.prescriptionItem(sent, { drug_id: drug.id })
    await checkArrived(db)
    expect(
      (await stored()).filter(({ is_unconfirmed }) => is_unconfirmed).map(({ stage }) => stage),
    ).toEqual(['prescribing', 'arrived'])
  },
)

/** A database with several connections. */
const atOnce = grave.extend('db', async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`seconds_${process.pid}_${process.env['VITEST_POOL_ID']}`)
  onCleanup(() => db.destroy())
  return db
})

atOnce('one confirmation serves one of several saves at the same moment', async ({ room }) => {
  await room.turn('true')
  const second = await room.confirmed()
  const saves = await Promise.allSettled(
    [1, 2, 3, 4].map(() => {
      const id = uuidv7()
      const items = room.prescription.items.map((item) => ({ ...item, id: uuidv7() }))
      return room.save({ second }, { id, items })
    }),
  )
  const refused = { fields: { 'overrides.0.second': { key: 'safety.secondRequired' } } }
  expect(saves.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(saves.flatMap((save) => (save.status === 'rejected' ? save.reason : []))).toMatchObject([
    refused,
    refused,
    refused,
  ])
  expect(await room.stored()).toMatchObject([{ confirmed_by: room.colleague.id }])
})

test('what did not count as a confirmation is asked for again', () => {
  const given = {
    code: 'benefit',
    text: reason,
    second: { id: uuidv7(), by: 'Dr. Salma' },
  } as const
  const { second: _, ...asked } = given
  const error = invalid({ 'overrides.1.second': { key: 'safety.secondRequired' } })
  const refused = refusedSeconds(error, [{ key: 'a' }, { key: 'b' }])
  expect(refused).toEqual(['b'])
  expect(withoutSeconds({ a: given, b: given }, refused)).toEqual({ a: given, b: asked })
  // another patient, or another clinic
  expect(withoutSeconds({ a: given, b: given })).toEqual({ a: asked, b: asked })
  expect(refusedSeconds(new Error('No connection'), [{ key: 'a' }])).toEqual([])
})
