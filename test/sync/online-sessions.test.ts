import { sql } from 'kysely'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import { PASSWORD } from '../sessions'
import { type Clinic, EVERYTHING, type Person, test } from './clinic'
import { answerTo, type Data, OnlineApp, toRegister } from './online-app'
import type { Phone, TableName } from './phone'
import { phoneTables } from './phone-schema'
import { chance, type Chance } from './random/chance'

/** SANAD_ONLINE_SESSIONS: the seeds, "7" or "1-200". */
const [first = 1, last = first] = (process.env['SANAD_ONLINE_SESSIONS'] ?? '1-3')
  .split('-')
  .map(Number)
const seeds = Array.from({ length: last - first + 1 }, (_, at) => first + at)
const CALLS = 25

const TEXTS = [
  'Layla',
  'ليلى حدّاد 🩺',
  'O\'Hara \\ "quoted"\nsecond line\ttab',
  '0',
  'null',
  ' spaces around ',
  'x'.repeat(3000),
  '<b>&amp;</b>',
]
const DAYS = ['1899-12-31', '1970-01-01', '1995-03-04', '2024-02-29']
const MOMENTS = [
  '1899-12-31T12:00:00.000Z',
  '1970-01-01T00:00:00.000Z',
  '1995-03-04T05:06:07.089Z',
  '2100-01-01T00:00:00.000Z',
]
const NUMBERS = [0, 1, 36.85, 70.25, 300.5, 24.307_958_477_508_65]
const OBJECTS = [{}, { kept: [1, 2.5, null, 'ø'], nested: { a: { b: [] } } }, { اسم: false, n: 0 }]

type Session = {
  app: OnlineApp
  person: Person
  clinic: Clinic
  random: Chance
  form: { id: string }
  question: string
  /** What the user typed, by table and id. */
  typed: Record<Kept, Map<string, Data>>
  /** The answers of each patient to the added question. */
  answers: Map<string, Data>
}
type Kept = (typeof KEPT)[number]
const KEPT = [
  'patients',
  'visits',
  'events',
  'patient_vitals',
  'patient_problems',
] as const satisfies TableName[]

const text = ({ random }: Session) => random.one(TEXTS)!
const moment = ({ random }: Session) => random.one(MOMENTS)!
const object = ({ random }: Session) => random.one(OBJECTS)!
const orNull = <T>({ random }: Session, value: T) => (random.happens(0.3) ? null : value)
const dated = (session: Session) => ({
  created_at: moment(session),
  updated_at: moment(session),
  metadata: object(session),
})
const someOf = ({ random, typed }: Session, table: Kept) => random.one([...typed[table]])

const making = {
  patients: (session: Session): Data => ({
    given_name: text(session),
    surname: text(session),
    date_of_birth: session.random.one(DAYS)!,
    sex: session.random.one(['male', 'female', 'other'])!,
    citizenship: text(session),
    hometown: text(session),
    phone: text(session),
    camp: text(session),
    additional_data: object(session),
    photo_url: 'https://clinic.example/p.jpg',
    government_id: text(session),
    external_patient_id: text(session),
    ...dated(session),
  }),
  visits: (session: Session): Data => ({
    clinic_id: session.clinic.id,
    provider_id: session.person.id,
    provider_name: text(session),
    check_in_timestamp: moment(session),
    ...dated(session),
  }),
  events: (session: Session): Data => ({
    form_id: session.form.id,
    event_type: text(session),
    form_data: [
      { fieldId: 'a', name: text(session), inputType: 'text', fieldType: 'free-text', value: 0 },
      { fieldId: 'b', name: 'b', inputType: 'text', fieldType: 'free-text', value: text(session) },
    ],
    recorded_by_user_id: session.person.id,
    ...dated(session),
  }),
  patient_vitals: (session: Session): Data => ({
    timestamp: moment(session),
    bp_position: orNull(session, 'sitting'),
    event_id: null,
    recorded_by_user_id: session.person.id,
    ...Object.fromEntries(
      phoneTables['patient_vitals']!.filter(
        ({ type, isOptional }) => type === 'number' && isOptional,
      )
        .map(({ name }) => name)
        .filter((name) => name !== 'deleted_at')
        .map((name) => [name, orNull(session, session.random.one(NUMBERS)!)]),
    ),
    ...dated(session),
  }),
  patient_problems: (session: Session): Data => ({
    problem_code_system: session.random.one(['icd10', 'icd11', 'snomed', 'icd10cm'])!,
    problem_code: 'BA00',
    problem_label: text(session),
    clinical_status: session.random.one(['active', 'remission', 'resolved'])!,
    verification_status: session.random.one(['confirmed', 'refuted'])!,
    severity_score: orNull(session, session.random.one([0, 4, 10])!),
    onset_date: orNull(session, moment(session)),
    end_date: orNull(session, moment(session)),
    recorded_by_user_id: session.person.id,
    ...dated(session),
  }),
} satisfies Record<Kept, (session: Session) => Data>

