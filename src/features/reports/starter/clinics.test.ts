import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { runOf } from '../../../../test/report-examples'
import { test } from '../../../../test/harness'
import { makeWorld, writeHistory } from '../../../../test/report-history'
import { runCells } from '../cells/cells.server'
import { forClinics } from '../cells/definition'
import { closeReport, lateRows } from '../runs/closing.server'
import { drillReport } from '../runs/drill.server'
import { runReport } from '../runs/reports.server'
import { installStarterReports } from './install.server'

/**
 * Patients under care at the end of October 2026: four in A, two in B, none in C, one in D. C has one who was lost.
 * A dose each day: 1.4 of a calcium channel blocker, 0.37 of a receptor blocker, 0.06 of a diuretic for each patient.
 */
const PATIENTS = `
A hypertension 2026-01-10 in A; bp 2026-10-05 130/80 in A
A hypertension 2026-01-10 in A; bp 2026-10-05 130/80 in A
A hypertension 2026-01-10 in A; bp 2026-10-05 150/80 in A
A hypertension 2026-10-10 in A; bp 2026-10-10 150/95 in A; diabetes 2026-01-10 in A; fasting 2026-10-05 110 in A
B hypertension 2026-01-10 in B; bp 2026-10-05 130/80 in A
B hypertension 2026-01-10 in B; bp 2026-05-05 130/80 in B
C hypertension 2024-01-10 in C; bp 2025-10-31 130/80 in C
D hypertension 2026-01-10 in D; bp 2026-10-31 139/89 in D
`
/** Clinic, medicine, strength, expiry, and the usable tablets at the end of October. */
const STOCK = `
A amlodipine 5    mg 2027-01-31  100
A amlodipine 10   mg 2026-10-31   40
A amlodipine 10   mg 2026-10-30  500
A losartan   50   mg 2027-01-31   44
A hydrochlorothiazide 25 mg 2027-01-31 44
A metformin  500  mg 2027-01-31   10
A metformin  0.85 g  2027-01-31   10
B amlodipine 5    mg 2027-01-31   84
B telmisartan 80  mg 2027-01-31   11
C amlodipine 5    mg 2027-01-31 1000
`
const linesOf = (text: string) => text.trim().split('\n')

