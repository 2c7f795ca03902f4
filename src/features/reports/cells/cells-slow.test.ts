import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { test } from '../../../../test/harness'
import { everything, SlowReport } from '../../../../test/slow-reports'
import { rowsOfAll, runCells } from './cells.server'
import {
  type Cell,
  cellKey,
  checkDefinition,
  type Comparison,
  type ReportDefinition,
  type Test,
  type Value,
  type Window,
} from './definition'
import type { Source } from './fields'
import { readPeriod } from './period'

const FORM = '01900000-0000-7000-8000-0000000f0001'
const ZONES = ['UTC', 'Asia/Damascus', 'America/Havana', 'Africa/Cairo', 'Pacific/Apia']
const CODES = ['I10', 'E11.9', 'J06', 'A09', 'B54', 'b50.9', 'T63', 'S01', 'Z00', '']

/** What can be asked of each source, and values on both sides of what histories hold. */
const FIELDS: Partial<Record<Source, Record<string, [Comparison[1], Value[]]>>> = {
  visits: {
    'visit.is_new': ['is', [true, false]],
    'visit.weekday': ['atMost', [1, 5]],
    'visit.hour': ['atLeast', [1, 12, 23]],
  },
  cases: {
    'case.code': ['inGroup', ['malaria', 'chronic', 'injury', 'other']],
    'case.is_new': ['is', [true, false]],
    'case.is_grouped': ['is', [true, false]],
    'visit.is_new': ['is', [true]],
  },
  registrations: {},
  patient_states: {
    'state.program': ['is', ['hypertension', 'diabetes', 'pregnancy']],
    'state.care': ['is', ['under_care', 'lost']],
    'state.months_enrolled': ['atLeast', [0, 1, 3, 12]],
    'state.quarters_enrolled': ['is', [0, 1, 2]],
    'state.overdue': ['is', [true, false]],
    'state.dead': ['is', [true, false]],
    'state.ended_in_period': ['is', [true]],
  },
  bp: { 'bp.systolic': ['below', [140, 130]], 'bp.diastolic': ['atLeast', [80, 90]] },
  sugars: { 'sugar.kind': ['in', ['fasting', 'hba1c']], 'sugar.value': ['below', [7, 126, 200]] },
  events: {
    'event.concept': ['is', ['sugar.fasting', 'hba1c', 'anc.contact']],
    'event.number': ['above', [7, 126]],
  },
  doses: { 'dose.vaccine': ['is', ['penta', 'mr']], 'dose.number': ['atMost', [1, 2]] },
  calls: {
    'call.program': ['is', ['hypertension', 'diabetes']],
    'call.is_first': ['is', [true, false]],
    'call.result': ['is', ['agreed_to_visit', 'removed_from_overdue_list']],
  },
}
const COMMON: Record<string, [Comparison[1], Value[]]> = {
  'patient.sex': ['is', ['male', 'female', 'unknown']],
  'patient.age_months': ['below', [0, 12, 60, 216]],
  'patient.age_years': ['atLeast', [0, 5, 18]],
  'patient.is_dead': ['is', [true, false]],
}
const SOURCES = Object.keys(FIELDS) as Source[]

const windows: fc.Arbitrary<Window> = fc.constantFrom<Window>(
  'period',
  { months: 3 },
  { months: 12 },
  { quarter: 'last' },
  { before: 'period' },
  { until: 'periodEnd' },
)
const windowOf = (source: Source) =>
  source === 'patient_states' ? fc.constant('period' as const) : windows

const comparisonOf = (source: Source): fc.Arbitrary<Test> =>
  fc
    .constantFrom(...Object.entries({ ...COMMON, ...FIELDS[source] }))
    .chain(([field, [op, values]]) =>
      fc.constantFrom(...values).map((value): Test => [field, op, value]),
    )

