import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { test } from '../../../../test/harness'
import {
  type CellsOfRun,
  readOnly,
  loadCellRows,
  loadAllCellRows,
  type ReportRun,
  runCells,
} from './cells.server'
import {
  type Cell,
  cellKey,
  definitionCells,
  checkDefinition,
  type ReportDefinition,
  type Test,
  type Value,
  type Window,
} from './definition'
import { type FieldSpec, sourceFields, type Op, opsOf, SOURCES, sourceNames } from './fields'
import { readPeriod } from './period'

const SEX: ReportDefinition['axes'] = { sex: ['male', 'female', 'unknown'] }
const AGES: ReportDefinition['axes'] = {
  age: [{ id: 'u5', to: 60 }, { id: 'o5', from: 60 }, { id: 'unknown' }],
}

const definitionOf = (
  parts: Partial<ReportDefinition> & Pick<ReportDefinition, 'sections'>,
): ReportDefinition => ({ code: 'test', names: { en: 'Test' }, period: 'month', ...parts })

const runOf = (
  definition: ReportDefinition,
  clinicIds: string[],
  period = '2026-10',
  zone = 'UTC',
): ReportRun => {
  expect(checkDefinition(definition)).toEqual([])
  return {
    definition,
    clinicIds,
    period: readPeriod(period, zone)!,
    zone,
    manual: new Map(),
    now: new Date('2026-11-05T10:00:00Z'),
  }
}

const valuesOf = ({ cells }: CellsOfRun) =>
  Object.fromEntries(cells.map((cell) => [cellKey(cell), cell.value]))

/** The values by cell; each count has as many rows behind it. */
async function computed(db: Kysely<DB>, run: ReportRun) {
  const found = await runCells(db, run)
  const rows = await loadAllCellRows(db, run)
  expect(rows.map(({ section, row, column }) => ({ section, row, column }))).toEqual(
    definitionCells(run.definition),
  )
  for (const [at, { ids, patientIds }] of rows.entries()) {
    expect(ids).toHaveLength(found.cells[at]!.rows)
    expect(patientIds).toHaveLength(ids.length)
  }
  return found
}

test('visits are counted by sex and age, with those that have neither', async ({ db, make }) => {
  const clinic = await make.clinic()
  const at = { clinic_id: clinic.id, check_in_timestamp: new Date('2026-10-10T09:00:00Z') }
  const girl = await make.patient({ sex: 'Female', date_of_birth: '2024-02-29' })
  const man = await make.patient({ sex: 'hombre', date_of_birth: '1980-01-01' })
  const unknown = await make.patient({ sex: null, date_of_birth: null })
  for (const { id } of [girl, man, unknown]) await make.visit({ ...at, patient_id: id })
  await make.visit({ ...at, patient_id: girl.id, check_in_timestamp: '2026-11-01T00:00:00Z' })
  await make.visit({ ...at, patient_id: girl.id, is_deleted: true })
  await make.visit({ ...at, patient_id: girl.id, clinic_id: (await make.clinic()).id })
  const definition = definitionOf({
    axes: { ...SEX, ...AGES },
    measures: { visits: { count: 'visits', in: 'period' } },
    sections: [
      {
        id: 's',
        names: { en: 'Visits' },
        columns: { cross: ['age', 'sex'], total: true },
        rows: [{ id: 'all', names: { en: 'All' }, measure: 'visits' }],
      },
    ],
  })
  const found = await computed(db, runOf(definition, [clinic.id]))
  const counted = Object.entries(valuesOf(found)).filter(([, value]) => value !== 0)
  expect(Object.fromEntries(counted)).toEqual({
    's/all/u5/female': 1,
    's/all/o5/male': 1,
    's/all/unknown/unknown': 1,
    's/all/total': 3,
  })
  expect(found.notPlaced).toEqual({ s: 0 })
  expect(
    await loadCellRows(db, runOf(definition, [clinic.id]), {
      section: 's',
      row: 'all',
      column: 'u5/female',
    }),
  ).toMatchObject({ source: 'visits', patientIds: [girl.id] })
})

