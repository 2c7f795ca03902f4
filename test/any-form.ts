import fc from 'fast-check'
import { COMPARISONS, needsValue } from '~/forms/definition-rules'
import {
  BINARY_INPUTS,
  MIME_TYPES,
  OPTIONS_INPUTS,
  TEXT_INPUTS,
  TEXT_SIZES,
  FORM_UNITS,
} from '~/forms/field-kinds'
import { DOSAGE_FORMS, ROUTES } from '~/shared/dosage'

const word = (max = 30) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: max })
    .map((text) =>
      text
        .replaceAll(/\p{Cc}/gu, '')
        .trim()
        .slice(0, 150),
    )
    .filter((text) => text !== '' && text.isWellFormed())
const text = fc.oneof(fc.constant(''), word(60))
const options = (min: number, max: number) =>
  fc
    .uniqueArray(word(), {
      minLength: min,
      maxLength: max,
      selector: (one) => one.normalize('NFKC').trim().toLowerCase(),
    })
    .map((labels) => labels.map((label, at) => ({ id: `o${at}`, label, value: label })))
const some = <T>(values: readonly T[], least = 0) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: least })

const kinds = [
  fc.record({
    fieldType: fc.constant('binary'),
    inputType: fc.constantFrom(...BINARY_INPUTS),
    options: options(1, 2),
  }),
  fc.record({
    fieldType: fc.constant('free-text'),
    inputType: fc.constantFrom(...TEXT_INPUTS),
    length: fc.constant('short'),
    units: some(FORM_UNITS),
  }),
  fc.record({
    fieldType: fc.constant('free-text'),
    inputType: fc.constant('textarea'),
    length: fc.constant('long'),
  }),
  fc.record({
    fieldType: fc.constant('medicine'),
    inputType: fc.constant('input-group'),
    options: options(0, 3),
    fields: fc.record({
      name: text,
      route: some(ROUTES),
      form: some(DOSAGE_FORMS),
      frequency: text,
      intervals: text,
      dose: text,
      doseUnits: fc.constant(['mg']),
      duration: text,
      durationUnits: fc.constant(['days']),
    }),
  }),
  fc.record({
    fieldType: fc.constant('diagnosis'),
    inputType: fc.constant('select'),
    options: options(0, 4),
  }),
  fc.record({ fieldType: fc.constant('date'), inputType: fc.constant('date') }),
  fc.record({
    fieldType: fc.constant('options'),
    inputType: fc.constantFrom(...OPTIONS_INPUTS),
    options: options(1, 6),
    multi: fc.constant(false),
  }),
  fc.record({
    fieldType: fc.constant('options'),
    inputType: fc.constant('select'),
    options: options(1, 6),
    multi: fc.constant(true),
  }),
  fc.record({
    fieldType: fc.constant('file'),
    inputType: fc.constant('file'),
    allowedMimeTypes: some(MIME_TYPES, 1),
    multiple: fc.constant(true),
    minItems: fc.nat(3),
    maxItems: fc.integer({ min: 3, max: 9 }),
  }),
  fc.record({
    fieldType: fc.constant('text'),
    content: word(60),
    size: fc.constantFrom(...TEXT_SIZES),
  }),
  fc.record({ fieldType: fc.constant('separator') }),
] as fc.Arbitrary<object>[]

const field = fc.tuple(
  fc.oneof(...kinds),
  text,
  fc.boolean(),
  fc.nat(),
  fc.constantFrom(...COMPARISONS),
  fc.boolean(),
)

/** Any form that makes sense: fields of every kind, some shown by the answer to one above, texts in three languages. */
export const anyDefinition = fc
  .tuple(
    word(),
    text,
    fc.constantFrom('en', 'ar', 'es'),
    fc.array(field, { minLength: 1, maxLength: 12 }),
    text,
  )
  .map(([name, description, language, drawn, translated]) => {
    const form_fields = drawn.map(([kind, hint, required, pick, comparison, hasRule], at) => {
      const asked = drawn
        .slice(0, at)
        .flatMap(([above], place) => ('inputType' in above ? [`f${place}`] : []))
      const fieldId = asked[pick % Math.max(asked.length, 1)]
      const value = needsValue(comparison) ? 'x' : null
      const rules = { showIf: { match: 'all', tests: [{ fieldId, comparison, value }] } }
      return {
        id: `f${at}`,
        name: `Field ${at}`,
        description: hint.trim(),
        required,
        ...kind,
        ...(hasRule && fieldId && { rules }),
      }
    })
    const translations = form_fields.map(({ id }) => ({
      fieldId: id,
      name: translated === '' ? {} : { ar: `${translated} ${id}` },
      description: {},
      options: {},
    }))
    return { name, description, language, form_fields, translations }
  })
