import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { auditOf, test } from '../../../../test/harness'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { deletePregnancy, listPregnancies, recordPregnancy } from './pregnancies.server'
import {
  estimateDueDate,
  isPregnancyRelevant,
  type PregnancyAnswer,
  pregnancyOn,
} from './pregnancy'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const today = () => dayIn(new Date(), clinicTimeZone())

describe('what holds on a day', () => {
  const ON = '2026-06-01'
  const answer = (values: Partial<PregnancyAnswer>): PregnancyAnswer => ({
    state: 'pregnant',
    asked_on: ON,
    due_on: null,
    ended_on: null,
    enrollment_id: null,
    ...values,
  })
  const on = (day: string, ...answers: PregnancyAnswer[]) => pregnancyOn(answers, day)

  test('the last period, the due date and the weeks give the same week', () => {
    const dated = [
      estimateDueDate({ asked_on: ON, last_period_on: addDays(ON, -84) }),
      estimateDueDate({ asked_on: ON, due_on: addDays(ON, 196) }),
      estimateDueDate({ asked_on: ON, weeks: 12 }),
    ]
    for (const due of dated) {
      expect(on(ON, answer({ due_on: due!.due_on }))).toMatchObject({
        state: 'pregnant',
        weeks: 12,
      })
      expect(on(addDays(ON, 13), answer({ due_on: due!.due_on }))).toMatchObject({ weeks: 13 })
    }
  })

  test('a dated pregnancy counts from its last period on, also before it was recorded, and not earlier', () => {
    const asked = answer({ due_on: addDays(ON, 196) })
    expect(on(addDays(ON, -84), asked).state).toBe('pregnant')
    expect(on(addDays(ON, -85), asked).state).toBe('not_known')
  })

  test('a pregnancy without a recorded end becomes the time after birth, then unknown', () => {
    const asked = answer({ due_on: ON })
    expect(on(addDays(ON, 34), asked)).toMatchObject({ state: 'pregnant', weeks: 44 })
    expect(on(addDays(ON, 35), asked)).toMatchObject({ state: 'after_birth', isAfterBirth: true })
    expect(on(addDays(ON, 76), asked).state).toBe('after_birth')
    expect(on(addDays(ON, 77), asked).state).toBe('not_known')
    expect(on(addDays(ON, 314), answer({})).state).toBe('pregnant')
    expect(on(addDays(ON, 315), answer({})).state).toBe('not_known')
  })

  test('an answer without a date takes that of the answer before it, back to one that is no pregnancy', () => {
    const dated = answer({ asked_on: addDays(ON, -14), due_on: addDays(ON, 70) })
    expect(on(ON, answer({}), dated)).toMatchObject({
      state: 'pregnant',
      weeks: 30,
      dueOn: addDays(ON, 70),
    })
    const ended = answer({ state: 'not_pregnant', asked_on: addDays(ON, -7) })
    expect(on(ON, answer({}), ended, dated)).toMatchObject({ weeks: null, dueOn: null })
    const former = answer({ asked_on: addDays(ON, -400), due_on: addDays(ON, -300) })
    expect(on(ON, answer({}), former)).toMatchObject({ weeks: null })
  })

  test('the time after birth lasts 6 weeks, breastfeeding longer', () => {
    const born = { ended_on: ON }
    expect(on(addDays(ON, 41), answer({ state: 'after_birth', ...born })).state).toBe('after_birth')
    expect(on(addDays(ON, 42), answer({ state: 'after_birth', ...born })).state).toBe('not_known')
    const feeding = answer({ state: 'breastfeeding', ...born })
    expect(on(addDays(ON, 41), feeding)).toMatchObject({
      state: 'breastfeeding',
      isAfterBirth: true,
    })
    expect(on(addDays(ON, 42), feeding)).toMatchObject({
      state: 'breastfeeding',
      isAfterBirth: false,
    })
    expect(on(addDays(ON, 731), feeding).state).toBe('not_known')
  })

  test('"not pregnant" is asked again after 4 weeks, "cannot become pregnant" is not; the newest answer counts', () => {
    expect(on(addDays(ON, 28), answer({ state: 'not_pregnant' })).state).toBe('not_pregnant')
    expect(on(addDays(ON, 29), answer({ state: 'not_pregnant' })).state).toBe('not_known')
    expect(on(addDays(ON, 3000), answer({ state: 'not_possible' })).state).toBe('not_pregnant')
    const lost = answer({ state: 'not_pregnant', asked_on: addDays(ON, 20) })
    const before = answer({ due_on: addDays(ON, 196) })
    expect(on(addDays(ON, 21), lost, before).state).toBe('not_pregnant')
    expect(on(addDays(ON, 19), lost, before).state).toBe('pregnant')
    expect(on(ON).state).toBe('not_known')
  })

  test.each([
    ['female', '1990-05-17', true],
    ['f', '2014-06-02', false],
    ['female', '2014-06-01', true],
    ['female', '1975-06-02', true],
    ['female', '1975-06-01', false],
    ['male', '1990-05-17', false],
    [null, '1990-05-17', true],
    ['female', null, true],
  ])('%s born %s: asked about pregnancy: %s', (sex, born, isAsked) => {
    expect(isPregnancyRelevant(sex, born ? { day: born, precision: 'day' } : null, ON)).toBe(
      isAsked,
    )
  })
})

