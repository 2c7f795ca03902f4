import { expect, test } from 'vitest'
import { type Course, takenUntil } from './taken-until'

const at = (day: string) => new Date(`${day}T10:00:00Z`)
const course = (given: Partial<Course>): Course => ({
  isOpen: false,
  prescribedAt: at('2026-01-01'),
  validUntil: null,
  supplies: [],
  ...given,
})

test.each<[string, Partial<Course>, string | null, boolean?, boolean?]>([
  ['prescribed and valid', { isOpen: true, validUntil: at('2026-06-01') }, '2026-06-01'],
  ['prescribed without a last day', { isOpen: true }, '2026-06-30', true, true],
  ['closed, nothing handed over', { validUntil: at('2026-06-01') }, null],
  ['handed over for 30 days', { supplies: [{ at: at('2026-02-01'), days: 30 }] }, '2026-03-03'],
  [
    'handed over, nobody recorded for how long',
    { supplies: [{ at: at('2026-02-01'), days: null }] },
    '2026-05-02',
    true,
  ],
  [
    'handed over in pieces, nobody recorded for how long',
    { supplies: [{ at: at('2026-02-01'), days: null, pieces: 120 }] },
    '2026-06-01',
    true,
  ],
  ['handed over for 180 days', { supplies: [{ at: at('2026-02-01'), days: 180 }] }, '2026-07-31'],
  [
    'fetched before the last supply was used up',
    {
      supplies: [
        { at: at('2026-02-20'), days: 30 },
        { at: at('2026-02-01'), days: 30 },
      ],
    },
    '2026-04-02',
  ],
  [
    'pieces whose days nobody recorded, then a few days more',
    {
      supplies: [
        { at: at('2026-01-01'), days: null, pieces: 180 },
        { at: at('2026-01-10'), days: 5 },
      ],
    },
    '2026-06-30',
    true,
  ],
  ['for more days than can be', { supplies: [{ at: at('2026-02-01'), days: 1e9 }] }, '2036-01-30'],
  [
    'valid, and the supply lasts longer',
    {
      isOpen: true,
      validUntil: at('2026-02-10'),
      supplies: [{ at: at('2026-02-01'), days: 30 }],
    },
    '2026-03-03',
  ],
  [
    'valid longer than the supply',
    {
      isOpen: true,
      validUntil: at('2026-06-01'),
      supplies: [{ at: at('2026-02-01'), days: 30 }],
    },
    '2026-06-01',
  ],
  [
    'partly handed over, without a last day',
    { isOpen: true, supplies: [{ at: at('2026-02-01'), days: 10 }] },
    '2026-07-31',
    true,
    true,
  ],
  [
    'partly handed over for an unknown time, without a last day',
    { isOpen: true, supplies: [{ at: at('2026-02-01'), days: null }] },
    '2026-07-31',
    true,
  ],
])('%s', (_name, given, until, isAssumed = false, isOpenEnded = false) => {
  expect(takenUntil(course(given))).toEqual(until && { until: at(until), isAssumed, isOpenEnded })
})
