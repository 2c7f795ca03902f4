import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { warningsFor } from '~/features/medicines/prescriptions/check/safety-check.server'
import { Dose } from '~/features/medicines/prescriptions/writing/dose'
import { addDays, clinicTimeZone, dayIn, wallTime } from '~/shared/zone'
import { makeFactories } from '../../../../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../../../../test/harness'
import { getImport, listRejected, runImport } from '../imports.server'
import type { ListName } from '../lists'
import { runImports } from '../run.server'
import { undoImport } from '../undo/request.server'

/** A database of its own, because an import needs several connections. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`imports_care_${process.pid}`)
  onCleanup(() => db.destroy())
  return db
})

const admin = (db: Kysely<DB>, userId: string) => ({
  db,
  request: aRequest(),
  actor: {
    userId,
    name: 'Admin',
    role: 'admin' as const,
    language: 'en' as const,
    clinicId: null,
    grants: {},
  },
})

type World = Awaited<ReturnType<typeof makeWorld>>

/** Two patients with numbers, and two of one name and birth. */
async function makeWorld(db: Kysely<DB>) {
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const user = await make.user({ role: 'admin' })
  const here = { primary_clinic_id: clinic.id, date_of_birth: '1990-05-17' }
  const number = clinic.id.slice(-6)
  const layla = await make.patient({
    ...here,
    given_name: `Layla${number}`,
    surname: 'Mansour',
    external_patient_id: `F-${number}`,
  })
  const omar = await make.patient({
    ...here,
    given_name: `Omar${number}`,
    surname: 'Haddad',
    government_id: `G-${number}`,
  })
  const twin = { ...here, given_name: `Twin${number}`, surname: 'Two' }
  await make.patient(twin)
  await make.patient(twin)
  return { db, clinic, user, layla, omar, number, me: admin(db, user.id) }
}

/** `heading`: a heading that the user takes for the height. */
type Given = {
  updates?: boolean
  task?: 'check' | 'import'
  heading?: string
  formats?: Record<string, 'MM/DD/YYYY' | 'DD/MM/YYYY' | 'excel'>
}

async function bring(
  { db, clinic, me }: World,
  list: ListName,
  text: string,
  { heading, ...given }: Given = {},
) {
  const { id } = await makeFactories(db).upload(text, {
    list,
    clinic_id: clinic.id,
    file_name: 'paper.csv',
    requested_by: me.actor.userId,
  })
  const { file } = await getImport(me, { id })
  const mapping = { ...file!.mapping, ...(heading && { [heading]: 'height_cm' }) }
  await runImport(me, { id, task: 'import', mapping, ...given })
  await runImports(db)
  const { import: row } = await getImport(me, { id })
  expect(row).toMatchObject({ status: 'finished', failure: null })
  const rejected = await listRejected(me, { id })
  return { id, tally: row.tally!, rejected: rejected.map(({ line, reason }) => [line, reason.key]) }
}

async function undo({ db, me }: World, id: string) {
  await undoImport(me, { id })
  await runImports(db)
  const { import: row } = await getImport(me, { id })
  expect(row).toMatchObject({ status: 'finished', failure: null })
  return row.tally!
}

const ago = (days: number) => addDays(dayIn(new Date(), clinicTimeZone()), -days)

const vitalsOf = async ({ db, layla, omar }: World) => {
  const { rows } = await sql<object>`
    select clinic_day("timestamp")::text as day, weight_kg, systolic_bp, diastolic_bp,
      metadata -> 'import' ->> 'file' as file, recorded_by_user_id as "by"
    from patient_vitals where patient_id in (${layla.id}, ${omar.id}) and not is_deleted
    order by 1, weight_kg`.execute(db)
  return rows
}

