import { expect, test } from 'vitest'
import { damagedCells, isDamagedIdentity, isShortenedNumber } from './damaged-cells'

test.each([
  '9.61E+10',
  '9,61E+10',
  '٩٫٦١E+١٠',
  '\u200F٩٫٦١أس+١٠',
  '1.23457E+14',
  '1E+50',
  '1.00E+50',
  '6.1e-5',
  '9.6170123456E10',
  '12345678901234500',
])('a spreadsheet has shortened %s', (text) => {
  expect(isShortenedNumber(text)).toBe(true)
  expect(isDamagedIdentity(text)).toBe(true)
})

test.each(['70123456.0', '70123456,00', '٧٠١٢٣٤٥٦٫٠', '12.0'])('%s is no identity', (text) => {
  expect(isDamagedIdentity(text)).toBe(true)
  // a result may be written so
  expect(isShortenedNumber(text)).toBe(false)
})

test.each([
  '+96170123456',
  '0096170123456',
  '٧٠١٢٣٤٥٦',
  '70 123 456',
  '1E50',
  '5A11.0',
  'E11.0',
  'J45.90',
  '1234567890123450',
  '123456789012345678',
  '09504000059101',
  'LOT-12E4',
  '',
])('%s is as it was typed', (text) => {
  expect(isDamagedIdentity(text)).toBe(false)
})

test('a row is checked cell by cell; only identities are whole numbers', () => {
  const row = { code: '44054006.0', label: '12.0', note: 'EspaÃ±a', count: 3 }
  expect(damagedCells(row, (column) => column === 'code')).toEqual([
    {
      column: 'code',
      text: { key: 'imports.reasons.shortened', values: { value: '44054006.0', column: 'code' } },
    },
    { column: 'note', text: { key: 'imports.reasons.garbled' } },
  ])
})
