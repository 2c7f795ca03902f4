import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import { settleConflict } from '~/features/office/devices/conflicts.server'
import { applyRefused } from '~/features/office/devices/quarantine.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import {
  addForm,
  type Answer,
  completeDepartment,
  type Department,
  held,
  noteAppointment,
  parsed,
  saveAnswers,
} from './app-models'
import { aPatient } from './chart'
import { asAdmin, EVERYTHING } from './clinic'
import { test as base } from './pair'
import type { Phone, Row } from './phone'
import { chance } from './random/chance'
import { workOnMerged } from './random/merged-phones'

const conflicts = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('sync_conflicts')
    .select(['id', 'column_name', 'phone_value', 'server_value'])
    .where('row_id', '=', id)
    .where('settled_at', 'is', null)
    .execute()

const stored = async (db: Kysely<DB>, table: string, id: string) =>
  (
    await sql<{ row: Record<string, unknown> }>`
    select to_jsonb(t) as row from ${sql.table(table)} t where id = ${id}`.execute(db)
  ).rows[0]!.row

const test = base
const syncBoth = async (one: Phone, other: Phone) => {
  for (const phone of [one, other, one, other]) await phone.sync()
}

test('two forms of one visit on two phones, and two appointments, are no conflict: the later time is kept', async ({
  db,
  pair: { one, other, chart, amal, omar },
}) => {
  const [early, late] = ['2026-11-28T08:00:00.000Z', '2026-11-28T09:30:00.000Z']
  await addForm(one, amal, chart.visits, late)
  await addForm(other, omar, chart.visits, early)
  await noteAppointment(one, chart.patients, early)
  await noteAppointment(other, chart.patients, late)
  await syncBoth(one, other)
  expect(await conflicts(db, chart.visits)).toEqual([])
  expect(await conflicts(db, chart.patients)).toEqual([])
  const before = { kept: [1, 2.5, null, 'ø'], nested: { a: { b: [] } } }
  expect(await stored(db, 'visits', chart.visits)).toMatchObject({
    metadata: { ...before, lastEventAddedTimestamp: late },
  })
  expect(await stored(db, 'patients', chart.patients)).toMatchObject({
    metadata: { ...before, lastAppointmentTimestamp: late },
  })
  for (const table of ['visits', 'patients'] as const)
    expect(parsed(await held(one, table, chart[table]), 'metadata')).toEqual(
      parsed(await held(other, table, chart[table]), 'metadata'),
    )
})

test('a forced upload, and a visit that was deleted meanwhile, make no conflict of these times either', async ({
  db,
  pair: { one, other, chart, amal, omar },
}) => {
  await addForm(one, amal, chart.visits, '2026-11-28T09:30:00.000Z')
  await one.sync()
  await other.forceUpload()
  await addForm(other, omar, chart.visits, '2026-11-28T08:00:00.000Z')
  await sql`select soft_delete('visits', ${chart.visits}::uuid, 'x', null)`.execute(db)
  await other.sync()
  expect(await conflicts(db, chart.visits)).toEqual([])
})

test('the author that the app writes by itself makes no conflict, also when everything is uploaded', async ({
  db,
  person,
  pair: { one, other, chart, clinic, omar },
}) => {
  const nurse = await person('provider', [clinic], EVERYTHING)
  const answers = [{ fieldId: 'f1', value: 'the same' }]
  await saveAnswers(other, omar, chart.events, answers)
  await other.sync()
  await saveAnswers(one, nurse, chart.events, answers)
  await one.forceUpload()
  expect(await conflicts(db, chart.events)).toEqual([])
  expect(await stored(db, 'events', chart.events)).toMatchObject({ recorded_by_user_id: omar.id })
})

