import { expect, test } from 'vitest'
import { proposedVisit } from './proposed-visit'

test('what happened on a day is proposed for an open visit of that day alone, unless the user says so', () => {
  const visits = [
    { id: 'today', day: '2026-11-30' },
    { id: 'paper', day: '2026-11-23' },
  ]
  expect(proposedVisit(visits, '2026-11-30', undefined)).toBe('today')
  expect(proposedVisit(visits, '2026-11-23', undefined)).toBe('paper')
  expect(proposedVisit(visits, '2026-11-24', undefined)).toBeNull()
  expect(proposedVisit(visits, '2026-11-24', 'today')).toBe('today')
  expect(proposedVisit(visits, '2026-11-30', null)).toBeNull()
  expect(proposedVisit([], '2026-11-30', undefined)).toBeNull()
})
