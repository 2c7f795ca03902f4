import { createHmac } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { json } from '../../../../../test/dhis2-server'
import { brokenRule, test as base } from '../../../../../test/harness'
import { openPhone } from '../../../../../test/sms-gateway'
import { clinicTimeZone } from '~/shared/zone'
import { listFollowUps } from '../followups.server'
import { saveConsent } from './consents.server'
import { checkGateway, deleteGateway, getGateway, saveGateway } from './gateway.server'
import { dialled } from './gateway'
import { cancelMessage, createMessage, messagesOfPatient, prepareMessage } from './messages.server'
import { sendMessages } from './send-queue.server'
import { secondsOfDay, sendableFrom } from './sending'

/** Tomorrow, so that the queue is asked at known times of the day, whenever the test runs. */
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const at = (time: string) => new Date(`${tomorrow}T${time}:00Z`)
const minutesAfter = (from: Date, minutes: number) => new Date(from.getTime() + minutes * 60_000)

const test = base
  .extend('phone', async ({}, { onCleanup }) => {
    const phone = await openPhone()
    onCleanup(phone.close)
    return phone
  })
  .extend('clinic', async ({ make }) => await make.clinic({ name: 'Hillside', phone: '011 555' }))
  .extend('root', async ({ make, asUser }) => asUser(await make.user({ role: 'super_admin' })))
  .extend('desk', async ({ make, asUser, clinic, root: _first }) =>
    asUser(await make.user({ role: 'registrar' }), { [clinic.id]: ['can_register_patients'] }),
  )
  .extend('overdue', async ({ make, clinic, desk }) => {
    const { id } = await make.patient({
      primary_clinic_id: clinic.id,
      given_name: 'Layla',
      phone: '٠٩٤٤ ١٢٣ ٤٥٦',
    })
    await make.enrollment({ clinic_id: clinic.id, patient_id: id })
    await listFollowUps(desk, {})
    return { patient_id: id, program: 'hypertension' }
  })
  .extend('android', async ({ root, phone }) => {
    const given = { kind: 'android' as const, address: phone.address, username: 'sms' }
    await saveGateway(root, { ...given, secret: 'local-secret', country_code: '+963' })
    return given
  })
  /** A message of tomorrow at ten, and what sends at a time. */
  .extend('queued', async ({ make, overdue, clinic, db, android: _first }) => {
    const { id } = await make.queuedMessage({
      ...overdue,
      clinic_id: clinic.id,
      created_at: at('10:00'),
      due_at: at('10:00'),
    })
    const read = () =>
      db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return { id, read, send: (now: Date) => sendMessages(db, undefined, () => now) }
  })