test('two codes of a group in a visit are one case, and the first row takes a code', async ({
  db,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ sex: 'male', date_of_birth: '2023-01-01' })
  const visitAt = (day: string) =>
    make.visit({
      clinic_id: clinic.id,
      patient_id: patient.id,
      check_in_timestamp: `${day}T09:00:00Z`,
    })
  const had = (visit_id: string, code: string, more = {}) =>
    make.problem({
      patient_id: patient.id,
      visit_id,
      problem_code_system: 'icd10',
      problem_code: code,
      ...more,
    })
  const earlier = await visitAt('2026-09-25')
  await had(earlier.id, 'B54')
  const visit = await visitAt('2026-10-09')
  await had(visit.id, 'B50.9')
  await had(visit.id, 'B52')
  await had(visit.id, 'H10.9')
  await had(visit.id, 'A03', { verification_status: 'refuted' })
  const later = await visitAt('2026-10-24')
  await had(later.id, 'b54')
  const definition = definitionOf({
    groups: {
      malaria: { icd10: ['B50-B54'], episode_days: 14 },
      dysentery: { icd10: ['A03', 'A06'] },
      infections: { icd10: ['A00-B99'], except: ['malaria'] },
    },
    axes: {
      seen: [
        { id: 'new', where: ['case.is_new', 'is', true] },
        { id: 'again', where: ['case.is_new', 'is', false] },
      ],
    },
    measures: { cases: { count: 'cases', in: 'period' } },
    sections: [
      {
        id: 's',
        names: { en: 'Cases' },
        exclusive: true,
        measure: 'cases',
        columns: { axis: 'seen', total: true },
        rows: [
          { id: 'malaria', names: { en: 'Malaria' }, where: ['case.code', 'inGroup', 'malaria'] },
          { id: 'dysentery', names: { en: 'D' }, where: ['case.code', 'inGroup', 'dysentery'] },
          {
            id: 'rest',
            names: { en: 'Other infections' },
            where: ['case.code', 'inGroup', 'infections'],
          },
          { id: 'other', names: { en: 'Other' } },
        ],
      },
      {
        id: 'all',
        names: { en: 'All' },
        measure: 'cases',
        rows: [{ id: 'all', names: { en: 'All' } }],
      },
    ],
  })
  const found = await computed(db, runOf(definition, [clinic.id]))
  expect(valuesOf(found)).toMatchObject({
    // 9 October is 14 days after 25 September, 24 October 15 days after that
    's/malaria/new': 1,
    's/malaria/again': 1,
    's/malaria/total': 2,
    's/dysentery/total': 0,
    's/rest/total': 0,
    's/other/total': 1,
    'all/all/value': 3,
  })
})

/** A value that a field can be compared with. */
const sample = ({ type, options }: FieldSpec, op: Op): Value => {
  if (op === 'isSet') return true
  if (op === 'in') return type === 'number' ? [1, 2] : [options?.[0] ?? 'x']
  if (type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'day') return '2026-10-01'
  return op === 'inGroup' ? 'group' : (options?.[0] ?? 'x')
}

