import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstErrors } from '~/shared/problems'
import { Definition } from './checked-definition'
import { EventFormField, storedFields, storedTranslations } from './definition'
import { anyDefinition } from '../../test/any-form'

const id = '0190f1a2-0000-7000-8000-000000000001'
const base = { id, name: 'Field', description: '', required: false }
const option = { id: 'o1', label: 'Yes', value: 'yes' }
const other = { id: 'o2', label: 'No', value: 'no' }
const medicineParts = {
  name: '',
  route: ['oral'],
  form: ['tablet'],
  frequency: '',
  intervals: '',
  dose: '',
  doseUnits: ['mg'],
  duration: '',
  durationUnits: ['days'],
}

/** One field of each kind, as the contract with the phones writes it (mobile sync, section 4). */
const contract: Record<string, object> = {
  binary: { ...base, fieldType: 'binary', inputType: 'radio', options: [option, other] },
  'free-text': {
    ...base,
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
    units: ['kg'],
  },
  'free-text, long': { ...base, fieldType: 'free-text', inputType: 'textarea', length: 'long' },
  medicine: {
    ...base,
    fieldType: 'medicine',
    inputType: 'input-group',
    options: [],
    fields: medicineParts,
  },
  diagnosis: { ...base, fieldType: 'diagnosis', inputType: 'select', options: [option] },
  date: { ...base, fieldType: 'date', inputType: 'date' },
  options: { ...base, fieldType: 'options', inputType: 'dropdown', options: [option], multi: true },
  file: {
    ...base,
    fieldType: 'file',
    inputType: 'file',
    allowedMimeTypes: ['image/png', 'image/jpeg', 'application/pdf'],
    multiple: true,
    minItems: 0,
    maxItems: 5,
  },
  text: { ...base, fieldType: 'text', content: 'Heading', size: 'xxl' },
  separator: { ...base, fieldType: 'separator' },
}
const aForm = (...form_fields: object[]) => ({
  name: 'Form',
  description: '',
  language: 'en',
  form_fields,
  translations: [] as unknown[],
})
const issuesOf = (form: unknown) => {
  const read = Definition.safeParse(form)
  return read.success
    ? {}
    : Object.fromEntries(Object.entries(firstErrors(read.error)).map(([at, { key }]) => [at, key]))
}

test.each(Object.entries(contract))(
  'a field of kind %s is stored exactly as phones read it',
  (_, wire) => {
    const read = Definition.parse(aForm(wire))
    expect(JSON.parse(JSON.stringify(read.form_fields))).toEqual([wire])
  },
)

test('rules lie in a key of their own: without it the field is one that phones know', () => {
  const rules = {
    limits: { min: 0, max: 300 },
    showIf: { match: 'all', tests: [{ fieldId: '__sex__', comparison: 'is', value: 'female' }] },
  }
  const [stored] = Definition.parse(aForm({ ...contract['free-text'], rules })).form_fields
  const { rules: kept, ...wire } = JSON.parse(JSON.stringify(stored)) as { rules: object }
  expect(wire).toEqual(contract['free-text'])
  expect(kept).toEqual(rules)
})

test('whatever is a form reads back equal after it was stored', () => {
  fc.assert(
    fc.property(anyDefinition, (form) => {
      const accepted = Definition.parse(form)
      const stored = JSON.parse(JSON.stringify(accepted)) as typeof accepted
      expect(JSON.parse(JSON.stringify(storedFields(stored.form_fields)))).toEqual(
        stored.form_fields,
      )
      expect(JSON.parse(JSON.stringify(storedTranslations(stored.translations)))).toEqual(
        stored.translations,
      )
      expect(JSON.parse(JSON.stringify(Definition.parse(stored)))).toEqual(stored)
    }),
    { numRuns: 60 },
  )
})

test('any input is either refused or accepted, without another effect', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      fc.constantFrom(...Object.values(contract)),
      fc.string(),
      (junk, field, key) => {
        for (const form of [
          junk,
          aForm(junk as object),
          aForm({ ...field, [key]: junk }),
          { ...aForm(field), translations: junk },
        ])
          expect(() => Definition.safeParse(form)).not.toThrow()
        expect(() => storedFields(junk)).not.toThrow()
        expect(() => storedTranslations([junk])).not.toThrow()
      },
    ),
  )
  expect(Object.getPrototypeOf({})).not.toHaveProperty('polluted')
})

