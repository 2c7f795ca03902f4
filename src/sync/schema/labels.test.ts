import { expect, test } from 'vitest'
import { pushed, writable } from './tables'
import en from '../../../messages/en.json'

test('every column and table that phones write has a name that people read', () => {
  const names = Object.entries(pushed).flatMap(([table, spec]) => [
    `table_${table}`,
    ...writable(spec).map((column) => `column_${column}`),
  ])
  expect(names.filter((name) => !(name in en.devices))).toEqual([])
})