test('the report counts the stock of each clinic in patient days and compares the clinics', async ({
  db,
  asUser,
  make,
}) => {
  const world = await makeWorld(db)
  for (const name of ['C', 'D']) world.clinics[name] = (await make.clinic()).id
  for (const line of linesOf(PATIENTS)) await writeHistory(db, world, line.slice(2))
  for (const line of linesOf(STOCK)) {
    const [clinic, ingredient, strength, unit, expiry_date, tablets] = line.split(/\s+/) as string[]
    const drug = await make.drug({
      ingredients: [ingredient!],
      route: 'oral',
      form: 'tablet',
      dosage_quantity: Number(strength),
      dosage_units: unit!,
    })
    const batch = await make.batch({ drug_id: drug.id, expiry_date: expiry_date! })
    await db
      .insertInto('inventory_transactions')
      .values({
        clinic_id: world.clinics[clinic!]!,
        drug_id: drug.id,
        batch_id: batch.id,
        transaction_type: 'received',
        quantity: Number(tablets),
        day: '2026-10-20',
        reference_type: 'receipt',
        reference_id: uuidv7(),
        is_reported: true,
      })
      .execute()
  }
  const clinics = Object.entries(world.clinics).map(([name, id]) => ({ id, name }))
  const run = runOf('hypertension-diabetes-clinics', Object.values(world.clinics))
  const { cells, notPlaced } = await runCells(db, {
    ...run,
    definition: forClinics(run.definition, clinics),
  })
  const value = (row: string, column = 'value') =>
    cells.find((cell) => cell.row === row && cell.column === column)?.value
  const ofEach = (row: string) => [
    ...['A', 'B', 'C', 'D'].map((name) => value(row, world.clinics[name])),
    value(row, 'total'),
  ]

  expect(ofEach('B21-care')).toEqual([4, 2, 0, 1, 7])
  expect(ofEach('B21-new')).toEqual([1, 0, 0, 0, 1])
  expect(ofEach('B21-controlled')).toEqual([2, 1, 0, 1, 4])
  expect(ofEach('B21-uncontrolled')).toEqual([1, 0, 0, 0, 1])
  expect(ofEach('B21-no-visit')).toEqual([0, 1, 0, 0, 1])
  expect(ofEach('B21-no-visit-rate')).toEqual([0, 50, null, 0, (1 / 6) * 100])
  expect(ofEach('C1-B21-care')).toEqual([1, 0, 0, 0, 1])
  expect(ofEach('C1-B21-controlled-rate')).toEqual([100, null, null, null, 100])

  const rounded = (row: string) => ofEach(row).map((each) => each && Math.round(each * 1000) / 1000)
  // A: (100 × 1 + 40 × 2) / (4 × 1.4); B: 84 / (2 × 1.4); all: 1264 / (7 × 1.4)
  expect(rounded('B17-ccb-days')).toEqual([32.143, 30, null, 0, 128.98])
  // A: 44 / (4 × 0.37); B: 11 × 2 / (2 × 0.37)
  expect(rounded('B17-arb-days')).toEqual([29.73, 29.73, null, 0, 25.483])
  // A: 44 / (4 × 0.06)
  expect(rounded('B17-diuretic-days')).toEqual([183.333, 0, null, 0, 104.762])
  // A: 10 × 1 + 10 × 1.7, for one patient
  expect(rounded('C7-metformin-days')).toEqual([27, null, null, null, 27])

  const flags = (step: string) => ['', '-below-30', '-above-180'].map((flag) => value(step + flag))
  expect(flags('B17-ccb')).toEqual([2, 1, 0])
  expect(flags('B17-arb')).toEqual([0, 3, 0])
  expect(flags('B17-diuretic')).toEqual([1, 2, 1])
  expect(flags('C7-metformin')).toEqual([0, 1, 0])
  expect(flags('C7-glimepiride')).toEqual([0, 1, 0])
  // two of the four clinics with registered patients
  expect(value('B17-ccb-rate')).toBe(50)
  expect(notPlaced).toEqual({ comparison: 0, 'patient-days': 0 })

  // on the screen, clinics are columns with their names
  await installStarterReports(db)
  const admin = asUser(await make.user({ role: 'super_admin' }))
  const asked = {
    code: 'hypertension-diabetes-clinics',
    clinic_ids: [world.clinics['A']!, world.clinics['B']!],
    period: '2026-10',
  }
  const shown = await runReport(admin, asked)
  const names = shown.clinics.map(({ id, name }) => [id, name])
  expect(
    shown.definition.axes!['clinics']!.map((band) =>
      typeof band === 'string' ? band : [band.id, band.names?.en],
    ),
  ).toEqual(names)
  expect(shown.cells.filter(({ row }) => row === 'B21-care').map(({ column }) => column)).toEqual([
    ...names.map(([id]) => id),
    'total',
  ])
  const drilled = { ...asked, section: 'comparison', row: 'B21-care', column: asked.clinic_ids[0]! }
  expect((await drillReport(admin, drilled)).rows).toHaveLength(
    asked.clinic_ids[0] === world.clinics['A'] ? 4 : 2,
  )

  // and stay so when the report is closed
  await closeReport(admin, { ...asked, id: uuidv7() })
  const closed = await runReport(admin, asked)
  expect(closed.status).toBe('closed')
  expect(closed.definition).toEqual(shown.definition)
  const plain = ({ cells: all }: typeof shown) =>
    all.map(({ row, column, value: each }) => [row, column, each])
  expect(plain(closed)).toEqual(plain(shown))
  expect((await lateRows(admin, asked)).cells).toEqual([])
})
