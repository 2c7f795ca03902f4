import { describe, expect } from 'vitest'
import { newId } from '~/shared/id'
import type { Permission } from '~/shared/permissions'
import { test } from '../../../../test/harness'
import type { makeFactories } from '../../../../test/factories'
import { checkArrived } from '~/features/medicines/prescriptions/check/arrivals.server'
import { checkDrugs } from '~/features/medicines/prescriptions/check/safety-check.server'
import { isGrave } from '~/features/medicines/safety/rules/warning'
import { confirmOverride } from '~/features/medicines/safety/second/second-person.server'
import { hashPassword } from '~/features/office/sessions/passwords/password.server'
import { listOverrides } from '~/features/medicines/safety/overrides.server'
import { saveEvent } from './event-answers.server'
import { checkMedicines } from './event-medicines.server'
import { getEvent } from './events.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
type Make = ReturnType<typeof makeFactories>

const parts = {
  name: '',
  dose: '',
  doseUnits: [],
  form: [],
  route: [],
  frequency: '',
  intervals: '',
  duration: '',
  durationUnits: [],
}
const question = (id: string) => ({
  id,
  name: id,
  description: '',
  required: false,
  fieldType: 'medicine',
  inputType: 'input-group',
  options: [],
  fields: parts,
})
const note = {
  id: 'note',
  name: 'note',
  description: '',
  required: false,
  fieldType: 'free-text',
  inputType: 'text',
  length: 'short',
}

/** A visit of a patient with an allergy to penicillins, and a form with two questions for medicines. */
async function scene(make: Make) {
  const visit = await make.visit()
  const { patient_id } = visit
  await make.allergy({
    patient_id,
    substance: 'Penicillin',
    substance_kind: 'drug_class',
    substance_code: 'penicillins',
  })
  const form = await make.eventForm({
    form_fields: JSON.stringify([note, question('home'), question('today')]),
  })
  const event = { id: newId(), patient_id, visit_id: visit.id, form_id: form.id }
  const takes = (fieldId: string, ...names: string[]) => ({
    fieldId,
    value: names.map((name) => ({ id: newId(), name })),
  })
  return { visit, patient_id, event, takes }
}