const testOf = (source: Source, depth: number): fc.Arbitrary<Test> => {
  const leaf = comparisonOf(source)
  if (depth === 0) return leaf
  const inner = fc.constantFrom(...SOURCES)
  const ofRow = (window: fc.Arbitrary<Window>) =>
    fc.oneof(
      { weight: 3, arbitrary: window },
      { weight: 1, arbitrary: fc.constant<Window>('visit') },
      { weight: 1, arbitrary: fc.constant<Window>({ days: [0, 15], after: 'row.day' }) },
    )
  const within = (each: Source) =>
    each === 'patient_states' ? windowOf(each) : ofRow(windowOf(each))
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    fc.array(testOf(source, depth - 1), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(testOf(source, depth - 1), { minLength: 1, maxLength: 2 }).map((any) => ({ any })),
    testOf(source, depth - 1).map((not) => ({ not })),
    inner.chain((exists) =>
      fc.record({
        exists: fc.constant(exists),
        where: fc.option(testOf(exists, depth - 1), { nil: undefined }),
        in: within(exists),
      }),
    ),
    inner.chain((latest) =>
      fc.record({ latest: fc.constant(latest), in: within(latest), is: testOf(latest, depth - 1) }),
    ),
    fc.integer({ min: 1, max: 3 }).map((is) => ({ nth: source, is })),
  )
}

const cell: fc.Arbitrary<Cell> = fc.constantFrom(...SOURCES).chain((count) =>
  fc.record({
    count: fc.constant(count),
    distinct: fc.constantFrom(undefined, undefined, ...(['patient', 'day', 'clinic'] as const)),
    where: fc.option(testOf(count, 2), { nil: undefined }),
    in: windowOf(count),
  }),
)

/** What random cells ask too rarely: readings of one day, in the period and of states. */
const CONTROLLED: Test = ['bp.systolic', 'below', 140]
const ALWAYS: Cell[] = [
  { count: 'bp', in: 'period', where: CONTROLLED },
  { count: 'visits', in: 'period', where: { latest: 'bp', in: { months: 3 }, is: CONTROLLED } },
  { count: 'visits', in: 'period', where: { latest: 'bp', in: 'visit', is: CONTROLLED } },
  { count: 'visits', in: 'period', where: ['visit.is_new', 'is', true] },
  { count: 'patient_states', in: 'period', where: ['state.care', 'is', 'under_care'] },
  { count: 'patient_states', in: 'period', where: ['state.overdue', 'is', true] },
]

const names = { en: 'Name' }
const definitionOf = (cells: Cell[]): ReportDefinition => ({
  code: 'test',
  names,
  period: 'month',
  groups: {
    malaria: { icd10: ['B50-B54'], episode_days: 14 },
    chronic: { icd10: ['I10-I15', 'E10-E14'] },
    injury: { icd10: ['S00-T98'], episode_days: 30 },
    other: { icd10: ['A00-Z99'], except: ['malaria', 'chronic', 'injury'], episode_days: 7 },
  },
  axes: {
    age: [{ id: 'u5', to: 60 }, { id: 'o5', from: 60 }, { id: 'unknown' }],
    sex: ['male', 'female', 'unknown'],
    seen: [
      { id: 'new', where: ['case.is_new', 'is', true] },
      { id: 'again', where: ['case.is_new', 'is', false] },
    ],
  },
  sections: [
    {
      id: 'any',
      names,
      rows: [...cells, ...ALWAYS].map((measure, at) => ({ id: `r${at}`, names, measure })),
    },
    {
      id: 'cases',
      names,
      exclusive: true,
      measure: { count: 'cases', in: 'period' },
      columns: { cross: ['age', 'sex', 'seen'], total: true },
      rows: [
        { id: 'malaria', names, where: ['case.code', 'inGroup', 'malaria'] },
        { id: 'injury', names, where: ['case.code', 'inGroup', 'injury'] },
        { id: 'chronic', names, where: ['case.code', 'inGroup', 'chronic'] },
        { id: 'other', names, where: ['case.code', 'inGroup', 'other'] },
        { id: 'rest', names },
      ],
    },
    {
      id: 'all-cases',
      names,
      rows: [{ id: 'all', names, measure: { count: 'cases', in: 'period' } }],
    },
  ],
})

// A history --------------------------------------------------------------------------------------

