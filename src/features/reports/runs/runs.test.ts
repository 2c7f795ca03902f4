import type { Kysely } from 'kysely'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { newId } from '~/shared/id'
import type { Permission } from '~/shared/permissions'
import type { makeFactories } from '../../../../test/factories'
import { auditOf, test } from '../../../../test/harness'
import { amendReport, closeReport, historyOfReport, lateRows, signReport } from './closing.server'
import { drillReport } from './drill.server'
import { listReports, runReport, saveManual } from './reports.server'
import { trendOfReport } from './trend.server'

const CODE = 'visits-test'
const definition: ReportDefinition = {
  code: CODE,
  names: { en: 'Visits', ar: 'الزيارات', es: 'Consultas' },
  period: 'month',
  measures: {
    visits: { count: 'visits', in: 'period' },
    women: { like: 'visits', and: ['patient.sex', 'is', 'female'] },
    share: { ratio: ['women', 'visits'], times: 100 },
    beds: { manual: 'integer' },
    power: { manual: 'yesno' },
  },
  axes: { sex: ['male', 'female', 'unknown'] },
  sections: [
    {
      id: 'attendance',
      names: { en: 'Attendance' },
      columns: { axis: 'sex', total: true },
      rows: [{ id: 'visits', number: '1', names: { en: 'Visits' }, measure: 'visits' }],
    },
    {
      id: 'facility',
      names: { en: 'Facility' },
      rows: [
        { id: 'share', names: { en: 'Women' }, measure: 'share', goal: 50 },
        { id: 'beds', names: { en: 'Beds' }, measure: 'beds' },
        { id: 'power', names: { en: 'Electricity' }, measure: 'power' },
      ],
    },
  ],
}
const PERIOD = '2026-09'
const CELL = { section: 'attendance', row: 'visits', column: 'female' }
const BEDS = { section: 'facility', row: 'beds', column: 'value' }
const CLINIC_ADMIN: Permission[] = ['is_clinic_admin', 'can_view_history', 'can_edit_records']

const define = (db: Kysely<DB>, body: ReportDefinition = definition) =>
  db
    .insertInto('report_definitions')
    .values({ id: newId(), code: body.code, body: JSON.stringify(body) })
    .returningAll()
    .executeTakeFirstOrThrow()

type Make = ReturnType<typeof makeFactories>
async function visits(
  make: Make,
  clinicId: string,
  sexes: readonly string[],
  day = '2026-09-10',
  more: Parameters<Make['visit']>[0] = {},
) {
  const made = []
  for (const sex of sexes) {
    const patient = await make.patient({ sex, primary_clinic_id: clinicId })
    made.push(
      await make.visit({
        patient_id: patient.id,
        clinic_id: clinicId,
        check_in_timestamp: `${day}T09:00:00Z`,
        ...more,
      }),
    )
  }
  return made
}
const times = (count: number, sex: string) => Array.from({ length: count }, () => sex)

type Cells = readonly { section: string; row: string; column: string; value: number | null }[]
const valueAt = (cells: Cells, cell: typeof CELL) =>
  cells.find(
    ({ section, row, column }) =>
      section === cell.section && row === cell.row && column === cell.column,
  )?.value

/** A clinic with 6 women, 7 men, and one without a sex in September 2026. */
async function clinicWithVisits(make: Make) {
  const clinic = await make.clinic()
  const made = await visits(make, clinic.id, [...times(6, 'female'), ...times(7, 'male'), ''])
  return { clinic, made, input: { code: CODE, clinic_ids: [clinic.id], period: PERIOD } }
}

test('a report counts the records of its clinics and period', async ({ db, make, as }) => {
  await define(db)
  const { clinic, input } = await clinicWithVisits(make)
  await visits(make, (await make.clinic()).id, ['female'])
  await visits(make, clinic.id, ['female'], '2026-10-01')
  const report = await runReport(as('admin'), input)
  expect(report).toMatchObject({ status: 'open', run: null, version: 1, closable_on: '2026-10-01' })
  expect(report.cells).toContainEqual({
    section: 'facility',
    row: 'share',
    column: 'value',
    value: (6 / 14) * 100,
    numerator: 6,
    denominator: 14,
    rows: 6,
    mask: null,
  })
  expect(valueAt(report.cells, CELL)).toBe(6)
  expect(report.cells.map(({ row, column }) => `${row} ${column}`)).toEqual([
    'visits male',
    'visits female',
    'visits unknown',
    'visits total',
    'share value',
    'beds value',
    'power value',
  ])
})