describe('a text message', () => {
  test('is sent exactly as the gateway documents it, once, and followed until it is delivered', async ({
    queued,
    phone,
    desk,
    overdue,
  }) => {
    expect(await queued.send(at('09:59'))).toBe(0)
    expect(await queued.send(at('10:00'))).toBe(1)
    expect(phone.received).toHaveLength(1)
    const [{ method, url, headers, body }] = phone.received as [(typeof phone.received)[0]]
    expect({ method, url }).toEqual({ method: 'POST', url: '/message' })
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from('sms:local-secret').toString('base64')}`,
      'content-type': 'application/json',
    })
    expect(JSON.parse(body)).toEqual({
      id: queued.id,
      message: 'Please come.',
      phoneNumbers: ['+963944123456'],
      // until eight in the evening
      ttl: 10 * 3600,
      withDeliveryReport: true,
    })
    expect(await queued.read()).toMatchObject({ state: 'queued', accepted_at: at('10:00') })
    for (const [state, seen] of [
      ['Processed', 'queued'],
      ['Sent', 'sent'],
      ['Delivered', 'delivered'],
    ] as const) {
      phone.becomes(queued.id, state)
      const { due_at } = await queued.read()
      expect(await queued.send(due_at!)).toBe(1)
      expect((await queued.read()).state).toBe(seen)
    }
    expect((await queued.read()).due_at).toBeNull()
    expect(phone.sms).toHaveLength(1)
    expect((await listFollowUps(desk, {})).rows[0]).toMatchObject({
      message: { state: 'delivered', state_at: expect.any(Date), error: null },
    })
    expect(await messagesOfPatient(desk, { patientId: overdue.patient_id })).toMatchObject([
      { id: queued.id, state: 'delivered', body: 'Please come.', mayCancel: false },
    ])
  })

  test('whose answer is lost is asked for, and not sent a second time', async ({
    queued,
    phone,
  }) => {
    // it arrives and is sent, and the connection ends before the answer
    phone.answers.push((request, response, body) => {
      phone.working(request, { writeHead() {}, end() {} } as never, body)
      response.destroy()
    })
    await queued.send(at('10:00'))
    expect(await queued.read()).toMatchObject({
      state: 'queued',
      error: 'unreachable',
      accepted_at: null,
      due_at: at('10:01'),
    })
    expect(await queued.send(at('10:00'))).toBe(0)
    await queued.send(at('10:01'))
    expect(phone.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /message',
      `GET /message/${queued.id}`,
    ])
    expect(phone.sms).toHaveLength(1)
    expect(await queued.read()).toMatchObject({ state: 'queued', accepted_at: at('10:01') })
  })

  test('that the phone does not know is posted again', async ({ queued, phone }) => {
    phone.answers.push((_, response) => response.destroy())
    await queued.send(at('10:00'))
    // the phone does not say: nothing is posted
    phone.answers.push((_, response) => json(response, 500, { message: 'Database is locked' }))
    await queued.send(at('10:01'))
    expect(phone.sms).toHaveLength(0)
    await queued.send(at('10:03'))
    expect(phone.sms).toHaveLength(1)
    expect(await queued.read()).toMatchObject({ attempts: 3, error: null })
  })

  test('of a process that died in the middle is taken over, and not sent a second time', async ({
    queued,
    phone,
    db,
  }) => {
    const stop = new AbortController()
    // the phone takes it, and the server ends before the answer
    phone.answers.push((request, _response, body) => {
      phone.working(request, { writeHead() {}, end() {} } as never, body)
      stop.abort(new Error('killed'))
    })
    await expect(sendMessages(db, stop.signal, () => at('10:00'))).rejects.toThrow('killed')
    expect(await queued.send(at('10:04'))).toBe(0)
    expect(await queued.send(at('10:05'))).toBe(1)
    expect(await queued.read()).toMatchObject({ attempts: 2, accepted_at: at('10:05') })
    expect(phone.sms).toHaveLength(1)
  })

  test('that the gateway refuses fails with its reason and is not tried again', async ({
    queued,
    phone,
    make,
    overdue,
    clinic,
  }) => {
    phone.answers.push((_, response) =>
      json(response, 400, { message: 'Invalid phone number +963944123456' }),
    )
    await queued.send(at('10:00'))
    expect(await queued.read()).toMatchObject({
      state: 'failed',
      error: 'refused',
      reason: 'HTTP 400: Invalid phone number +963944123456',
      due_at: null,
    })
    expect(await queued.send(at('18:00'))).toBe(0)
    // the patient received nothing: another one is allowed
    const again = { ...overdue, clinic_id: clinic.id, created_at: at('12:00'), due_at: at('12:00') }
    const { id } = await make.queuedMessage(again)
    await queued.send(at('12:00'))
    phone.becomes(id, 'Failed', 'RESULT_ERROR_GENERIC_FAILURE')
    await queued.send(at('12:01'))
    expect(phone.sms.map((sent) => sent.id)).toEqual([id])
  })

  test('fails where the password is wrong or the gateway redirects', async ({
    queued,
    phone,
    root,
    android,
  }) => {
    await saveGateway(root, { ...android, secret: 'another', country_code: '963' })
    await queued.send(at('10:00'))
    expect(await queued.read()).toMatchObject({ state: 'failed', error: 'unauthorized' })
    expect(phone.sms).toHaveLength(0)
  })

  test('follows no redirect: the password reaches only the gateway', async ({ queued, phone }) => {
    phone.answers.push((_, response) =>
      response.writeHead(302, { location: `${phone.address}/elsewhere` }).end(),
    )
    await queued.send(at('10:00'))
    expect(await queued.read()).toMatchObject({ state: 'failed', error: 'redirect' })
    expect(phone.received).toHaveLength(1)
  })

  test('does not leave in the night, and not after 24 hours', async ({ queued, phone, db }) => {
    // the server was off in the day
    await queued.send(at('20:00'))
    const morning = minutesAfter(at('09:00'), 24 * 60)
    expect(await queued.read()).toMatchObject({ state: 'queued', attempts: 0, due_at: morning })
    expect(phone.received).toEqual([])
    const planned = (time: string) =>
      brokenRule(db, db.updateTable('messages').set({ due_at: at(time) }))
    expect([await planned('20:00'), await planned('08:59')]).toEqual([
      'messages_quiet_check',
      'messages_quiet_check',
    ])
    await queued.send(minutesAfter(at('10:00'), 24 * 60))
    expect(await queued.read()).toMatchObject({ state: 'failed', error: 'expired' })
    expect(phone.received).toEqual([])
  })

  test('that fails shortly before the evening waits for the morning', async ({ queued, phone }) => {
    phone.answers.push((_, response) => response.destroy())
    await queued.send(at('19:59'))
    expect(await queued.read()).toMatchObject({
      state: 'queued',
      due_at: minutesAfter(at('09:00'), 24 * 60),
    })
  })

  test('that was perhaps sent counts for the week; one that never left does not', async ({
    queued,
    phone,
    make,
    overdue,
    clinic,
  }) => {
    phone.answers.push((_, response) => response.destroy())
    await queued.send(at('10:00'))
    const late = minutesAfter(at('10:00'), 24 * 60)
    await queued.send(late)
    expect(await queued.read()).toMatchObject({ state: 'failed', error: 'expired', attempts: 1 })
    await expect(
      make.queuedMessage({ ...overdue, clinic_id: clinic.id, created_at: late, due_at: late }),
    ).rejects.toMatchObject({ constraint: 'messages_one_a_week' })
  })

  test('is cancelled at once when the patient withdraws, and no other answer cancels it', async ({
    queued,
    phone,
    desk,
    overdue,
  }) => {
    const answer = { patient_id: overdue.patient_id, channel: 'sms' } as const
    await saveConsent(desk, { ...answer, id: uuidv7(), channel: 'letter', agreed: false })
    await saveConsent(desk, { ...answer, id: uuidv7(), agreed: true })
    expect(await queued.read()).toMatchObject({ state: 'queued' })
    await saveConsent(desk, { ...answer, id: uuidv7(), agreed: false })
    expect(await queued.read()).toMatchObject({ state: 'cancelled', error: 'no_consent' })
    expect(await queued.send(at('10:00'))).toBe(0)
    expect(phone.received).toEqual([])
  })

  test('is not sent if the patient withdrew while an attempt failed', async ({
    queued,
    phone,
    desk,
    db,
    overdue,
  }) => {
    const leased = new Date(Date.now() + 60_000)
    await db
      .updateTable('messages')
      .set({ leased_until: leased })
      .where('id', '=', queued.id)
      .execute()
    await saveConsent(desk, {
      id: uuidv7(),
      patient_id: overdue.patient_id,
      channel: 'sms',
      agreed: false,
    })
    expect(await queued.read()).toMatchObject({ state: 'queued' })
    await db
      .updateTable('messages')
      .set({ leased_until: null })
      .where('id', '=', queued.id)
      .execute()
    await queued.send(at('10:00'))
    expect(await queued.read()).toMatchObject({ state: 'cancelled', error: 'no_consent' })
    expect(phone.received).toEqual([])
  })

  test('is not sent to a patient who came meanwhile', async ({ queued, phone, db, overdue }) => {
    await db
      .updateTable('follow_up_items')
      .set({ status: 'done', status_on: tomorrow })
      .where('patient_id', '=', overdue.patient_id)
      .execute()
    await queued.send(at('10:00'))
    expect(await queued.read()).toMatchObject({ state: 'cancelled', error: 'not_due' })
    expect(phone.received).toEqual([])
  })

  test('is cancelled while it waits, and not afterwards', async ({
    queued,
    phone,
    desk,
    overdue,
  }) => {
    const listed = () => messagesOfPatient(desk, { patientId: overdue.patient_id })
    expect(await listed()).toMatchObject([{ state: 'queued', mayCancel: true }])
    await cancelMessage(desk, { id: queued.id })
    expect(await listed()).toMatchObject([{ state: 'cancelled', mayCancel: false }])
    expect(await queued.send(at('10:00'))).toBe(0)
    expect(phone.received).toEqual([])
    await expect(cancelMessage(desk, { id: queued.id })).rejects.toMatchObject({
      text: { key: 'messages.notQueued' },
    })
  })

  test('is one of at most 100 in a day', async ({ queued, db, make, clinic }) => {
    const { id: _id, item_id: _item, patient_id: _patient, ...row } = await queued.read()
    const patients = await Promise.all(
      Array.from({ length: 100 }, () => make.patient({ primary_clinic_id: clinic.id })),
    )
    await Promise.all(patients.map(({ id }) => make.consent(id, 'sms')))
    const one = ({ id }: { id: string }) => ({
      ...row,
      id: uuidv7(),
      item_id: uuidv7(),
      patient_id: id,
    })
    await db.insertInto('messages').values(patients.slice(0, 99).map(one)).execute()
    const last = one(patients[99]!)
    expect(await brokenRule(db, db.insertInto('messages').values(last))).toBe(
      'messages_hundred_a_day',
    )
    // a copied text is not the gateway's
    await db
      .insertInto('messages')
      .values({ ...last, state: 'copied', due_at: null })
      .execute()
    // the next day
    const created_at = minutesAfter(at('10:00'), 24 * 60)
    await db
      .insertInto('messages')
      .values({ ...one(patients[99]!), program: 'diabetes', created_at, due_at: created_at })
      .execute()
  })
})

describe('the desk', () => {
  test('sends what it previewed, to the number with the code of the country', async ({
    desk,
    overdue,
    android: _first,
    phone,
    db,
  }) => {
    const message = (body: string) => ({
      ...overdue,
      id: uuidv7(),
      language: 'ar' as const,
      way: 'send' as const,
      body,
    })
    const { texts, sendsTo, hasGateway } = await prepareMessage(desk, overdue)
    expect({ sendsTo, hasGateway }).toEqual({ sendsTo: '+963944123456', hasGateway: true })
    await expect(createMessage(desk, message(texts.ar))).rejects.toMatchObject({
      text: { key: 'messages.noConsent' },
    })
    await saveConsent(desk, {
      id: uuidv7(),
      patient_id: overdue.patient_id,
      channel: 'sms',
      agreed: true,
    })
    await createMessage(desk, message(texts.ar))
    const { due_at } = await db.selectFrom('messages').select('due_at').executeTakeFirstOrThrow()
    expect(due_at).toEqual(sendableFrom(due_at!, clinicTimeZone()))
    await sendMessages(db, undefined, () => due_at!)
    expect(phone.sms).toMatchObject([{ message: texts.ar, phoneNumbers: ['+963944123456'] }])
  })

  test('cannot send without a gateway, or to what is no number', async ({
    desk,
    overdue,
    root,
    android: _first,
    db,
  }) => {
    await saveConsent(desk, {
      id: uuidv7(),
      patient_id: overdue.patient_id,
      channel: 'sms',
      agreed: true,
    })
    const { texts } = await prepareMessage(desk, overdue)
    const message = { ...overdue, language: 'en' as const, way: 'send' as const, body: texts.en }
    await db
      .updateTable('patients')
      .set({ phone: '0944 123 456 / 0933 1' })
      .where('id', '=', overdue.patient_id)
      .execute()
    expect((await prepareMessage(desk, overdue)).sendsTo).toBeNull()
    await expect(createMessage(desk, { ...message, id: uuidv7() })).rejects.toMatchObject({
      text: { key: 'messages.badPhone' },
    })
    await deleteGateway(root, {})
    expect((await prepareMessage(desk, overdue)).hasGateway).toBe(false)
    await expect(createMessage(desk, { ...message, id: uuidv7() })).rejects.toMatchObject({
      text: { key: 'messages.error_no_gateway' },
    })
  })
})

describe('the gateway', () => {
  test('is a webhook, too: the same JSON with a signature, and every answer but 2xx refuses', async ({
    queued,
    phone,
    root,
  }) => {
    await saveGateway(root, {
      kind: 'webhook',
      address: `${phone.address}/send`,
      secret: 'key',
      country_code: '963',
    })
    phone.answers.push((_, response) => json(response, 200, { state: 'queued' }))
    await queued.send(at('10:00'))
    const [{ method, url, headers, body }] = phone.received as [(typeof phone.received)[0]]
    expect({ method, url }).toEqual({ method: 'POST', url: '/send' })
    expect(JSON.parse(body)).toEqual({
      id: queued.id,
      phone: '+963944123456',
      text: 'Please come.',
    })
    expect(headers['x-sanad-signature']).toBe(
      `sha256=${createHmac('sha256', 'key').update(body).digest('hex')}`,
    )
    expect(headers.authorization).toBeUndefined()
    // nothing more can be asked of it
    expect(await queued.read()).toMatchObject({ state: 'sent', due_at: null })
  })

  test('of a webhook that is busy refuses with its words', async ({ queued, phone, root }) => {
    const address = `${phone.address}/send`
    await saveGateway(root, { kind: 'webhook', address, secret: 'key', country_code: '963' })
    phone.answers.push((_, response) => json(response, 503, { message: 'No credit' }))
    await queued.send(at('10:00'))
    expect(await queued.read()).toMatchObject({
      state: 'failed',
      error: 'refused',
      reason: 'HTTP 503: No credit',
    })
  })

  test('keeps its password: encrypted, never answered, and only for its address', async ({
    root,
    android,
    db,
    as,
  }) => {
    expect(await getGateway(root, {})).toMatchObject({
      ...android,
      hasSecret: true,
      country_code: '963',
    })
    const kept = { ...android, secret: '', country_code: '963' }
    await saveGateway(root, kept)
    await expect(
      saveGateway(root, { ...kept, address: 'http://10.0.0.9:8080' }),
    ).rejects.toMatchObject({ fields: { secret: { key: 'messageGateway.secretAgain' } } })
    const { sealed_secret } = await db
      .selectFrom('message_gateway')
      .select('sealed_secret')
      .executeTakeFirstOrThrow()
    expect(sealed_secret!.toString('latin1')).not.toContain('local-secret')
    const trail = await db.selectFrom('audit_log').select('changes').execute()
    expect(JSON.stringify(trail)).not.toContain('local-secret')
    for (const call of [getGateway, checkGateway, deleteGateway])
      await expect(call(as('admin'), {})).rejects.toMatchObject({ code: 'forbidden' })
    await expect(saveGateway(as('admin'), kept)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('names the fields that are wrong', async ({ root }) => {
    const wrong = {
      kind: 'android' as const,
      address: 'ftp://x',
      username: '',
      secret: 'x',
      country_code: '0963',
    }
    await expect(saveGateway(root, wrong)).rejects.toMatchObject({
      fields: {
        address: { key: 'messageGateway.addressForm' },
        country_code: { key: 'messageGateway.countryForm' },
      },
    })
    const named = { ...wrong, address: 'https://x.example', country_code: '963' }
    await expect(saveGateway(root, named)).rejects.toMatchObject({
      fields: { username: { key: 'validation.required' } },
    })
    await expect(
      saveGateway(root, { ...named, username: 'sms', address: 'http://8.8.8.8' }),
    ).rejects.toMatchObject({ fields: { address: { key: 'messages.error_refused_address' } } })
  })

  test('is tested without sending a message', async ({ root, android, phone }) => {
    expect(await checkGateway(root, {})).toEqual({ error: null })
    expect(phone.received.map(({ method }) => method)).toEqual(['GET'])
    await saveGateway(root, { ...android, secret: 'wrong', country_code: '963' })
    expect(await checkGateway(root, {})).toEqual({ error: 'unauthorized' })
    phone.answers.push((_, response) => response.end('<html>'))
    expect(await checkGateway(root, {})).toEqual({ error: 'unreadable' })
  })
})

test('messages leave from nine to eight, also where the clocks change', () => {
  const from = (moment: string, zone: string) => sendableFrom(new Date(moment), zone).toISOString()
  expect(from('2026-11-24T06:00:00Z', 'Asia/Damascus')).toBe('2026-11-24T06:00:00.000Z')
  expect(from('2026-11-24T05:59:59Z', 'Asia/Damascus')).toBe('2026-11-24T06:00:00.000Z')
  expect(from('2026-11-24T16:59:59Z', 'Asia/Damascus')).toBe('2026-11-24T16:59:59.000Z')
  expect(from('2026-11-24T17:00:00Z', 'Asia/Damascus')).toBe('2026-11-25T06:00:00.000Z')
  // in Madrid the clocks go forward on 29 March: the night is an hour shorter
  expect(from('2026-03-28T20:00:00Z', 'Europe/Madrid')).toBe('2026-03-29T07:00:00.000Z')
  expect(secondsOfDay(new Date('2026-11-24T16:59:00Z'), 'Asia/Damascus')).toBe(60)
})

test('a number is dialled in figures of any script, with the code of the country', () => {
  const numbers: [string | null, string | null][] = [
    ['0944 123 456', '+963944123456'],
    ['٠٩٤٤١٢٣٤٥٦', '+963944123456'],
    ['۰۹۴۴۱۲۳۴۵۶', '+963944123456'],
    ['+962 79 656-4258', '+962796564258'],
    ['00962796564258', '+962796564258'],
    ['(0944) 123.456', '+963944123456'],
    ['1234567', null],
    ['0944123456, 0933123456', null],
    ['0944123456/0933', null],
    ['mother', null],
    ['', null],
    [null, null],
  ]
  for (const [typed, number] of numbers)
    expect([typed, dialled(typed, '963')]).toEqual([typed, number])
})