/** Days from 1 October 2026, most of them near the edges of months, and minutes near midnight somewhere. */
const instant = fc
  .tuple(
    fc.oneof(
      { weight: 1, arbitrary: fc.integer({ min: -420, max: 45 }) },
      { weight: 3, arbitrary: fc.constantFrom(-31, -1, 0, 1, 14, 15, 30, 31) },
    ),
    fc.constantFrom(0, 1, 240, 299, 300, 660, 780, 1259, 1260, 1319, 1320, 1439),
  )
  .map(([day, minute]) => new Date(Date.UTC(2026, 9, 1) + (day * 1440 + minute) * 60_000))
const dayOf = (at: Date) => at.toISOString().slice(0, 10)

const DELETED = [
  'visits',
  'patient_problems',
  'patient_vitals',
  'events',
  'program_enrollments',
  'patient_immunizations',
  'appointments',
] as const

const few = <T>(each: fc.Arbitrary<T>, maxLength: number) => fc.array(each, { maxLength })
const patientNo = fc.nat(3)
const visitNo = fc.option(fc.nat(9), { nil: null })

const history = fc.record({
  patients: fc.array(
    fc.record({
      sex: fc.constantFrom('male', 'Female', 'hombre', 'x', null),
      date_of_birth: fc.constantFrom('2024-02-29', '2021-10-31', '2021-09-30', '1980-05-17', null),
      phone: fc.constantFrom('0912345678', '٠٩١٢٣٤٥٦٧٨', '१२३४५६७८', '1234567', null),
      died_on: fc.constantFrom(null, null, null, '2026-10-31', '2026-11-01', '2026-09-30'),
      created_at: instant,
      clinic: fc.nat(1),
    }),
    { minLength: 4, maxLength: 4 },
  ),
  visits: fc.array(
    fc.record({
      patient: patientNo,
      clinic: fc.nat(1),
      at: instant,
      is_revisit: fc.constantFrom(null, null, null, true, false),
    }),
    { minLength: 10, maxLength: 10 },
  ),
  problems: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      code: fc.constantFrom(...CODES.filter(Boolean)),
      status: fc.constantFrom('confirmed', 'provisional', 'refuted'),
      at: instant,
    }),
    10,
  ),
  vitals: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      systolic: fc.constantFrom(120, 139, 140, 180, null),
      diastolic: fc.constantFrom(79, 89, 90, 110),
      at: instant,
    }),
    12,
  ),
  events: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      code: fc.option(fc.constantFrom(...CODES), { nil: null }),
      fasting: fc.constantFrom(null, '110', '126', '210'),
      hba1c: fc.constantFrom(null, '6.9', '7', '9.5'),
      contact: fc.boolean(),
      at: instant,
    }),
    8,
  ),
  enrollments: few(
    fc.record({
      patient: patientNo,
      program: fc.constantFrom('hypertension', 'diabetes', 'pregnancy'),
      clinic: fc.nat(1),
      at: instant,
      days: fc.constantFrom(null, null, 30, 300),
      review_days: fc.constantFrom(null, 60),
    }),
    6,
  ),
  doses: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      clinic: fc.nat(1),
      vaccine: fc.constantFrom('penta', 'mr'),
      number: fc.constantFrom(null, 1, 2, 3),
      at: instant.filter((at) => at < new Date('2026-11-01')),
    }),
    5,
  ),
  appointments: few(
    fc.record({
      patient: patientNo,
      at: instant,
      created_at: instant,
      status: fc.constantFrom('pending', 'confirmed', 'cancelled', 'completed'),
    }),
    6,
  ),
  calls: few(
    fc.record({
      patient: patientNo,
      program: fc.constantFrom('hypertension', 'diabetes'),
      clinic: fc.nat(1),
      at: instant,
      isRemoved: fc.boolean(),
      isCountered: fc.boolean(),
    }),
    6,
  ),
  /** whose record is merged into whose */
  merged: fc.constantFrom<number[][]>(
    [],
    [],
    [[1, 0]],
    [
      [2, 1],
      [1, 0],
    ],
  ),
  /** every so many rows of a table are deleted */
  deleted: few(fc.tuple(fc.constantFrom(...DELETED), fc.integer({ min: 2, max: 4 })), 2),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

