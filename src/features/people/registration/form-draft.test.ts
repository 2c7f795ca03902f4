import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  fieldsDiffer,
  mergeRegistrationForm,
  missingFieldTranslations,
  moved,
  newField,
  possibleParents,
  withColumns,
} from './form-draft'
import type { RegistrationField } from './registration-form'

const field = (column: string, more: Partial<RegistrationField> = {}): RegistrationField => ({
  ...newField(),
  id: column,
  column,
  label: { en: column, ar: 'ع', es: column },
  ...more,
})

test('moving an entry keeps all the others in their order', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(), { minLength: 1 }),
      fc.nat(),
      fc.integer({ min: -5, max: 99 }),
      (list, seed, to) => {
        const from = seed % list.length
        const after = moved(list, from, to)
        expect(after.filter((entry) => entry !== list[from])).toEqual(
          list.filter((_, at) => at !== from),
        )
        expect(after[Math.min(Math.max(to, 0), list.length - 1)]).toBe(list[from])
      },
    ),
  )
})

test('options can depend on a field that was added and not saved yet', () => {
  const village = field('village')
  const added = { ...newField(), label: { en: 'District' } }
  const others = [field('hidden', { visible: false }), field('born', { fieldType: 'date' })]
  expect(possibleParents(village, [village, added, ...others])).toEqual([added])
})

test.each([
  ['Age at arrival', 'age_at_arrival'],
  ['  Tribe / clan? ', 'tribe_clan'],
  ['القبيلة والعشيرة', 'القبيلة_والعشيرة'],
  ['😀', 'field'],
])('a new field called %j is kept as %s', (label, column) => {
  expect(withColumns([{ ...newField(), label: { en: label } }])[0]?.column).toBe(column)
})

test('two fields of one name get columns of their own; one that has a column keeps it', () => {
  const twice = { ...newField(), label: { en: 'Tribe' } }
  expect(withColumns([field('tribe'), twice, twice]).map(({ column }) => column)).toEqual([
    'tribe',
    'tribe_2',
    'tribe_3',
  ])
})

test('a form reports missing translations, but not of hidden fields', () => {
  const fields = [
    field('a', { label: { en: 'A', es: 'A' } }),
    field('b', {
      fieldType: 'select',
      options: [
        { en: 'Yes', ar: 'نعم', es: 'Sí' },
        { en: 'No', ar: ' ', es: 'No' },
      ],
    }),
    field('hidden', { visible: false, label: {} }),
    field('deleted', { deleted: true, label: {} }),
    field('text', { options: [{}] }),
  ]
  expect(
    missingFieldTranslations(fields).map(({ field: { id }, language, what, option }) => [
      id,
      language,
      what,
      option,
    ]),
  ).toEqual([
    ['a', 'ar', 'label', ''],
    ['b', 'ar', 'option', 'No'],
  ])
})

test('after another user saved first, the changes of both are in the form', () => {
  const base = [field('a'), field('b'), field('c')]
  const mine = [field('c'), field('a', { required: true }), field('b'), field('my new one')]
  const newest = [field('a'), field('b', { visible: false }), field('c'), field('their new one')]

  expect(
    mergeRegistrationForm(base, mine, newest).map(({ id, required, visible }) => [
      id,
      required,
      visible,
    ]),
  ).toEqual([
    ['c', false, true],
    ['a', true, true],
    ['b', false, false],
    ['my new one', false, true],
    ['their new one', false, true],
  ])
})

test('a form differs by what is in it and by its order', () => {
  expect(fieldsDiffer([field('a'), field('b')], [field('a', { position: 7 }), field('b')])).toBe(
    false,
  )
  expect(fieldsDiffer([field('a'), field('b')], [field('b'), field('a')])).toBe(true)
  expect(fieldsDiffer([field('a')], [field('a', { required: true })])).toBe(true)
})
