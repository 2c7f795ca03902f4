import { expect, test } from 'vitest'
import { initials } from './initials'

test.each([
  ['Laila Hassan', 'LH'],
  ['laila  al hassan said', 'LAH'],
  ['ليلى حسن', 'لح'],
  ['', ''],
])('the initials of "%s" are %s', (name, letters) => {
  expect(initials(name)).toBe(letters)
})