test('vital signs go to the patient that a number or a name means, on their day, marked with the import', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const { number, user, layla } = world
  const text = `File number,ID,Name,Surname,DOB,Date,BP,Weight (lb),Temp
F-${number},,,,,${ago(200)},120/80,110,
,G-${number},,,,${ago(100)} 08:30,,154.3,36.5
,,Layla${number},Mansour,1990-05-17,${ago(10)},,,37
F-${number},,,,1991-01-01,${ago(9)},,120,
,,Twin${number},Two,1990-05-17,${ago(9)},,120,
F-none,,,,,${ago(9)},,120,
,,,,,${ago(9)},,120,
F-${number},,,,,${ago(-9)},,120,
F-${number},,,,,${ago(8)},80/120,,
F-${number},,,,,${ago(7)},,,98.6
F-${number},,,,1990-05-17,1980-01-01,,100,
`
  const file = text.replace('ID,', 'Government ID,')
  const first = await bring(world, 'vitals', file)
  expect(first.rejected).toEqual([
    [5, 'imports.reasons.patientDiffers'],
    [6, 'imports.reasons.severalPatients'],
    [7, 'imports.reasons.patientUnknown'],
    [8, 'imports.reasons.patientUnnamed'],
    [9, 'vitals.inFuture'],
    [10, 'vitals.diastolicBelow'],
    [11, 'validation.tooLarge'],
    [12, 'vitals.beforeBirth'],
  ])
  const entered = { file: 'paper.csv', by: user.id }
  const stored = [
    { day: ago(200), weight_kg: 49.895, systolic_bp: 120, diastolic_bp: 80, ...entered },
    { day: ago(100), weight_kg: 69.989, systolic_bp: null, diastolic_bp: null, ...entered },
    { day: ago(10), weight_kg: null, systolic_bp: null, diastolic_bp: null, ...entered },
  ]
  expect(await vitalsOf(world)).toEqual(stored)
  // the same file doubles nothing, and a corrected one changes the record
  expect((await bring(world, 'vitals', file)).tally).toMatchObject({ imported: 0, repeated: 3 })
  const corrected = `File number,Date,Weight (kg)\nF-${number},${ago(200)},52\n`
  const second = await bring(world, 'vitals', corrected, { updates: true })
  expect(second.tally).toMatchObject({ imported: 0, changed: 1 })
  expect(await vitalsOf(world)).toMatchObject([{ weight_kg: 52, systolic_bp: 120 }, {}, {}])
  const trail = await whole
    .selectFrom('audit_log')
    .select('action')
    .distinct()
    .where('table_name', '=', 'patient_vitals')
    .where('patient_id', '=', layla.id)
    .execute()
  expect(trail).toEqual([{ action: 'imports.vitals' }])
  expect(await undo(world, second.id)).toMatchObject({ undone: 1, left: [] })
  expect(await vitalsOf(world)).toMatchObject(stored.map(({ weight_kg }) => ({ weight_kg })))
  expect(await undo(world, first.id)).toMatchObject({ undone: 2 })
  expect(await vitalsOf(world)).toMatchObject([{ weight_kg: 49.895 }])
})

test('visits go to their days, entered later and closed; those with records since stay in an undo', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const { number, clinic, user, layla } = world
  const make = makeFactories(whole)
  const text = `Expediente,Fecha de visita,Motivo,Médico
F-${number},${ago(40)},Tos,
F-${number},${ago(30)} 09:15,,${user.email}
F-${number},${ago(-3)},,
F-${number},${ago(20)},,nobody@nowhere.example
`
  const first = await bring(world, 'visits', text)
  expect(first.rejected).toEqual([
    [4, 'visits.inFuture'],
    [5, 'imports.reasons.noProvider'],
  ])
  const visits = () =>
    whole
      .selectFrom('visits')
      .select(['id', 'reason', 'provider_id', 'closed_as', 'entered_on', 'entered_by_user_id'])
      .select(sql<string>`clinic_day(check_in_timestamp)::text`.as('day'))
      .select(sql<boolean>`closed_at = check_in_timestamp`.as('is_closed'))
      .where('patient_id', '=', layla.id)
      .where('clinic_id', '=', clinic.id)
      .where('is_deleted', '=', false)
      .orderBy('check_in_timestamp')
      .execute()
  const later = {
    closed_as: 'arrival',
    is_closed: true,
    entered_on: ago(0),
    entered_by_user_id: user.id,
  }
  const stored = await visits()
  expect(stored).toMatchObject([
    { ...later, day: ago(40), reason: 'Tos', provider_id: null },
    { ...later, day: ago(30), reason: null, provider_id: user.id },
  ])
  expect((await bring(world, 'visits', text)).tally).toMatchObject({ imported: 0, repeated: 2 })
  await make.vital({ patient_id: layla.id, visit_id: stored[0]!.id })
  expect(await undo(world, first.id)).toMatchObject({
    undone: 1,
    left: [{ key: 'imports.reasons.usedAfterwards', count: 1 }],
  })
  expect(await visits()).toMatchObject([{ day: ago(40) }])
})

