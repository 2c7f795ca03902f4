import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test as plain } from 'vitest'
import { brokenRule, test } from '../../../../test/harness'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import type { Permission } from '~/shared/permissions'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { newReferralNumber, readReferralNumber, spacedNumber } from './referral-number'
import {
  deleteReferral,
  getReferral,
  listReferrals,
  referralsOfPatient,
  saveReferral,
} from './referrals.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const aReferral = {
  visit_id: null,
  to_name: 'City hospital',
  urgency: 'urgent' as const,
  reason: 'Fever for nine days',
  status: 'sent' as const,
  due_on: null,
  reply: null,
}
const fromToday = (days: number) => addDays(dayIn(new Date(), clinicTimeZone()), days)

describe('the number of a referral', () => {
  plain('is read as people write it; Z is never used', () => {
    for (let at = 0; at < 500; at += 1) {
      const number = newReferralNumber()
      expect(number).toMatch(/^[0-9A-HJKMNP-TV-Y]{8}$/)
      expect(readReferralNumber(number)).toBe(number)
      expect(readReferralNumber(` ${spacedNumber(number).toLowerCase()} `)).toBe(number)
      expect(readReferralNumber(number.replaceAll('0', 'o').replaceAll('1', 'l'))).toBe(number)
      const inArabic = number.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)]!)
      expect(readReferralNumber(inArabic)).toBe(number)
    }
  })

  plain('with one wrong character, or two neighbors swapped, is none', () => {
    const characters = [...'0123456789ABCDEFGHJKMNPQRSTVWXY']
    for (let round = 0; round < 20; round += 1) {
      const number = newReferralNumber()
      const wrong = [...number].flatMap((right, at) => {
        const others = characters
          .filter((other) => other !== right)
          .map((other) => number.slice(0, at) + other + number.slice(at + 1))
        const next = number[at + 1]
        // the last two are a character and the check of all
        const isSwap = next && next !== right && at < 6
        return isSwap
          ? [...others, number.slice(0, at) + next + right + number.slice(at + 2)]
          : others
      })
      expect(wrong.filter((text) => readReferralNumber(text) !== null)).toEqual([])
    }
    const none = ['', '1234567', 'ABCDEFGHJ', 'سسسسسسسس']
    expect(none.map(readReferralNumber)).toEqual([null, null, null, null])
  })
})