describe('recording', () => {
  test('a provider records an answer; it is audited, and everybody who sees the history reads it', async ({
    db,
    make,
    asUser,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    const nurse = await make.user()
    const me = asUser(nurse, { [clinic_id]: treating })
    const id = uuidv7()
    await recordPregnancy(me, { id, patientId: patient_id, state: 'pregnant', weeks: 12 })
    expect(await listPregnancies(me, { patientId: patient_id })).toMatchObject([
      {
        id,
        state: 'pregnant',
        dating: 'weeks',
        due_on: addDays(today(), 196),
        recorded_by: nurse.name,
      },
    ])
    expect(await auditOf(db, id)).toMatchObject([{ action: 'pregnancies.record', patient_id }])
    // the same request again
    await recordPregnancy(me, { id, patientId: patient_id, state: 'pregnant', weeks: 12 })
    expect(await listPregnancies(me, { patientId: patient_id })).toHaveLength(1)
  })

  test('it is refused without the right, and where the patient is not cared for', async ({
    make,
    as,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    const given = { id: uuidv7(), patientId: patient_id, state: 'not_pregnant' as const }
    await expect(
      recordPregnancy(as('provider', { [clinic_id]: ['can_view_history'] }), given),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    const elsewhere = await make.clinic()
    await expect(
      recordPregnancy(as('provider', { [elsewhere.id]: treating }), given),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test.for([
    [{ state: 'pregnant', weeks: 46 }, 'weeks'],
    [{ state: 'pregnant', weeks: 12, due_on: '2027-01-01' }, 'weeks'],
    [{ state: 'not_pregnant', weeks: 12 }, 'weeks'],
    [{ state: 'after_birth' }, 'ended_on'],
    [{ state: 'pregnant', ended_on: '2026-01-01' }, 'ended_on'],
    [{ state: 'pregnant', asked_on: '2999-01-01' }, 'asked_on'],
    [{ state: 'pregnant', asked_on: '1980-01-01' }, 'asked_on'],
    [{ state: 'pregnant', last_period_on: '2020-01-01' }, 'last_period_on'],
    [{ state: 'pregnant', due_on: '2999-01-01' }, 'due_on'],
    [{ state: 'breastfeeding', ended_on: '2999-01-01' }, 'ended_on'],
  ] as const)('%j is refused at %s', async ([given, field], { make, as }) => {
    const { patient_id, clinic_id } = await make.visit()
    const me = as('provider', { [clinic_id]: treating })
    await expect(
      recordPregnancy(me, { id: uuidv7(), patientId: patient_id, ...given }),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: { [field]: expect.anything() },
    })
  })

  test('an answer goes to the trash and comes back; a merge takes it along and gives it back', async ({
    make,
    as,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    const { id } = await make.pregnancy({ patient_id })
    const me = as('admin', { [clinic_id]: [...treating, 'can_delete_records'] })
    const root = as('super_admin')
    const { deletionId } = await deletePregnancy(me, { id })
    expect(await listPregnancies(me, { patientId: patient_id })).toEqual([])
    await restoreDeletion(root, { id: deletionId! })
    expect(await listPregnancies(me, { patientId: patient_id })).toHaveLength(1)

    const winner = await make.patient()
    const { mergeId } = await mergePatients(root, {
      id: uuidv7(),
      winnerId: winner.id,
      loserId: patient_id,
    })
    expect(await listPregnancies(root, { patientId: winner.id })).toMatchObject([{ id }])
    await unmergePatients(root, { mergeId })
    expect(await listPregnancies(root, { patientId: patient_id })).toMatchObject([{ id }])
  })

  test.for([
    [{ state: 'perhaps' }, 'patient_pregnancies_state_check'],
    [{ asked_on: '2999-01-01' }, 'patient_pregnancies_asked_on_check'],
    [{ due_on: '2026-01-01' }, 'patient_pregnancies_due_check'],
    [{ due_on: '2020-01-01', dating: 'weeks' }, 'patient_pregnancies_weeks_check'],
    [{ state: 'after_birth' }, 'patient_pregnancies_ended_check'],
  ] as const)('the database keeps it: %j breaks %s', async ([values, constraint], { make }) => {
    await expect(make.pregnancy(values)).rejects.toMatchObject({ constraint })
  })
})
