import { describe, expect, test } from 'vitest'
import { momentAt, wallTime } from '~/shared/zone'
import { dayLater, occurrences, Repeat } from './recurrence'

const walls = (start: string, repeat: Repeat, zone: string) =>
  occurrences(momentAt(start, zone)!, repeat, zone).map((at) => wallTime(at, zone))

describe('a series', () => {
  test('comes every so many days, weeks or months, as often as was said', () => {
    expect(walls('2026-03-02T09:00', { every: 2, unit: 'day', count: 3 }, 'America/Lima')).toEqual([
      '2026-03-02T09:00',
      '2026-03-04T09:00',
      '2026-03-06T09:00',
    ])
    expect(
      walls('2026-12-28T09:00', { every: 1, unit: 'week', count: 2 }, 'Asia/Kathmandu'),
    ).toEqual(['2026-12-28T09:00', '2027-01-04T09:00'])
  })

  test('until a day includes that day', () => {
    const until = { every: 1, unit: 'week', until: '2026-03-16' } as const
    expect(walls('2026-03-02T23:45', until, 'America/Lima')).toHaveLength(3)
    expect(walls('2026-03-02T00:15', until, 'Asia/Kathmandu')).toHaveLength(3)
  })

  test('of the 31st comes on the last day of shorter months, and on the 31st again after them', () => {
    expect(walls('2026-01-31T10:00', { every: 1, unit: 'month', count: 4 }, 'Asia/Beirut')).toEqual(
      ['2026-01-31T10:00', '2026-02-28T10:00', '2026-03-31T10:00', '2026-04-30T10:00'],
    )
    expect(dayLater('2027-12-31', 2, 'month')).toBe('2028-02-29')
    expect(dayLater('2026-03-31', -1, 'month')).toBe('2026-02-28')
  })

  test('stays at the same clock time when the clocks change and an hour is lost or repeated', () => {
    const weekly = { every: 1, unit: 'week', count: 2 } as const
    const spring = occurrences(momentAt('2026-03-25T09:00', 'Asia/Beirut')!, weekly, 'Asia/Beirut')
    expect(spring.map((at) => at.toISOString())).toEqual([
      '2026-03-25T07:00:00.000Z',
      '2026-04-01T06:00:00.000Z',
    ])
    const autumn = occurrences(momentAt('2026-10-21T09:00', 'Asia/Beirut')!, weekly, 'Asia/Beirut')
    expect(autumn.map((at) => at.toISOString())).toEqual([
      '2026-10-21T06:00:00.000Z',
      '2026-10-28T07:00:00.000Z',
    ])
    // Lebanon skips the first hour of 29 March 2026: that one appointment is an hour later, the next at its time again
    expect(walls('2026-03-28T00:30', { every: 1, unit: 'day', count: 3 }, 'Asia/Beirut')).toEqual([
      '2026-03-28T00:30',
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ])
  })

  test('ends either after a number of times or on a day', () => {
    expect(Repeat.safeParse({ every: 1, unit: 'day' }).success).toBe(false)
    expect(Repeat.safeParse({ every: 1, unit: 'day', count: 2, until: '2026-03-16' }).success).toBe(
      false,
    )
    expect(Repeat.safeParse({ every: 0, unit: 'day', count: 2 }).success).toBe(false)
    expect(Repeat.safeParse({ every: 1, unit: 'year', count: 2 }).success).toBe(false)
  })
})
