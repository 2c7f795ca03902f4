import { sql } from 'kysely'
import { expect } from 'vitest'
import { listAudit } from '~/features/office/audit/audit.server'
import { getRefused } from '~/features/office/devices/quarantine.server'
import { PASSWORD } from '../sessions'
import { aPatient } from './chart'
import { asAdmin, EVERYTHING, test } from './clinic'
import { OnlineApp } from './online-app'
import type { Row } from './phone'

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** As the app writes the answers of a form: JSON text. */
const anEvent = (patient_id: string, visit_id: string, levels: number, more: Row = {}): Row => ({
  patient_id,
  visit_id,
  form_id: '',
  event_type: 'Intake',
  form_data: `[{"fieldId":"a","name":"A","inputType":"text","fieldType":"free-text","value":${lists(levels)}}]`,
  recorded_by_user_id: '',
  ...more,
})
const aVisit = (patient_id: string, clinic: { id: string }): Row => ({
  patient_id,
  clinic_id: clinic.id,
  provider_id: '',
  provider_name: '',
  check_in_timestamp: 1,
})

test('an answer with more than 512 levels waits in quarantine, in whatever way it comes', async ({
  db,
  make,
  person,
  phoneOf,
  server,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const admin = asAdmin(db, await person('super_admin'))
  const phone = phoneOf(amal)
  await phone.sync()
  const patient = await phone.create('patients', aPatient(clinic))
  const visit = await phone.create('visits', aVisit(patient, clinic))
  const kept = await phone.create('events', anEvent(patient, visit, 510))
  const deep = [511, 4_500, 20_000]
  const ids: string[] = []
  for (const levels of deep) ids.push(await phone.create('events', anEvent(patient, visit, levels)))
  await phone.sync()
  const stored = db.selectFrom('events').select('id').where('patient_id', '=', patient)
  expect(await stored.execute()).toEqual([{ id: kept }])
  const waiting = await db
    .selectFrom('sync_quarantine')
    .select(['id', 'row_id', 'reason', 'detail'])
    .where('user_id', '=', amal.id)
    .execute()
  expect(new Set(waiting.map(({ row_id }) => row_id))).toEqual(new Set(ids))
  for (const { id, reason, detail } of waiting) {
    expect([reason, detail]).toEqual(['sync.reason_tooDeep', 'form_data'])
    const { values } = await getRefused(admin, { id })
    expect(values.find(({ column }) => column === 'form_data')!.value).toContain('[[[')
  }
  expect((await listAudit(admin, {})).rows.length).toBeGreaterThan(0)

  const app = await OnlineApp.signedIn(server.origin, amal.email, PASSWORD)
  const online = await app.tryCommand('events.create', {
    ...anEvent(patient, visit, 4_500),
    id: crypto.randomUUID(),
  })
  expect(online.status).toBe(400)
  // as an object, which the app writes in online mode
  const asObject = await app.post(
    '/rpc/command',
    `{"command":"events.create","data":{"patient_id":"${patient}","visit_id":"${visit}","form_data":${lists(4_500)}}}`,
    app.bearer,
  )
  expect(asObject.status).toBe(400)
  const pushed = await phone.request(
    'POST',
    `/api/v2/sync?last_pulled_at=${phone.lastPull!.timestamp}`,
    `{"events":{"created":[{"id":"${crypto.randomUUID()}","form_data":${lists(100_000)}}]}}`,
  )
  expect(pushed.status).toBe(400)
  expect(await stored.execute()).toEqual([{ id: kept }])
})

test('what an earlier version stored with thousands of levels is synced, read online and edited', async ({
  db,
  make,
  person,
  phoneOf,
  server,
}) => {
  const clinic = await make.clinic()
  const amal = await person('provider', [clinic], EVERYTHING)
  const phone = phoneOf(amal)
  await phone.sync()
  const patient = await phone.create('patients', aPatient(clinic))
  const visit = await phone.create('visits', aVisit(patient, clinic))
  const events = [
    await phone.create('events', anEvent(patient, visit, 1)),
    await phone.create('events', anEvent(patient, visit, 2)),
  ]
  await phone.sync()
  for (const [at, levels] of [4_500, 15_000].entries())
    await sql`update events set form_data = jsonb_set(form_data, '{0,value}', ${lists(levels)}::jsonb)
      where id = ${events[at]}`.execute(db)
  await sql`update patients set metadata = ${`{"deep":${lists(15_000)}}`}::jsonb where id = ${patient}`.execute(
    db,
  )
  await phone.sync()
  expect(String((await phone.find('events', events[1]!))!['form_data']).length).toBeGreaterThan(
    30_000,
  )
  const app = await OnlineApp.signedIn(server.origin, amal.email, PASSWORD)
  expect(
    await app.query('get_visit_events', { patient_id: patient, visit_id: visit }),
  ).toMatchObject({ data: [{}, {}] })
  expect(await app.query('get_patients', {})).toMatchObject({ data: [{ id: patient }] })
  // the app sends each column of an edited row
  await phone.update('events', events[0]!, { event_type: 'Intake, corrected' })
  await phone.sync()
  await phone.forceUpload()
  await phone.sync()
  const { refused } = await db
    .selectFrom('sync_quarantine')
    .select(({ fn }) => fn.countAll<number>().as('refused'))
    .where('user_id', '=', amal.id)
    .where('reason', '=', 'sync.reason_tooDeep')
    .executeTakeFirstOrThrow()
  expect(refused).toBeGreaterThan(0)
})
