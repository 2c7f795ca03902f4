import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { makeFactories } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import { ZONE } from '../../../../test/report-history'
import { addDays } from '~/shared/zone'
import { runCells } from '../cells/cells.server'
import { readPeriod } from '../cells/period'
import { withMedicines } from '../runs/medicines.server'
import { closeReport, lateRows } from '../runs/closing.server'
import { runReport } from '../runs/reports.server'
import { trendOfReport } from '../runs/trend.server'
import { saveDhis2Server } from '../exchange/dhis-server.server'
import { exportDhis2 } from '../exchange/export.server'
import { listCodes, saveClinicCodes, saveCodes } from '../exchange/external-codes.server'
import { sendReport } from '../exchange/sendings.server'
import { installStarterReports } from './install.server'
import { starterReport } from './starter-reports'

/** day, medicine, batch, its expiry, what happened, quantity */
const LEDGER = `
2026-07-10 amoxicillin  X 2026-10-20 received        100
2026-09-15 amoxicillin  X 2026-10-20 dispensed       -60
2026-10-05 amoxicillin  X 2026-10-20 dispensed       -40
2026-10-08 amoxicillin  Y 2027-01-29 received         30
2026-10-12 amoxicillin  Y 2027-01-29 dispensed       -10
2026-10-12 amoxicillin  Y 2027-01-29 returned          2
2026-10-15 amoxicillin  Y 2027-01-29 transferred_in    5
2026-10-16 amoxicillin  Y 2027-01-29 transferred_out  -7
2026-10-18 amoxicillin  Y 2027-01-29 damaged          -3
2026-10-20 amoxicillin  Y 2027-01-29 adjustment       -1
2026-10-21 amoxicillin  Z 2026-10-25 received         10
2026-10-28 amoxicillin  Z 2026-10-25 expired         -10
2026-11-01 amoxicillin  Y 2027-01-29 received        500
2026-10-03 amlodipine   W 2026-10-29 received         10
2026-10-02 metformin    V 2028-01-01 received        300
2026-10-31 metformin    V 2028-01-01 dispensed      -300
`
const movements = LEDGER.trim()
  .split('\n')
  .map((line) => {
    const [day, medicine, batch, expiry, type, quantity] = line.split(/\s+/) as string[]
    return {
      day: day!,
      medicine: medicine!,
      batch: batch!,
      expiry: expiry!,
      type: type!,
      quantity: Number(quantity),
    }
  })

/** The days of October that end without usable stock, one day after the other. */
function replay(medicine: string) {
  const own = movements.filter((each) => each.medicine === medicine)
  const firstDay = own.map(({ day }) => day).toSorted()[0]!
  let count = 0
  for (let day = '2026-10-01'; day <= '2026-10-31'; day = addDays(day, 1)) {
    const usable = own
      .filter((each) => each.day <= day && each.expiry >= day)
      .reduce((sum, { quantity }) => sum + quantity, 0)
    if (day >= firstDay && usable <= 0) count += 1
  }
  return count
}

