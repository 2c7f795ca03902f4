import { expect } from 'vitest'
import { countedBy, examplesIn, runOf, sorted } from '../../../../test/report-examples'
import { test } from '../../../../test/harness'
import { makeWorld } from '../../../../test/report-history'
import { runCells } from '../cells/cells.server'

const code = 'hypertension-diabetes'

test('each history of the examples is counted where its definition says, and the indicators add up', async ({
  db,
}) => {
  const world = await makeWorld(db)
  const lines = examplesIn('hypertension', 'diabetes')
  const counted = await countedBy(db, world, lines, { code, columns: false })
  expect(counted).toEqual(lines.map(sorted))

  const [a, b] = [world.clinics['A']!, world.clinics['B']!]
  for (const [period, clinicIds] of [
    ['2026-10', [a]],
    ['2026-10', [a, b]],
    ['2026-01', [a]],
    ['2026-11', [a, b]],
  ] as const) {
    const { cells } = await runCells(db, runOf(code, clinicIds, period))
    const value = (row: string) => cells.find((cell) => cell.row === row)!.value!
    const sum = (...rows: string[]) => [period, rows.reduce((total, row) => total + value(row), 0)]
    for (const own of ['', 'C1-']) {
      expect(sum(`${own}B4`, `${own}B5`)).toEqual(sum(`${own}B1`))
      expect(sum(`${own}B6`, `${own}B7`)).toEqual(sum(`${own}B4`))
    }
    expect(sum('B8', 'B9', 'B10')).toEqual(sum('B7'))
    expect(sum('C4', 'C5', 'C6', 'C-not-classifiable', 'C1-B10')).toEqual(sum('C1-B7'))
    expect(sum('B15-agreed', 'B15-remind', 'B15-removed')).toEqual(sum('B15'))
    expect(value('B16')).toBeLessThanOrEqual(value('B15'))
    expect(value('B15-rate') ?? 0).toBeLessThanOrEqual(100)
  }
})