test('appointments to come are booked once; past ones and ones without a time are refused', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const { number, omar } = world
  const soon = ago(-20)
  const text = `رقم الهوية,الموعد,الوقت,السبب
G-${number},${soon},10:30,متابعة
G-${number},${soon},14:00,قياس النظر
G-${number},${soon},,
G-${number},${ago(3)},10:00,
`
  const first = await bring(world, 'appointments', text)
  expect(first.rejected).toEqual([
    [4, 'imports.reasons.noTime'],
    [5, 'imports.reasons.pastAppointment'],
  ])
  const booked = () =>
    whole
      .selectFrom('appointments')
      .select(['reason', 'notes', 'duration', 'status'])
      .where('patient_id', '=', omar.id)
      .where('is_deleted', '=', false)
      .orderBy('timestamp')
      .execute()
  expect(await booked()).toMatchObject([
    { reason: 'follow-up', notes: '', duration: 60, status: 'pending' },
    { reason: 'other', notes: 'قياس النظر', duration: 60 },
  ])
  expect((await bring(world, 'appointments', text)).tally).toMatchObject({
    imported: 0,
    repeated: 2,
  })
  expect(await undo(world, first.id)).toMatchObject({ undone: 2, left: [] })
  expect(await booked()).toEqual([])
})

const measuresOf = (db: Kysely<DB>, patientId: string) =>
  db
    .selectFrom('patient_vitals')
    .select(['height_cm', 'weight_kg', 'metadata', 'recorded_clinic_id', 'timestamp'])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    .orderBy('timestamp')
    .execute()

test('the unit of a heading is a unit that it names, never the word "in", and another unit is refused', async ({
  whole,
}) => {
  const headings = [
    ['Height in centimeters', '175', 175],
    ['Talla (en centímetros)', '176', 176],
    ['الطول (سنتيمتر)', '177', 177],
    ['height_cm', '178', 178],
    ['Height (in)', '70', 177.8],
    ['Height in', '70', 177.8],
    ['Height (in inches)', '70', 177.8],
    ['Height in metres', '1.75', 175],
    ['Height (handspans)', '175', null],
    ['Height cm or in', '75', null],
    ['Height in feet', '30', null],
  ] as const
  for (const [heading, cell, expected] of headings) {
    const world = await makeWorld(whole)
    const text = `File number,Date,${heading}\nF-${world.number},${ago(5)},${cell}\n`
    const { rejected } = await bring(world, 'vitals', text, { heading })
    const stored = await measuresOf(whole, world.layla.id)
    expect([heading, stored.map(({ height_cm }) => height_cm), rejected]).toEqual([
      heading,
      expected === null ? [] : [expected],
      expected === null ? [[2, 'imports.reasons.headingUnit']] : [],
    ])
  }
})

