import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import { tokenFor } from '../../sessions'
import {
  addForm,
  type Answer,
  completeDepartment,
  type Department,
  held,
  noteAppointment,
  parsed,
  saveAnswers,
} from '../app-models'
import { aPatient } from '../chart'
import type { Clinic, Person } from '../clinic'
import type { HubPhone } from '../hub-phone'
import { OnlineApp } from '../online-app'
import type { Phone, Row, TableName } from '../phone'
import { type Chance, chance } from './chance'

/** The questions of the form that all fill in. */
export const QUESTIONS = ['q0', 'q1', 'q2'].map((id) => ({
  id,
  name: id,
  description: '',
  required: false,
  fieldType: 'free-text',
  inputType: 'text',
  length: 'short',
}))

/** One that only the web shows, and a question of the registration form. */
const SCAN = { fieldId: 'scan', name: 'scan', fieldType: 'file', inputType: 'file' }
const VILLAGE = '0190cccc-0000-7000-8000-000000000001'

/** A phone of the clinic, with the people who take turns with it. */
export type Device = { far: Phone; near?: HubPhone; people: Person[] }

/** Where one person types: a column, or an entry of a JSON column. */
type Cell = { table: TableName; id: string; column: string; entry?: string }
/** A value that differs from every other: where it was typed, and what was on that screen before. */
type Typed = { cell: string; by: string; seen: ReadonlySet<string> }

type World = {
  db: Kysely<DB>
  origin: string
  clinic: Clinic
  form: { id: string }
  devices: Device[]
  browsers: { person: Person; token: string }[]
  online: OnlineApp
  random: Chance
  mark: () => string
  typed: Map<string, Typed>
  /** What each screen has shown of each cell. */
  shown: Map<string, Set<string>>
  /** The departments of each appointment, as completed and by which device. */
  newer: Map<string, string>
  /** The file of each form that has one. */
  scans: Map<string, string>
  onlineForms: string[]
  story: string[]
}

const cellOf = ({ table, id, column, entry = '' }: Cell) => `${table} ${id} ${column} ${entry}`
const screenOf = (device: number, cell: string) => `phone ${device} ${cell}`

/** What a clinic does in a day, and how often. */
const steps: [number, (world: World, device: number) => Promise<string>][] = [
  [6, editPatient],
  [6, answer],
  [4, fillInForm],
  [3, book],
  [3, seeDepartment],
  [2, register],
  [2, takeVitals],
  [2, onlineForm],
  [2, newerApp],
  [2, attachScan],
  [5, editInBrowser],
  [9, sync],
  [1, lostAnswer],
]

type Week = Pick<World, 'db' | 'origin' | 'clinic' | 'form' | 'devices'> & {
  browsers: Person[]
  seed: number
  steps: number
}

/**
 * Some days of a clinic, as the app and the screens write. Returns what breaks a rule: an entry in the list of
 * conflicts that no two people made, a value that is nowhere, a form without a visit, phones that differ.
 */
export async function workWeek({ seed, steps: length, browsers, ...clinic }: Week) {
  let count = 0
  const [first] = browsers
  const world: World = {
    ...clinic,
    browsers: await Promise.all(
      browsers.map(async (person) => ({ person, token: await tokenFor(clinic.db, person.id) })),
    ),
    online: await OnlineApp.signedIn(clinic.origin, first!.email, clinic.devices[0]!.far.password),
    random: chance(seed),
    mark: () => `${seed}v${(count += 1)}`,
    typed: new Map(),
    shown: new Map(),
    newer: new Map(),
    scans: new Map(),
    onlineForms: [],
    story: [],
  }
  for (let at = 0; at < 4; at += 1) await register(world, 0)
  for (const at of world.devices.keys()) await sync(world, at)
  for (let at = 0; at < 3; at += 1) {
    await fillInForm(world, 0)
    await book(world, 0)
  }
  for (let round = 0; round < 2; round += 1)
    for (const at of world.devices.keys()) await sync(world, at)
  const total = steps.reduce((sum, [weight]) => sum + weight, 0)
  for (let at = 0; at < length; at += 1) {
    const device = world.random.below(world.devices.length)
    let left = world.random.below(total)
    const [, step] = steps.find(([weight]) => (left -= weight) < 0)!
    world.story.push(`${at}. phone ${device}, ${step.name}: ${await step(world, device)}`)
  }
  for (let round = 0; round < 3; round += 1)
    for (const at of world.devices.keys()) await sync(world, at)
  return { ...(await checked(world)), story: world.story }
}

// --- Typing ----------------------------------------------------------------------------------------------