const choice = contract['options'] as object
const number = contract['free-text'] as object
const evil = (text: string): unknown => JSON.parse(text)

/** A condition in groups, so many deep. */
const nested = (depth: number): object =>
  depth === 1
    ? { match: 'any', tests: [{ fieldId: '__sex__', comparison: 'answered' }] }
    : { match: 'any', tests: [], groups: [nested(depth - 1)] }

describe('a definition that makes no sense is refused with a sentence', () => {
  test.each([
    [
      'an unknown kind',
      [{ ...base, fieldType: 'hologram' }],
      'form_fields.0.fieldType',
      'formBuilder.unknownKind',
    ],
    [
      'a kind called __proto__',
      [{ ...base, fieldType: '__proto__' }],
      'form_fields.0.fieldType',
      'formBuilder.unknownKind',
    ],
    ['no field at all', ['<script>'], 'form_fields.0', 'validation.wrongType'],
    [
      'an id called __proto__',
      [{ ...choice, id: '__proto__' }],
      'form_fields.0.id',
      'validation.id',
    ],
    [
      'an id called constructor',
      [{ ...choice, id: 'constructor' }],
      'form_fields.0.id',
      'validation.id',
    ],
    ['markup for an id', [{ ...choice, id: '"><script>' }], 'form_fields.0.id', 'validation.id'],
    [
      'two equal ids',
      [choice, { ...choice, name: 'Another' }],
      'form_fields.1.id',
      'formBuilder.sameId',
    ],
    [
      'two equal names',
      [choice, { ...choice, id: 'b', name: ' FIELD ' }],
      'form_fields.1.name',
      'formBuilder.sameName',
    ],
    ['no name', [{ ...choice, name: ' ' }], 'form_fields.0.name', 'formBuilder.nameNeeded'],
    [
      'the name of medicines',
      [{ ...choice, name: 'Medicine' }],
      'form_fields.0.name',
      'formBuilder.reservedName',
    ],
    [
      'the name of diagnoses',
      [{ ...choice, name: 'diagnosis' }],
      'form_fields.0.name',
      'formBuilder.reservedName',
    ],
    [
      'a megabyte of text',
      [{ ...choice, name: 'x'.repeat(1_000_000) }],
      'form_fields.0.name',
      'validation.tooLong',
    ],
    [
      'a control character',
      [{ ...choice, name: 'a\u001Fb' }],
      'form_fields.0.name',
      'validation.characters',
    ],
    ['a number for a name', [{ ...choice, name: 7 }], 'form_fields.0.name', 'validation.wrongType'],
    [
      'no options',
      [{ ...choice, options: [] }],
      'form_fields.0.options',
      'formBuilder.optionsNeeded',
    ],
    [
      'an empty option',
      [{ ...choice, options: [{ ...option, label: '' }] }],
      'form_fields.0.options.0.label',
      'formBuilder.optionEmpty',
    ],
    [
      'two equal options',
      [{ ...choice, options: [option, { ...option, id: 'x', value: 'YES' }] }],
      'form_fields.0.options',
      'formBuilder.sameOption',
    ],
    [
      'three answers to yes or no',
      [
        {
          ...contract['binary'],
          options: [option, other, { id: 'o3', label: 'Maybe', value: 'maybe' }],
        },
      ],
      'form_fields.0.options',
      'formBuilder.binaryTwo',
    ],
    [
      'several choices by radio buttons',
      [{ ...choice, inputType: 'radio' }],
      'form_fields.0.multi',
      'formBuilder.radioSingle',
    ],
    [
      'a long text of one line',
      [{ ...number, inputType: 'text', length: 'long' }],
      'form_fields.0.length',
      'formBuilder.longText',
    ],
    [
      'an unknown unit',
      [{ ...number, units: ['parsec'] }],
      'form_fields.0.units.0',
      'validation.option',
    ],
    [
      'a program as a file',
      [{ ...contract['file'], allowedMimeTypes: ['text/html'] }],
      'form_fields.0.allowedMimeTypes.0',
      'validation.option',
    ],
    [
      'more files than allowed',
      [{ ...contract['file'], minItems: 6 }],
      'form_fields.0.maxItems',
      'formBuilder.limitsCross',
    ],
    [
      'an unknown route',
      [{ ...contract['medicine'], fields: { ...medicineParts, route: ['astral'] } }],
      'form_fields.0.fields.route.0',
      'validation.option',
    ],
    [
      'whole numbers of a text',
      [{ ...number, inputType: 'text', rules: { whole: true } }],
      'form_fields.0.rules.whole',
      'formBuilder.ruleKind',
    ],
    [
      'an option that excludes others, of a choice of one',
      [{ ...choice, multi: false, rules: { exclusive: [option.id] } }],
      'form_fields.0.rules.exclusive',
      'formBuilder.ruleKind',
    ],
    [
      'an option that excludes others and does not exist',
      [{ ...choice, rules: { exclusive: ['absent'] } }],
      'form_fields.0.rules.exclusive',
      'formBuilder.ruleKind',
    ],
    [
      'limits of a date',
      [{ ...contract['date'], rules: { limits: { min: 1, max: 2 } } }],
      'form_fields.0.rules.limits',
      'formBuilder.ruleKind',
    ],
    [
      'a vital sign of a text',
      [{ ...number, inputType: 'text', rules: { vital: 'weight_kg' } }],
      'form_fields.0.rules.vital',
      'formBuilder.ruleKind',
    ],
    [
      'a weight in degrees',
      [{ ...number, units: ['°C'], rules: { vital: 'weight_kg' } }],
      'form_fields.0.rules.vital',
      'formBuilder.vitalUnit',
    ],
    [
      'a weight whose unit is not said',
      [{ ...number, units: undefined, rules: { vital: 'weight_kg' } }],
      'form_fields.0.rules.vital',
      'formBuilder.vitalUnit',
    ],
    [
      'one vital sign asked twice',
      [
        { ...number, units: ['kg'], rules: { vital: 'weight_kg' } },
        { ...number, id: 'again', name: 'Again', units: ['kg'], rules: { vital: 'weight_kg' } },
      ],
      'form_fields.1.rules.vital',
      'formBuilder.sameVital',
    ],
    [
      'limits that cross',
      [{ ...number, rules: { limits: { min: 3, max: 2 } } }],
      'form_fields.0.rules.limits.max',
      'formBuilder.limitsCross',
    ],
    [
      'an unknown calculation',
      [{ ...number, rules: { compute: { function: 'eval', fields: [] } } }],
      'form_fields.0.rules.compute.function',
      'formBuilder.unknownFunction',
    ],
    [
      'a calculation from itself',
      [{ ...number, rules: { compute: { function: 'sum', fields: [id] } } }],
      'form_fields.0.rules.compute',
      'formBuilder.ruleAbove',
    ],
    [
      'code for a formula',
      [
        { ...number, id: 'n' },
        {
          ...number,
          name: 'B',
          rules: { compute: { function: 'formula', fields: ['n'], formula: 'alert(a)' } },
        },
      ],
      'form_fields.1.rules.compute',
      'formBuilder.formulaWrong',
    ],
    [
      'a rule on a question below',
      [
        {
          ...number,
          rules: { showIf: { match: 'all', tests: [{ fieldId: 'b', comparison: 'answered' }] } },
        },
        { ...number, id: 'b', name: 'B' },
      ],
      'form_fields.0.rules.showIf',
      'formBuilder.ruleAbove',
    ],
    [
      'a rule in a group on a question below',
      [
        {
          ...number,
          rules: {
            showIf: {
              match: 'none',
              tests: [],
              groups: [{ match: 'any', tests: [{ fieldId: 'b', comparison: 'answered' }] }],
            },
          },
        },
        { ...number, id: 'b', name: 'B' },
      ],
      'form_fields.0.rules.showIf',
      'formBuilder.ruleAbove',
    ],
    [
      'a rule of no tests',
      [{ ...number, rules: { showIf: { match: 'all', tests: [] } } }],
      'form_fields.0.rules.showIf.tests',
      'validation.required',
    ],
    [
      'a rule that some of its tests must meet, without their number',
      [
        {
          ...number,
          rules: {
            showIf: { match: 'atLeast', tests: [{ fieldId: '__sex__', comparison: 'answered' }] },
          },
        },
      ],
      'form_fields.0.rules.showIf.least',
      'validation.required',
    ],
    [
      'groups in groups without end',
      [{ ...number, rules: { showIf: nested(5) } }],
      'form_fields.0.rules.showIf.groups.0.groups.0.groups.0.groups',
      'validation.tooMany',
    ],
    [
      'the urgency of a question',
      [{ ...number, rules: { urgency: 'urgent' } }],
      'form_fields.0.rules.urgency',
      'formBuilder.ruleKind',
    ],
    [
      'an answer refused because of a question below',
      [
        {
          ...number,
          rules: { refuseIf: { match: 'all', tests: [{ fieldId: 'b', comparison: 'answered' }] } },
        },
        { ...number, id: 'b', name: 'B' },
      ],
      'form_fields.0.rules.refuseIf',
      'formBuilder.ruleAbove',
    ],
    [
      'a scan without the weeks it found',
      [
        { ...contract['date'], id: 'lmp' },
        { ...contract['date'], id: 'scan', name: 'Scan' },
        {
          ...number,
          name: 'Weeks',
          rules: { compute: { function: 'gestationalWeeks', fields: ['lmp', 'scan'] } },
        },
      ],
      'form_fields.2.rules.compute.fields',
      'formBuilder.computeFields',
    ],
    [
      'a rule that compares with nothing',
      [
        {
          ...number,
          rules: { showIf: { match: 'all', tests: [{ fieldId: '__sex__', comparison: 'is' }] } },
        },
      ],
      'form_fields.0.rules.showIf.tests.0.value',
      'validation.required',
    ],
  ] as [string, unknown[], string, string][])('%s', (_, fields, at, key) => {
    expect(issuesOf(aForm(...(fields as object[])))).toMatchObject({ [at]: key })
  })

  test('more fields than a form may hold', () => {
    const many = Array.from({ length: 501 }, (_, n) => ({ ...number, id: `f${n}`, name: `F ${n}` }))
    expect(issuesOf(aForm(...many))).toMatchObject({ form_fields: 'validation.tooMany' })
  })

  test('texts that are each allowed, but a megabyte together', () => {
    const many = Array.from({ length: 400 }, (_, n) => ({
      ...number,
      id: `f${n}`,
      name: `F ${n}`,
      description: 'x'.repeat(1900),
    }))
    expect(issuesOf(aForm(...many))).toEqual({ form_fields: 'formBuilder.tooBig' })
  })

  test('the name of another field in another language', () => {
    const translation = (fieldId: string) => ({
      fieldId,
      name: { ar: 'الوزن' },
      description: {},
      options: {},
    })
    const form = {
      ...aForm(number, { ...number, id: 'b', name: 'B' }),
      translations: [translation(id), translation('b')],
    }
    expect(issuesOf(form)).toEqual({ 'translations.1.name.ar': 'formBuilder.sameName' })
  })
})

