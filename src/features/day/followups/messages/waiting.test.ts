import { describe, expect } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { json } from '../../../../../test/dhis2-server'
import { brokenRule, test as base } from '../../../../../test/harness'
import { openPhone } from '../../../../../test/sms-gateway'
import { deletePatientWithRecords } from '~/features/people/patients/deletions/deletions.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { listFollowUps } from '../followups.server'
import { saveConsent } from './consents.server'
import { deleteGateway, saveGateway } from './gateway.server'
import { cancelMessage, getMessage, messagesOfPatient, prepareMessage } from './messages.server'
import { sendMessages } from './send-queue.server'

const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const at = (time: string) => new Date(`${tomorrow}T${time}:00Z`)
const PHONE = '0944 123 456'

const test = base
  .extend('phone', async ({}, { onCleanup }) => {
    const phone = await openPhone()
    onCleanup(phone.close)
    return phone
  })
  .extend('root', async ({ make, asUser }) => asUser(await make.user({ role: 'super_admin' })))
  .extend('gateway', async ({ root, phone }) => {
    const given = { kind: 'android' as const, address: phone.address, username: 'sms' }
    const values = { ...given, secret: 'local-secret', country_code: '963' }
    await saveGateway(root, values)
    return values
  })
  .extend('clinic', async ({ make }) => await make.clinic({ name: 'Hillside', phone: '011 555' }))
  .extend('desk', async ({ make, asUser, clinic, root: _first }) =>
    asUser(await make.user({ role: 'registrar' }), { [clinic.id]: ['can_register_patients'] }),
  )
  /** A patient who is overdue and has a message that waits until a time of tomorrow. */
  .extend(
    'waiting',
    async ({ make, clinic, desk, db, gateway: _first }) =>
      async (time: string) => {
        const { id: patient } = await make.patient({ primary_clinic_id: clinic.id, phone: PHONE })
        await make.enrollment({ clinic_id: clinic.id, patient_id: patient })
        await listFollowUps(desk, {})
        const { id } = await make.queuedMessage({
          patient_id: patient,
          program: 'hypertension',
          clinic_id: clinic.id,
          created_at: at(time),
          due_at: at(time),
        })
        const read = () =>
          db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
        return { id, patient, read }
      },
  )
  .extend(
    'send',
    async ({ db }) =>
      (time: string) =>
        sendMessages(db, undefined, () => at(time)),
  )
  .extend('shown', async ({ desk }) => async (patientId: string) => {
    const messages = await messagesOfPatient(desk, { patientId })
    return messages.map(({ id, state, error, may_have_arrived }) => ({
      id,
      state,
      error,
      may_have_arrived,
    }))
  })

describe('of two records that are merged', () => {
  test('both messages are shown and only the older one leaves', async ({
    waiting,
    send,
    shown,
    root,
    desk,
    phone,
  }) => {
    const [younger, older] = [await waiting('10:01'), await waiting('10:00')]
    const [winnerId, loserId] = [younger.patient, older.patient]
    await mergePatients(root, { id: uuidv7(), winnerId, loserId })
    expect(await shown(winnerId)).toMatchObject([
      { id: younger.id, state: 'queued' },
      { id: older.id, state: 'queued' },
    ])
    // the message to the other record is opened and cancelled from the patient's page, too
    expect(await getMessage(desk, { id: older.id })).toMatchObject({ patient_id: winnerId })
    await send('10:05')
    expect(phone.sms.map(({ id }) => id)).toEqual([older.id])
    expect(await younger.read()).toMatchObject({ state: 'cancelled', error: 'recent' })
    expect(
      (await prepareMessage(desk, { patient_id: winnerId, program: 'hypertension' })).recent,
    ).toEqual(expect.any(Date))
    expect((await listFollowUps(desk, {})).rows).toMatchObject([
      { patient_id: winnerId, message: { state: 'cancelled' } },
    ])
  })

  test('a message of the other record is on the list', async ({
    waiting,
    make,
    clinic,
    root,
    desk,
  }) => {
    const { patient: loserId } = await waiting('10:00')
    const { id: winnerId } = await make.patient({ primary_clinic_id: clinic.id, phone: PHONE })
    await mergePatients(root, { id: uuidv7(), winnerId, loserId })
    expect((await listFollowUps(desk, {})).rows).toMatchObject([
      { patient_id: winnerId, message: { state: 'queued' } },
    ])
  })

  test('the younger message leaves if the older one is cancelled', async ({
    waiting,
    send,
    root,
    desk,
    phone,
  }) => {
    const [younger, older] = [await waiting('10:00'), await waiting('09:30')]
    await mergePatients(root, { id: uuidv7(), winnerId: younger.patient, loserId: older.patient })
    phone.answers.push((_, response) => response.destroy())
    await cancelMessage(desk, { id: older.id })
    await send('10:00')
    expect(phone.received.length).toBe(1)
    await send('10:01')
    expect(phone.sms.map(({ id }) => id)).toEqual([younger.id])
  })

  test('the younger one waits for the older one', async ({ waiting, send, db, root, phone }) => {
    const [older, younger] = [await waiting('10:00'), await waiting('10:01')]
    await mergePatients(root, { id: uuidv7(), winnerId: younger.patient, loserId: older.patient })
    await db
      .updateTable('messages')
      .set({ due_at: at('12:00') })
      .where('id', '=', older.id)
      .execute()
    await send('10:05')
    expect(phone.received).toEqual([])
    expect(await younger.read()).toMatchObject({ state: 'queued', due_at: at('12:01') })
  })

  test('each has its own message again after the merge is undone, and both leave', async ({
    waiting,
    send,
    shown,
    root,
    phone,
  }) => {
    const [one, other] = [await waiting('10:00'), await waiting('10:01')]
    const mergeId = uuidv7()
    await mergePatients(root, { id: mergeId, winnerId: one.patient, loserId: other.patient })
    await unmergePatients(root, { mergeId })
    expect([await shown(one.patient), await shown(other.patient)]).toMatchObject([
      [{ id: one.id, state: 'queued' }],
      [{ id: other.id, state: 'queued' }],
    ])
    await send('10:05')
    expect(phone.sms.map(({ id }) => id).toSorted()).toEqual([one.id, other.id].toSorted())
  })

  test('a refusal of either stops the messages of both', async ({
    waiting,
    send,
    root,
    desk,
    phone,
  }) => {
    const [one, other] = [await waiting('10:00'), await waiting('10:01')]
    await mergePatients(root, { id: uuidv7(), winnerId: one.patient, loserId: other.patient })
    const refusal = { id: uuidv7(), channel: 'sms' as const, agreed: false }
    await saveConsent(desk, { ...refusal, patient_id: one.patient })
    expect([await one.read(), await other.read()]).toMatchObject([
      { state: 'cancelled', error: 'no_consent' },
      { state: 'cancelled', error: 'no_consent' },
    ])
    await send('10:05')
    expect(phone.received).toEqual([])
  })
})