test('a month of stock is reported as the ledger says, by hand and by replay', async ({ db }) => {
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const other = await make.clinic()
  const drugs = new Map<string, string>()
  const batches = new Map<string, string>()
  for (const { medicine, batch, expiry, ...movement } of movements) {
    if (!drugs.has(medicine))
      drugs.set(medicine, (await make.drug({ ingredients: [medicine], route: 'oral' })).id)
    const drug_id = drugs.get(medicine)!
    if (!batches.has(batch))
      batches.set(
        batch,
        (await make.batch({ drug_id, expiry_date: expiry, received_date: '2026-07-01' })).id,
      )
    await db
      .insertInto('inventory_transactions')
      .values({
        clinic_id: clinic.id,
        drug_id,
        batch_id: batches.get(batch)!,
        transaction_type: movement.type,
        quantity: movement.quantity,
        day: movement.day,
        reference_type: ['dispensed', 'returned'].includes(movement.type)
          ? 'dispensing'
          : 'receipt',
        reference_id: uuidv7(),
        is_reported: true,
        ...(movement.type.startsWith('transferred') && { other_clinic_id: other.id }),
      })
      .execute()
  }
  const { cells } = await runCells(db, {
    definition: starterReport('medicines')!,
    clinicIds: [clinic.id],
    period: readPeriod('2026-10', ZONE)!,
    zone: ZONE,
    manual: new Map(),
    now: new Date('2026-11-20T08:00:00Z'),
  })
  const rowOf = (row: string) =>
    Object.fromEntries(
      cells.filter((cell) => cell.row === row).map(({ column, value }) => [column, value]),
    )
  const amoxicillin = rowOf('amoxicillin')
  expect(amoxicillin).toMatchObject({
    opening: 40,
    received: 40,
    'transferred-in': 5,
    used: 48,
    'transferred-out': 7,
    expired: 10,
    damaged: 3,
    adjusted: -1,
    closing: 16,
    stockout: 3,
    expiring: 16,
  })
  // 108 in 89 days with stock of August to October, whose months have 30.67 days on average
  expect(amoxicillin['consumption']).toBeCloseTo((108 / 89) * (92 / 3), 6)
  expect(amoxicillin['months-of-stock']).toBeCloseTo(16 / ((108 / 89) * (92 / 3)), 6)
  expect(rowOf('amlodipine')).toMatchObject({ closing: 10, 'expired-stock': 10, stockout: 2 })
  expect(rowOf('metformin')).toMatchObject({ opening: 0, used: 300, closing: 0, stockout: 1 })

  for (const medicine of ['amoxicillin', 'amlodipine', 'metformin']) {
    const value = (column: string) => rowOf(medicine)[column] ?? 0
    expect(
      value('opening') +
        value('received') +
        value('transferred-in') -
        value('used') -
        value('transferred-out') -
        value('expired') -
        value('damaged') +
        value('adjusted'),
    ).toBe(value('closing'))
    expect(value('stockout')).toBe(replay(medicine))
  }
  // three of the listed medicines were ever here, and each ran out
  expect(cells.find(({ row }) => row === 'without-stock-out')).toMatchObject({
    value: 0,
    numerator: 0,
    denominator: 3,
  })
})

/** clinic, medicine, day, what happened, quantity: two clinics, and two products of one ingredient, in three months */
const TWO = `
A tablets 2026-08-01 received  300
A tablets 2026-08-20 dispensed -90
A tablets 2026-09-15 dispensed -110
A tablets 2026-10-10 dispensed -100
A syrup   2026-08-01 received   50
A syrup   2026-10-02 dispensed  -5
B tablets 2026-09-11 received  200
B tablets 2026-09-12 dispensed -60
B tablets 2026-10-20 dispensed -20
B syrup   2026-10-05 received    9
B syrup   2026-10-06 dispensed  -9
B cotton  2026-10-05 received    4
`
const ofTwo = TWO.trim()
  .split('\n')
  .map((line) => line.split(/\s+/) as [string, string, string, string, string])
  .map(([clinic, medicine, day, type, quantity]) => ({
    clinic,
    medicine,
    day,
    type,
    quantity: +quantity,
  }))

/** What a reader with the bin cards of both clinics would write, day by day. */
function binCards(medicine: string) {
  const own = ofTwo.filter((each) => each.medicine === medicine)
  const sum = (rows: typeof own) => rows.reduce((total, { quantity }) => total + quantity, 0)
  const used = (rows: typeof own) => 0 - sum(rows.filter(({ type }) => type === 'dispensed'))
  const until = (rows: typeof own, day: string) => rows.filter((each) => each.day <= day)
  let [out, consumption, isHeld] = [0, 0, 0]
  for (const clinic of ['A', 'B']) {
    const cards = own.filter((each) => each.clinic === clinic)
    if (cards.length === 0) continue
    let [outHere, stocked] = [0, 0]
    for (let day = '2026-08-01'; day <= '2026-10-31'; day = addDays(day, 1)) {
      if (day < cards[0]!.day) continue
      const left = sum(until(cards, day))
      if (left > 0) stocked += 1
      else if (day >= '2026-10-01') outHere += 1
    }
    out += outHere
    isHeld += outHere === 0 ? 1 : 0
    consumption += (used(cards) / stocked) * (92 / 3)
  }
  const october = own.filter(({ day }) => day >= '2026-10-01')
  return { out, isHeld, consumption, used: used(october), closing: sum(own) }
}