/** The value that the screen shows is seen, and the new one is typed over it. */
function type(world: World, device: number, cell: Cell, before: unknown): string {
  const value = world.mark()
  const at = cellOf(cell)
  const screen = world.shown.get(screenOf(device, at)) ?? new Set<string>()
  if (typeof before === 'string' && before) screen.add(before)
  world.typed.set(value, { cell: at, by: `phone ${device}`, seen: new Set(screen) })
  world.shown.set(screenOf(device, at), screen.add(value))
  return value
}

const author = ({ random, devices }: World, device: number) => random.one(devices[device]!.people)!

const pick = async ({ random }: World, phone: Phone, table: TableName) =>
  random.early((await phone.all(table)).filter((row) => row['is_deleted'] !== true))

/** What the app writes in each edit of a patient: all columns that its form shows, and nothing in the others. */
async function editPatient(world: World, device: number) {
  const { far } = world.devices[device]!
  const row = await pick(world, far, 'patients')
  if (!row) return 'no patient'
  const id = String(row['id'])
  const column = world.random.one(['hometown', 'phone', 'camp'])!
  const value = type(world, device, { table: 'patients', id, column }, row[column])
  await far.update('patients', id, {
    [column]: value,
    photo_url: '',
    additional_data: '{}',
    metadata: '{}',
  })
  const village = await answerVillage(world, device, id)
  return `${id} ${column} ${value}${village}`
}

/** The app makes an answer to each question that the form shows, an empty one where nothing was typed. */
async function answerVillage(world: World, device: number, patientId: string) {
  const { far } = world.devices[device]!
  const rows = await far.all('patient_additional_attributes')
  const row = rows.find((each) => each['patient_id'] === patientId)
  const cell = {
    table: 'patient_additional_attributes' as const,
    id: patientId,
    column: 'string_value',
  }
  const value = world.random.happens(0.3) ? type(world, device, cell, row?.['string_value']) : ''
  if (row) {
    if (value) await far.update(cell.table, String(row['id']), { string_value: value })
  } else
    await far.create(cell.table, {
      patient_id: patientId,
      attribute_id: VILLAGE,
      attribute: 'village',
      number_value: null,
      string_value: value,
      date_value: null,
      boolean_value: null,
    })
  return value && ` village ${value}`
}

const answersOf = (row: Row) => parsed(row, 'form_data') as Answer[]
const valueOf = (answers: readonly Answer[], fieldId: string) =>
  answers.find((each) => each.fieldId === fieldId)?.value ?? ''

/** A form is opened again, and one question answered anew. */
async function answer(world: World, device: number) {
  const { far } = world.devices[device]!
  const row = await pick(world, far, 'events')
  if (!row) return 'no form'
  const [id, answers] = [String(row['id']), answersOf(row)]
  const { id: entry } = world.random.one(QUESTIONS)!
  const cell = { table: 'events' as const, id, column: 'form_data', entry }
  const value = type(world, device, cell, valueOf(answers, entry))
  const all = QUESTIONS.map((question) => ({
    fieldId: question.id,
    value: question.id === entry ? value : valueOf(answers, question.id),
  }))
  // no screen of the app shows it
  const scan = { ...SCAN, value: '' }
  await saveAnswers(far, author(world, device), id, [...all, scan])
  return `${id} ${entry} ${value}`
}

async function register(world: World, device: number) {
  const { far } = world.devices[device]!
  const id = newId()
  const cell = { table: 'patients' as const, id, column: 'hometown' }
  const hometown = type(world, device, cell, null)
  await far.create('patients', aPatient(world.clinic, { id, hometown, phone: '', camp: '' }))
  return id
}

/** A visit of a patient with its first form. */
async function fillInForm(world: World, device: number) {
  const { far } = world.devices[device]!
  const patient = await pick(world, far, 'patients')
  if (!patient) return 'no patient'
  const person = author(world, device)
  const visits = (await far.all('visits')).filter(
    (row) => row['patient_id'] === patient['id'] && row['is_deleted'] !== true,
  )
  const visitId = world.random.happens(0.5) ? String(world.random.one(visits)?.['id'] ?? '') : ''
  const visit =
    visitId ||
    (await far.create('visits', {
      patient_id: patient['id']!,
      clinic_id: world.clinic.id,
      provider_id: person.id,
      provider_name: person.name,
      check_in_timestamp: far.now(),
    }))
  const at = new Date(far.now()).toISOString()
  const id = await addForm(far, person, visit, at, { form_id: world.form.id, form_data: '[]' })
  return `${id} in ${visit}`
}

