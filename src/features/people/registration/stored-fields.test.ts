import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeFields, encodeFields } from './stored-fields'

const field = {
  id: '0190f1a2-0000-7000-8000-000000000001',
  position: 1,
  column: 'tribe',
  label: { en: 'Tribe' },
  fieldType: 'select' as const,
  options: [{ en: 'A' }],
  required: false,
  baseField: false,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
}
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('100%', '%41', '%', '%E0%A4%A', '#;,/?:@&=+$', 'النوع 😀'),
)
const texts = fc.record({ en: anyText, ar: anyText, es: anyText }, { requiredKeys: [] })

test('whatever people write into labels, options and names reads back as they wrote it', () => {
  fc.assert(
    fc.property(texts, fc.array(texts), anyText, (label, options, column) => {
      const written = { ...field, label, options, column }
      const stored = JSON.parse(JSON.stringify(encodeFields([written]))) as unknown
      expect(decodeFields(stored)).toEqual([written])
    }),
  )
})

test('stored text is what encodeURI makes of it, as phones expect', () => {
  expect(
    encodeFields([{ ...field, label: { ar: 'القرية', en: 'Home town' }, column: 'home town' }]),
  ).toMatchObject([
    { column: 'home%20town', label: { ar: encodeURI('القرية'), en: 'Home%20town' }, position: 1 },
  ])
})

test.each([
  ['never encoded', 'القرية', 'القرية'],
  ['a bare percent sign', '50% or more', '50% or more'],
  ['a broken escape', 'a%E0%A4b', 'a%E0%A4b'],
  ['encoded', 'Home%20town', 'Home town'],
])('%s is read all the same', (_, stored, read) => {
  expect(decodeFields([{ ...field, label: { en: stored } }])[0]?.label).toEqual({ en: read })
})

test('what an older server or a phone left out gets its usual value, and what is no field is left out', () => {
  const stored = [
    null,
    7,
    'x',
    { id: 'not an id', column: 'x' },
    { id: field.id, column: 'b', position: 9, fieldType: 'hologram', options: ['Yes', 3] },
    { ...field, id: field.id.replace(/1$/, '2'), position: 2, label: 'bare text' },
  ]

  expect(decodeFields(stored)).toMatchObject([
    { column: 'tribe', position: 1, label: { en: 'bare text' } },
    {
      column: 'b',
      position: 2,
      fieldType: 'text',
      options: [{ en: 'Yes' }, {}],
      visible: true,
      deleted: false,
    },
  ])
  expect(decodeFields('nonsense')).toEqual([])
})