test('a file number never takes a row to another person', async ({ whole }) => {
  const world = await makeWorld(whole)
  const there = await makeWorld(whole)
  const { number, layla } = world
  await whole
    .updateTable('patients')
    .set({ given_name: 'Layla' })
    .where('id', '=', layla.id)
    .execute()
  const text = `File number,Name,Surname,DOB,Date,Weight (kg)
F-${there.number},,,,${ago(9)},60
F-${there.number},,,1990,${ago(8)},60
F-${there.number},Omar,,1990-05-17,${ago(7)},60
F-${there.number},,,1990-05-17,${ago(6)},61
F-${number},Fatima,,,${ago(5)},60
F-${number},Layla,Mansour,1990,${ago(4)},62
F-${number},ليلى منصور,,,${ago(3)},63
F-${number},,,1991,${ago(2)},60
`
  const { rejected } = await bring(world, 'vitals', text)
  expect(rejected).toEqual([
    [2, 'imports.reasons.numberElsewhere'],
    [3, 'imports.reasons.numberElsewhere'],
    [4, 'imports.reasons.nameDiffers'],
    [6, 'imports.reasons.nameDiffers'],
    [9, 'imports.reasons.patientDiffers'],
  ])
  expect(await measuresOf(whole, there.layla.id)).toMatchObject([{ weight_kg: 61 }])
  expect(await measuresOf(whole, layla.id)).toMatchObject([{ weight_kg: 62 }, { weight_kg: 63 }])
})

test('a time with an offset is that moment, and a cell that is not understood whole is refused', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const { number, layla } = world
  const rows = [
    '2026-03-01T09:30:00+03:00',
    '2026-03-02 09:30:00+03',
    '2026-03-03T09:30Z',
    '2026-03-04T09:30:00+03:00 in the morning',
    '2026-03-05 at 9:30',
    '03/06/2026 08:00 -0500',
    '17/03/2026',
    '46082.5',
  ]
  const text = `File number,Date,Weight (kg)\n${rows.map((cell) => `F-${number},${cell},60`).join('\n')}\n`
  const { rejected } = await bring(world, 'vitals', text, { formats: { Date: 'MM/DD/YYYY' } })
  expect(rejected).toEqual([
    [5, 'imports.reasons.time'],
    [6, 'imports.reasons.date'],
    [8, 'imports.reasons.date'],
    [9, 'imports.reasons.date'],
  ])
  const stored = await measuresOf(whole, layla.id)
  expect(stored.map(({ timestamp }) => timestamp.toISOString())).toEqual([
    '2026-03-01T06:30:00.000Z',
    '2026-03-02T06:30:00.000Z',
    '2026-03-03T09:30:00.000Z',
    '2026-03-06T13:00:00.000Z',
  ])
  const serial = `File number,Date,Weight (kg)\nF-${number},46090.75,60\n`
  await bring(world, 'vitals', serial, { formats: { Date: 'excel' } })
  const last = (await measuresOf(whole, layla.id)).at(-1)!
  expect(wallTime(last.timestamp, clinicTimeZone())).toBe('2026-03-09T18:00')
})

test('an update keeps how a height was measured, and leaves what another clinic measured', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const { number, layla, clinic, user } = world
  const make = makeFactories(whole)
  const elsewhere = await make.clinic()
  const visit = await make.visit({ patient_id: layla.id, clinic_id: elsewhere.id })
  const at = new Date(`${ago(6)}T08:00:00Z`)
  await make.vital({ patient_id: layla.id, visit_id: visit.id, timestamp: at, height_cm: 99 })
  const mine = await make.vital({
    patient_id: layla.id,
    timestamp: new Date(`${ago(5)}T08:00:00Z`),
    height_cm: 80,
    recorded_by_user_id: user.id,
    metadata: JSON.stringify({ height_position: 'lying' }),
  })
  expect(mine.recorded_clinic_id).toBe(clinic.id)
  const text = `File number,Date,Height (cm)
F-${number},${ago(6)}T08:00Z,81
F-${number},${ago(5)}T08:00Z,82
`
  const { tally } = await bring(world, 'vitals', text, { updates: true })
  expect(tally).toMatchObject({ imported: 1, changed: 1 })
  const stored = await measuresOf(whole, layla.id)
  expect(new Set(stored.map(({ height_cm }) => height_cm))).toEqual(new Set([81, 82, 99]))
  expect(stored).toHaveLength(3)
  expect(stored.find(({ height_cm }) => height_cm === 82)!.metadata).toMatchObject({
    height_position: 'lying',
  })
  // a list of this clinic about a patient of another one is recognized by its clinic
  const guest = await make.patient({
    primary_clinic_id: elsewhere.id,
    external_patient_id: `X-${number}`,
    date_of_birth: '1990-05-17',
  })
  const other = `File number,DOB,Date,Height (cm)\nX-${number},1990-05-17,${ago(4)},150\n`
  expect((await bring(world, 'vitals', other)).tally).toMatchObject({ imported: 1 })
  expect((await bring(world, 'vitals', other)).tally).toMatchObject({ repeated: 1, imported: 0 })
  expect(await measuresOf(whole, guest.id)).toHaveLength(1)
})