async function takeVitals(world: World, device: number) {
  const { far } = world.devices[device]!
  const patient = await pick(world, far, 'patients')
  if (!patient) return 'no patient'
  return far.create('patient_vitals', {
    patient_id: patient['id']!,
    timestamp: far.now(),
    heart_rate: 60 + world.random.below(40),
    recorded_by_user_id: author(world, device).id,
  })
}

async function book(world: World, device: number) {
  const { far } = world.devices[device]!
  const patient = await pick(world, far, 'patients')
  if (!patient) return 'no patient'
  const person = author(world, device)
  const id = newId()
  const notes = type(world, device, { table: 'appointments', id, column: 'notes' }, null)
  const departments = ['laboratory', 'dentist'].map((name) => ({
    id: newId(),
    name,
    seen_at: null,
    seen_by: null,
    status: 'pending',
  }))
  await far.create('appointments', {
    id,
    patient_id: patient['id']!,
    clinic_id: world.clinic.id,
    provider_id: null,
    user_id: person.id,
    current_visit_id: '',
    fulfilled_visit_id: null,
    timestamp: far.now() + 86_400_000 + world.random.below(1_000_000_000),
    duration: 60,
    reason: 'checkup',
    notes,
    is_walk_in: false,
    departments: JSON.stringify(departments),
    status: 'pending',
  })
  await noteAppointment(far, String(patient['id']), new Date(far.now()).toISOString())
  return id
}

/** A department completes its part of an appointment; those of others stay as they are. */
async function seeDepartment(world: World, device: number) {
  const { far } = world.devices[device]!
  const row = await pick(world, far, 'appointments')
  const open = row && (parsed(row, 'departments') as Department[]).filter((each) => !each.seen_by)
  const department = open && world.random.one(open)
  if (!row || !department) return 'no open appointment'
  const id = String(row['id'])
  const person = author(world, device)
  const cell = { table: 'appointments' as const, id, column: 'departments', entry: department.id }
  const at = cellOf(cell)
  const value = `${person.id} on ${device}`
  world.typed.set(`${at} ${value}`, { cell: at, by: `phone ${device}`, seen: new Set() })
  await completeDepartment(far, person, id, department.id)
  return `${id} ${department.id} by ${person.id}`
}

/** The online mode sends a form for a new visit. */
async function onlineForm(world: World) {
  const patients = await sql<{ id: string }>`
    select id from patients where not is_deleted and primary_clinic_id = ${world.clinic.id}
    order by id`.execute(world.db)
  const patient = world.random.early(patients.rows)
  if (!patient) return 'no patient'
  const id = newId()
  const { status } = await world.online.tryCommand('events.create', {
    id,
    patient_id: patient.id,
    visit_id: null,
    form_id: world.form.id,
    event_type: 'Intake',
    form_data: [],
    metadata: {},
    is_deleted: false,
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
  })
  if (status === 200) world.onlineForms.push(id)
  return `${id}: ${status}`
}

/** A phone with a newer app syncs, and sends a column that nobody here knows. */
async function newerApp(world: World, device: number) {
  const { far } = world.devices[device]!
  const row = await pick(world, far, 'patients')
  if (!row || (await far.unsentIds('patients')).includes(String(row['id']))) return 'nothing'
  const id = String(row['id'])
  const stored = await world.db.selectFrom('patients').select('id').where('id', '=', id).execute()
  if (stored.length === 0 || world.newer.has(id)) return 'nothing'
  const value = world.mark()
  world.newer.set(id, value)
  const request = far.request.bind(far)
  far.request = (method, path, body) =>
    request(
      method,
      path,
      body && path.startsWith('/api/v2/sync') ? withColumn(body, row, value) : body,
    )
  await far.sync().finally(() => (far.request = request))
  await look(world, device)
  return `${id} ${value}`
}

function withColumn(body: string, row: Row, value: string): string {
  const { patients, ...others } = JSON.parse(body) as { patients?: Record<'updated', Row[]> }
  const sent = { ...row, blood_type: value, _status: 'updated', _changed: 'blood_type' }
  return JSON.stringify({
    ...others,
    patients: {
      created: [],
      deleted: [],
      ...patients,
      updated: [...(patients?.updated ?? []), sent],
    },
  })
}

// --- Browsers ----------------------------------------------------------------------------------------------

