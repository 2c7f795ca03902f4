import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { parsePrescriptionNumber, prescriptionNumber } from './number'

test('the number of a prescription follows from its id, and is read in any case and with look-alikes', () => {
  expect(prescriptionNumber('018f2f00-0000-7000-8000-000000000001')).toBe('0000-0001')
  expect(prescriptionNumber('018f2f00-0000-7000-8000-00ffffffffff')).toBe('ZZZZ-ZZZZ')
  for (let at = 0; at < 50; at += 1) {
    const id = uuidv7()
    const number = prescriptionNumber(id)
    expect(number).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(
      parsePrescriptionNumber(
        ` ${number.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `,
      ),
    ).toBe(id.slice(-10))
  }
})

test.each(['', 'Layla', '0000-000', '0000-0000-0', '????-????'])('%j is no number', (typed) => {
  expect(parsePrescriptionNumber(typed)).toBeNull()
})