async function write(db: Kysely<DB>, history: History, clinics: string[]) {
  const ids = history.patients.map(() => uuidv7())
  const of = (patient: number) => ids[patient]!
  const visits = history.visits.map((visit) => ({ ...visit, id: uuidv7() }))
  /** A row of a visit is of the visit's patient. */
  const placed = (patient: number, visit: number | null) =>
    visit === null
      ? { patient_id: of(patient), visit_id: null }
      : { patient_id: of(visits[visit]!.patient), visit_id: visits[visit]!.id }
  const insert = async <T extends keyof DB>(table: T, rows: object[]) => {
    if (rows.length > 0)
      await db
        .insertInto(table as 'visits')
        .values(rows as never)
        .execute()
  }
  await insert(
    'patients',
    history.patients.map(({ clinic, died_on: _, ...patient }, at) => ({
      ...patient,
      id: ids[at],
      given_name: 'A',
      primary_clinic_id: clinics[clinic],
    })),
  )
  await insert(
    'visits',
    visits.map(({ id, patient, clinic, at, is_revisit }) => ({
      id,
      patient_id: of(patient),
      clinic_id: clinics[clinic],
      check_in_timestamp: at,
      is_revisit,
    })),
  )
  await insert(
    'patient_problems',
    history.problems.map(({ patient, visit, code, status, at }) => ({
      id: uuidv7(),
      ...placed(patient, visit),
      problem_code_system: 'icd10',
      problem_code: code,
      problem_label: 'x',
      verification_status: status,
      created_at: at,
    })),
  )
  await insert(
    'patient_vitals',
    history.vitals.map(({ patient, visit, systolic, diastolic, at }) => ({
      id: uuidv7(),
      ...placed(patient, visit),
      timestamp: at,
      systolic_bp: systolic,
      diastolic_bp: diastolic,
    })),
  )
  await insert(
    'events',
    history.events.map(({ patient, visit, code, fasting, hba1c, contact, at }) => ({
      id: uuidv7(),
      ...placed(patient, visit),
      form_id: FORM,
      created_at: at,
      form_data: JSON.stringify(
        Object.entries({
          dx: code === null ? null : [{ code, desc: 'x' }],
          fasting,
          hba1c,
          contact: contact ? 'yes' : null,
        })
          .filter(([, value]) => value !== null)
          .map(([fieldId, value]) => ({ fieldId, name: fieldId, value })),
      ),
    })),
  )
  const seen = new Set<string>()
  await insert(
    'program_enrollments',
    history.enrollments.flatMap(({ patient, program, clinic, at, days, review_days }) => {
      if (seen.has(`${patient} ${program}`)) return []
      seen.add(`${patient} ${program}`)
      const ended = days === null ? null : dayOf(new Date(at.getTime() + days * 86_400_000))
      return {
        id: uuidv7(),
        patient_id: of(patient),
        program,
        clinic_id: clinics[clinic],
        enrolled_on: dayOf(at),
        ended_on: ended,
        end_reason: ended && 'moved',
        lmp: program === 'pregnancy' ? dayOf(at) : null,
        review_days,
      }
    }),
  )
  await insert(
    'patient_immunizations',
    history.doses.map(({ patient, visit, clinic, vaccine, number, at }) => ({
      id: uuidv7(),
      ...placed(patient, visit),
      clinic_id: clinics[clinic],
      vaccine,
      dose_number: number,
      given_on: dayOf(at),
    })),
  )
  await insert(
    'appointments',
    history.appointments.map(({ patient, at, created_at, status }) => ({
      id: uuidv7(),
      patient_id: of(patient),
      clinic_id: clinics[0],
      timestamp: at,
      created_at,
      status,
    })),
  )
  const calls = history.calls.map((call) => ({ ...call, id: uuidv7() }))
  const called = ({ patient, program, clinic, at, isRemoved }: (typeof calls)[number]) => ({
    patient_id: of(patient),
    program,
    schedule_code: 'review',
    step: 'review',
    due_on: dayOf(at),
    clinic_id: clinics[clinic],
    called_at: at,
    ...(isRemoved
      ? { result: 'removed_from_overdue_list', reason: 'other', agreed_on: null }
      : { result: 'agreed_to_visit', reason: null, agreed_on: dayOf(at) }),
  })
  await insert(
    'follow_up_calls',
    calls.map((call) => ({ id: call.id, counters_id: null, ...called(call) })),
  )
  await insert(
    'follow_up_calls',
    calls.flatMap((call) =>
      call.isCountered ? [{ id: uuidv7(), counters_id: call.id, ...called(call) }] : [],
    ),
  )
  await merges(db, ids, history)
  for (const [table, every] of history.deleted)
    await sql`update ${sql.table(table)} set is_deleted = true where id in (
      select id from (select id, row_number() over (order by id) as at from ${sql.table(table)}
        where not is_deleted) rows where at % ${every} = 0)`.execute(db)
  await deaths(db, ids, history)
}