async function editInBrowser(world: World) {
  const { random, db, browsers, clinic } = world
  const at = random.below(browsers.length)
  const { rows } = await sql<{ id: string }>`
    select id from patients where not is_deleted and primary_clinic_id = ${clinic.id}
    order by id`.execute(db)
  const patient = random.early(rows)
  if (!patient) return 'no patient'
  const row = await call(world, at, 'patients.get', { id: patient.id })
  const column = random.one(['hometown', 'camp'])!
  const { [column]: before, last_modified } = row['patient'] as Row
  // a screen shows what is stored
  const value = world.mark()
  const cell = cellOf({ table: 'patients', id: patient.id, column })
  const seen = new Set(typeof before === 'string' && before ? [before] : [])
  world.typed.set(value, { cell, by: `browser ${at}`, seen })
  await call(world, at, 'patients.save', { id: patient.id, last_modified, [column]: value })
  if (random.happens(0.3)) {
    const photo = `/api/files/${world.mark()}`
    await sql`update patients set photo_url = ${photo} where id = ${patient.id}`.execute(db)
  }
  return `browser ${at}: ${patient.id} ${column} ${value}`
}

/** A file is added to a form on the web. */
async function attachScan({ db, form, random, scans, mark }: World) {
  const { rows } = await sql<{ id: string }>`
    select id from events where not is_deleted and form_id = ${form.id} order by id`.execute(db)
  const event = random.early(rows)
  if (!event || scans.has(event.id)) return 'nothing'
  const value = `file ${mark()}`
  scans.set(event.id, value)
  await sql`update events set form_data = (
      select coalesce(jsonb_agg(e), '[]') from jsonb_array_elements(form_data) e where e ->> 'fieldId' <> 'scan')
      || ${JSON.stringify([{ ...SCAN, value }])}::jsonb
    where id = ${event.id}`.execute(db)
  return `${event.id} ${value}`
}