describe('bad input is one sentence beside its field', () => {
  test.for([
    [{ period: '2026-13' }, 'period'],
    [{ period: '2026-W40' }, 'period'],
    [{ period: '2199-01' }, 'period'],
    [{ period: '2026-9' }, 'period'],
    [{ clinic_ids: [] }, 'clinic_ids'],
    [{ clinic_ids: ['00000000-0000-7000-8000-00000000000a'] }, 'clinic_ids'],
    [{ code: 'none-such' }, 'code'],
  ] as const)('%j', async ([wrong, field], { db, make, as }) => {
    await define(db)
    const clinic = await make.clinic()
    const input = { code: CODE, clinic_ids: [clinic.id], period: PERIOD, ...wrong }
    for (const call of [
      () => runReport(as('admin'), input as never),
      () => closeReport(as('admin'), { ...input, id: newId() } as never),
      () => trendOfReport(as('admin'), { ...input, section: 'attendance' } as never),
    ])
      await expect(call()).rejects.toMatchObject({
        fields: { [field]: { key: expect.any(String) } },
      })
  })

  test('an unknown section, row and column', async ({ db, make, as }) => {
    await define(db)
    const clinic = await make.clinic()
    const input = { code: CODE, clinic_ids: [clinic.id], period: PERIOD, ...CELL }
    for (const [field, value] of [
      ['section', 'none'],
      ['row', 'none'],
      ['column', 'none'],
    ])
      await expect(drillReport(as('admin'), { ...input, [field!]: value })).rejects.toMatchObject({
        code: 'invalid',
        fields: { [field!]: { key: expect.any(String) } },
      })
  })

  test('a clinic that the user may not see answers like one that does not exist', async ({
    db,
    make,
    as,
  }) => {
    await define(db)
    const [own, other] = [await make.clinic(), await make.clinic()]
    const ctx = as('provider', { [own.id]: CLINIC_ADMIN, [other.id]: ['can_view_history'] })
    const input = { code: CODE, clinic_ids: [own.id, other.id], period: PERIOD }
    const refused = { code: 'not_found', fields: { clinic_ids: { key: 'clinics.notFound' } } }
    await expect(runReport(ctx, input)).rejects.toMatchObject(refused)
    await expect(runReport(ctx, { ...input, clinic_ids: [own.id, newId()] })).rejects.toMatchObject(
      refused,
    )
  })
})