test('keys of metadata that two phones change are a conflict only where both changed the same one', async ({
  db,
  pair: { one, other, chart },
}) => {
  const change = async (phone: Phone, more: object) =>
    phone.update('patient_problems', chart.patient_problems, {
      metadata: JSON.stringify({
        ...(parsed(
          await held(phone, 'patient_problems', chart.patient_problems),
          'metadata',
        ) as object),
        ...more,
      }),
    })
  await change(one, { kept: 'one', a: 1, same: 'one' })
  await change(other, { b: 2, same: 'other' })
  await syncBoth(one, other)
  const merged = { kept: 'one', a: 1, b: 2, same: 'one', nested: { a: { b: [] } } }
  expect(await stored(db, 'patient_problems', chart.patient_problems)).toMatchObject({
    metadata: merged,
  })
  const [conflict, ...more] = await conflicts(db, chart.patient_problems)
  expect([conflict?.column_name, more]).toEqual(['metadata', []])
  expect(JSON.parse(String(conflict!.phone_value))).toEqual({ ...merged, same: 'other' })
  expect(JSON.parse(String(conflict!.server_value))).toEqual(merged)
})

test('two departments of one appointment, completed on two phones, are both completed, and nobody is asked', async ({
  db,
  pair: { one, other, chart, amal, omar },
}) => {
  const [lab, room] = [newId(), newId()]
  const departments = [lab, room].map((id) => ({
    id,
    name: id,
    seen_at: null,
    seen_by: null,
    status: 'pending',
  }))
  await one.update('appointments', chart.appointments, { departments: JSON.stringify(departments) })
  await syncBoth(one, other)
  await completeDepartment(one, amal, chart.appointments, lab)
  await completeDepartment(other, omar, chart.appointments, room)
  await syncBoth(one, other)
  expect(await conflicts(db, chart.appointments)).toEqual([])
  const done = [
    { id: lab, name: lab, seen_at: null, seen_by: amal.id, status: 'completed' },
    { id: room, name: room, seen_at: null, seen_by: omar.id, status: 'completed' },
  ]
  for (const phone of [one, other])
    expect(parsed(await held(phone, 'appointments', chart.appointments), 'departments')).toEqual(
      done,
    )

  // begun on both: only the times differ, which the app writes
  const begun = newId()
  const begin = (seen_at: string | null, status: string) =>
    JSON.stringify([...done, { ...departments[0], id: begun, seen_at, status }])
  await one.update('appointments', chart.appointments, { departments: begin(null, 'pending') })
  await syncBoth(one, other)
  for (const [phone, time] of [
    [one, '2026-11-28T08:00:00.000Z'],
    [other, '2026-11-28T08:05:00.000Z'],
  ] as const)
    await phone.update('appointments', chart.appointments, {
      departments: begin(time, 'in_progress'),
    })
  await syncBoth(one, other)
  expect(await conflicts(db, chart.appointments)).toEqual([])

  // the same department on both: the first is kept, the other waits with its entry alone
  const again = newId()
  await one.update('appointments', chart.appointments, {
    departments: JSON.stringify([...done, { ...departments[0], id: again }]),
  })
  await syncBoth(one, other)
  await completeDepartment(one, amal, chart.appointments, again)
  await completeDepartment(other, omar, chart.appointments, again)
  await syncBoth(one, other)
  const [conflict, ...more] = await conflicts(db, chart.appointments)
  expect([conflict?.column_name, more]).toEqual(['departments', []])
  expect(
    (JSON.parse(String(conflict!.phone_value)) as Department[]).map((each) => each.seen_by),
  ).toEqual([amal.id, omar.id, omar.id])
})