async function call({ origin, browsers }: World, at: number, name: string, input: object) {
  const response = await fetch(`${origin}/api/trpc/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${browsers[at]!.token}`,
    },
    body: JSON.stringify(input),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`)
  return (JSON.parse(text) as { result: { data: Record<string, unknown> } }).result.data
}

// --- Syncs -----------------------------------------------------------------------------------------------

async function sync(world: World, device: number) {
  const { far, near, people } = world.devices[device]!
  const way = near && world.random.happens(0.5) ? near : far
  if (people.length > 1 && world.random.happens(0.4)) far.email = world.random.one(people)!.email
  await way.sync()
  // the app's button on the clinic's own network syncs twice
  if (way === near) await way.sync()
  await look(world, device)
  return `${way === near ? 'through the hub' : 'over the public address'} as ${far.email}`
}

/** The push arrives, and its answer does not. */
async function lostAnswer(world: World, device: number) {
  const { far } = world.devices[device]!
  await far
    .sync({ onPush: async (send) => (await send(), Promise.reject(new Error('cut'))) })
    .catch(() => {})
  return 'cut'
}

/** After a whole sync, the screens show what the phone holds. */
async function look({ devices, shown }: World, device: number) {
  const { far } = devices[device]!
  const see = (cell: Cell, value: unknown) => {
    if (typeof value !== 'string' || value === '') return
    const key = screenOf(device, cellOf(cell))
    shown.set(key, (shown.get(key) ?? new Set<string>()).add(value))
  }
  for (const row of await far.all('patients'))
    for (const column of ['hometown', 'phone', 'camp'])
      see({ table: 'patients', id: String(row['id']), column }, row[column])
  for (const row of await far.all('patient_additional_attributes')) {
    const id = String(row['patient_id'])
    see({ table: 'patient_additional_attributes', id, column: 'string_value' }, row['string_value'])
  }
  for (const row of await far.all('events'))
    for (const { fieldId, value } of answersOf(row))
      see({ table: 'events', id: String(row['id']), column: 'form_data', entry: fieldId }, value)
}

// --- Checks ----------------------------------------------------------------------------------------------

type Entry = {
  table_name: TableName
  row_id: string
  patient_id: string
  column_name: string
  phone_value: unknown
  server_value: unknown
  is_deleted: boolean
}

async function checked(world: World) {
  const { rows: entries } = await sql<Entry>`
    select c.table_name, c.row_id, c.patient_id, c.column_name, c.phone_value, c.server_value, c.is_deleted
    from sync_conflicts c join patients p on p.id = c.patient_id
    where p.primary_clinic_id = ${world.clinic.id} order by c.received_at, c.id`.execute(world.db)
  const noise = entries.filter((entry) => !isReal(world, entry)).map((each) => JSON.stringify(each))
  return {
    entries: entries.length,
    noise,
    lost: await lostValues(world, entries),
    others: [
      ...(await lostColumns(world)),
      ...(await looseForms(world)),
      ...(await differing(world)),
    ],
  }
}

/** A person typed the phone's value without having seen the stored one, which a person typed elsewhere. */
function isReal(
  world: World,
  { table_name, row_id, patient_id, column_name, phone_value, server_value }: Entry,
) {
  if (column_name === 'departments') return isSeenTwice(phone_value, server_value)
  const inPhone = marksIn(phone_value)
  const inServer = marksIn(server_value)
  const id = table_name === 'patient_additional_attributes' ? patient_id : row_id
  const at = `${table_name} ${id} ${column_name} `
  return inPhone.some((value) => {
    const typed = world.typed.get(value)
    if (!typed?.cell.startsWith(at) || inServer.includes(value)) return false
    const stored = inServer.find((each) => world.typed.get(each)?.cell === typed.cell)
    return stored !== undefined && !hasSeen(world, value, stored)
  })
}

/** One department was completed by two people. */
function isSeenTwice(phone: unknown, server: unknown) {
  const [one, other] = [phone, server].map((each) => JSON.parse(String(each)) as Department[])
  return one!.some((each) => {
    const stored = other!.find(({ id }) => id === each.id)
    return each.seen_by && stored?.seen_by && each.seen_by !== stored.seen_by
  })
}

const marksIn = (value: unknown): string[] => String(value).match(/\d+v\d+/g) ?? []

function hasSeen(world: World, value: string, other: string): boolean {
  const { seen } = world.typed.get(value) ?? { seen: new Set<string>() }
  return seen.has(other) || [...seen].some((each) => each !== value && hasSeen(world, each, other))
}

/** Typed values that are neither stored, nor in the list, nor replaced by a user who had seen them. */
async function lostValues(world: World, entries: readonly Entry[]) {
  const { rows } = await sql<{ text: string }>`
    select concat_ws(' ', hometown, phone, camp) as text from patients
      where primary_clinic_id = ${world.clinic.id}
    union all select form_data::text from events
    union all select string_value from patient_additional_attributes where not is_deleted
    union all select notes from appointments
    union all select row from sync_quarantine`.execute(world.db)
  const kept = new Set(rows.flatMap(({ text }) => marksIn(text)))
  for (const { phone_value, server_value } of entries)
    for (const value of [...marksIn(phone_value), ...marksIn(server_value)]) kept.add(value)
  const isReplaced = (value: string) =>
    [...world.typed].some(
      ([other, { cell }]) =>
        other !== value && cell === world.typed.get(value)!.cell && hasSeen(world, other, value),
    )
  return [...world.typed.keys()].filter(
    (value) => /^\d+v\d+$/.test(value) && !kept.has(value) && !isReplaced(value),
  )
}

/** What no screen of the app shows is as it was stored. */
async function lostColumns({ db, newer, scans }: World) {
  const problems: string[] = []
  for (const [id, value] of scans) {
    const { form_data } = await db
      .selectFrom('events')
      .select('form_data')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (!JSON.stringify(form_data).includes(`"${value}"`))
      problems.push(`the ${value} of ${id} is not in ${JSON.stringify(form_data)}`)
  }
  for (const [id, value] of newer) {
    const { unknown_columns } = await db
      .selectFrom('patients')
      .select('unknown_columns')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if ((unknown_columns as Row)['blood_type'] !== value)
      problems.push(`the newer app's ${value} of ${id} is ${JSON.stringify(unknown_columns)}`)
  }
  return problems
}

/** Each form of the online mode belongs to one visit of its patient. */
async function looseForms({ db, onlineForms }: World) {
  const { rows } = await sql<{ id: string; visits: number }>`
    select e.id, (select count(distinct o.visit_id)::integer from events o
      where o.patient_id = e.patient_id and o.id = any(${onlineForms}::uuid[])) as visits
    from events e where e.id = any(${onlineForms}::uuid[]) and (e.visit_id is null or not exists (
      select from visits v where v.id = e.visit_id and v.patient_id = e.patient_id))`.execute(db)
  return rows.map(({ id }) => `the form ${id} of the online mode has no visit`)
}

/** All phones hold the same patients, forms and appointments. */
async function differing({ devices, db, clinic }: World) {
  const problems: string[] = []
  const { rows } = await sql<Row>`select id, hometown, phone, camp, photo_url from patients
    where primary_clinic_id = ${clinic.id} and not is_deleted`.execute(db)
  for (const [at, { far }] of devices.entries())
    for (const row of rows) {
      const there = await held(far, 'patients', String(row['id']))
      for (const column of ['hometown', 'phone', 'camp', 'photo_url'])
        if ((there?.[column] || null) !== (row[column] || null))
          problems.push(
            `phone ${at}: ${row['id']} has ${column} ${there?.[column]} instead of ${row[column]}`,
          )
    }
  return problems
}
