import { type Kysely, sql } from 'kysely'
import { afterEach, describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { newId } from '~/shared/id'
import { clinicTimeZone, tellTimeZone } from '~/shared/zone'
import type { makeFactories } from '../../../../test/factories'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import { amendReport, closeReport, historyOfReport, lateRows, signReport } from './closing.server'
import { drillReport } from './drill.server'
import { runReport } from './reports.server'
import { trendOfReport } from './trend.server'

const CODE = 'closing-test'
const definition: ReportDefinition = {
  code: CODE,
  names: { en: 'Visits' },
  period: 'month',
  closable_from: 5,
  measures: { visits: { count: 'visits', in: 'period' } },
  axes: {
    age: [
      { id: 'u5', to: 60 },
      { id: 'o5', from: 60 },
    ],
  },
  sections: [
    {
      id: 'all',
      names: { en: 'Attendance' },
      columns: { axis: 'age', total: true },
      rows: [
        { id: 'visits', names: { en: 'Visits' }, measure: 'visits' },
        { id: 'beds', names: { en: 'Beds' }, measure: { manual: 'integer' } },
      ],
    },
  ],
}
const CELL = { section: 'all', row: 'visits', column: 'o5' }
const PERIOD = '2026-09'

/** A clinic with three adults and one patient without a date of birth in September 2026. */
async function setUp({ db, make }: { db: Kysely<DB>; make: ReturnType<typeof makeFactories> }) {
  const report = await db
    .insertInto('report_definitions')
    .values({ id: newId(), code: CODE, body: JSON.stringify(definition) })
    .returningAll()
    .executeTakeFirstOrThrow()
  const clinic = await make.clinic()
  const visit = async (day = '2026-09-10', date_of_birth: string | null = '1980-01-01') =>
    make.visit({
      patient_id: (await make.patient({ date_of_birth, primary_clinic_id: clinic.id })).id,
      clinic_id: clinic.id,
      check_in_timestamp: `${day}T09:00:00Z`,
    })
  const made = [await visit(), await visit(), await visit(), await visit('2026-09-10', null)]
  return {
    report,
    clinic,
    made,
    visit,
    input: { code: CODE, clinic_ids: [clinic.id], period: PERIOD },
  }
}

const zone = clinicTimeZone()
afterEach(() => tellTimeZone(zone))

test('a period is closed from the day that the definition says, and once', async ({
  db,
  make,
  asUser,
}) => {
  const { input } = await setUp({ db, make })
  const ctx = asUser(await make.user({ role: 'admin' }))
  const thisMonth = new Date().toISOString().slice(0, 7)
  await expect(
    closeReport(ctx, { ...input, period: thisMonth, id: newId() }),
  ).rejects.toMatchObject({
    code: 'invalid',
    fields: { period: { key: 'reports.notClosableYet' } },
  })
  const id = newId()
  expect(await closeReport(ctx, { ...input, id })).toEqual({ id, number: 1 })
  // a repeated request closes once
  expect(await closeReport(ctx, { ...input, id })).toEqual({ id, number: 1 })
  await expect(closeReport(ctx, { ...input, id: newId() })).rejects.toMatchObject({
    code: 'conflict',
    text: { key: 'reports.alreadyClosed' },
  })
  expect(await runReport(ctx, input)).toMatchObject({ status: 'closed', run: { id, number: 1 } })
  expect((await auditOf(db, id)).map(({ action }) => action)).toEqual(['reports.close'])
})

test('a closed report keeps the version, the time zone, and of each cell the rows and their hash', async ({
  db,
  make,
  asUser,
}) => {
  const { input, made, report, clinic } = await setUp({ db, make })
  const ctx = asUser(await make.user({ role: 'admin' }))
  const { id } = await closeReport(ctx, { ...input, id: newId() })
  const run = await db
    .selectFrom('report_runs')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(run).toMatchObject({
    definition_id: report.id,
    version: 1,
    clinic_ids: [clinic.id],
    zone,
    closed_by: ctx.actor.userId,
  })
  const cell = await db
    .selectFrom('report_cells')
    .selectAll()
    .where('run_id', '=', id)
    .where('row_id', '=', 'visits')
    .where('column_id', '=', 'o5')
    .executeTakeFirstOrThrow()
  const ids = made
    .slice(0, 3)
    .map((visit) => visit.id)
    .toSorted()
  expect(cell).toMatchObject({ value: 3, row_count: 3 })
  expect(cell.row_ids!.toSorted()).toEqual(ids)
  const { rows } = await sql<{ hash: Buffer }>`
    select sha256(convert_to(${ids.join('\n')}, 'UTF8')) as hash`.execute(db)
  expect(cell.rows_hash).toEqual(rows[0]!.hash)
})

test('a closed report reads the same after late records, deaths, merges, a new version and another time zone', async ({
  db,
  make,
  asUser,
}) => {
  const { input, made, visit, report } = await setUp({ db, make })
  const ctx = asUser(await make.user({ role: 'admin' }))
  await closeReport(ctx, { ...input, id: newId() })
  const read = async () => {
    const {
      cells,
      not_placed,
      period,
      version,
      zone: of,
      definition: body,
      run,
    } = await runReport(ctx, input)
    const { rows, not_shown } = await drillReport(ctx, { ...input, ...CELL })
    return {
      cells,
      not_placed,
      period: period.text,
      version,
      of,
      body,
      run,
      people: rows.length + not_shown,
    }
  }
  const before = await read()
  expect(before.not_placed).toEqual({ all: { value: 1, mask: null } })

  await visit()
  await db
    .updateTable('patients')
    .set({ died_on: '2026-09-20' })
    .where('id', '=', made[0]!.patient_id)
    .execute()
  await db.updateTable('visits').set({ is_deleted: true }).where('id', '=', made[1]!.id).execute()
  await db
    .updateTable('visits')
    .set({ patient_id: made[0]!.patient_id })
    .where('id', '=', made[2]!.id)
    .execute()
  const changed = {
    ...definition,
    sections: [{ ...definition.sections[0]!, rows: definition.sections[0]!.rows.slice(1) }],
  }
  await db
    .updateTable('report_definitions')
    .set({ body: JSON.stringify(changed) })
    .where('id', '=', report.id)
    .execute()
  tellTimeZone('Pacific/Auckland')
  expect(await read()).toEqual(before)
  // while the records say something else
  expect(await runReport(ctx, { ...input, number: 0 })).toMatchObject({
    version: 2,
    run: null,
    status: 'closed',
  })
})

test('late records are listed with the value that is kept, the value of today and the difference', async ({
  db,
  make,
  asUser,
}) => {
  const { input, made, visit } = await setUp({ db, make })
  const ctx = asUser(await make.user({ role: 'admin' }))
  await closeReport(ctx, { ...input, id: newId() })
  expect((await lateRows(ctx, input)).cells).toEqual([])
  const late = [await visit(), await visit()]
  await db.updateTable('visits').set({ is_deleted: true }).where('id', '=', made[0]!.id).execute()
  // outside of the period
  await visit('2026-10-01')
  const change = { stored_mask: null, today_mask: null, difference: 1, added: 2, removed: 1 }
  expect((await lateRows(ctx, input)).cells).toEqual([
    { ...CELL, stored: 3, today: 4, ...change },
    { ...CELL, column: 'total', stored: 4, today: 5, ...change },
  ])
  const drilled = await drillReport(ctx, { ...input, ...CELL, late: true })
  expect(drilled.rows.map(({ id }) => id).toSorted()).toEqual(late.map(({ id }) => id).toSorted())
})

test('one row for another is a late change, although the value is the same', async ({
  db,
  make,
  asUser,
}) => {
  const { input, made, visit } = await setUp({ db, make })
  const ctx = asUser(await make.user({ role: 'admin' }))
  await closeReport(ctx, { ...input, id: newId() })
  await visit()
  await db.updateTable('visits').set({ is_deleted: true }).where('id', '=', made[0]!.id).execute()
  expect((await lateRows(ctx, input)).cells[0]).toMatchObject({
    stored: 3,
    today: 3,
    difference: 0,
    added: 1,
    removed: 1,
  })
})

test('an amendment is a further closed report with number and reason, and all stay readable', async ({
  db,
  make,
  asUser,
}) => {
  const { input, visit } = await setUp({ db, make })
  const ctx = asUser(await make.user({ role: 'admin' }))
  const valueOf = async (number?: number) =>
    (await runReport(ctx, { ...input, number })).cells.find(({ column }) => column === 'o5')!.value
  await expect(
    amendReport(ctx, { ...input, id: newId(), reason: 'A late visit' }),
  ).rejects.toMatchObject({ fields: { period: { key: 'reports.notClosed' } } })
  await closeReport(ctx, { ...input, id: newId() })
  await visit()
  for (const reason of ['', ' x '])
    await expect(amendReport(ctx, { ...input, id: newId(), reason })).rejects.toMatchObject({
      fields: { reason: { key: 'reports.reasonRequired' } },
    })
  const id = newId()
  expect(await amendReport(ctx, { ...input, id, reason: 'A late visit' })).toEqual({
    id,
    number: 2,
  })
  expect(await amendReport(ctx, { ...input, id, reason: 'A late visit' })).toEqual({
    id,
    number: 2,
  })
  await expect(amendReport(ctx, { ...input, id, reason: 'Another visit' })).rejects.toMatchObject({
    text: { key: 'reports.amendedAlready' },
  })
  expect([await valueOf(), await valueOf(1), await valueOf(2)]).toEqual([4, 3, 4])
  expect(await historyOfReport(ctx, input)).toMatchObject([
    { number: 2, reason: 'A late visit', closed_by: 'Amal Haddad' },
    { number: 1, reason: null },
  ])
  expect((await runReport(ctx, input)).status).toBe('amended')
  await expect(runReport(ctx, { ...input, number: 3 })).rejects.toMatchObject({
    fields: { number: { key: 'reports.runNotFound' } },
  })
})

describe('signatures', () => {
  test('one person prepares and another checks', async ({ db, make, asUser }) => {
    const { input, clinic } = await setUp({ db, make })
    const grants = {
      [clinic.id]: ['is_clinic_admin', 'can_view_history', 'can_edit_records'] as const,
    }
    const [one, two] = [asUser(await make.user(), grants), asUser(await make.user(), grants)]
    const { id } = await closeReport(one, { ...input, id: newId() })
    await expect(signReport(one, { id, as: 'checked' })).rejects.toMatchObject({
      fields: { as: { key: 'reports.notPrepared' } },
    })
    await signReport(one, { id, as: 'prepared' })
    // a repeated request signs once
    await signReport(one, { id, as: 'prepared' })
    await expect(signReport(one, { id, as: 'checked' })).rejects.toMatchObject({
      fields: { as: { key: 'reports.checkedByAnother' } },
    })
    await expect(signReport(two, { id, as: 'prepared' })).rejects.toMatchObject({
      code: 'conflict',
    })
    await signReport(two, { id, as: 'checked' })
    expect(await historyOfReport(one, input)).toMatchObject([
      {
        prepared_by_id: one.actor.userId,
        prepared_at: expect.any(Date),
        checked_at: expect.any(Date),
      },
    ])
    expect((await auditOf(db, id)).map(({ action }) => action)).toEqual([
      'reports.close',
      'reports.sign',
      'reports.sign',
    ])
  })

  test('a run of another clinic is not there, and preparing needs the right to edit records', async ({
    db,
    make,
    asUser,
  }) => {
    const { input, clinic } = await setUp({ db, make })
    const { id } = await closeReport(asUser(await make.user({ role: 'admin' })), {
      ...input,
      id: newId(),
    })
    const elsewhere = asUser(await make.user(), { [(await make.clinic()).id]: ['is_clinic_admin'] })
    await expect(signReport(elsewhere, { id, as: 'prepared' })).rejects.toMatchObject({
      code: 'not_found',
    })
    const counts = asUser(await make.user(), { [clinic.id]: ['is_clinic_admin'] })
    await expect(signReport(counts, { id, as: 'prepared' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

test('the database keeps a closed run and its cells as they are', async ({ db, make, asUser }) => {
  const { input } = await setUp({ db, make })
  const { id } = await closeReport(asUser(await make.user({ role: 'admin' })), {
    ...input,
    id: newId(),
  })
  for (const statement of [
    sql`update report_runs set zone = 'Asia/Tokyo' where id = ${id}`,
    sql`delete from report_runs where id = ${id}`,
    sql`update report_cells set value = 1 where run_id = ${id}`,
    sql`delete from report_cells where run_id = ${id}`,
  ])
    await brokenRule(db, { execute: () => statement.execute(db) })
})

test('a chart shows a closed period as it was closed, and an open one as the records are now', async ({
  db,
  make,
  asUser,
}) => {
  const { input, visit, report } = await setUp({ db, make })
  const ctx = asUser(await make.user({ role: 'admin' }))
  await closeReport(ctx, { ...input, id: newId() })
  await visit('2026-09-11')
  await visit('2026-10-01')
  const asked = { ...input, period: '2026-10', count: 3 }
  const ofVisits = async (more: { only?: 'closed' } = {}) => {
    const { rows, open } = await trendOfReport(ctx, { ...asked, ...more })
    return { open, values: rows[0]!.points.map(({ value }) => value) }
  }
  expect(await ofVisits()).toEqual({ open: ['2026-08', '2026-10'], values: [0, 4, 1] })
  // what is quick to read alone; the screen then asks for one open period after the other
  expect(await ofVisits({ only: 'closed' })).toEqual({
    open: ['2026-08', '2026-10'],
    values: [null, 4, null],
  })
  await amendReport(ctx, { ...input, id: newId(), reason: 'A late visit' })
  expect((await ofVisits()).values).toEqual([0, 5, 1])

  // a row that the closed report does not have is computed, with the others of its section
  await visit('2026-09-12')
  const [section] = definition.sections
  const added = { id: 'new', names: { en: 'New' }, measure: 'visits' }
  const body = { ...definition, sections: [{ ...section!, rows: [...section!.rows, added] }] }
  await db
    .updateTable('report_definitions')
    .set({ body: JSON.stringify(body) })
    .where('id', '=', report.id)
    .execute()
  expect(await ofVisits()).toEqual({ open: ['2026-08', '2026-09', '2026-10'], values: [0, 6, 1] })
})
