import { expect, test } from 'vitest'
import { pageSize } from './page-size'

test('a report is printed on the paper that its definition names', () => {
  const sizes = [undefined, 'A4 portrait', 'A5', 'a5 Portrait', 'A3 landscape', 'wide'].map(
    pageSize,
  )
  expect(sizes).toEqual([
    'A4 landscape',
    'A4 portrait',
    'A5 landscape',
    'A5 portrait',
    'A3 landscape',
    'A4 landscape',
  ])
})