/** The app may send an id of its own or leave it to the server; with one it may repeat the call. */
async function create(session: Session, command: string, table: Kept, row: Data) {
  const { app, random, typed } = session
  const own = random.happens(0.7) ? { id: newId() } : {}
  const answer: Data = await app.command(command, { ...own, ...row })
  if ('id' in own && random.happens(0.3))
    expect(await app.command(command, { ...own, ...row })).toEqual(answer)
  const id = String(answer['id'])
  expect(answer).toMatchObject({ success: true, ...own })
  typed[table].set(id, row)
  return answer
}

const steps: ((session: Session) => Promise<void>)[] = [
  async function register(session) {
    const { app, typed, random, question } = session
    const id = newId()
    const patient = making.patients(session)
    const answer = answerOf(session)
    const sent = toRegister({ id, ...patient }, answer ? [answerTo(question, 'q', answer)] : [])
    const answered = { patient_id: id, attributes_count: answer ? 1 : 0 }
    expect(await app.command('register_patient', sent)).toEqual(answered)
    if (random.happens(0.3)) expect(await app.command('register_patient', sent)).toEqual(answered)
    typed.patients.set(id, patient)
    if (answer) session.answers.set(id, answer)
  },
  async function changePatient(session) {
    const { app, random, question } = session
    const [id, before] = someOf(session, 'patients') ?? []
    if (!id) return
    const drawn = Object.entries(making.patients(session))
    const changed = Object.fromEntries(
      drawn.filter(([column]) => column !== 'created_at' && random.happens(0.4)),
    )
    const answer = answerOf(session)
    const sent = toRegister(
      { id, created_at: before!['created_at'], updated_at: before!['updated_at'], ...changed },
      answer ? [answerTo(question, 'q', answer)] : [],
    )
    await app.command('register_patient', sent)
    // {} and "" stand for what the app does not hold
    for (const [column, value] of Object.entries(changed))
      if (JSON.stringify(value) !== '{}') before![column] = merged(before!, column, value)
    if (answer) session.answers.set(id, answer)
  },
  async function visit(session) {
    const [patient_id] = someOf(session, 'patients') ?? []
    if (!patient_id) return
    await create(session, 'visits.create', 'visits', { patient_id, ...making.visits(session) })
  },
  async function event(session) {
    const [visit_id, visit] = someOf(session, 'visits') ?? []
    if (!visit_id) return
    const row = { patient_id: visit!['patient_id'], visit_id, ...making.events(session) }
    expect(await create(session, 'events.create', 'events', row)).toMatchObject({ visit_id })
  },
  async function vitals(session) {
    const [visit_id, visit] = someOf(session, 'visits') ?? []
    if (!visit_id) return
    const row = { patient_id: visit!['patient_id'], visit_id, ...making.patient_vitals(session) }
    await create(session, 'vitals.create', 'patient_vitals', row)
  },
  async function problem(session) {
    const [visit_id, visit] = someOf(session, 'visits') ?? []
    if (!visit_id) return
    const row = { patient_id: visit!['patient_id'], visit_id, ...making.patient_problems(session) }
    await create(session, 'problems.create', 'patient_problems', row)
  },
  (session) => change(session, 'events.update', 'events', ['form_data', 'event_type', 'metadata']),
  (session) =>
    change(session, 'problems.update', 'patient_problems', [
      'problem_label',
      'clinical_status',
      'severity_score',
      'end_date',
      'metadata',
    ]),
  async function remove(session) {
    const [id] = someOf(session, 'events') ?? []
    if (!id || session.random.happens(0.5)) return
    expect(await session.app.command('events.delete', { id })).toEqual({ success: true })
    session.typed.events.delete(id)
  },
  async function refused(session) {
    const { app, clinic } = session
    const stray = { ...making.visits(session), patient_id: newId(), clinic_id: clinic.id }
    expect((await app.tryCommand('visits.create', stray)).status).toBe(409)
    const odd = { id: newId(), ...making.patients(session), date_of_birth: '1990-02-30' }
    expect((await app.tryCommand('register_patient', toRegister(odd))).status).toBe(400)
  },
]

/** Entries of `metadata` that the app does not send stay. */
const merged = (before: Data, column: string, value: unknown) =>
  column === 'metadata' ? { ...Object(before[column]), ...Object(value) } : value