test('a user who takes the phone’s entry of a conflict keeps what others have changed since', async ({
  db,
  person,
  pair: { one, other, chart, amal, omar },
}) => {
  const answers = (a: string, b: string) => [
    { fieldId: 'f1', value: a },
    { fieldId: 'f2', value: b },
  ]
  await saveAnswers(one, amal, chart.events, answers('one', 'first'))
  await saveAnswers(other, omar, chart.events, answers('other', 'first'))
  await syncBoth(one, other)
  const [conflict, ...more] = await conflicts(db, chart.events)
  expect([conflict?.column_name, more]).toEqual(['form_data', []])
  await saveAnswers(one, amal, chart.events, answers('one', 'later'))
  await one.sync()
  await settleConflict(asAdmin(db, await person('super_admin')), {
    id: conflict!.id,
    take: 'phone',
  })
  expect(await stored(db, 'events', chart.events)).toMatchObject({
    form_data: answers('other', 'later'),
  })
})

test('different answers of one event on two phones are both kept, and one that a phone’s form lacks stays', async ({
  db,
  pair: { one, other, chart, amal, omar },
}) => {
  // the words of a question have changed since; no one answered it differently
  await saveAnswers(one, amal, chart.events, [
    { fieldId: 'f1', value: 'one' },
    { fieldId: 'f2', value: 0 },
  ])
  // the form on this phone has no question f1 yet
  await saveAnswers(other, omar, chart.events, [
    { fieldId: 'f2', value: 2 },
    { fieldId: 'f3', value: 'new' },
  ])
  await syncBoth(one, other)
  expect(await conflicts(db, chart.events)).toEqual([])
  expect(await stored(db, 'events', chart.events)).toMatchObject({
    form_data: [
      { fieldId: 'f1', value: 'one' },
      { fieldId: 'f2', value: 2 },
      { fieldId: 'f3', value: 'new' },
    ],
  })
  for (const phone of [one, other])
    expect(parsed(await held(phone, 'events', chart.events), 'form_data')).toHaveLength(3)
})

test('an edit between two syncs rests on what the phone was sent, not on what its last push brought', async ({
  db,
  pair: { one, other, chart, amal, omar },
}) => {
  const answers = (...values: string[]) => values.map((value, at) => ({ fieldId: `q${at}`, value }))
  await saveAnswers(one, amal, chart.events, answers('', '', ''))
  await syncBoth(one, other)
  await saveAnswers(one, amal, chart.events, answers('one', '', ''))
  await one.sync()
  // the pull of this sync keeps what is typed on the phone; the user types on before the next one
  await saveAnswers(other, omar, chart.events, answers('', 'two', ''))
  await other.create('patient_vitals', { patient_id: chart.patients, timestamp: 1, heart_rate: 70 })
  await other.sync()
  await saveAnswers(other, omar, chart.events, answers('', 'two', 'three'))
  await other.sync()
  expect(await conflicts(db, chart.events)).toEqual([])
  const row = await stored(db, 'events', chart.events)
  const values = new Map(
    (row['form_data'] as Answer[]).map(({ fieldId, value }) => [fieldId, value]),
  )
  expect(['q0', 'q1', 'q2'].map((id) => values.get(id))).toEqual(['one', 'two', 'three'])
})

// --- Columns of a newer app -----------------------------------------------------------------------------

const sendRaw = async (phone: Phone, table: string, row: Row, lastPulledAt = 0) => {
  const list = row['_status'] === 'created' ? 'created' : 'updated'
  const changes = { [table]: { created: [], updated: [], deleted: [], [list]: [row] } }
  const answer = await phone.request(
    'POST',
    `/api/v2/sync?last_pulled_at=${lastPulledAt}`,
    JSON.stringify(changes),
  )
  expect(answer.status).toBe(200)
}

const pullRaw = async (phone: Phone, lastPulledAt = 0) => {
  const query = `last_pulled_at=${lastPulledAt}&schema_version=10&migration=null`
  const { body } = await phone.request('GET', `/api/v2/sync?${query}`)
  return JSON.parse(body) as {
    timestamp: number
    changes: Record<string, { created: Row[]; updated: Row[] }>
  }
}