describe('medicines in a form', () => {
  test('stay checked when another answer is corrected, and are checked again with another dose', async ({
    asUser,
    make,
  }) => {
    const { event, takes } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    const home = takes('home', 'Paracetamol')
    const isUnchecked = async () => (await getEvent(me, { id: event.id })).safety?.isUnchecked
    const first = await saveEvent(me, { ...event, answers: [home] })
    expect(await isUnchecked()).toBe(false)
    const second = await saveEvent(me, {
      ...event,
      last_modified: first.last_modified,
      answers: [home, { fieldId: 'note', value: 'Sleeps well' }],
    })
    expect(await isUnchecked()).toBe(false)
    await saveEvent(me, {
      ...event,
      last_modified: second.last_modified,
      answers: [{ ...home, value: home.value.map((one) => ({ ...one, dose: '2' })) }],
    })
    expect(await isUnchecked()).toBe(false)
  })

  test('are checked while they are typed, as at prescribing; an unknown name is reported as unchecked', async ({
    as,
    make,
  }) => {
    const { visit, patient_id, event } = await scene(make)
    const nurse = as('provider', { [visit.clinic_id]: treating })
    const check = (...names: string[]) =>
      checkMedicines(nurse, { patientId: patient_id, eventId: event.id, names })
    await make.drug({
      generic_name: 'Amoxicillin',
      brand_name: 'Hiconcil',
      ingredients: ['amoxicillin'],
    })
    for (const name of [
      'Amoxicillin',
      'amoxicilina 500 mg cápsulas',
      'أموكسيسيلين',
      'Hiconcil',
      'hiconcil caps',
    ])
      expect((await check(name)).warnings).toMatchObject([
        { kind: 'allergy', match: 'class', drug: name },
      ])
    expect((await check('Kufnol')).warnings).toMatchObject([
      { kind: 'unchecked', ingredient: 'kufnol' },
    ])
    expect(await check('Metformin')).toMatchObject({
      warnings: [],
      allergyState: { state: 'recorded' },
      earlier: [],
    })
    const stranger = as('provider', { [(await make.clinic()).id]: treating })
    await expect(
      checkMedicines(stranger, { patientId: patient_id, eventId: event.id, names: ['X'] }),
    ).rejects.toMatchObject({ code: 'not_found' })
    const dispenser = as('provider', {
      [visit.clinic_id]: ['can_dispense_medications', 'can_view_history'],
    })
    await expect(
      checkMedicines(dispenser, { patientId: patient_id, eventId: event.id, names: ['X'] }),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('of a grave warning are saved with a second person’s sign-in, where it is asked for', async ({
    asUser,
    make,
    db,
  }) => {
    const { visit, patient_id, event, takes } = await scene(make)
    await make.allergy({ patient_id, severity: 'severe', reaction: 'Anaphylaxis' })
    const nurse = await make.user()
    const me = asUser(nurse, { [visit.clinic_id]: treating })
    const colleague = await make.user()
    await make.permission(colleague, visit.clinic_id, ['can_prescribe_medications'])
    const password = 'A long pass phrase of a colleague'
    await db
      .insertInto('credentials')
      .values({ user_id: colleague.id, password: await hashPassword(password) })
      .execute()
    await db
      .updateTable('app_config')
      .set({ value: 'true' })
      .where('key', '=', 'second-sign-in')
      .execute()
    const answers = [takes('today', 'Amoxicillin')]
    const asked = { patientId: patient_id, eventId: event.id, names: ['Amoxicillin'] }
    const { warnings, asksSecond } = await checkMedicines(me, asked)
    expect(asksSecond).toBe(true)
    const keys = warnings.map(({ key }) => key)
    const grave = keys.findIndex((_, at) => isGrave(warnings[at]!))
    const save = (second: string | null) =>
      saveEvent(me, {
        ...event,
        answers,
        overrides: keys.map((key, at) => ({
          key,
          reason: 'Skin test was negative',
          medicine: 'Amoxicillin',
          second: at === grave ? second : null,
        })),
      })
    await expect(save(null)).rejects.toMatchObject({
      code: 'invalid',
      fields: { [`overrides.${grave}.second`]: { key: 'safety.secondRequired' } },
    })
    const confirmed = await confirmOverride(me, {
      patientId: patient_id,
      clinicId: visit.clinic_id,
      key: keys[grave]!,
      email: colleague.email,
      password,
    })
    if (!confirmed.ok) throw new Error(JSON.stringify(confirmed))
    await save(confirmed.id)
    const kept = await db
      .selectFrom('safety_overrides')
      .select(['confirmed_by', 'overridden_by'])
      .where('event_id', '=', event.id)
      .where('confirmed_by', 'is not', null)
      .execute()
    expect(kept).toEqual([{ confirmed_by: colleague.id, overridden_by: nurse.id }])
  })

  test('are refused at their question until each warning has a reason, which is kept and reviewed', async ({
    as,
    asUser,
    make,
  }) => {
    const { visit, patient_id, event, takes } = await scene(make)
    const me = asUser(await make.user(), { [visit.clinic_id]: treating })
    const answers = [takes('home', 'Metformin'), takes('today', 'Amoxicillin')]
    await expect(saveEvent(me, { ...event, answers })).rejects.toMatchObject({
      code: 'invalid',
      fields: { today: { key: 'safety.needReasons' } },
    })
    const { warnings } = await checkMedicines(me, {
      patientId: patient_id,
      eventId: event.id,
      names: ['Amoxicillin'],
    })
    const overrides = [{ key: warnings[0]!.key, reason: 'Took it last year without a rash' }]
    const saved = await saveEvent(me, { ...event, answers, overrides })
    expect((await listOverrides(as('admin'), {})).rows).toMatchObject([
      {
        stage: 'recording',
        reason: 'Took it last year without a rash',
        event_id: event.id,
        prescription_id: null,
      },
    ])
    expect(await getEvent(me, { id: event.id })).toMatchObject({
      safety: { warnings: [{ kind: 'allergy' }], unseen: [], isUnchecked: false },
    })
    // a later change is asked for what is new alone
    const more = { ...event, last_modified: saved.last_modified }
    await expect(
      saveEvent(me, { ...more, answers: [takes('today', 'Amoxicillin', 'Ampicillin')] }),
    ).rejects.toMatchObject({ fields: { today: { key: 'safety.needReasons' } } })
    expect(
      await saveEvent(me, { ...more, answers: [takes('today', 'Amoxicillin', 'Ibuprofen')] }),
    ).toBeTruthy()
    const { earlier } = await checkMedicines(me, {
      patientId: patient_id,
      eventId: event.id,
      names: ['Amoxicillin'],
    })
    expect(earlier).toMatchObject([{ stage: 'recording' }])
  })

  test('from a phone are stored as sent; their warnings wait for review, and answers can be corrected', async ({
    as,
    asUser,
    make,
    db,
  }) => {
    const { visit, patient_id, event } = await scene(make)
    const me = asUser(await make.user(), {
      [visit.clinic_id]: [...treating, 'can_edit_other_provider_event'],
    })
    const stored = [
      {
        fieldId: 'today',
        name: 'today',
        fieldType: 'medicine',
        inputType: 'input-group',
        value: 'Amoxicillin',
      },
    ]
    const { last_modified } = await make.event({
      ...event,
      form_version: 1,
      form_data: JSON.stringify(stored),
    })
    expect((await getEvent(me, { id: event.id })).safety).toMatchObject({
      isUnchecked: true,
      unseen: [],
    })
    await checkArrived(db)
    expect((await getEvent(me, { id: event.id })).safety).toMatchObject({
      isUnchecked: false,
      unseen: [{ kind: 'allergy', drug: 'Amoxicillin' }],
    })
    await saveEvent(me, {
      ...event,
      last_modified,
      answers: [{ fieldId: 'note', value: 'Better' }],
    })
    expect((await getEvent(me, { id: event.id })).safety?.unseen).toHaveLength(1)
    const { warnings } = await checkDrugs(as('admin'), {
      patientId: patient_id,
      drugIds: [(await make.drug({ ingredients: ['amoxicillin'] })).id],
    })
    expect(warnings.map(({ kind }) => kind)).toEqual(['allergy', 'duplicate'])
  })
})