test('a month of two clinics has a row for each medicine, and no tablets are bottles', async ({
  db,
  make,
}) => {
  const clinics: Record<string, string> = {
    A: (await make.clinic()).id,
    B: (await make.clinic()).id,
  }
  const amoxicillin = { generic_name: 'Amoxicillin', ingredients: ['amoxicillin'], route: 'oral' }
  const drugs: Record<string, string> = {
    tablets: (await make.drug({ ...amoxicillin, form: 'tablet' })).id,
    syrup: (await make.drug({ ...amoxicillin, form: 'syrup' })).id,
    cotton: (await make.drug({ generic_name: 'Cotton', ingredients: [], form: 'other' })).id,
  }
  await make.drug({ ...amoxicillin, form: 'capsule' })
  for (const { clinic, medicine, day, type, quantity } of ofTwo) {
    const drug_id = drugs[medicine]!
    const batch = await db
      .selectFrom('drug_batches')
      .select('id')
      .where('drug_id', '=', drug_id)
      .executeTakeFirst()
    const { id: batch_id } = batch ?? (await make.batch({ drug_id, expiry_date: '2028-01-31' }))
    await db
      .insertInto('inventory_transactions')
      .values({
        clinic_id: clinics[clinic]!,
        drug_id,
        batch_id,
        transaction_type: type,
        quantity,
        day,
        reference_type: type === 'dispensed' ? 'dispensing' : 'receipt',
        reference_id: uuidv7(),
        is_reported: true,
      })
      .execute()
  }
  const run = {
    clinicIds: Object.values(clinics),
    period: readPeriod('2026-10', ZONE)!,
    zone: ZONE,
    manual: new Map(),
    now: new Date('2026-11-20T08:00:00Z'),
  }
  const definition = await withMedicines(db, starterReport('medicines')!, run)
  const { cells } = await runCells(db, { ...run, definition })
  const valueOf = (section: string, row: string, column: string) =>
    cells.find((cell) => cell.section === section && cell.row === row && cell.column === column)
      ?.value
  const shown = (section: string, row: string) => ({
    out: valueOf(section, row, 'stockout'),
    consumption: valueOf(section, row, 'consumption'),
    used: valueOf(section, row, 'used'),
    closing: valueOf(section, row, 'closing'),
  })
  const close = ({ consumption, out, used, closing }: ReturnType<typeof binCards>) => ({
    out,
    consumption: expect.closeTo(consumption, 6),
    used,
    closing,
  })
  const rows = definition.sections.find(({ id }) => id === 'each-medicine')!.rows
  expect(rows.map(({ id }) => id).toSorted()).toEqual(Object.values(drugs).toSorted())
  expect(rows.find(({ id }) => id === drugs['syrup'])!.names).toMatchObject({
    en: expect.stringMatching(/Amoxicillin.*, Syrup$/),
    es: expect.stringMatching(/Amoxicillin.*, Jarabe$/),
  })
  for (const [medicine, id] of Object.entries(drugs))
    expect({ medicine, ...shown('each-medicine', id) }).toEqual({
      medicine,
      ...close(binCards(medicine)),
    })
  // the row that the report always had is of tablets alone
  expect(shown('medicines', 'amoxicillin')).toEqual(close(binCards('tablets')))
  expect(binCards('tablets').out).toBeGreaterThan(0)
  expect(valueOf('medicines', 'amoxicillin', 'months-of-stock')).toBeCloseTo(
    binCards('tablets').closing / binCards('tablets').consumption,
    6,
  )
  // of the tracer medicines, tablets are in two clinics
  expect(cells.find(({ row }) => row === 'without-stock-out')).toMatchObject({
    numerator: binCards('tablets').isHeld,
    denominator: 2,
  })
})

