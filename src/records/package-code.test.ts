import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeBarcode, isGtin, readGs1 } from './package-code'

const today = new Date('2026-11-21T00:00:00Z')

test.for([
  // GS1 General Specifications, figure 4.15.1-1
  [
    ']d201095040000591012112345678p901\u001D101234567p\u001D171411208200http://www.gs1.org/demo/',
    { gtin: '09504000059101', serial: '12345678p901', batch: '1234567p', expiry: '2014-11-20' },
  ],
  [
    '(01)09504000059101(21)12345678p901(10)1234567p(17)141120',
    { batch: '1234567p', expiry: '2014-11-20' },
  ],
  // Morovia knowledge base, "Input Format for Creating GS1 DataMatrix"
  [
    '010345312000001117120508\u001D10ABCD1234\u001D4109501101020917',
    { gtin: '03453120000011', batch: 'ABCD1234', expiry: '2012-05-08' },
  ],
  // GS1 Digital Link Standard: URI syntax, section 4
  [
    'https://id.gs1.org/01/09520123456788/10/ABC1/21/12345?17=180426',
    { gtin: '09520123456788', expiry: '2018-04-26' },
  ],
  ['https://id.gs1.org/01/9520123456788', { gtin: '09520123456788' }],
  ['01095040000591011726020010A', { expiry: '2026-02-28', batch: 'A' }],
  ['(17)280200', { expiry: '2028-02-29' }],
  ['01095040000591011727123110L-7<GS>21X', { batch: 'L-7', serial: 'X' }],
  // what scanners send in place of the separator
  ...['^]', '{GS}', '[gs]', '|', '#', '~', '\\x1d', '\u241D'].map(
    (separator) =>
      [
        `010950400005910110AB123${separator}17271231`,
        { gtin: '09504000059101', batch: 'AB123', expiry: '2027-12-31' },
      ] as const,
  ),
] as const)('%s is read', ([code, found]) => expect(readGs1(code, today)).toMatchObject(found))

test.for([
  ['a plain EAN-13', '4006381333931'],
  ['an EAN-13 that begins like a code', '1012345678903'],
  ['a wrong check digit', '(01)09504000059102(10)A'],
  ['a web address', 'https://clinic.example/01/nothing'],
  ['text', 'Paracetamol 500'],
  ['a cut code', '0109504000059'],
  ['a batch with a letter that GS1 does not allow', '010950400005910110AB€123'],
  ['a batch of 21 letters', '010950400005910110ABCDEFGHIJKLMNOPQRSTU'],
  ['nothing', ''],
])('%s is no GS1 code', ([, code]) => expect(readGs1(code!, today)).toBeNull())

test('a day that the calendar does not have is left out', () => {
  expect(readGs1('(01)09504000059101(17)261332(10)A', today)).toMatchObject({
    expiry: undefined,
    batch: 'A',
  })
  expect(readGs1('(17)270230', today)).toBeNull()
})

test('years count to the nearest century', () => {
  expect(readGs1('(17)760101', today)?.expiry).toBe('2076-01-01')
  expect(readGs1('(17)770101', today)?.expiry).toBe('1977-01-01')
})

test('a package is found by its number, however it was read', () => {
  expect(normalizeBarcode(' 400 6381 333931 ')).toBe('4006381333931')
  expect(normalizeBarcode(']d201095040000591011727123110A')).toBe('09504000059101')
  expect(['4006381333931', '96385074', '12345670'].map(isGtin)).toEqual([true, true, true])
  expect(isGtin('4006381333932')).toBe(false)
})

test('whatever is scanned, reading ends, and what is found is whole', () => {
  const codeLike = fc
    .stringMatching(/^[01]\d[\dA-Z()|]{0,60}$/)
    .map((text) => text.replaceAll('|', '\u001D'))
  fc.assert(
    fc.property(fc.oneof(fc.string(), codeLike), (text) => {
      const found = readGs1(text, today)
      expect(found?.gtin === undefined || isGtin(found.gtin)).toBe(true)
    }),
  )
})

test('batch, expiry and serial come back in any order', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9]{1,20}$/)
  fc.assert(
    fc.property(
      word,
      word,
      fc.shuffledSubarray(['10', '17', '21'], { minLength: 3 }),
      (batch, serial, order) => {
        const data: Record<string, string> = {
          '10': `${batch}\u001D`,
          '17': '271231',
          '21': `${serial}\u001D`,
        }
        const code = `0109504000059101${order.map((ai) => ai + data[ai]).join('')}`
        expect(readGs1(code, today)).toEqual({
          gtin: '09504000059101',
          batch,
          serial,
          expiry: '2027-12-31',
        })
      },
    ),
  )
})