/** As `patients.merge` does it. */
async function merges(db: Kysely<DB>, ids: string[], { merged }: History) {
  for (const [loser, winner] of merged) {
    await sql`select move_patient_rows(${ids[loser!]}::uuid, ${ids[winner!]}::uuid)`.execute(db)
    await db
      .insertInto('patient_merges')
      .values({
        id: uuidv7(),
        loser_id: ids[loser!]!,
        winner_id: ids[winner!]!,
        moved: '[]',
        kept: '[]',
        links: '{}',
        changed: '{}',
        replaced: '[]',
      })
      .execute()
  }
}

/** After the rest: a patient who has died gets no appointments. */
async function deaths(db: Kysely<DB>, ids: string[], history: History) {
  for (const [at, { died_on }] of history.patients.entries())
    if (died_on)
      await db.updateTable('patients').set({ died_on }).where('id', '=', ids[at]!).execute()
}

test('reports equal a slow version without SQL, over generated histories and definitions', async ({
  db,
  make,
}) => {
  const clinics = [(await make.clinic()).id, (await make.clinic()).id]
  const fields = [{ id: 'dx', fieldType: 'diagnosis' }]
  await make.eventForm({ id: FORM, form_fields: JSON.stringify(fields) })
  const concepts = { 'sugar.fasting': 'fasting', hba1c: 'hba1c', 'anc.contact': 'contact' }
  for (const [concept, field_id] of Object.entries(concepts))
    await db
      .insertInto('report_bindings')
      .values({ id: uuidv7(), concept, form_id: FORM, field_id })
      .execute()
  let counted = 0
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(cell, { minLength: 6, maxLength: 6 }),
      fc.constantFrom(...ZONES),
      fc.constantFrom('2026-10', '2026-10', '2026-09'),
      fc.constantFrom([0], [0, 1]),
      async (history, cells, zone, period, ran) => {
        const definition = definitionOf(cells)
        if (checkDefinition(definition).length > 0) return
        await sql`savepoint history`.execute(db)
        try {
          await write(db, history, clinics)
          const run = {
            definition,
            clinicIds: ran.map((at) => clinics[at]!),
            period: readPeriod(period, zone)!,
            zone,
            manual: new Map<string, number>(),
            now: new Date('2026-11-20T00:00:00Z'),
          }
          const found = await runCells(db, run)
          const values = Object.fromEntries(found.cells.map((each) => [cellKey(each), each.value]))
          expect(values).toEqual(new SlowReport(await everything(db), run).values())
          const rows = await rowsOfAll(db, run)
          expect(rows.map(({ ids }) => ids.length)).toEqual(found.cells.map(({ value }) => value))
          // a total is the sum of its columns with unknown, and the rows of an exclusive section are all cases
          const ofCases = found.cells.filter(({ section }) => section === 'cases')
          const sum = (isTotal: boolean) =>
            ofCases
              .filter(({ column }) => (column === 'total') === isTotal)
              .reduce((total, { value }) => total + (value ?? 0), 0)
          expect(sum(false)).toBe(sum(true))
          expect(sum(true)).toBe(values['all-cases/all/value'])
          expect(found.notPlaced).toEqual({ cases: 0 })
          counted += Object.values(values).reduce<number>((total, each) => total + (each ?? 0), 0)
        } finally {
          await sql`rollback to savepoint history`.execute(db)
        }
      },
    ),
    { numRuns: Number(process.env['SANAD_REPORT_RUNS'] ?? 15), seed: 20, endOnFailure: true },
  )
  expect(counted).toBeGreaterThan(100)
})
