import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayIn, daysBetween, momentAt, monthsBetween, wallTime } from './zone'

const zones = [
  'UTC',
  'Asia/Amman',
  'America/Lima',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kolkata',
  'Europe/Madrid',
]

test('what a clock shows is the moment it was, in any zone, but for the hour that comes twice', () => {
  const at = fc.date({
    min: new Date('1950-01-01'),
    max: new Date('2100-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(at, fc.constantFrom(...zones), (moment, zone) => {
      moment.setUTCSeconds(0, 0)
      expect(wallTime(momentAt(wallTime(moment, zone), zone)!, zone)).toBe(wallTime(moment, zone))
    }),
  )
})

test('an hour that spring skips becomes the next, and of the one that autumn repeats the first is meant', () => {
  expect(momentAt('2026-03-29T02:30', 'Europe/Madrid')?.toISOString()).toBe(
    '2026-03-29T01:30:00.000Z',
  )
  expect(momentAt('2026-10-25T02:30', 'Europe/Madrid')?.toISOString()).toBe(
    '2026-10-25T00:30:00.000Z',
  )
  expect(momentAt('', 'UTC')).toBeNull()
  expect(momentAt('2026-13-01T00:00', 'UTC')).toBeNull()
})

test('the day differs east and west of UTC', () => {
  const at = new Date('2026-02-28T22:30:00Z')
  expect(zones.map((zone) => dayIn(at, zone))).toEqual([
    '2026-02-28',
    '2026-03-01',
    '2026-02-28',
    '2026-03-01',
    '2026-02-28',
    '2026-03-01',
    '2026-02-28',
  ])
})

test('days and months between two days count leap days and short months', () => {
  expect(daysBetween('2024-02-28', '2024-03-01')).toBe(2)
  expect(daysBetween('1899-12-31', '1900-03-01')).toBe(60)
  expect(monthsBetween('2024-02-29', '2025-02-28')).toBe(11)
  expect(monthsBetween('2024-01-31', '2024-02-29')).toBe(0)
  expect(monthsBetween('2024-01-31', '2024-03-01')).toBe(1)
})