test('a diagnosis may be called Diagnosis, and markup is a name like any other', () => {
  const name = '<img src=x onerror=alert(1)>'
  const read = Definition.parse(
    aForm({ ...contract['diagnosis'], name: 'Diagnosis' }, { ...choice, id: 'b', name }),
  )
  expect(read.form_fields[1]?.name).toBe(name)
})

test('a key called __proto__ changes nothing, here or anywhere', () => {
  const field = evil(
    `{
      "id": "a",
      "name": "A",
      "description": "",
      "required": false,
      "fieldType": "separator",
      "__proto__": { "polluted": 1 },
      "constructor": { "prototype": { "polluted": 1 } }
    }`,
  )
  const translation = evil(
    `{"fieldId":"a","name":{"__proto__":"x","en":"A"},"description":{},"options":{"__proto__":{"en":"x"}}}`,
  )
  expect(EventFormField.parse(field)).toEqual({
    id: 'a',
    name: 'A',
    description: '',
    required: false,
    fieldType: 'separator',
  })
  const read = Definition.parse({ ...aForm(field as object), translations: [translation] })
  expect(JSON.stringify(read)).not.toMatch(/__proto__|constructor/)
  expect({}).not.toHaveProperty('polluted')
})

test('what an older server stored is read all the same, and what is no field is left out', () => {
  const older = [
    null,
    {
      id: 'a',
      name: 'A',
      fieldType: 'options',
      inputType: 'select',
      multi: false,
      options: ['Yes', { label: 'No', value: 'no' }],
    },
    { id: 'b', name: 'B', fieldType: 'hologram' },
  ]
  expect(storedFields(older)).toMatchObject([
    {
      id: 'a',
      required: false,
      description: '',
      options: [
        { id: '0', label: 'Yes', value: 'Yes' },
        { id: '1', label: 'No' },
      ],
    },
  ])
  expect(storedFields('nonsense')).toEqual([])
})