test('a closed report keeps its medicines on its page, in its chart and when sent, and says what came late', async ({
  db,
  make,
  asUser,
}) => {
  await installStarterReports(db)
  const clinic = await make.clinic()
  const ctx = asUser(await make.user({ role: 'super_admin' }))
  type Move = [day: string, quantity: number]
  const medicine = async (moves: readonly Move[], values: object = {}) => {
    const drug = await make.drug({ form: 'syrup', ...values })
    const batch = await make.batch({ drug_id: drug.id, expiry_date: '2028-01-31' })
    for (const [day, quantity] of moves)
      await db
        .insertInto('inventory_transactions')
        .values({
          clinic_id: clinic.id,
          drug_id: drug.id,
          batch_id: batch.id,
          transaction_type: quantity > 0 ? 'received' : 'damaged',
          quantity,
          day,
          reference_type: 'receipt',
          reference_id: uuidv7(),
          is_reported: true,
        })
        .execute()
    return drug.id
  }
  const asked = { code: 'medicines', clinic_ids: [clinic.id], period: '2026-02' }
  const rowsOf = async () => {
    const { definition } = await runReport(ctx, asked)
    return definition.sections.find(({ id }) => id === 'each-medicine')!.rows.map(({ id }) => id)
  }
  const first = await medicine([['2026-02-10', 7]])
  // no longer in the catalogue: there in February and written off later, and gone before
  const left = await medicine(
    [
      ['2025-06-01', 3],
      ['2026-05-01', -3],
    ],
    { is_active: false },
  )
  await medicine(
    [
      ['2025-06-01', 3],
      ['2025-07-01', -3],
    ],
    { is_active: false },
  )
  const { id: definitionId } = await db
    .selectFrom('report_definitions')
    .select('id')
    .where('code', '=', 'medicines')
    .executeTakeFirstOrThrow()
  const place = { section: null, row_id: null, column_id: null, option_code: null, adx: null }
  const each = { ...place, section: 'each-medicine', sends_zero: false }
  await saveCodes(ctx, {
    definitionId,
    codes: [
      { ...place, sends_zero: false, code: 'DataSet0001' },
      { ...each, column_id: 'received', code: 'CocReceived' },
      { ...each, row_id: first, code: 'SYRUP' },
    ],
  })
  await saveClinicCodes(ctx, { codes: [{ clinic_id: clinic.id, code: 'OU_MED' }] })
  await saveDhis2Server(ctx, { address: 'http://127.0.0.1:9/', username: 'a', secret: 'district' })
  const { id: runId } = await closeReport(ctx, { ...asked, id: uuidv7() })
  const late = await medicine([['2026-02-10', 5]])

  expect((await rowsOf()).toSorted()).toEqual([first, left].toSorted())
  const listed = (await listCodes(ctx, { definitionId })).definition.sections
  expect(listed.find(({ id }) => id === 'each-medicine')!.rows.map(({ id }) => id)).toEqual(
    expect.arrayContaining([first, left, late]),
  )
  const { cells } = await lateRows(ctx, asked)
  const received5 = cells.filter(({ row, column }) => row === late && column === 'received')
  expect(received5).toMatchObject([{ stored: null, today: 5, difference: 5 }])
  expect(cells.filter(({ row }) => row === first)).toEqual([])
  const sendingId = uuidv7()
  await sendReport(ctx, { id: sendingId, runId, isDryRun: true, format: 'json' })
  const { payload } = await db
    .selectFrom('report_sendings')
    .select('payload')
    .where('id', '=', sendingId)
    .executeTakeFirstOrThrow()
  const { set } = await exportDhis2(ctx, asked)
  expect(JSON.parse(payload)).toEqual(set)
  expect(set.dataValues).toEqual([
    { dataElement: 'SYRUP', categoryOptionCombo: 'CocReceived', value: '7' },
  ])
  // January was closed by a version that had no rows of medicines: what the records say now
  await make.reportRun(
    { id: definitionId, version: 1 },
    { clinic_ids: [clinic.id], period: '2026-01' },
  )
  const trend = await trendOfReport(ctx, { ...asked, section: 'each-medicine', count: 2 })
  const closing = trend.rows
    .filter(({ column }) => column === 'closing')
    .map(({ row, points }) => [row, points.map(({ value }) => value)])
  expect(trend.open).toEqual(['2026-01'])
  expect(Object.fromEntries(closing)).toEqual({
    [first]: [0, 7],
    [left]: [3, 3],
    [late]: [0, null],
  })
})