describe('just before it leaves', () => {
  test('a message is not sent to a number that is no longer the patient’s', async ({
    waiting,
    send,
    db,
    phone,
  }) => {
    const message = await waiting('10:00')
    await db
      .updateTable('patients')
      .set({ phone: '0955 000 111' })
      .where('id', '=', message.patient)
      .execute()
    await send('10:00')
    expect(await message.read()).toMatchObject({ state: 'cancelled', error: 'phone_changed' })
    expect(phone.received).toEqual([])
  })

  test('a visit of the last minute counts, although nobody has opened the list since', async ({
    waiting,
    send,
    make,
    clinic,
    phone,
  }) => {
    const message = await waiting('10:00')
    const visit = { patient_id: message.patient, clinic_id: clinic.id }
    const { id: visit_id } = await make.visit({ ...visit, check_in_timestamp: new Date() })
    await make.vital({
      patient_id: message.patient,
      visit_id,
      systolic_bp: 120,
      diastolic_bp: 80,
      timestamp: new Date(),
    })
    await send('10:00')
    expect(await message.read()).toMatchObject({ state: 'cancelled', error: 'not_due' })
    expect(phone.received).toEqual([])
  })

  test('a deleted patient gets none', async ({ waiting, send, as, phone }) => {
    const message = await waiting('10:00')
    await deletePatientWithRecords(as('admin'), { id: message.patient })
    await send('10:00')
    expect(await message.read()).toMatchObject({ state: 'cancelled', error: 'not_due' })
    expect(phone.received).toEqual([])
  })
})

describe('a gateway that is removed', () => {
  test('stops what waits at once, with the reason, and another one can be written', async ({
    waiting,
    send,
    shown,
    root,
    gateway,
    desk,
    phone,
  }) => {
    const { id, patient } = await waiting('10:00')
    await deleteGateway(root, {})
    const stopped = { id, state: 'failed', error: 'no_gateway', may_have_arrived: false }
    expect(await shown(patient)).toEqual([stopped])
    await saveGateway(root, gateway)
    expect(await send('10:00')).toBe(0)
    expect(phone.received).toEqual([])
    expect(
      (await prepareMessage(desk, { patient_id: patient, program: 'hypertension' })).recent,
    ).toBeNull()
  })

  test('leaves open what it may have sent: none is written for seven days', async ({
    waiting,
    send,
    shown,
    root,
    db,
    clinic,
    make,
    phone,
  }) => {
    const [lost, has] = [await waiting('09:59'), await waiting('10:00')]
    phone.answers.push((_, response) => response.destroy())
    await send('10:00')
    expect([await lost.read(), await has.read()]).toMatchObject([
      { state: 'queued', error: 'unreachable' },
      { state: 'queued', error: null, accepted_at: at('10:00') },
    ])
    await deleteGateway(root, {})
    for (const { id, patient } of [lost, has]) {
      const unknown = { id, state: 'failed', error: 'gateway_changed', may_have_arrived: true }
      expect(await shown(patient)).toEqual([unknown])
      const next = { patient_id: patient, clinic_id: clinic.id, created_at: at('12:00') }
      expect(await brokenRule(db, { execute: () => make.queuedMessage(next) })).toBe(
        'messages_one_a_week',
      )
    }
  })
})

