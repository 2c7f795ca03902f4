import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { listFollowUps } from '../followups.server'
import { auditOf, brokenRule, test as base } from '../../../../../test/harness'
import { saveConsent } from './consents.server'
import { createMessage, getMessage, messagesOfPatient, prepareMessage } from './messages.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { listMessageTexts, resetMessageText, saveMessageText } from './texts.server'

const test = base
  .extend('clinic', async ({ make }) => await make.clinic({ name: 'Hillside', phone: '011 555' }))
  .extend('desk', async ({ make, asUser, clinic }) =>
    asUser(await make.user({ role: 'registrar' }), { [clinic.id]: ['can_register_patients'] }),
  )
  .extend('overdue', async ({ make, clinic, desk }) => {
    const { id } = await make.patient({
      primary_clinic_id: clinic.id,
      given_name: 'Layla',
      surname: 'Haddad',
      phone: '0944 123 456',
    })
    await make.enrollment({ clinic_id: clinic.id, patient_id: id })
    await listFollowUps(desk, {})
    return { patient_id: id, program: 'hypertension' }
  })

const answer = (patient_id: string, more: object = {}) => ({
  id: uuidv7(),
  patient_id,
  channel: 'sms' as const,
  agreed: true,
  ...more,
})

describe('the texts', () => {
  test('ship in three languages for each schedule, and an administrator replaces one', async ({
    as,
    desk,
    overdue,
  }) => {
    const texts = await listMessageTexts(as('admin'), {})
    expect(texts).toHaveLength(30)
    expect(texts.every(({ id }) => id === null)).toBe(true)
    const own = { id: uuidv7(), schedule_code: 'htn-review', language: 'en' as const }
    const saved = await saveMessageText(as('admin'), { ...own, body: 'Come to {clinic}, {name}.' })
    expect((await prepareMessage(desk, overdue)).texts.en).toBe('Come to Hillside, Layla Haddad.')
    await saveMessageText(as('admin'), { ...own, ...saved, body: 'Come on {date}.' })
    expect((await listMessageTexts(as('admin'), {})).filter(({ id }) => id)).toMatchObject([
      { ...own, body: 'Come on {date}.', program: 'hypertension' },
    ])
  })

  test('take no other placeholder: the error is beside the text, and the database refuses it too', async ({
    as,
    db,
  }) => {
    const own = { id: uuidv7(), schedule_code: 'htn-review', language: 'en' as const }
    await expect(
      saveMessageText(as('admin'), { ...own, body: 'Your {diagnosis}, {name}' }),
    ).rejects.toMatchObject({
      fields: {
        body: { key: 'messageTexts.unknown', values: { placeholder: '{diagnosis}' } },
      },
    })
    await expect(saveMessageText(as('admin'), { ...own, body: ' ' })).rejects.toMatchObject({
      fields: { body: { key: 'validation.required' } },
    })
    await expect(
      saveMessageText(as('admin'), { ...own, body: 'x'.repeat(601) }),
    ).rejects.toMatchObject({ fields: { body: { key: 'validation.tooLong' } } })
    const insert = (body: string) =>
      brokenRule(db, db.insertInto('message_texts').values({ ...own, body }))
    expect(await insert('Your {diagnosis}')).toBe('message_texts_placeholders_check')
    expect(await insert('{')).toBe('message_texts_placeholders_check')
  })

  test('belong to administrators', async ({ desk }) => {
    await expect(listMessageTexts(desk, {})).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      saveMessageText(desk, {
        id: uuidv7(),
        schedule_code: 'htn-review',
        language: 'en',
        body: 'Come',
      }),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('go back to the shipped one, which is undone; then another replaces it', async ({
    as,
    desk,
  }) => {
    const of = { schedule_code: 'htn-review', language: 'es' as const }
    const body = async () =>
      (await listMessageTexts(as('admin'), {})).find(
        ({ schedule_code, language }) => schedule_code === 'htn-review' && language === 'es',
      )?.body
    const shipped = await body()
    expect(await resetMessageText(as('admin'), of)).toEqual({ deletionId: null })
    await saveMessageText(as('admin'), { ...of, id: uuidv7(), body: 'Venga a {clinic}' })
    await expect(resetMessageText(desk, of)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await body()).toBe('Venga a {clinic}')
    const { deletionId } = await resetMessageText(as('admin'), of)
    expect(await body()).toBe(shipped)
    await restoreDeletion(as('admin'), { id: deletionId! })
    expect(await body()).toBe('Venga a {clinic}')

    const again = await resetMessageText(as('admin'), of)
    await saveMessageText(as('admin'), { ...of, id: uuidv7(), body: 'Llame a {phone}' })
    expect(await body()).toBe('Llame a {phone}')
    // the text of before is not restored beside the new one
    await expect(restoreDeletion(as('admin'), { id: again.deletionId! })).rejects.toMatchObject({
      text: { key: 'messageTexts.newer' },
    })
  })

  test('of two administrators at once: the second is told', async ({ as }) => {
    const own = { schedule_code: 'htn-review', language: 'en' as const, body: 'Come' }
    await saveMessageText(as('admin'), { ...own, id: uuidv7() })
    await expect(saveMessageText(as('admin'), { ...own, id: uuidv7() })).rejects.toMatchObject({
      text: { key: 'messageTexts.newer' },
    })
  })
})

describe('a message', () => {
  const made = async (desk: Parameters<typeof createMessage>[0], overdue: Prepared) => {
    const { texts } = await prepareMessage(desk, overdue)
    return {
      ...overdue,
      id: uuidv7(),
      language: 'en' as const,
      way: 'copy' as const,
      body: texts.en,
    }
  }
  type Prepared = { patient_id: string; program: string }

  test('is prepared with the name, the clinic, the day and the phone, and nothing else', async ({
    desk,
    overdue,
    make,
    clinic,
    db,
  }) => {
    const prepared = await prepareMessage(desk, overdue)
    expect(prepared).toMatchObject({
      phone: '0944 123 456',
      clinicPhone: '011 555',
      agreed: { sms: false, letter: false },
      recent: null,
    })
    for (const text of Object.values(prepared.texts)) {
      expect(text).toContain('Layla Haddad')
      expect(text).toContain('Hillside')
      expect(text).toContain('011 555')
      expect(text).not.toMatch(/hypertension|ضغط|presión/i)
    }
    await db.updateTable('clinics').set({ phone: null }).where('id', '=', clinic.id).execute()
    expect((await prepareMessage(desk, overdue)).texts.en).not.toMatch(/Phone|011/)
    // only for patients on the list
    const other = await make.patient({ primary_clinic_id: clinic.id })
    await expect(
      prepareMessage(desk, { patient_id: other.id, program: 'hypertension' }),
    ).rejects.toMatchObject({ text: { key: 'followups.notListed' } })
  })

  test('needs the consent of the patient for its channel', async ({ desk, overdue, db }) => {
    const message = await made(desk, overdue)
    await expect(createMessage(desk, message)).rejects.toMatchObject({
      text: { key: 'messages.noConsent' },
    })
    await saveConsent(desk, answer(overdue.patient_id, { channel: 'letter' }))
    await expect(createMessage(desk, message)).rejects.toMatchObject({
      text: { key: 'messages.noConsent' },
    })
    await saveConsent(desk, answer(overdue.patient_id))
    await createMessage(desk, message)
    // a repeated request makes no second one
    await createMessage(desk, message)
    expect(
      await db.selectFrom('messages').select(['state', 'channel', 'phone', 'body']).execute(),
    ).toEqual([{ state: 'copied', channel: 'sms', phone: '0944 123 456', body: message.body }])
    expect(await auditOf(db, message.id)).toMatchObject([
      { action: 'messages.create', patient_id: overdue.patient_id },
    ])
  })

  test('is one for a program in seven days, and says when the last one was', async ({
    desk,
    overdue,
    db,
    make,
    clinic,
  }) => {
    await saveConsent(desk, answer(overdue.patient_id))
    await createMessage(desk, await made(desk, overdue))
    expect((await prepareMessage(desk, overdue)).recent).toEqual(expect.any(Date))
    await expect(createMessage(desk, await made(desk, overdue))).rejects.toMatchObject({
      text: { key: 'messages.oneAWeek' },
    })
    // the seventh day after it, in the zone of the clinic
    const { item_id, schedule_code, due_on } = await db
      .selectFrom('messages')
      .select(['item_id', 'schedule_code', 'due_on'])
      .executeTakeFirstOrThrow()
    const next = (days: number) =>
      make.message({
        ...overdue,
        item_id,
        schedule_code,
        due_on,
        clinic_id: clinic.id,
        created_at: new Date(Date.now() + days * 86_400_000),
      })
    expect(await brokenRule(db, { execute: () => next(6) })).toBe('messages_one_a_week')
    expect((await next(7)).state).toBe('printed')
  })

  test('is refused when its text is not the one that was previewed', async ({
    desk,
    overdue,
    as,
  }) => {
    await saveConsent(desk, answer(overdue.patient_id))
    const message = await made(desk, overdue)
    await saveMessageText(as('admin'), {
      id: uuidv7(),
      schedule_code: 'htn-review',
      language: 'en',
      body: 'Another text',
    })
    await expect(createMessage(desk, message)).rejects.toMatchObject({
      text: { key: 'messages.changed' },
    })
    // what is not of the texts cannot be sent at all
    await expect(
      createMessage(desk, { ...message, body: 'Your HIV test is positive' }),
    ).rejects.toMatchObject({ text: { key: 'messages.changed' } })
  })

  test('is written in the clinic that is responsible, and read there', async ({
    desk,
    overdue,
    make,
    asUser,
    clinic,
  }) => {
    const dispenser = asUser(await make.user(), { [clinic.id]: ['can_dispense_medications'] })
    const elsewhere = await make.clinic()
    const stranger = asUser(await make.user({ role: 'registrar' }), {
      [elsewhere.id]: ['can_register_patients'],
    })
    await saveConsent(desk, answer(overdue.patient_id, { channel: 'letter' }))
    const message = { ...(await made(desk, overdue)), way: 'print' as const }
    await createMessage(desk, message)
    expect(await getMessage(desk, { id: message.id })).toMatchObject({
      body: message.body,
      patient: 'Layla Haddad',
      clinic: 'Hillside',
      language: 'en',
    })
    for (const call of [
      () => prepareMessage(stranger, overdue),
      () => createMessage(stranger, { ...message, id: uuidv7() }),
      () => getMessage(stranger, { id: message.id }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'not_found' })
    expect(await messagesOfPatient(desk, { patientId: overdue.patient_id })).toMatchObject([
      { id: message.id, state: 'printed' },
    ])
    // known by a visit elsewhere: the message is still that of the responsible clinic
    await make.visit({ patient_id: overdue.patient_id, clinic_id: elsewhere.id })
    await expect(prepareMessage(stranger, overdue)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await messagesOfPatient(stranger, { patientId: overdue.patient_id })).toEqual([])
    await expect(getMessage(stranger, { id: message.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(prepareMessage(dispenser, overdue)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('never changes once it is made', async ({ desk, overdue, db }) => {
    await saveConsent(desk, answer(overdue.patient_id))
    await createMessage(desk, await made(desk, overdue))
    await brokenRule(db, db.updateTable('messages').set({ body: 'x' }))
    await brokenRule(db, db.updateTable('messages').set({ state: 'failed', error: 'x' }))
    await brokenRule(db, db.deleteFrom('messages'))
  })
})
