import { expect, test } from 'vitest'
import { proposedVisit } from './proposed-visit'

test('what happened on another day is proposed for no visit of today, unless the user says so', () => {
  const visit = { id: 'visit', day: '2026-11-30' }
  expect(proposedVisit(visit, '2026-11-30', undefined)).toBe('visit')
  expect(proposedVisit(visit, '2026-11-23', undefined)).toBeNull()
  expect(proposedVisit(visit, '2026-11-23', 'visit')).toBe('visit')
  expect(proposedVisit(visit, '2026-11-30', null)).toBeNull()
  expect(proposedVisit(undefined, '2026-11-30', undefined)).toBeNull()
})