test('columns of a newer app are stored with the row of any table and sent back, also after edits by others', async ({
  db,
  pair: { one, other, chart, clinic },
}) => {
  const newer = { blood_type: 'O+', is_donor: true, donations: 3, last_at: null }
  const { timestamp } = await pullRaw(one)
  for (const [table, id] of Object.entries(chart)) {
    const row = await held(one, table as keyof typeof chart, id)
    await sendRaw(
      one,
      table,
      { ...row, ...newer, _status: 'updated', _changed: Object.keys(newer).join(',') },
      timestamp,
    )
  }
  // an older app, and a user of a browser
  await other.sync()
  await other.update('patients', chart.patients, { hometown: 'Tyre' })
  await other.sync()
  await db.updateTable('patients').set({ camp: 'North' }).where('id', '=', chart.patients).execute()
  const { changes } = await pullRaw(one)
  for (const [table, id] of Object.entries(chart))
    expect([table, changes[table]!.created.find((row) => row['id'] === id)]).toEqual([
      table,
      expect.objectContaining(newer),
    ])
  expect(changes['patients']!.created.find(({ id }) => id === chart.patients)).toMatchObject({
    hometown: 'Tyre',
    camp: 'North',
  })

  // a new row, one column of it changed, and what would end the sync of the app
  const id = newId()
  const row = {
    id,
    patient_id: chart.patients,
    clinic_id: clinic.id,
    provider_id: '',
    provider_name: '',
    check_in_timestamp: 1,
    metadata: '{}',
    is_deleted: false,
    created_at: 1,
    updated_at: 1,
  }
  await sendRaw(one, 'visits', {
    ...row,
    room: '3 "b" %s',
    bed: 1,
    _status: 'created',
    _changed: '',
  })
  const pulled = await pullRaw(one)
  await sendRaw(
    one,
    'visits',
    { ...row, room: '4', bed: 9, _status: 'updated', _changed: 'room' },
    pulled.timestamp,
  )
  expect(await stored(db, 'visits', id)).toMatchObject({
    unknown_columns: { room: '4', bed: 9 },
  })
  const sent = (await pullRaw(one)).changes['visits']!.created.find((each) => each['id'] === id)
  expect(sent).toMatchObject({ room: '4', bed: 9 })
  expect(sent).not.toHaveProperty('unknown_columns')
  expect(sent).not.toHaveProperty('_status')
})

test('columns of a newer app that are too long go to quarantine with the row, and can be shortened there', async ({
  db,
  pair: { one, chart },
}) => {
  const row = await held(one, 'visits', chart.visits)
  await sendRaw(one, 'visits', {
    ...row,
    drawing: 'x'.repeat(70_000),
    _status: 'updated',
    _changed: 'drawing',
  })
  const refused = await db
    .selectFrom('sync_quarantine')
    .select(['reason', 'detail'])
    .where('row_id', '=', chart.visits)
    .execute()
  expect(refused).toEqual([{ reason: 'sync.reason_unknownTooLong', detail: 'unknown_columns' }])
})

// --- Merges -----------------------------------------------------------------------------------------------

const seedsOf = (text: string) => {
  const [from, to = from] = text.split('-').map(Number)
  return Array.from({ length: to! - from! + 1 }, (_, at) => from! + at)
}

const MERGE_SEEDS = process.env['SANAD_MERGE_SEEDS']

test.for(seedsOf(MERGE_SEEDS ?? '1-5'))(
  'after merges and their undoing, what phones recorded meanwhile is with the person it was recorded for (seed %i)',
  { timeout: 120_000 },
  async (seed, { db, make, person, phoneOf }) => {
    const clinic = await make.clinic()
    const author = await person('provider', [clinic], EVERYTHING)
    const admin = asAdmin(db, await person('super_admin'))
    const { problems, waiting, story } = await workOnMerged(
      { db, clinic, author, admin },
      phoneOf(author),
      seed,
    )
    if (MERGE_SEEDS) process.stdout.write(`merges ${seed}: ${waiting} typed values wait\n`)
    if (problems.length > 0) expect.fail([...story, ...problems].join('\n'))
  },
)

