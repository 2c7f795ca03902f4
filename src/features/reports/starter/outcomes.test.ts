import { expect } from 'vitest'
import { runOf } from '../../../../test/report-examples'
import { test } from '../../../../test/harness'
import { runCells } from '../cells/cells.server'

test('tuberculosis is counted by the outcome of those enrolled a year before, malnutrition by those who ended', async ({
  db,
  make,
}) => {
  const { id: clinic_id } = await make.clinic()
  const tb = (enrolled_on: string, ended_on?: string, end_reason?: string, died_on?: string) =>
    enrolled('tuberculosis', enrolled_on, ended_on, end_reason, died_on)
  async function enrolled(
    program: string,
    enrolled_on: string,
    ended_on?: string,
    end_reason?: string,
    died_on?: string,
  ) {
    const { id: patient_id } = await make.patient({
      primary_clinic_id: clinic_id,
      died_on: died_on ?? null,
    })
    await make.enrollment({
      clinic_id,
      patient_id,
      program,
      enrolled_on,
      ended_on: ended_on ?? null,
      end_reason: end_reason ?? null,
    })
  }
  // the cohort of July to September 2025
  await tb('2025-07-01', '2026-01-05', 'cured')
  // died long after
  await tb('2025-08-01', '2026-02-05', 'cured', '2026-11-02')
  await tb('2025-09-30', '2026-04-01', 'completed')
  await tb('2025-08-10', '2026-01-10', 'failed')
  await tb('2025-08-11', '2025-10-10', 'died', '2025-10-10')
  await tb('2025-08-12', '2025-12-12', 'lost')
  // without an outcome, moved away, not evaluated: none is known
  await tb('2025-08-13')
  await tb('2025-08-14', '2025-12-14', 'moved')
  await tb('2025-08-15', '2025-12-15', 'not_evaluated')
  // of no figure: by mistake, and other quarters
  await tb('2025-08-16', '2025-08-17', 'mistaken')
  await tb('2025-06-30', '2025-12-30', 'cured')
  await tb('2025-10-01', '2026-04-01', 'cured')
  await enrolled('malnutrition', '2026-09-01', '2026-10-01', 'recovered')
  await enrolled('malnutrition', '2026-09-02', '2026-10-31', 'recovered')
  await enrolled('malnutrition', '2026-09-03', '2026-10-20', 'defaulted')
  await enrolled('malnutrition', '2026-09-04', '2026-10-20', 'died', '2026-10-20')
  await enrolled('malnutrition', '2026-09-05', '2026-10-20', 'transferred')
  await enrolled('malnutrition', '2026-09-06', '2026-11-01', 'recovered')
  await enrolled('hiv', '2026-10-05')
  const { cells } = await runCells(db, runOf('program-outcomes', [clinic_id]))
  const value = (row: string, column = 'value') =>
    cells.find((cell) => cell.row === row && cell.column === column)?.value
  const rows = ['cohort', 'cured', 'completed', 'failed', 'died', 'lost', 'not-evaluated']
  expect(rows.map((row) => value(`tb-${row}`))).toEqual([9, 2, 1, 1, 1, 1, 3])
  expect(value('tb-success')).toBeCloseTo(100 / 3)
  const ends = ['recovered', 'died', 'defaulted', 'not-recovered']
  expect(ends.map((row) => value(`sam-${row}`))).toEqual([2, 1, 1, 0])
  expect(['recovered', 'died', 'defaulted'].map((row) => value(`sam-${row}-rate`))).toEqual([
    50, 25, 25,
  ])
  expect([value('hiv-new', 'total'), value('hiv-open', 'total')]).toEqual([1, 1])
  expect([value('malnutrition-new', 'total'), value('malnutrition-open', 'total')]).toEqual([0, 1])
})
