import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect, vi } from 'vitest'
import { test } from '../../../../test/harness'
import { FORM, history, writeHistory } from '../../../../test/random-history'
import { everything, SlowReport } from '../../../../test/slow-reports'
import { loadAllCellRows, runCells } from './cells.server'
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
import { type ReportSource, SOURCES as KNOWN } from './fields'
import { CELL_KINDS, type CellKind, kindOfCell } from './kinds/all'
import { readPeriod } from './period'

const ZONES = ['UTC', 'Asia/Damascus', 'America/Havana', 'Africa/Cairo', 'Pacific/Apia']

const DRUG: Record<string, [Comparison[1], Value[]]> = {
  'drug.ingredients': ['has', ['amlodipine', 'metformin', ['Amlodipine', 'aspirin']]],
  'drug.strength_mg': ['is', [5, 10]],
  'drug.route': ['is', ['oral', 'intravenous']],
}
/** What can be asked of each source, and values on both sides of what histories hold. */
const FIELDS: Partial<Record<ReportSource, Record<string, [Comparison[1], Value[]]>>> = {
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
  vitals: { 'vital.weight_kg': ['above', [10, 60]] },
  deaths: {},
  referrals: { 'referral.urgency': ['is', ['routine', 'urgent']] },
  appointments: {
    'appointment.status': ['is', ['pending', 'completed']],
    'appointment.is_missed': ['is', [true, false]],
    'appointment.wait_minutes': ['atLeast', [10, 30]],
  },
  prescribed: {
    ...DRUG,
    'item.status': ['is', ['active', 'cancelled']],
    'item.quantity': ['above', [5, 10]],
  },
  dispensed: { ...DRUG, 'dispensed.quantity': ['below', [0, 10]] },
  movements: {
    ...DRUG,
    'movement.type': ['in', [['dispensed', 'returned'], ['received']]],
    'movement.reference': ['is', ['dispensing']],
    'movement.quantity': ['above', [0, 20]],
  },
  stock: { ...DRUG, 'stock.usable': ['above', [0]], 'stock.expires_in_days': ['atMost', [-1, 90]] },
  shortfalls: { ...DRUG, 'shortfall.is_open': ['is', [true, false]] },
}
/** What is added up, or has a median. */
const NUMBERS: [ReportSource, string][] = [
  ['bp', 'bp.systolic'],
  ['vitals', 'vital.weight_kg'],
  ['prescribed', 'item.quantity'],
  ['dispensed', 'dispensed.quantity'],
  ['dispensed', 'dispensed.days_supply'],
  ['movements', 'movement.quantity'],
  ['movements', 'movement.quantity_out'],
  ['stock', 'stock.quantity'],
  ['stock', 'stock.usable'],
  ['shortfalls', 'shortfall.quantity'],
  ['appointments', 'appointment.wait_minutes'],
]
const COMMON: Record<string, [Comparison[1], Value[]]> = {
  'patient.sex': ['is', ['male', 'female', 'unknown']],
  'patient.age_months': ['below', [0, 12, 60, 216]],
  'patient.age_years': ['atLeast', [0, 5, 18]],
  'patient.is_dead': ['is', [true, false]],
}
const SOURCES = Object.keys(FIELDS) as ReportSource[]
const OF_PATIENTS = SOURCES.filter((source) => KNOWN[source].perPatient)

const windows: fc.Arbitrary<Window> = fc.constantFrom<Window>(
  'period',
  { months: 3 },
  { months: 12 },
  { quarter: 'last' },
  { before: 'period' },
  { until: 'periodEnd' },
)
const windowOf = (source: ReportSource) =>
  source === 'patient_states'
    ? fc.constant('period' as const)
    : source === 'stock'
      ? fc.constantFrom<Window>('period', { until: 'periodEnd' })
      : windows

const comparisonOf = (source: ReportSource): fc.Arbitrary<Test> =>
  fc
    .constantFrom(...Object.entries({ ...(KNOWN[source].perPatient && COMMON), ...FIELDS[source] }))
    .chain(([field, [op, values]]) =>
      fc.constantFrom(...values).map((value): Test => [field, op, value]),
    )

