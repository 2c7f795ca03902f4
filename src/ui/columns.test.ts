import { expect, test } from 'vitest'
import { cardRoles } from './columns'

test('the first column is the title of a card, the others are labelled values', () => {
  expect(cardRoles([{}, { card: 'badge' }, {}])).toEqual(['title', 'badge', 'value'])
})

test('a column that says it is the title leaves the first one a value', () => {
  expect(cardRoles([{}, { card: 'title' }, { card: 'hidden' }])).toEqual([
    'value',
    'title',
    'hidden',
  ])
})