const anAnswer = (patient_id: string, attribute_id: string, string_value: string): Row => ({
  patient_id,
  attribute_id,
  attribute: 'Village',
  number_value: null,
  string_value,
  date_value: null,
  boolean_value: null,
  metadata: '{}',
})

test('an answer for the remaining record to a question of the other one is its own when a merge is undone', async ({
  db,
  make,
  person,
  pair: { one, other, chart, clinic },
}) => {
  const winner = await make.patient({ primary_clinic_id: clinic.id })
  const admin = asAdmin(db, await person('super_admin'))
  const [question, elsewhere] = [newId(), newId()]
  const table = 'patient_additional_attributes'
  const ofLoser = await one.create(table, anAnswer(chart.patients, question, 'of the one'))
  await syncBoth(one, other)
  const mergeId = newId()
  const pair = { winnerId: winner.id, loserId: chart.patients }
  await mergePatients(admin, { ...pair, id: mergeId, choices: {} })
  // neither phone knows that the answer is the other patient's
  const ofWinner = await other.create(table, anAnswer(winner.id, question, 'of the other'))
  const again = await one.create(table, anAnswer(winner.id, question, 'of the other, later'))
  const unasked = await other.create(table, anAnswer(winner.id, elsewhere, 'unasked'))
  await other.sync()
  await one.sync()
  expect(await conflicts(db, ofLoser)).toHaveLength(2)
  await unmergePatients(admin, { mergeId })

  const row = (id: string) => stored(db, table, id)
  expect(await row(ofLoser)).toMatchObject({
    patient_id: chart.patients,
    string_value: 'of the one',
    is_deleted: false,
  })
  const back = { patient_id: winner.id, is_deleted: false }
  expect(await row(ofWinner)).toMatchObject({ ...back, string_value: 'of the other' })
  expect(await row(unasked)).toMatchObject({ ...back, string_value: 'unasked' })
  expect(await conflicts(db, ofLoser)).toEqual([])
  // of the two answers of this patient the first is kept, and the second waits beside it
  expect(await conflicts(db, ofWinner)).toMatchObject([
    { phone_value: 'of the other, later', server_value: 'of the other' },
  ])
  expect(await row(again)).toMatchObject({ is_deleted: true })
  for (const phone of [one, other]) {
    for (let round = 0; round < 3; round += 1) await phone.sync()
    expect((await held(phone, table, ofWinner))['string_value']).toBe('of the other')
    expect((await held(phone, table, ofLoser))['string_value']).toBe('of the one')
  }

  // it is an answer like any other from now on: deleted, it does not come back with another merge
  await sql`select soft_delete(${table}, ${ofWinner}::uuid, 'x', null)`.execute(db)
  const second = newId()
  await mergePatients(admin, { ...pair, id: second, choices: {} })
  await unmergePatients(admin, { mergeId: second })
  expect(await row(ofWinner)).toMatchObject({ is_deleted: true })
})

test('a value for a merged patient that waits as a conflict waits with that patient when the merge is undone', async ({
  db,
  make,
  person,
  pair: { one, chart, clinic },
}) => {
  const winner = await make.patient({ primary_clinic_id: clinic.id, hometown: 'Aleppo' })
  const admin = asAdmin(db, await person('super_admin'))
  await one.sync()
  await one.sync()
  const mergeId = newId()
  await mergePatients(admin, {
    id: mergeId,
    winnerId: winner.id,
    loserId: chart.patients,
    choices: {},
  })
  await db
    .updateTable('patients')
    .set({ hometown: 'Typed here' })
    .where('id', '=', winner.id)
    .execute()
  await one.update('patients', chart.patients, { hometown: 'Typed there' })
  await one.sync()
  expect(await conflicts(db, winner.id)).toHaveLength(1)
  await unmergePatients(admin, { mergeId })
  expect(await conflicts(db, winner.id)).toEqual([])
  const { hometown } = await stored(db, 'patients', chart.patients)
  expect(await conflicts(db, chart.patients)).toMatchObject([
    { column_name: 'hometown', phone_value: 'Typed there', server_value: hometown },
  ])
  // what is typed after it ends it, now that the phone writes to the record itself
  for (let round = 0; round < 3; round += 1) await one.sync()
  await one.update('patients', chart.patients, { hometown: 'Typed last' })
  await one.sync()
  expect(await conflicts(db, chart.patients)).toEqual([])
  expect(await stored(db, 'patients', chart.patients)).toMatchObject({ hometown: 'Typed last' })
})

