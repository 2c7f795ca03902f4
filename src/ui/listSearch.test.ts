import { expect, test } from 'vitest'
import { listSearch, nextSort } from './listSearch'

test('a mangled address shows the first page instead of an error', () => {
  expect(listSearch({ page: 'x', direction: 'up', search: { a: 1 }, sort: ['a'] })).toEqual({})
})

test('a heading sorts upwards, then downwards, then not at all, from the first page each time', () => {
  const up = nextSort({ search: 'a', page: 4 }, 'name')
  expect(up).toEqual({ search: 'a', sort: 'name', direction: 'asc' })
  const down = nextSort(up, 'name')
  expect(down).toEqual({ search: 'a', sort: 'name', direction: 'desc' })
  expect(nextSort(down, 'name')).toEqual({ search: 'a' })
})