test('each field of each source can be tested by each of its operators, inside other tests too', async ({
  db,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  await make.vital({ patient_id: patient.id, visit_id: visit.id })
  for (const source of sourceNames) {
    const tests: Test[] = Object.entries(sourceFields(source)).flatMap(([name, field]) =>
      opsOf[field.type].map((op): Test => [name, op, sample(field, op)]),
    )
    const isPerPatient = SOURCES[source].perPatient
    const isState = source === 'patient_states' || source === 'stock'
    const windows: Window[] = isState
      ? ['period', { until: 'periodEnd' }]
      : ['period', { months: 3 }, { quarter: 'last' }, { before: 'period' }, { until: 'periodEnd' }]
    const nested: Test[] = isPerPatient
      ? [
          ...tests.map((test): Test => ({ exists: source, where: test, in: 'period' })),
          ...tests.map((test): Test => ({ latest: source, in: 'period', is: test })),
          { nth: source, where: tests[0]!, is: 2 },
          { exists: source, in: isState ? 'period' : { days: [0, 15], after: 'row.day' } },
          { exists: source, in: isState ? 'period' : 'visit' },
        ]
      : []
    const numbers = Object.entries(sourceFields(source)).flatMap(([name, { type }]) =>
      type === 'number' ? [name] : [],
    )
    const cells: Cell[] = [
      ...[...tests, ...nested].map((where): Cell => ({ count: source, where, in: 'period' })),
      ...windows.map((each): Cell => ({ count: source, in: each })),
      ...numbers.flatMap((name): Cell[] => [
        { sum: name, of: source, in: 'period' },
        { median: name, of: source, in: 'period' },
      ]),
      ...(isPerPatient
        ? (['patient', 'visit', 'day'] as const).map((distinct): Cell => ({
            count: source,
            distinct,
            in: 'period',
          }))
        : []),
      ...(source === 'visits'
        ? [{ count: source, distinct: 'provider_day', in: 'period' } as const]
        : []),
      ...(source === 'prescribed'
        ? [{ count: source, distinct: 'prescription', in: 'period' } as const]
        : []),
      ...(source === 'stock'
        ? [
            {
              days: 'stock',
              in: 'period',
              each: 'clinic',
              where: {
                all: [
                  ['drug.route', 'is', 'oral'],
                  ['stock.usable', 'atMost', 0],
                ],
              },
            } as Cell,
          ]
        : []),
    ]
    const definition = definitionOf({
      groups: { group: { icd10: ['A00-B99'], icd11: ['1A00'], snomed: ['1'] } },
      sections: [
        {
          id: 's',
          names: { en: 'S' },
          rows: cells.map((measure, at) => ({ id: `r${at}`, names: { en: 'R' }, measure })),
        },
      ],
    })
    await computed(db, runOf(definition, [clinic.id]))
  }
})

test('the last blood pressure of a day stands for it, or the mean of the day', async ({
  db,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  for (const [hour, systolic] of [
    ['08', 150],
    ['09', 126],
  ] as const)
    await make.vital({
      patient_id: patient.id,
      timestamp: new Date(`2026-10-10T${hour}:00:00Z`),
      systolic_bp: systolic,
      diastolic_bp: 80,
    })
  const below = (most: number): Cell => ({
    count: 'bp',
    in: 'period',
    where: ['bp.systolic', 'below', most],
  })
  const latest = (most: number): Cell => ({
    count: 'registrations',
    in: { until: 'periodEnd' },
    where: { latest: 'bp', in: { months: 1 }, is: ['bp.systolic', 'below', most] },
  })
  const rows = [below(130), below(139), latest(130), latest(139)].map((measure, at) => ({
    id: `r${at}`,
    names: { en: 'Row' },
    measure,
  }))
  const sections = [{ id: 's', names: { en: 'Section' }, rows }]
  await db
    .updateTable('patients')
    .set({ created_at: new Date('2026-10-01T00:00:00Z') })
    .execute()
  const values = async (bp_of_day: 'last' | 'mean') =>
    Object.values(
      valuesOf(await computed(db, runOf(definitionOf({ bp_of_day, sections }), [clinic.id]))),
    )
  expect(await values('last')).toEqual([1, 1, 1, 1])
  expect(await values('mean')).toEqual([0, 1, 0, 1])
})

test('a report that takes too long is stopped with a sentence, and its transaction goes on', async ({
  db,
}) => {
  const slow = readOnly(db, (trx) => sql`select pg_sleep(30)`.execute(trx), 0.05)
  await expect(slow).rejects.toMatchObject({
    code: 'unavailable',
    text: { key: 'reports.tookTooLong', values: { seconds: 0.05 } },
  })
  expect((await sql`select 1`.execute(db)).rows).toHaveLength(1)
})