describe('a gateway that is changed', () => {
  test('sends what has not left', async ({
    waiting,
    send,
    root,
    gateway,
    phone,
    onTestFinished,
  }) => {
    const message = await waiting('10:00')
    const other = await openPhone()
    onTestFinished(other.close)
    await saveGateway(root, { ...gateway, address: other.address })
    await send('10:00')
    expect(other.sms.map(({ id }) => id)).toEqual([message.id])
    expect(phone.received).toEqual([])
  })

  test('does not send what the other one may have sent', async ({
    waiting,
    send,
    root,
    gateway,
    phone,
    shown,
    onTestFinished,
  }) => {
    const { id, patient } = await waiting('10:00')
    // it arrives and is sent, and the answer is lost
    phone.answers.push((request, response, body) => {
      phone.working(request, { writeHead() {}, end() {} } as never, body)
      response.destroy()
    })
    await send('10:00')
    const other = await openPhone()
    onTestFinished(other.close)
    await saveGateway(root, { ...gateway, address: other.address })
    await send('10:01')
    expect(other.received.map(({ method }) => method)).toEqual(['GET'])
    expect(other.sms).toEqual([])
    expect(await shown(patient)).toEqual([
      { id, state: 'failed', error: 'gateway_changed', may_have_arrived: true },
    ])
  })

  test('does not send to a webhook what a phone may have sent', async ({
    waiting,
    send,
    root,
    phone,
    shown,
  }) => {
    const { id, patient } = await waiting('10:00')
    phone.answers.push((_, response) => response.destroy())
    await send('10:00')
    const webhook = { kind: 'webhook' as const, address: `${phone.address}/send`, username: null }
    await saveGateway(root, { ...webhook, secret: 'key', country_code: '963' })
    await send('10:01')
    expect(phone.received).toHaveLength(1)
    expect(await shown(patient)).toEqual([
      { id, state: 'failed', error: 'gateway_changed', may_have_arrived: true },
    ])
  })

  test('at the new address of the same phone finds what it took', async ({
    waiting,
    send,
    root,
    gateway,
    phone,
    onTestFinished,
  }) => {
    const message = await waiting('10:00')
    const moved = await openPhone()
    onTestFinished(moved.close)
    phone.answers.push((request, response, body) => {
      moved.working(request, { writeHead() {}, end() {} } as never, body)
      response.destroy()
    })
    await send('10:00')
    await saveGateway(root, { ...gateway, address: moved.address })
    await send('10:01')
    expect(await message.read()).toMatchObject({ state: 'queued', accepted_at: at('10:01') })
    expect(moved.sms).toHaveLength(1)
    moved.becomes(message.id, 'Delivered')
    await send('10:02')
    expect(await message.read()).toMatchObject({ state: 'delivered', error: null })
  })

  test('to another country does not send to the old number', async ({
    waiting,
    send,
    root,
    gateway,
    phone,
  }) => {
    const message = await waiting('10:00')
    await saveGateway(root, { ...gateway, country_code: '961' })
    await send('10:00')
    expect(await message.read()).toMatchObject({ state: 'cancelled', error: 'phone_changed' })
    expect(phone.received).toEqual([])
  })
})

test('of a phone that was off, another message can be written after 24 hours', async ({
  waiting,
  send,
  phone,
  db,
  shown,
}) => {
  const { id, patient } = await waiting('10:00')
  phone.close()
  await send('10:00')
  expect(await shown(patient)).toMatchObject([{ state: 'queued', error: 'unreachable' }])
  await sendMessages(db, undefined, () => new Date(at('10:00').getTime() + 86_400_000))
  expect(await shown(patient)).toEqual([
    { id, state: 'failed', error: 'expired', may_have_arrived: false },
  ])
})

test('a webhook that refuses a repeated message may have sent it before', async ({
  waiting,
  send,
  root,
  phone,
  shown,
}) => {
  const { id, patient } = await waiting('10:00')
  const webhook = { kind: 'webhook' as const, address: `${phone.address}/send`, username: null }
  await saveGateway(root, { ...webhook, secret: 'key', country_code: '963' })
  phone.answers.push((_, response) => response.destroy())
  await send('10:00')
  phone.answers.push((_, response) => json(response, 401, {}))
  await send('10:01')
  expect(await shown(patient)).toEqual([
    { id, state: 'failed', error: 'unauthorized', may_have_arrived: true },
  ])
})