describe('who may do what', () => {
  test('without administering a clinic, no report is answered', async ({ db, make, as }) => {
    await define(db)
    const { clinic, input } = await clinicWithVisits(make)
    const ctx = as('provider', { [clinic.id]: ['can_view_history', 'can_edit_records'] })
    const cell = { ...input, ...CELL }
    for (const call of [
      () => listReports(ctx, {}),
      () => runReport(ctx, input),
      () => drillReport(ctx, cell),
      () => trendOfReport(ctx, { ...input, section: 'attendance' }),
      () => closeReport(ctx, { ...input, id: newId() }),
      () => amendReport(ctx, { ...input, id: newId(), reason: 'A reason' }),
      () => signReport(ctx, { id: newId(), as: 'prepared' }),
      () => lateRows(ctx, input),
      () => historyOfReport(ctx, input),
      () => saveManual(ctx, { ...input, clinic_id: clinic.id, ...BEDS, value: 1 }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('a clinic admin counts, and only with the history opens the people', async ({
    db,
    make,
    as,
  }) => {
    await define(db)
    const { clinic, input } = await clinicWithVisits(make)
    const counts = as('provider', { [clinic.id]: ['is_clinic_admin'] })
    const opens = as('provider', { [clinic.id]: ['is_clinic_admin', 'can_view_history'] })
    expect((await runReport(counts, input)).may).toEqual({ drill: false, prepare: false })
    expect((await runReport(opens, input)).may).toEqual({ drill: true, prepare: false })
    await expect(drillReport(counts, { ...input, ...CELL })).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect((await drillReport(opens, { ...input, ...CELL })).rows).toHaveLength(6)
  })

  test('manual values need the right to edit records', async ({ db, make, as }) => {
    await define(db)
    const { clinic, input } = await clinicWithVisits(make)
    const reads = as('provider', { [clinic.id]: ['is_clinic_admin', 'can_view_history'] })
    const value = { code: CODE, clinic_id: clinic.id, period: PERIOD, ...BEDS, value: 12 }
    await expect(saveManual(reads, value)).rejects.toMatchObject({ code: 'forbidden' })
    await saveManual(as('provider', { [clinic.id]: CLINIC_ADMIN }), value)
    expect(valueAt((await runReport(reads, input)).cells, BEDS)).toBe(12)
  })
})

describe('small counts', () => {
  test('are hidden from users without the history, in rows and ratios, and not from others', async ({
    db,
    make,
    as,
  }) => {
    await define(db)
    const clinic = await make.clinic()
    await visits(make, clinic.id, [...times(3, 'female'), ...times(8, 'male')])
    const input = { code: CODE, clinic_ids: [clinic.id], period: PERIOD }
    const counts = as('provider', { [clinic.id]: ['is_clinic_admin'] })
    const shown = (await runReport(counts, input)).cells.map(
      ({ row, column, value, mask, rows }) => `${row} ${column} ${mask ?? value} ${rows}`,
    )
    expect(shown).toEqual([
      'visits male hidden null',
      'visits female few null',
      'visits unknown 0 null',
      'visits total 11 null',
      'share value hidden null',
      'beds value null null',
      'power value null null',
    ])
    const trend = await trendOfReport(counts, { ...input, section: 'facility', count: 2 })
    expect(trend.rows[0]!.points.map(({ mask }) => mask)).toEqual([null, 'hidden'])
    expect(valueAt((await runReport(as('admin'), input)).cells, CELL)).toBe(3)
  })

  test('are exact in a report that both signed', async ({ db, make, as, asUser }) => {
    await define(db)
    const clinic = await make.clinic()
    await visits(make, clinic.id, times(3, 'female'))
    const input = { code: CODE, clinic_ids: [clinic.id], period: PERIOD }
    const counts = as('provider', { [clinic.id]: ['is_clinic_admin'] })
    const [one, two] = [await make.user({ role: 'admin' }), await make.user({ role: 'admin' })]
    const { id } = await closeReport(asUser(one), { ...input, id: newId() })
    const inChart = async () =>
      (await trendOfReport(counts, { ...input, section: 'attendance', count: 1 })).rows[0]!.points
    expect(valueAt((await runReport(counts, input)).cells, CELL)).toBe(null)
    expect(await inChart()).toMatchObject([{ value: null, mask: 'few' }])
    await signReport(asUser(one), { id, as: 'prepared' })
    await signReport(asUser(two), { id, as: 'checked' })
    expect(valueAt((await runReport(counts, input)).cells, CELL)).toBe(3)
    expect(await inChart()).toMatchObject([{ value: 3, mask: null }])
  })
})

describe('the rows behind a number', () => {
  test('are those that the user may read, and the number of the others', async ({
    db,
    make,
    as,
  }) => {
    await define(db)
    const clinic = await make.clinic()
    const input = { code: CODE, clinic_ids: [clinic.id], period: PERIOD }
    await visits(make, clinic.id, times(4, 'female'))
    // recorded by another clinic, whose records are not open to this one
    const { id: elsewhere } = await make.clinic()
    await visits(make, clinic.id, times(2, 'female'), '2026-09-11', {
      recorded_clinic_id: elsewhere,
    })
    const ctx = as('provider', { [clinic.id]: ['is_clinic_admin', 'can_view_history'] })
    const drilled = await drillReport(ctx, { ...input, ...CELL })
    expect([drilled.rows.length, drilled.not_shown, drilled.pagination.total]).toEqual([4, 2, 4])
    expect(drilled.rows[0]).toMatchObject({ kind: 'visits', day: '2026-09-10' })
    expect((await drillReport(as('admin'), { ...input, ...CELL })).rows).toHaveLength(6)
    for (const cell of (await runReport(ctx, input)).cells.filter(
      ({ section }) => section === CELL.section,
    )) {
      const { section, row, column } = cell
      const { rows, not_shown } = await drillReport(ctx, { ...input, section, row, column })
      expect([column, rows.length + not_shown]).toEqual([column, cell.value])
    }
    expect(await drillReport(ctx, { ...input, ...CELL, page: 9 })).toMatchObject({
      rows: [],
      not_shown: 2,
    })
  })
})

describe('manual values', () => {
  const entered = (clinicId: string, value: number | null, more: object = {}) => ({
    code: CODE,
    clinic_id: clinicId,
    period: PERIOD,
    ...BEDS,
    value,
    ...more,
  })

  test('are entered, corrected and removed, and the audit trail has each value', async ({
    db,
    make,
    as,
  }) => {
    await define(db)
    const [clinic, other] = [await make.clinic(), await make.clinic()]
    const ctx = as('admin')
    const input = { code: CODE, clinic_ids: [clinic.id, other.id], period: PERIOD }
    await saveManual(ctx, entered(clinic.id, 12))
    await saveManual(ctx, entered(clinic.id, 14))
    await saveManual(ctx, entered(other.id, 5))
    // of several clinics, their sum
    expect(valueAt((await runReport(ctx, input)).cells, BEDS)).toBe(19)
    await saveManual(ctx, entered(other.id, null))
    expect(valueAt((await runReport(ctx, input)).cells, BEDS)).toBe(14)
    const { id } = await db
      .selectFrom('report_manual_values')
      .select('id')
      .where('clinic_id', '=', clinic.id)
      .executeTakeFirstOrThrow()
    expect((await auditOf(db, id)).map(({ action }) => action)).toEqual([
      'reports.saveManual',
      'reports.saveManual',
    ])
  })

  test('have the kind that the definition says', async ({ db, make, as }) => {
    await define(db)
    const clinic = await make.clinic()
    const refusal = (input: object) =>
      saveManual(as('admin'), { ...entered(clinic.id, 1), ...input }).then(
        () => 'saved',
        ({ fields }: { fields: object }) => Object.keys(fields),
      )
    expect(await refusal({ value: 1.5 })).toEqual(['value'])
    expect(await refusal({ row: 'power', value: 2 })).toEqual(['value'])
    expect(await refusal({ row: 'power', value: 1 })).toBe('saved')
    expect(await refusal({ row: 'share' })).toEqual(['row'])
    expect(await refusal({ row: 'none' })).toEqual(['row'])
    expect(await refusal({ clinic_id: newId() })).toEqual(['clinic_id'])
  })

  test('a save over a value that another user changed meanwhile is refused', async ({
    db,
    make,
    as,
  }) => {
    await define(db)
    const clinic = await make.clinic()
    await saveManual(as('admin'), entered(clinic.id, 12, { was: null }))
    await expect(
      saveManual(as('admin'), entered(clinic.id, 9, { was: null })),
    ).rejects.toMatchObject({ code: 'conflict', fields: { value: { values: { value: 12 } } } })
  })

  test('stay as they are once a report with the clinic is closed', async ({
    db,
    make,
    as,
    asUser,
  }) => {
    await define(db)
    const [clinic, other] = [await make.clinic(), await make.clinic()]
    const input = { code: CODE, clinic_ids: [clinic.id, other.id], period: PERIOD }
    await closeReport(asUser(await make.user({ role: 'admin' })), { ...input, id: newId() })
    await expect(saveManual(as('admin'), entered(clinic.id, 1))).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'reports.valuesClosed' },
    })
    await saveManual(as('admin'), entered(clinic.id, 1, { period: '2026-08' }))
  })
})

describe('the list of reports', () => {
  test('says of each report which period is due', async ({ db, make, asUser }) => {
    await define(db)
    const clinic = await make.clinic()
    const ctx = asUser(await make.user(), { [clinic.id]: ['is_clinic_admin'] })
    const listed = async () => (await listReports(ctx, {})).rows.find(({ code }) => code === CODE)!
    // the clinic was set up today: nobody asks for the month before, unless it has a visit of then
    const before = await listed()
    expect(before).toMatchObject({ status: 'open', is_due: false })
    await make.visit({
      clinic_id: clinic.id,
      check_in_timestamp: `${before.previous}-15T09:00:00Z`,
    })
    expect(await listed()).toMatchObject({
      status: 'open',
      is_due: true,
      is_signed: false,
      kind: 'month',
    })
    const input = { code: CODE, clinic_ids: [clinic.id], period: before.previous }
    await closeReport(ctx, { ...input, id: newId() })
    expect(await listed()).toMatchObject({ status: 'closed', is_due: false })
    await amendReport(ctx, { ...input, id: newId(), reason: 'A late visit' })
    expect(await listed()).toMatchObject({ status: 'amended', is_due: false })
  })

  test('offers the clinics that the user administers, and begins with the own one', async ({
    db,
    make,
    as,
  }) => {
    await define(db)
    const [one, two, three] = [await make.clinic(), await make.clinic(), await make.clinic()]
    const grants = {
      [one.id]: CLINIC_ADMIN,
      [two.id]: CLINIC_ADMIN,
      [three.id]: ['can_view_history' as const],
    }
    const listed = await listReports(as('provider', grants, { clinicId: two.id }), {})
    expect(listed.clinics.map(({ id }) => id)).toEqual([one.id, two.id])
    expect(listed.clinic_ids).toEqual([two.id])
  })
})

test('a trend has a value for each period and the goal of its row', async ({ db, make, as }) => {
  await define(db)
  const clinic = await make.clinic()
  await visits(make, clinic.id, ['female', 'male'], '2026-08-03')
  await visits(make, clinic.id, ['female'], '2026-10-01')
  const input = { code: CODE, clinic_ids: [clinic.id], period: '2026-10', count: 3 }
  const attendance = await trendOfReport(as('admin'), { ...input, section: 'attendance' })
  expect(attendance.periods).toEqual(['2026-08', '2026-09', '2026-10'])
  expect(attendance.rows).toMatchObject([
    { row: 'visits', column: 'total', points: [{ value: 2 }, { value: 0 }, { value: 1 }] },
  ])
  const facility = await trendOfReport(as('admin'), { ...input, section: 'facility' })
  expect(facility.rows[0]).toMatchObject({
    row: 'share',
    goal: 50,
    points: [{ value: 50 }, { value: null }, { value: 100 }],
  })
})