test('a value typed over one that the undoing of a merge has taken back waits for a decision', async ({
  db,
  make,
  person,
  pair: { one, chart, clinic },
}) => {
  const winner = await make.patient({ primary_clinic_id: clinic.id, hometown: 'Aleppo' })
  const admin = asAdmin(db, await person('super_admin'))
  for (let round = 0; round < 2; round += 1) await one.sync()
  const mergeId = newId()
  const pair = { winnerId: winner.id, loserId: chart.patients }
  await mergePatients(admin, { ...pair, id: mergeId, choices: {} })
  await one.update('patients', chart.patients, { hometown: 'Typed there' })
  for (let round = 0; round < 3; round += 1) await one.sync()
  expect(await held(one, 'patients', winner.id)).toMatchObject({ hometown: 'Typed there' })
  await unmergePatients(admin, { mergeId })
  // the phone still shows the value of the other record
  await one.update('patients', winner.id, { hometown: 'Typed here' })
  await one.sync()
  expect(await conflicts(db, winner.id)).toMatchObject([
    { column_name: 'hometown', phone_value: 'Typed here', server_value: 'Aleppo' },
  ])
  expect(await stored(db, 'patients', chart.patients)).toMatchObject({ hometown: 'Typed there' })
})

test('columns of a newer app go to the remaining record, and back with what phones sent since', async ({
  db,
  make,
  person,
  pair: { one, chart, clinic },
}) => {
  const winner = await make.patient({
    primary_clinic_id: clinic.id,
    unknown_columns: JSON.stringify({ blood_type: 'A' }),
  })
  const visit = await make.visit({
    patient_id: chart.patients,
    clinic_id: clinic.id,
    unknown_columns: JSON.stringify({ room: 3 }),
  })
  const admin = asAdmin(db, await person('super_admin'))
  const { timestamp } = await pullRaw(one)
  const row = await held(one, 'patients', chart.patients)
  const newer = (more: Row) => ({
    ...row,
    ...more,
    _status: 'updated',
    _changed: Object.keys(more).join(','),
  })
  await sendRaw(one, 'patients', newer({ blood_type: 'O', is_donor: true }), timestamp)
  const mergeId = newId()
  const ids = { winnerId: winner.id, loserId: chart.patients }
  await mergePatients(admin, { ...ids, id: mergeId, choices: {} })
  const unknown = async (id: string) => (await stored(db, 'patients', id))['unknown_columns']
  expect(await unknown(winner.id)).toEqual({ blood_type: 'A', is_donor: true })
  // the phone does not know of the merge
  const { timestamp: later } = await pullRaw(one, timestamp)
  await sendRaw(one, 'patients', newer({ shoe_size: 42 }), later)
  expect(await unknown(winner.id)).toMatchObject({ shoe_size: 42 })
  await unmergePatients(admin, { mergeId })
  expect(await unknown(winner.id)).toEqual({ blood_type: 'A' })
  expect(await unknown(chart.patients)).toEqual({
    blood_type: 'O',
    is_donor: true,
    shoe_size: 42,
  })
  expect(await stored(db, 'visits', visit.id)).toMatchObject({
    patient_id: chart.patients,
    unknown_columns: { room: 3 },
  })
})