test('a visit without a time is the one that the list made, or none of several', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const { number, clinic, layla, user } = world
  const make = makeFactories(whole)
  const header = 'File number,Visit date,Left,Reason'
  const text = `${header}\nF-${number},${ago(40)},11:45,Cough\nF-${number},${ago(30)},13:05,Fever\n`
  const first = await bring(world, 'visits', text)
  expect(first).toMatchObject({ tally: { imported: 2 }, rejected: [] })
  const visits = () =>
    whole
      .selectFrom('visits')
      .select(['id', 'reason', 'provider_name', 'check_in_timestamp', 'closed_at'])
      .where('patient_id', '=', layla.id)
      .where('is_deleted', '=', false)
      .orderBy('check_in_timestamp')
      .execute()
  const wall = (at: Date | null) => at && wallTime(at, clinicTimeZone()).slice(11)
  expect(
    (await visits()).map((visit) => [wall(visit.check_in_timestamp), wall(visit.closed_at)]),
  ).toEqual([
    ['11:45', '11:45'],
    ['12:00', '13:05'],
  ])
  const morning = new Date(`${ago(40)}T01:30:00Z`)
  const seen = { patient_id: layla.id, clinic_id: clinic.id, closed_at: morning }
  await make.visit({ ...seen, check_in_timestamp: morning, reason: 'Injury' })
  const corrected = text.replace('Cough', 'Asthma')
  expect(await bring(world, 'visits', corrected, { updates: true })).toMatchObject({
    tally: { imported: 0, changed: 1, repeated: 1 },
  })
  expect((await visits()).map(({ reason }) => reason)).toEqual(['Injury', 'Asthma', 'Fever'])
  const twice = new Date(`${ago(20)}T01:30:00Z`)
  await make.visit({ ...seen, check_in_timestamp: twice, closed_at: twice })
  const later = new Date(twice.getTime() + 3_600_000)
  await make.visit({ ...seen, check_in_timestamp: later, closed_at: later })
  const doubtful = `${header}\nF-${number},${ago(20)},,Cough\n`
  expect((await bring(world, 'visits', doubtful)).rejected).toEqual([
    [2, 'imports.reasons.severalRecords'],
  ])
  const own = `File number,Visit date,Provider\nF-${number},${ago(10)},${user.email}\n`
  await bring(world, 'visits', own)
  expect((await visits()).at(-1)!.provider_name).toBe(user.name)
})

test('an appointment that has passed since its list was imported is recognized', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const { number, clinic, layla } = world
  const at = new Date(`${ago(3)}T09:00:00Z`)
  await makeFactories(whole).appointment({
    patient_id: layla.id,
    clinic_id: clinic.id,
    timestamp: at,
    reason: 'follow-up',
  })
  const text = `File number,Appointment,Reason\nF-${number},${ago(3)}T09:00Z,follow-up\n`
  expect(await bring(world, 'appointments', text)).toMatchObject({
    tally: { repeated: 1 },
    rejected: [],
  })
})

