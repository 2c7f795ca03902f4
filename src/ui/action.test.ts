import { expect, test } from 'vitest'
import { saidOfRestored } from './action'

test('a restore says each thing that did not happen as its user may think', () => {
  const done = { key: 'trash.restored', values: { name: 'Visit' } }
  expect(saidOfRestored({ left: 0, closed: 0, taken: 0 }, 'Visit')).toEqual([done])
  expect(saidOfRestored({ left: 2, closed: 1, taken: 3 }, 'Visit')).toEqual([
    done,
    { key: 'trash.visitClosed', values: { count: 1 } },
    { key: 'trash.keptOut', values: { count: 2 } },
    { key: 'trash.timeTaken', values: { count: 3 } },
  ])
  expect(saidOfRestored({ left: 0, closed: 0, taken: 0 })).toEqual(['common.undone'])
})