test('a row in quarantine that names a merged patient is applied to the remaining record, and goes back, too', async ({
  db,
  make,
  person,
  pair: { one, chart, clinic },
}) => {
  const other = await make.patient({ primary_clinic_id: clinic.id })
  const admin = asAdmin(db, await person('super_admin'))
  const id = await one.create('patient_vitals', {
    patient_id: chart.patients,
    timestamp: 1,
    heart_rate: 70,
    visit_id: newId(),
  })
  await one.sync()
  const mergeId = newId()
  await mergePatients(admin, {
    id: mergeId,
    winnerId: other.id,
    loserId: chart.patients,
    choices: {},
  })
  const waiting = await db
    .selectFrom('sync_quarantine')
    .select('id')
    .where('row_id', '=', id)
    .executeTakeFirstOrThrow()
  await applyRefused(admin, { id: waiting.id, values: { visit_id: '' } })
  expect(await stored(db, 'patient_vitals', id)).toMatchObject({ patient_id: other.id })
  await unmergePatients(admin, { mergeId })
  expect(await stored(db, 'patient_vitals', id)).toMatchObject({ patient_id: chart.patients })
})

// --- What a phone cannot know -------------------------------------------------------------------------------

const EDITED = Number(process.env['SANAD_EDITED_PATIENTS'] ?? 20)

test(
  'photo, hidden fields and additional data survive random edits of patients in the app',
  { timeout: 600_000 },
  async ({ db, synced }) => {
    const { phone, mine } = await synced()
    const random = chance(EDITED)
    const ids: string[] = []
    for (let at = 0; at < EDITED; at += 1)
      ids.push(
        await phone.create('patients', aPatient(mine, { camp: `camp ${at}`, hometown: 'Tyre' })),
      )
    await phone.sync()
    const kept = (at: number) => ({
      photo_url: `/api/files/${at}`,
      camp: `camp ${at}`,
      additional_data: { moved: at },
      metadata: { hikma: at },
      unknown_columns: { newer: at },
    })
    for (const [at, id] of ids.entries()) {
      const { photo_url, additional_data, metadata, unknown_columns } = kept(at)
      await sql`update patients set photo_url = ${photo_url}, metadata = ${JSON.stringify(metadata)}::jsonb,
      additional_data = ${JSON.stringify(additional_data)}::jsonb,
      unknown_columns = ${JSON.stringify(unknown_columns)}::jsonb where id = ${id}`.execute(db)
    }
    await sql`update registration_forms set fields = (select jsonb_agg(
    case when f ->> 'column' = 'camp' then f || '{"visible":false}' else f end)
    from jsonb_array_elements(fields) f)`.execute(db)
    await phone.sync()
    const typed = new Map<string, Row>()
    for (let edit = 0; edit < EDITED; edit += 1) {
      const id = random.one(ids)!
      const column = random.one(['given_name', 'surname', 'hometown', 'phone'])!
      const value = random.happens(0.2) ? '' : `${edit}`
      typed.set(id, { ...typed.get(id), [column]: value })
      await phone.update('patients', id, {
        [column]: value,
        photo_url: '',
        camp: '',
        additional_data: '{}',
        metadata: '{}',
      })
      if (random.happens(0.3)) await phone.sync()
    }
    await phone.sync()
    await phone.sync()
    for (const [at, id] of ids.entries()) {
      const row = await stored(db, 'patients', id)
      expect(row).toMatchObject(kept(at))
      for (const [column, value] of Object.entries(typed.get(id) ?? {}))
        expect([column, row[column] ?? '']).toEqual([column, value])
      expect(await held(phone, 'patients', id)).toMatchObject({
        photo_url: `/api/files/${at}`,
        camp: `camp ${at}`,
      })
    }
    expect(
      (await db.selectFrom('sync_conflicts').select('id').where('row_id', 'in', ids).execute())
        .length,
    ).toBe(0)
  },
)
