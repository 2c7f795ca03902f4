import { expect } from 'vitest'
import { countedBy, examplesIn, runOf, sorted } from '../../../../test/report-examples'
import { test } from '../../../../test/harness'
import { makeWorld, writeHistory } from '../../../../test/report-history'
import { runCells } from '../cells/cells.server'

test.for([
  ['opd', 'opd-morbidity'],
  ['epi', 'antenatal-immunisation'],
  ['cohort', 'hypertension-diabetes-further'],
] as const)(
  'each history of the %s examples is counted where its definition says',
  async ([name, code], { db }) => {
    const lines = examplesIn(name)
    const counted = await countedBy(db, await makeWorld(db), lines, { code, columns: true })
    expect(counted).toEqual(lines.map(sorted))
  },
)

test('clinics with a working monitor are counted, and as a share of those with registered patients', async ({
  db,
  make,
}) => {
  const world = await makeWorld(db)
  for (const clinic of ['A', 'A', 'B'])
    await writeHistory(db, world, `hypertension 2026-01-10 in ${clinic}`)
  const clinicIds = [...Object.values(world.clinics), (await make.clinic()).id]
  const { cells } = await runCells(db, {
    ...runOf('hypertension-diabetes-further', clinicIds),
    // one of the clinics has one
    manual: new Map([['cascade/B18/value', 1]]),
  })
  const cell = (row: string) => cells.find((each) => each.row === row)
  expect(cell('B18')).toMatchObject({ value: 1 })
  expect(cell('B18-rate')).toMatchObject({ value: 50, numerator: 1, denominator: 2 })
})