async function change(
  session: Session,
  command: string,
  table: 'events' | 'patient_problems',
  columns: string[],
) {
  const [id, before] = someOf(session, table) ?? []
  if (!id) return
  const drawn: Data = making[table](session)
  const changed = Object.fromEntries(
    columns.filter(() => session.random.happens(0.5)).map((column) => [column, drawn[column]]),
  )
  const row: Data = { id, updated_at: drawn['updated_at'], ...changed }
  const answer: Data = await session.app.command(command, row)
  for (const [column, value] of Object.entries(row))
    if (column !== 'id' && JSON.stringify(value) !== '{}')
      before![column] = merged(before!, column, value)
  // the time of the change is stored with a change of something else
  before!['updated_at'] = answer['updated_at']
  expect(answer).toMatchObject(before!)
}

function answerOf({ random }: Session): Data | undefined {
  return random.one([
    { number_value: random.one(NUMBERS)! },
    { string_value: `Arabic${String.fromCharCode(31)}Español` },
    { boolean_value: false },
    { date_value: random.one(MOMENTS)! },
    undefined,
  ])
}

/** Everything that the app can read, by table and id. */
async function readAll({ app, typed, form, random }: Session): Promise<Record<Kept, Data[]>> {
  const { data: patients }: { data: Data[] } = random.happens(0.5)
    ? await app.query('get_patients', { limit: 100, offset: 0 })
    : await app.query('search_patients', { filters: {}, limit: 100, offset: 0 })
  const all: Record<Kept, Data[]> = {
    patients,
    visits: [],
    events: [],
    patient_vitals: [],
    patient_problems: [],
  }
  for (const patient_id of typed.patients.keys()) {
    const { data: visits }: { data: Data[] } = await app.query('get_visits', { patient_id })
    all.visits.push(...visits)
    if (random.happens(0.5))
      all.events.push(
        ...((await app.query('events.by_form', { patient_id, form_id: form.id })) as Data[]),
      )
    else
      for (const { id: visit_id } of visits) {
        const { data }: { data: Data[] } = await app.query('get_visit_events', {
          patient_id,
          visit_id,
        })
        all.events.push(...data)
      }
    all.patient_vitals.push(...((await app.query('vitals.list', { patient_id })) as Data[]))
    all.patient_problems.push(...((await app.query('problems.list', { patient_id })) as Data[]))
  }
  return all
}

const byId = (rows: Iterable<readonly [string, Data]>) =>
  Object.fromEntries([...rows].toSorted(([a], [b]) => a.localeCompare(b)))

/** The typed columns of each row; nothing more and nothing less is there. */
function compare(session: Session, read: Record<Kept, Data[]>) {
  for (const table of KEPT) {
    const typed = session.typed[table]
    const shown = read[table].map((row): [string, Data] => {
      const columns = Object.keys(typed.get(String(row['id'])) ?? row)
      return [String(row['id']), Object.fromEntries(columns.map((each) => [each, row[each]]))]
    })
    expect([table, byId(shown)]).toEqual([table, byId(typed)])
  }
}

async function compareAnswers({ app, question, typed, answers }: Session) {
  for (const patient_id of typed.patients.keys()) {
    const { values }: { values: Data } = await app.query('get_patient', { patient_id })
    const [answer] = Object.values(answers.get(patient_id) ?? {})
    expect([patient_id, values[question]]).toEqual([patient_id, answer])
  }
}

/** The same rows as a phone holds them after a first sync. */
async function compareWithPhone(session: Session, phone: Phone) {
  await phone.sync()
  const read = {} as Record<Kept, Data[]>
  for (const table of KEPT)
    read[table] = (await phone.all(table)).map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => {
          const typed = session.typed[table].get(String(row['id']))?.[column]
          if (typeof typed === 'object' && typed !== null && typeof value === 'string')
            return [column, JSON.parse(value) as unknown]
          const isMoment = typeof typed === 'string' && typeof value === 'number'
          return [column, isMoment ? new Date(value).toISOString() : value]
        }),
      ),
    )
  compare(session, read)
}

test.for(seeds)(
  'what is typed online is stored whole, column by column (seed %i)',
  { timeout: 600_000 },
  async (seed, { db, make, person, phoneOf, server }) => {
    const clinic = await make.clinic()
    const question = newId()
    await sql`update registration_forms set fields = fields || ${JSON.stringify([
      { id: question, column: `q${question}`, label: {} },
    ])}::jsonb`.execute(db)
    const user = await person('provider', [clinic], EVERYTHING)
    const session: Session = {
      app: await OnlineApp.signedIn(server.origin, user.email, PASSWORD),
      person: user,
      clinic,
      random: chance(seed),
      form: await make.eventForm(),
      question,
      typed: {
        patients: new Map(),
        visits: new Map(),
        events: new Map(),
        patient_vitals: new Map(),
        patient_problems: new Map(),
      },
      answers: new Map(),
    }
    await steps[0]!(session)
    for (let call = 0; call < CALLS; call += 1) await session.random.one(steps)!(session)
    compare(session, await readAll(session))
    await compareAnswers(session)
    await compareWithPhone(session, phoneOf(user))
  },
)