const testOf = (source: ReportSource, depth: number): fc.Arbitrary<Test> => {
  const leaf = comparisonOf(source)
  if (depth === 0) return leaf
  const inner = fc.constantFrom(...OF_PATIENTS)
  const ofRow = (window: fc.Arbitrary<Window>) =>
    fc.oneof(
      { weight: 3, arbitrary: window },
      { weight: 1, arbitrary: fc.constant<Window>('visit') },
      { weight: 1, arbitrary: fc.constant<Window>({ days: [0, 15], after: 'row.day' }) },
    )
  const within = (each: ReportSource) =>
    each === 'patient_states' ? windowOf(each) : ofRow(windowOf(each))
  const plain: [fc.WeightedArbitrary<Test>, ...fc.Arbitrary<Test>[]] = [
    { weight: 3, arbitrary: leaf },
    fc.array(testOf(source, depth - 1), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(testOf(source, depth - 1), { minLength: 1, maxLength: 2 }).map((any) => ({ any })),
    testOf(source, depth - 1).map((not) => ({ not })),
  ]
  if (!KNOWN[source].perPatient) return fc.oneof(...plain)
  return fc.oneof(
    ...plain,
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

const counts: fc.Arbitrary<Cell> = fc.constantFrom(...SOURCES).chain((count) =>
  fc.record({
    count: fc.constant(count),
    distinct: fc.constantFrom(
      undefined,
      undefined,
      'day' as const,
      ...(KNOWN[count].perPatient ? (['patient', 'clinic'] as const) : []),
      ...(count === 'prescribed' ? (['prescription'] as const) : []),
      ...(count === 'visits' ? (['provider_day'] as const) : []),
    ),
    where: fc.option(testOf(count, 2), { nil: undefined }),
    in: windowOf(count),
  }),
)
const numbers: fc.Arbitrary<Cell> = fc.constantFrom(...NUMBERS).chain(([of, field]) =>
  fc
    .record({
      isSum: fc.boolean(),
      where: fc.option(testOf(of, 1), { nil: undefined }),
      in: windowOf(of),
    })
    .map(({ isSum, ...rest }) =>
      isSum ? { sum: field, of, ...rest } : { median: field, of, ...rest },
    ),
)
const stockDays: fc.Arbitrary<Cell> = fc
  .record({
    ofDay: fc.constantFrom<Test>(['stock.usable', 'atMost', 0], ['stock.quantity', 'above', 20], {
      not: ['stock.usable', 'below', 60],
    }),
    drug: comparisonOfDrug(),
    in: fc.constantFrom<Window>('period', { months: 3 }, { until: 'periodEnd' }),
  })
  .map(({ ofDay, drug, in: window }) => ({
    days: 'stock',
    each: 'clinic',
    where: { all: [ofDay, drug] },
    in: window,
  }))
function comparisonOfDrug(): fc.Arbitrary<Test> {
  return fc
    .constantFrom(...Object.entries(DRUG))
    .chain(([field, [op, values]]) =>
      fc.constantFrom(...values).map((value): Test => [field, op, value]),
    )
}

/** Measures `c0` to `c7`: counts, numbers and days. */
const cells = fc
  .tuple(
    fc.array(counts, { minLength: 5, maxLength: 5 }),
    fc.array(numbers, { minLength: 2, maxLength: 2 }),
    fc.array(stockDays, { minLength: 1, maxLength: 1 }),
  )
  .map((all) => all.flat())
/** Arithmetic over them. */
const COMPOSED: Cell[] = [
  { ratio: ['c0', 'c1'], times: 100, cap: 150 },
  { ratio: ['c5', 'c0'], times: 1, share: 1.4 },
  { ratio: ['c5', 'c7'], times: 'month' },
  { add: ['c0', 'c6', 'c7'] },
  { add: ['c0', 'c6', 'c7'], counts: 'known' },
  { add: ['c0', 'c6', 'c7'], counts: 'zero' },
  { weighted: { c5: 0.5, c6: 2, c7: 1 } },
  { subtract: ['c0', 'c5'] },
  { clinics: 'c0', is: ['atLeast', 1] },
  { clinics: 'c5', is: ['below', 1] },
  { clinics: 'c7', is: ['above', 3] },
  { clinics: 'c7', is: ['atMost', 0] },
]

/** What random cells ask too rarely: readings of one day, in the period and of states. */
const CONTROLLED: Test = ['bp.systolic', 'below', 140]
const ALWAYS: Cell[] = [
  { count: 'bp', in: 'period', where: CONTROLLED },
  { count: 'visits', in: 'period', where: { latest: 'bp', in: { months: 3 }, is: CONTROLLED } },
  { count: 'visits', in: 'period', where: { latest: 'bp', in: 'visit', is: CONTROLLED } },
  { count: 'visits', in: 'period', where: ['visit.is_new', 'is', true] },
  { count: 'patient_states', in: 'period', where: ['state.care', 'is', 'under_care'] },
  { count: 'patient_states', in: 'period', where: ['state.overdue', 'is', true] },
  { count: 'visits', in: 'period', distinct: 'provider_day' },
  { sum: 'stock.usable', of: 'stock', in: { until: 'periodEnd' } },
  { sum: 'movement.quantity', of: 'movements', in: { before: 'period' } },
  { median: 'appointment.wait_minutes', of: 'appointments', in: { until: 'periodEnd' } },
  { days: 'stock', each: 'clinic', in: 'period', where: ['stock.usable', 'atMost', 0] },
  { days: 'stock', each: 'clinic', in: { before: 'period' }, where: ['stock.usable', 'above', 0] },
]

// a cell that is like another is that other one; a manual one is entered
const NOT_COMPUTED = new Set<CellKind>(['like', 'manual'])
test('each kind of cell is compared with its value without SQL, and is in docs/reports.md', () => {
  const met = new Set([...fc.sample(cells, 100).flat(), ...COMPOSED, ...ALWAYS].map(kindOfCell))
  const computed = CELL_KINDS.filter((kind) => !NOT_COMPUTED.has(kind))
  expect(computed.filter((kind) => !met.has(kind))).toEqual([])
  const documents = readFileSync('docs/reports.md', 'utf8')
  expect(CELL_KINDS.filter((kind) => !documents.includes(`"${kind}"`))).toEqual([])
})

const names = { en: 'Name' }
const definitionOf = (
  measures: Cell[],
  bp_of_day: ReportDefinition['bp_of_day'],
): ReportDefinition => ({
  code: 'test',
  bp_of_day,
  names,
  period: 'month',
  measures: Object.fromEntries(measures.map((measure, at) => [`c${at}`, measure])),
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
      rows: [...measures.map((_, at) => `c${at}`), ...ALWAYS].map((measure, at) => ({
        id: `r${at}`,
        names,
        measure,
      })),
    },
    {
      id: 'composed',
      names,
      rows: COMPOSED.map((measure, at) => ({ id: `r${at}`, names, measure })),
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

/** `npm run prove -- cells`: so many cells are compared, each over both clinics. */
const WANTED = Number(process.env['SANAD_REPORT_CELLS'] ?? 0)
if (WANTED > 0) vi.setConfig({ testTimeout: 3_600_000 })
/** At least so many cells has a definition; a few are refused for their size. */
const OF_ONE = 100

test('reports equal a slow version without SQL, over generated histories and definitions', async ({
  db,
  make,
}) => {
  const clinics = [(await make.clinic()).id, (await make.clinic()).id]
  const drugs = [
    await make.drug({ ingredients: ['amlodipine'], dosage_quantity: 5 }),
    await make.drug({ ingredients: ['amlodipine'], dosage_quantity: 0.01, dosage_units: 'g' }),
    await make.drug({
      ingredients: ['metformin', 'amlodipine'],
      route: 'intravenous',
      dosage_quantity: 5,
      ingredient_strengths: '5 mg + 500 mg',
    }),
  ]
  const batches = []
  for (const [drug, expiry_date] of [
    [0, '2026-10-20'],
    [0, '2027-01-29'],
    [1, '2026-10-31'],
    [2, '2026-11-01'],
  ] as const)
    batches.push(await make.batch({ drug_id: drugs[drug]!.id, expiry_date }))
  const shared = {
    clinics,
    provider: (await make.user()).id,
    drugs: drugs.map(({ id }) => id),
    batches,
  }
  const fields = [{ id: 'dx', fieldType: 'diagnosis' }]
  await make.eventForm({ id: FORM, form_fields: JSON.stringify(fields) })
  const concepts = { 'sugar.fasting': 'fasting', hba1c: 'hba1c', 'anc.contact': 'contact' }
  for (const [concept, field_id] of Object.entries(concepts))
    await db
      .insertInto('report_bindings')
      .values({ id: uuidv7(), concept, form_id: FORM, field_id })
      .execute()
  let [counted, ran, compared] = [0, 0, 0]
  await fc.assert(
    fc.asyncProperty(
      history,
      cells,
      fc.constantFrom(...ZONES),
      fc.constantFrom('2026-10', '2026-10', '2026-09'),
      WANTED > 0 ? fc.constant([0, 1]) : fc.constantFrom([0], [0, 1]),
      fc.constantFrom('last' as const, 'mean' as const),
      async (history, measures, zone, period, places, bpOfDay) => {
        const definition = definitionOf(measures, bpOfDay)
        if (checkDefinition(definition).length > 0 || (WANTED > 0 && compared >= WANTED)) return
        ran += 1
        await sql`savepoint history`.execute(db)
        try {
          await writeHistory(db, history, shared)
          const run = {
            definition,
            clinicIds: places.map((at) => clinics[at]!),
            period: readPeriod(period, zone)!,
            zone,
            manual: new Map<string, number>(),
            now: new Date('2026-11-20T00:00:00Z'),
          }
          const found = await runCells(db, run)
          const values = Object.fromEntries(found.cells.map((each) => [cellKey(each), each.value]))
          expect(values).toEqual(new SlowReport(await everything(db), run).values())
          compared += found.cells.length
          const rows = await loadAllCellRows(db, run)
          const isPlain = ({ section }: { section: string }) => section !== 'composed'
          expect(rows.filter(isPlain).map(({ ids }) => ids.length)).toEqual(
            found.cells.filter(isPlain).map((each) => each.rows),
          )
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
    {
      numRuns: WANTED > 0 ? Math.ceil((WANTED / OF_ONE) * 1.5) : 15,
      seed: Number(process.env['SANAD_REPORT_SEED'] ?? 20),
      endOnFailure: true,
    },
  )
  if (WANTED > 0) process.stdout.write(`${compared} cells of ${ran} reports compared: 0 differ\n`)
  expect(compared).toBeGreaterThanOrEqual(WANTED)
  // few cells may all be empty
  if (compared >= 1_000) expect(counted).toBeGreaterThan(100)
  // few definitions are refused for their size
  expect(ran).toBeGreaterThan(WANTED > 0 ? 0 : 10)
})