test('a weight of the file is read by the dose rule', async ({ whole }) => {
  const world = await makeWorld(whole)
  const make = makeFactories(whole)
  const number = world.number
  const born = addDays(dayIn(new Date(), clinicTimeZone()), -3 * 365)
  const child = await make.patient({
    primary_clinic_id: world.clinic.id,
    date_of_birth: born,
    external_patient_id: `C-${number}`,
  })
  const drug = await make.drug({
    generic_name: 'Paracetamol',
    ingredients: ['paracetamol'],
    form: 'tablet',
    dosage_quantity: 500,
    dosage_units: 'mg',
  })
  const dose = { amount: 1, unit: 'tablet' as const, often: { kind: 'times' as const, n: 3 } }
  const warned = async () =>
    (
      await warningsFor(whole, {
        patientId: child.id,
        drugIds: [drug.id],
        doses: [{ drugId: drug.id, dose: Dose.parse(dose) }],
      })
    ).flatMap((warning) => (warning.kind === 'dose' ? warning.level : []))
  const day = dayIn(new Date(), clinicTimeZone())
  const file = (kg: number) => `patient number,date,weight\nC-${number},${day},${kg}\n`
  const before = await warned()
  expect((await bring(world, 'vitals', file(12))).tally).toMatchObject({ imported: 1 })
  const light = await warned()
  expect(light).not.toEqual(before)
  expect(light).toContain('must_not')
})

test('a refusal names the column of the file, also where the cell becomes other fields', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const file = `F-${world.number}`
  const ahead = addDays(dayIn(new Date(), clinicTimeZone()), 400)
  const wrong = {
    vitals: `File number,Date,BP,Pulse\n${file},2026-02-03,80/120,\n${file},2026-02-04,120/80,720\n`,
    visits: `File number,Visit date,Time\n${file},${ahead},09:00\n${file},2026-02-03,25:00\n`,
    appointments: `File number,Date,Hour\n${file},${ahead},25:00\n`,
  }
  const named: unknown[] = []
  for (const [list, text] of Object.entries(wrong)) {
    const { tally } = await bring(world, list as ListName, text)
    for (const { key, values } of tally.rejected) named.push([list, key, values?.['column']])
  }
  expect(named).toEqual([
    ['vitals', 'vitals.diastolicBelow', 'BP'],
    ['vitals', 'validation.tooLarge', 'Pulse'],
    ['visits', 'visits.inFuture', 'Visit date'],
    ['visits', 'imports.reasons.time', 'Time'],
    ['appointments', 'imports.reasons.time', 'Hour'],
  ])
})

test('people are taken back after the lists of their care, and stay if a user wrote for them', async ({
  whole,
}) => {
  const world = await makeWorld(whole)
  const [a, b] = [`N-${world.number}-1`, `N-${world.number}-2`]
  const people = `File number,First name,Surname,Date of birth,Sex
${a},Nour,Salem,1980-01-02,female
${b},Zaid,Salem,1981-01-02,male
`
  const registered = await bring(world, 'patients', people)
  const visits = `File number,Visit date\n${a},${ago(20)}\n${b},${ago(20)}\n`
  const seen = await bring(world, 'visits', visits)
  const measured = await bring(world, 'vitals', `File number,Date,Pulse\n${a},${ago(20)},72\n`)
  const zaid = await whole
    .selectFrom('patients')
    .select('id')
    .where('external_patient_id', '=', b)
    .executeTakeFirstOrThrow()
  const own = await makeFactories(whole).vital({ patient_id: zaid.id })
  await sql`select soft_delete('patient_vitals', ${own.id}, 'own', null)`.execute(whole)

  for (const { id } of [measured, seen]) await undo(world, id)
  expect(await undo(world, registered.id)).toMatchObject({
    undone: 1,
    left: [{ key: 'imports.reasons.usedAfterwards', count: 1 }],
  })
  const { rows } = await sql`select external_patient_id as number from patients
    where external_patient_id in (${a}, ${b}) and not is_deleted`.execute(whole)
  expect(rows).toEqual([{ number: b }])
})
