import { expect, test } from 'vitest'
import type { Appointment } from '../appointments.server'
import {
  columnsByDay,
  columnsByDepartment,
  columnsByProvider,
  daysFrom,
  daysShown,
  drawn,
  momentAtMinute,
  stepDay,
} from './calendar'

let count = 0
const at = (timestamp: string, more: Partial<Appointment> = {}) =>
  ({
    id: String((count += 1)),
    timestamp: new Date(timestamp),
    duration: 60,
    departments: [],
    provider_id: null,
    provider: null,
    ...more,
  }) as Appointment

test('a view shows its day, its week as the language begins it, or the weeks of its month', () => {
  expect(daysShown('day', '2026-03-01', 'en')).toEqual({ from: '2026-03-01', to: '2026-03-01' })
  // 1 March 2026 is a Sunday
  expect(daysShown('week', '2026-03-01', 'en')).toEqual({ from: '2026-02-23', to: '2026-03-01' })
  expect(daysShown('week', '2026-03-01', 'ar')).toEqual({ from: '2026-02-28', to: '2026-03-06' })
  expect(daysShown('month', '2026-03-17', 'es')).toEqual({ from: '2026-02-23', to: '2026-04-05' })
  expect(daysFrom('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  expect(stepDay('month', '2026-01-31', 1)).toBe('2026-02-28')
  expect(stepDay('week', '2026-03-01', -1)).toBe('2026-02-22')
})

test("stands under the day and the hour of the clinic's clock, also when the clocks change", () => {
  const before = at('2026-03-28T21:30:00Z')
  const after = at('2026-03-28T22:30:00Z')
  const columns = columnsByDay([before, after], ['2026-03-28', '2026-03-29'], 'Asia/Beirut')
  expect(columns.map(({ items }) => items.map(({ start }) => start))).toEqual([
    [23 * 60 + 30],
    [0, 90],
  ])
  expect(momentAtMinute('2026-03-29', 90, 'Asia/Beirut')).toEqual(after.timestamp)
  const kathmandu = columnsByDay([at('2026-01-31T18:15:00Z')], ['2026-02-01'], 'Asia/Kathmandu')
  expect(kathmandu[0]!.items[0]!.start).toBe(0)
})

test('those at the same time stand side by side; one that follows has the whole width', () => {
  const items = [
    at('2026-03-01T09:00:00Z'),
    at('2026-03-01T09:30:00Z'),
    at('2026-03-01T10:00:00Z'),
    at('2026-03-01T12:00:00Z'),
  ]
  const [column] = columnsByDay(items, ['2026-03-01'], 'UTC')
  expect(column!.items.map(({ lane, lanes }) => [lane, lanes])).toEqual([
    [0, 2],
    [1, 2],
    [0, 2],
    [0, 1],
  ])
})

test('has a column for each provider or department; appointments without one are in the last', () => {
  const departments = [
    { id: 'lab', name: 'Lab' },
    { id: 'eye', name: 'Eye' },
  ] as Appointment['departments']
  const items = [
    at('2026-03-01T09:00:00Z'),
    at('2026-03-01T09:00:00Z', { provider_id: 'r', provider: 'Rana', departments }),
  ]
  expect(columnsByProvider(items, '2026-03-01', 'UTC', 'en').map(({ name }) => name)).toEqual([
    'Rana',
    null,
  ])
  expect(
    columnsByDepartment(items, '2026-03-01', 'UTC', 'en').map(({ name, items: some }) => [
      name,
      some.length,
    ]),
  ).toEqual([
    ['Eye', 1],
    ['Lab', 1],
    [null, 1],
  ])
})

test('draws the usual hours, and more where something is booked outside of them', () => {
  expect(drawn([])).toMatchObject({ first: 8, last: 18 })
  const columns = columnsByDay(
    [at('2026-03-01T05:30:00Z'), at('2026-03-01T23:30:00Z')],
    ['2026-03-01'],
    'UTC',
  )
  expect(drawn(columns)).toMatchObject({ first: 5, last: 24 })
})

test('an appointment that goes on after midnight is in the column of the next day, too', () => {
  const days = ['2026-03-01', '2026-03-02', '2026-03-03']
  const night = at('2026-03-01T23:30:00Z', { duration: 120 })
  const parts = columnsByDay([night, at('2026-03-02T00:30:00Z')], days, 'UTC').map(({ items }) =>
    items.map(({ start, minutes, began, lanes }) => [start, minutes, began, lanes]),
  )
  expect(parts).toEqual([
    [[1410, 30, null, 1]],
    [
      [0, 90, 1410, 2],
      [30, 60, null, 2],
    ],
    [],
  ])
})

test('draws no night for what goes on after midnight: it stands at the top edge, beside what begins there', () => {
  const columns = columnsByDay(
    [
      at('2026-03-01T23:30:00Z', { duration: 120 }),
      at('2026-03-02T08:00:00Z'),
      at('2026-03-01T20:00:00Z', { duration: 14 * 60 }),
    ],
    ['2026-03-02'],
    'UTC',
  )
  const { first, columns: shown } = drawn(columns)
  expect(first).toBe(8)
  expect(
    shown[0]!.items.map(({ start, minutes, began, lanes }) => [start, minutes, began, lanes]),
  ).toEqual([
    [480, 120, 1200, 3],
    [480, 60, null, 3],
    [480, 30, 1410, 3],
  ])
})
