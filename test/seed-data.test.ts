import { expect, test } from 'vitest'
import * as z from 'zod'
import { PER_UNITS } from '~/records/strength'
import { DOSAGE_FORMS, DOSE_UNITS, ROUTES } from '~/shared/dosage'
import { firstErrors } from '~/shared/problems'
import proveNames from '../scripts/prove/names.json'
import { MEDICINES, medicines } from '../scripts/seed/medicines'
import seedNames from '../scripts/seed/names.json'

const Medicine = z.strictObject({
  name: z.string().min(3),
  brand: z.string().min(2).optional(),
  ingredients: z.array(z.string().regex(/^[a-z]/)).min(1),
  form: z.enum(DOSAGE_FORMS),
  route: z.enum(ROUTES),
  strength: z.number().positive(),
  unit: z.enum(DOSE_UNITS),
  minimum: z.int().positive(),
  is_controlled: z.literal(true).optional(),
  requires_refrigeration: z.literal(true).optional(),
  per: z.tuple([z.number().positive(), z.enum(PER_UNITS)]).optional(),
  each: z.string().optional(),
})

test('each medicine of the seed is a valid and different entry of the catalogue', () => {
  const read = z.array(Medicine).safeParse(MEDICINES)
  expect(read.success ? {} : firstErrors(read.error)).toEqual({})
  expect(new Set(medicines.map(({ id }) => id)).size).toBe(medicines.length)
})

const { arabic, latinArabic, spanish } = seedNames
const { english, more } = proveNames

test.each([
  ['arabic', arabic],
  ['latinArabic', latinArabic],
  ['spanish', spanish],
  ['english', english],
  ...Object.entries(more),
])('the names of %s are written, trimmed and listed once', (_, { male, female, family }) => {
  for (const list of [male, female, family]) {
    expect(list.length).toBeGreaterThan(10)
    expect(list.filter((name) => name === '' || name !== name.trim())).toEqual([])
    expect(list.filter((name, at) => list.indexOf(name) !== at)).toEqual([])
  }
})