describe('a referral', () => {
  test('has a number, is changed, and is answered by its reply', async ({ asUser, make }) => {
    const visit = await make.visit()
    const { patient_id, clinic_id } = visit
    const me = asUser(await make.user(), { [clinic_id]: treating })
    const referral = { ...aReferral, id: uuidv7(), patient_id, visit_id: visit.id }
    const saved = await saveReferral(me, referral)
    // a repeated request makes no second referral and no second number
    expect(await saveReferral(me, referral)).toEqual(saved)
    const one = async () => (await referralsOfPatient(me, { patientId: patient_id }))[0]!
    const first = await one()
    expect(readReferralNumber(first.number)).toBe(first.number)
    expect(first).toMatchObject({ status: 'sent', isOpen: true, recorded_by: me.actor.name })

    const answered = await saveReferral(me, { ...referral, ...saved, reply: 'Malaria, treated' })
    const replied = await one()
    expect(replied).toMatchObject({ status: 'replied', isOpen: false, number: first.number })
    expect(replied.replied_at).not.toBeNull()
    const closed = await saveReferral(me, {
      ...referral,
      ...answered,
      status: 'closed',
      reply: 'Malaria, treated',
    })
    expect(await one()).toMatchObject({ status: 'closed', replied_at: replied.replied_at })
    await saveReferral(me, { ...referral, ...closed })
    expect(await one()).toMatchObject({ status: 'sent', reply: null, replied_at: null })
    const clinic = (await getReferral(me, { id: referral.id })).clinic
    expect(clinic).toBeTruthy()
  })

  test('is listed while it is open, as overdue after its day, and found by its number', async ({
    as,
    make,
  }) => {
    const make1 = (values: object) => make.referral({ to_name: 'A', ...values })
    const later = await make1({ due_on: fromToday(1) })
    const late = await make1({ due_on: fromToday(-1) })
    const today = await make1({ due_on: fromToday(0) })
    const without = await make1({})
    const closed = await make1({ status: 'closed', due_on: fromToday(-9) })
    const ids = async (input: object) =>
      (await listReferrals(as('admin'), input)).rows.map(({ id }) => id)
    expect(await ids({})).toEqual([late.id, today.id, later.id, without.id])
    expect(await ids({ state: 'overdue' })).toEqual([late.id])
    expect(await ids({ state: 'all' })).toHaveLength(5)
    expect(await ids({ number: spacedNumber(closed.number).toLowerCase() })).toEqual([closed.id])
    expect(await ids({ number: 'not a number' })).toEqual([])
  })

  test('is seen by the clinics that read the history, and changed with the right', async ({
    as,
    make,
  }) => {
    const visit = await make.visit()
    const elsewhere = await make.clinic()
    const { id, patient_id, number } = await make.referral({
      patient_id: visit.patient_id,
      visit_id: visit.id,
    })
    const stranger = as('provider', { [elsewhere.id]: treating })
    expect((await listReferrals(stranger, { number })).rows).toEqual([])
    await expect(getReferral(stranger, { id })).rejects.toMatchObject({ code: 'not_found' })
    const reader = as('provider', { [visit.clinic_id]: ['can_view_history'] })
    expect((await listReferrals(reader, { number })).rows).toHaveLength(1)
    await expect(
      saveReferral(reader, { ...aReferral, id: uuidv7(), patient_id }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      deleteReferral(as('provider', { [visit.clinic_id]: treating }), { id }),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('can be deleted and restored; each problem is beside its field', async ({
    asUser,
    make,
    db,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id, patient_id, number } = await make.referral()
    const { deletionId } = await deleteReferral(admin, { id })
    expect((await listReferrals(admin, { number })).rows).toEqual([])
    await restoreDeletion(admin, { id: deletionId })
    expect((await listReferrals(admin, { number })).rows).toHaveLength(1)
    const save = (values: object) =>
      saveReferral(admin, { ...aReferral, id: uuidv7(), patient_id, ...values })
    await expect(save({ to_name: ' ', reason: '', urgency: 'soon' })).rejects.toMatchObject({
      fields: {
        to_name: { key: 'validation.required' },
        reason: { key: 'referrals.reasonRequired' },
        urgency: { key: 'validation.option' },
      },
    })
    await expect(save({ status: 'replied' })).rejects.toMatchObject({
      fields: { reply: { key: 'referrals.replyRequired' } },
    })
    const row = { id: uuidv7(), patient_id, to_name: 'A', urgency: 'routine', reason: 'B' }
    const insert = (values: object) =>
      brokenRule(db, db.insertInto('referrals').values({ ...row, number, ...values } as never))
    expect(await insert({})).toBe('referrals_number_unique')
    expect(await insert({ number: 'ABCDEFGI' })).toBe('referrals_number_check')
    expect(await insert({ number: '00000000', reply: 'x' })).toBe('referrals_reply_check')
  })
})

test('a day for the reply that is over or far ahead is asked about once, and years away refused', async ({
  make,
  asUser,
}) => {
  const { patient_id, clinic_id } = await make.visit()
  const me = asUser(await make.user(), { [clinic_id]: treating })
  const referral = { ...aReferral, id: uuidv7(), patient_id }
  for (const [due_on, key] of [
    [fromToday(-355), 'dates.dayPast'],
    [fromToday(400), 'dates.farAhead'],
  ] as const)
    await expect(saveReferral(me, { ...referral, due_on, confirmed: [] })).rejects.toMatchObject({
      text: { key: 'asked.unlikely_date' },
      fields: { due_on: { key } },
    })
  await expect(
    saveReferral(me, { ...referral, due_on: '2099-12-10', confirmed: ['unlikely_date'] }),
  ).rejects.toMatchObject({ fields: { due_on: { key: 'dates.appointmentImpossible' } } })
  const past = { ...referral, due_on: fromToday(-30) }
  const { last_modified } = await saveReferral(me, { ...past, confirmed: ['unlikely_date'] })
  // a day that stays is not asked about again
  await saveReferral(me, { ...past, last_modified, reason: 'Fever', confirmed: [] })
  await saveReferral(me, { ...past, id: uuidv7() })
  // nor one of a referral that waits for nothing
  const closed = { ...past, id: uuidv7(), status: 'closed' as const }
  await saveReferral(me, { ...closed, confirmed: [] })
})
