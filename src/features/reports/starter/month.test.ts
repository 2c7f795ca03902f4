import { expect } from 'vitest'
import { runOf } from '../../../../test/report-examples'
import { test } from '../../../../test/harness'
import { makeWorld, type RecordsCall, writeHistory } from '../../../../test/report-history'
import type { RemovalReason } from '~/features/day/followups/followup'
import { recordCall } from '~/features/day/followups/calls.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { loadCellRows, runCells } from '../cells/cells.server'
import { drillReport } from '../runs/drill.server'
import { installStarterReports } from './install.server'

/** Sixty patients with hypertension who should have come by 14 August: how many, and what October brings. */
const OCTOBER: [number, string][] = [
  // agreed to come: ten came after a week, one on day 15, one on day 16, eight did not
  [10, 'call 2026-10-05 agreed; bp 2026-10-12 130/80'],
  [1, 'call 2026-10-05 agreed; bp 2026-10-20 130/80'],
  [1, 'call 2026-10-05 agreed; bp 2026-10-21 130/80'],
  [8, 'call 2026-10-05 agreed'],
  // no answer at first: the first call decides
  [2, 'call 2026-10-10 remind; call 2026-10-20 agreed; bp 2026-10-25 130/80'],
  [1, 'call 2026-10-10 remind; call 2026-10-20 agreed; bp 2026-10-26 130/80'],
  [2, 'call 2026-10-10 remind; call 2026-10-20 agreed'],
  [5, 'call 2026-10-10 remind'],
  // removed from the list, and a family that says that the patient has died
  [3, 'call 2026-10-15 wrong_number'],
  [1, 'call 2026-10-15 moved'],
  [1, 'call 2026-10-15 died'],
  // came without a call
  [5, 'bp 2026-10-18 145/92'],
  [1, 'died 2026-10-20'],
  // called on the last day: day 15 is 15 November
  [1, 'call 2026-10-31 agreed; bp 2026-11-15 130/80'],
  [1, 'call 2026-10-31 agreed; bp 2026-11-16 130/80'],
  [17, 'phone 0911222333'],
]

test('a month of calls, returns and deaths among sixty overdue patients counts as by hand', async ({
  db,
  make,
  asUser,
}) => {
  const ctx = asUser(await make.user({ role: 'super_admin' }))
  const call: RecordsCall = ({ patient_id, called_at, day, result }) => {
    const common = { id: crypto.randomUUID(), patient_id, program: 'hypertension', called_at }
    if (result === 'agreed')
      return recordCall(ctx, { ...common, result: 'agreed_to_visit', agreed_on: day })
    if (result === 'remind')
      return recordCall(ctx, { ...common, result: 'remind_to_call_later', no_answer: true })
    return recordCall(ctx, {
      ...common,
      result: 'removed_from_overdue_list',
      reason: result as RemovalReason,
      ...(result === 'died' && { died_on: '2026-10-14' }),
    })
  }
  const world = await makeWorld(db)
  expect(OCTOBER.reduce((sum, [count]) => sum + count, 0)).toBe(60)
  for (const [count, events] of OCTOBER)
    for (let at = 0; at < count; at += 1)
      await writeHistory(
        db,
        world,
        `hypertension 2026-01-10; bp 2026-07-15 150/95; ${events}`,
        call,
      )
  const valuesIn = async (period: string) => {
    const run = runOf('hypertension-diabetes', [world.clinics['A']!], period)
    const { cells } = await runCells(db, run)
    return Object.fromEntries(cells.map(({ row, value }) => [row, value]))
  }

  // the two who died are in no figure but that of the dead
  expect(await valuesIn('2026-10')).toMatchObject({
    B1: 58,
    B3: 2,
    B4: 58,
    B7: 58,
    // 10 + 1 + 1 + 2 + 1
    B8: 15,
    B9: 5,
    B10: 38,
    B14: 58,
    'B14-rate': 100,
    // 20 + 10 + 4 + 2
    B15: 36,
    'B15-agreed': 22,
    'B15-remind': 10,
    'B15-removed': 4,
    'B15-rate': (36 / 58) * 100,
    // 10 + 1 of the first call, 2 whose first call had no answer, 1 in November
    B16: 14,
    'B16-rate': (14 / 36) * 100,
  })
  // without the 20 who came in October and the 4 who were removed
  expect(await valuesIn('2026-11')).toMatchObject({ B1: 58, B14: 34, B15: 0, B16: 0 })
})

test('two merged records of a patient count once, with the calls of both', async ({
  db,
  make,
  asUser,
}) => {
  const ctx = asUser(await make.user({ role: 'super_admin' }))
  const world = await makeWorld(db)
  const visits = 'hypertension 2026-01-10; bp 2026-07-15 150/95; phone 0911222333'
  const winner = await writeHistory(db, world, `${visits}; call 2026-10-20 remind`)
  const loser = await writeHistory(
    db,
    world,
    `${visits}; call 2026-10-05 agreed; bp 2026-10-12 130/80`,
  )
  // one enrolment ends after the period, so that both stay as they are
  await db
    .updateTable('program_enrollments')
    .set({ ended_on: '2026-11-10', end_reason: 'moved' })
    .where('patient_id', '=', winner)
    .execute()
  const run = runOf('hypertension-diabetes', [world.clinics['A']!], '2026-10')
  const values = async () => {
    const { cells } = await runCells(db, run)
    const all = Object.fromEntries(cells.map(({ row, value }) => [row, value]))
    return ['B1', 'B4', 'B14', 'B15', 'B15-agreed', 'B15-remind', 'B16'].map((row) => all[row])
  }
  expect(await values()).toEqual([2, 2, 2, 2, 1, 1, 1])
  const { mergeId } = await mergePatients(ctx, {
    id: crypto.randomUUID(),
    winnerId: winner,
    loserId: loser,
    choices: {},
  })
  expect(await values()).toEqual([1, 1, 1, 1, 1, 0, 1])
  const cell = { section: 'htn-overdue', row: 'B15-agreed', column: 'value' }
  expect((await loadCellRows(db, run, cell)).patientIds).toEqual([winner])
  await installStarterReports(db)
  const input = { code: run.definition.code, clinic_ids: [...run.clinicIds], period: '2026-10' }
  const drilled = await drillReport(ctx, { ...input, ...cell })
  expect(drilled.rows.map(({ patient_id }) => patient_id)).toEqual([winner])
  await db.updateTable('patients').set({ died_on: '2026-10-25' }).where('id', '=', winner).execute()
  const dead = await loadCellRows(db, run, {
    section: 'htn-registration',
    row: 'B3',
    column: 'value',
  })
  expect(dead.patientIds).toEqual([winner])
  await db.updateTable('patients').set({ died_on: null }).where('id', '=', winner).execute()
  await unmergePatients(ctx, { mergeId })
  expect(await values()).toEqual([2, 2, 2, 2, 1, 1, 1])
})
