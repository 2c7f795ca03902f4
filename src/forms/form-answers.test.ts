import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerFlaw, settledChoices } from './answer-flaws'
import { wrongPart } from './answers-check'
import type { FormAnswer } from './answers'
import { Definition } from './checked-definition'
import { EventFormField } from './definition'
import { readFormAnswers, buildFormData, settle, unknownAnswersIn } from './form-answers'
import type { RuleSubject } from './rules'
import { cleanLine } from '~/shared/typed-text'

const subject: RuleSubject = { sex: 'female', birth: '1990-05-17', day: '2026-03-01' }
const zone = 'Asia/Amman'

const field = (id: string, more: object) =>
  EventFormField.parse({ id, name: `Question ${id}`, description: '', required: false, ...more })
const option = (value: string, label = value) => ({
  id: `o-${[...label].length}-${value.length}`,
  value,
  label,
})

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .map((text) => text.normalize().trim() || 'x')
const storable = word.filter((text) => cleanLine(text) === text && text.isWellFormed())
const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
  .map((at) => at.toISOString().slice(0, 10))
const options = fc
  .uniqueArray(fc.oneof(storable, fc.constantFrom('a', 'b', 'a; b', '1', '0')), {
    minLength: 1,
    maxLength: 6,
    selector: (text) => text.normalize('NFKC').toLowerCase().trim(),
  })
  .map((values) => values.map((value, at) => ({ id: `o${at}`, value, label: value })))
const part = fc.option(storable, { nil: undefined })
const medicine = fc
  .record(
    {
      id: fc.uuid(),
      name: storable,
      dose: fc.oneof(part, fc.nat()),
      route: part,
      frequency: part,
      durationUnits: part,
    },
    { requiredKeys: ['name'] },
  )
  .filter((entry) => wrongPart(entry) === null)
const nonempty = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 4 })

/** A field of any kind, with an answer that is right for it, or none. */
const asked = (id: string): fc.Arbitrary<{ field: EventFormField; answer: FormAnswer }> => {
  const of = (more: object, answer: fc.Arbitrary<unknown>) =>
    fc
      .option(answer, { nil: null })
      .map((given) => ({ field: field(id, more), answer: given as FormAnswer }))
  return fc.oneof(
    of({ fieldType: 'free-text', inputType: 'text', length: 'short' }, storable),
    of({ fieldType: 'free-text', inputType: 'textarea', length: 'long' }, storable),
    of(
      { fieldType: 'free-text', inputType: 'number', length: 'short', units: ['kg'] },
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((number) => number + 0),
    ),
    of({ fieldType: 'date', inputType: 'date' }, day),
    options.chain((list) =>
      of(
        { fieldType: 'options', inputType: 'select', multi: false, options: list },
        fc.constantFrom(...list.map(({ value }) => value)),
      ),
    ),
    options.chain((list) =>
      of(
        { fieldType: 'options', inputType: 'select', multi: true, options: list },
        fc.subarray(
          list.map(({ value }) => value),
          { minLength: 1 },
        ),
      ),
    ),
    options.chain((list) =>
      of(
        { fieldType: 'binary', inputType: 'checkbox', options: list.slice(0, 2) },
        fc.constant(list[0]!.value),
      ),
    ),
    of(
      { fieldType: 'medicine', inputType: 'input-group', options: [], fields: noParts },
      nonempty(medicine),
    ),
    of(
      { fieldType: 'diagnosis', inputType: 'select', options: [] },
      nonempty(fc.record({ code: fc.constantFrom('J45.9', ''), desc: storable })),
    ),
    of(
      {
        fieldType: 'file',
        inputType: 'file',
        allowedMimeTypes: ['image/png'],
        multiple: true,
        minItems: 0,
        maxItems: 5,
      },
      fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 5 }),
    ),
    of({ fieldType: 'text', content: 'Read this', size: 'md' }, fc.constant(null)),
    of({ fieldType: 'separator' }, fc.constant(null)),
  )
}
const noParts = {
  name: '',
  route: [],
  form: [],
  frequency: '',
  intervals: '',
  dose: '',
  doseUnits: [],
  duration: '',
  durationUnits: [],
}
const form = fc
  .integer({ min: 1, max: 12 })
  .chain((size) => fc.tuple(...Array.from({ length: size }, (_, at) => asked(`f${at}`))))

test('answers to any form are stored, and read again as they were given', () => {
  fc.assert(
    fc.property(form, (rows) => {
      const fields = rows.map((row) => row.field)
      expect(
        Definition.safeParse({
          name: 'F',
          description: '',
          language: 'en',
          form_fields: fields,
          translations: [],
        }).error,
      ).toBeUndefined()
      const given = Object.fromEntries(rows.map(({ field: { id }, answer }) => [id, answer]))
      const { answers, problems } = settle(fields, given, {}, subject)
      expect(problems).toEqual({})
      const stored: unknown = JSON.parse(JSON.stringify(buildFormData(fields, answers, [], zone)))
      const read = readFormAnswers(fields, stored, zone)
      expect(read).toEqual(
        Object.fromEntries(Object.entries(given).filter(([, answer]) => answer !== null)),
      )
      // and what is stored is right under its version
      expect(settle(fields, read, {}, subject).problems).toEqual({})
      // saving what was read changes nothing
      expect(buildFormData(fields, read, stored, zone)).toEqual(stored)
    }),
    { numRuns: 400 },
  )
})

describe('what a phone stored', () => {
  const fields = [
    field('smoker', {
      fieldType: 'binary',
      inputType: 'checkbox',
      options: [option('yes'), option('no')],
    }),
    field('weight', { fieldType: 'free-text', inputType: 'number', length: 'short' }),
    field('seen', { fieldType: 'date', inputType: 'date' }),
    field('signs', {
      fieldType: 'options',
      inputType: 'select',
      multi: true,
      options: [option('cough'), option('fever'), option('pain; chest')],
    }),
    field('note', { fieldType: 'free-text', inputType: 'text', length: 'short' }),
    field('medicine', {
      fieldType: 'medicine',
      inputType: 'input-group',
      options: [],
      fields: noParts,
    }),
    field('dx', {
      fieldType: 'diagnosis',
      inputType: 'select',
      options: [option('J45.9', 'Asthma')],
    }),
    field('file', {
      fieldType: 'file',
      inputType: 'file',
      allowedMimeTypes: ['image/png'],
      multiple: false,
      minItems: 0,
      maxItems: 1,
    }),
  ]
  const entry = (fieldId: string, value: unknown, more = {}) => ({
    fieldId,
    name: fieldId,
    inputType: 'text',
    fieldType: 'free-text',
    value,
    ...more,
  })
  const pills = {
    id: 'p1',
    name: 'Amoxicillin',
    dose: 500,
    doseUnits: 'mg',
    route: 'oral',
    form: 'capsule',
    batch: { n: 1 },
  }
  const stored = [
    entry('smoker', true),
    entry('weight', '٧٢٫٥'),
    entry('seen', '2026-02-28T22:30:00.000Z'),
    entry('signs', 'cough; pain; chest'),
    entry('note', ''),
    entry('medicine', [pills]),
    entry('dx', [{ code: 'I10', desc: 'Hypertension' }]),
    entry('file', 'b1946ac9-2c1b-4d53-8f57-1a3a2e5a0c11'),
    entry('removed', 'of an older version', { extra: [1] }),
    entry('note', 'the same question again'),
    'no answer at all',
  ]

  test('is understood', () => {
    expect(readFormAnswers(fields, stored, zone)).toEqual({
      smoker: 'yes',
      weight: 72.5,
      // the clinic's day, not that of Greenwich
      seen: '2026-03-01',
      signs: ['cough', 'pain; chest'],
      medicine: [pills],
      dx: [{ code: 'I10', desc: 'Hypertension' }],
      file: ['b1946ac9-2c1b-4d53-8f57-1a3a2e5a0c11'],
    })
    expect(unknownAnswersIn(fields, stored)).toEqual([
      { fieldId: 'removed', name: 'removed', value: 'of an older version' },
      { fieldId: 'note', name: 'note', value: 'the same question again' },
    ])
  })

  test('stays to the letter when another answer is changed on the web', () => {
    const before = readFormAnswers(fields, stored, zone)
    const { answers, problems } = settle(
      fields,
      { ...before, note: 'Better', smoker: false },
      before,
      subject,
    )
    expect(problems).toEqual({})
    const after = buildFormData(fields, answers, stored, zone)
    const [smoker, ...others] = stored
    expect(smoker).toMatchObject({ value: true })
    expect(after).toEqual(others.map((one) => (one === stored[4] ? entry('note', 'Better') : one)))
  })

  test('is written as a phone would', () => {
    const given = {
      smoker: true,
      weight: 70,
      seen: '2026-03-01',
      signs: ['fever', 'cough'],
      dx: [{ code: 'J45.9', desc: 'Asthma' }],
      file: ['b1946ac9-2c1b-4d53-8f57-1a3a2e5a0c11'],
    }
    const { answers } = settle(fields, given, {}, subject)
    expect(
      buildFormData(fields, answers, [], zone).map((one) => (one as { value: unknown }).value),
    ).toEqual([
      true,
      '70',
      '2026-03-01T12:00:00.000Z',
      // in the order of the options, whatever was clicked first
      'cough; fever',
      [{ code: 'J45.9', desc: 'Asthma' }],
      'b1946ac9-2c1b-4d53-8f57-1a3a2e5a0c11',
    ])
    expect(buildFormData(fields, answers, [], zone)[1]).toEqual({
      fieldId: 'weight',
      name: 'Question weight',
      inputType: 'number',
      fieldType: 'free-text',
      value: '70',
    })
  })

  test('whatever it is, reading and saving it neither fails nor loses anything', () => {
    const junk = fc.array(
      fc.oneof(
        fc.anything({ maxDepth: 3 }),
        fc.record({
          fieldId: fc.constantFrom(...fields.map(({ id }) => id), '__proto__'),
          value: fc.jsonValue(),
        }),
      ),
    )
    fc.assert(
      fc.property(fc.oneof(junk, fc.anything()), (data) => {
        const text = JSON.stringify(data)
        const any: unknown = text === undefined ? null : JSON.parse(text)
        const answers = readFormAnswers(fields, any, zone)
        expect(buildFormData(fields, answers, any, zone)).toEqual(Array.isArray(any) ? any : [])
        expect(settle(fields, answers, answers, subject).problems).toEqual({})
      }),
      { numRuns: 500 },
    )
  })
})

describe('rules', () => {
  const fields = [
    field('pregnant', {
      fieldType: 'binary',
      inputType: 'radio',
      options: [option('yes'), option('no')],
    }),
    field('weeks', {
      fieldType: 'free-text',
      inputType: 'number',
      length: 'short',
      rules: {
        showIf: { match: 'all', tests: [{ fieldId: 'pregnant', comparison: 'is', value: 'yes' }] },
        requiredIf: {
          match: 'all',
          tests: [{ fieldId: 'pregnant', comparison: 'is', value: 'yes' }],
        },
        limits: { min: 1, max: 45 },
      },
    }),
    field('weight', { fieldType: 'free-text', inputType: 'number', length: 'short' }),
    field('height', { fieldType: 'free-text', inputType: 'number', length: 'short' }),
    field('bmi', {
      fieldType: 'free-text',
      inputType: 'number',
      length: 'short',
      rules: { compute: { function: 'bmi', fields: ['weight', 'height'] } },
    }),
    field('born', { fieldType: 'date', inputType: 'date', rules: { days: 'past' } }),
  ]

  test('a hidden question is neither needed nor kept, and one that is shown may be needed', () => {
    expect(settle(fields, { pregnant: 'no', weeks: 99 }, {}, subject)).toEqual({
      answers: { pregnant: 'no' },
      problems: {},
    })
    expect(settle(fields, { pregnant: 'yes' }, {}, subject).problems).toEqual({
      weeks: { key: 'validation.required' },
    })
    const before = { pregnant: 'yes', weeks: 20 }
    expect(settle(fields, { ...before, pregnant: 'no' }, before, subject).answers).toEqual({
      pregnant: 'no',
    })
  })

  test('an answer that does not fit the others is refused; as a phone left it, it stays', () => {
    const isGreen = { fieldId: 'category', comparison: 'is', value: 'green' } as const
    const triage = [
      field('emergency', {
        fieldType: 'binary',
        inputType: 'radio',
        options: [option('yes'), option('no')],
      }),
      field('category', {
        fieldType: 'options',
        inputType: 'radio',
        multi: false,
        options: [option('red'), option('green')],
        rules: {
          refuseIf: {
            match: 'all',
            tests: [isGreen, { fieldId: 'emergency', comparison: 'is', value: 'yes' }],
          },
        },
      }),
    ]
    const refused = { category: { key: 'answers.doesNotFit' } }
    const green = { emergency: 'yes', category: 'green' }
    expect(settle(triage, green, {}, subject).problems).toEqual(refused)
    expect(settle(triage, { ...green, category: 'red' }, {}, subject).problems).toEqual({})
    // green stood before, the emergency is new
    expect(settle(triage, green, { emergency: 'no', category: 'green' }, subject).problems).toEqual(
      refused,
    )
    expect(settle(triage, green, green, subject).problems).toEqual({})
  })

  test('a phone’s answer to a hidden question stays until it is answered again', () => {
    const before = { pregnant: 'no', weeks: 20, bmi: 31 }
    expect(settle(fields, before, before, subject).answers).toEqual(before)
    expect(
      settle(fields, { ...before, weight: 60, height: 170 }, before, subject).answers,
    ).toMatchObject({ bmi: 20.8 })
  })

  test('a value outside of its limits is refused with them, and a day on the wrong side of the visit', () => {
    expect(
      settle(fields, { pregnant: 'yes', weeks: 46, born: '2026-03-02' }, {}, subject).problems,
    ).toEqual({
      weeks: { key: 'validation.tooLarge', values: { max: 45 } },
      born: { key: 'answers.afterVisit' },
    })
  })

  test('a computed answer is computed, whatever was sent', () => {
    expect(settle(fields, { weight: 60, height: 170, bmi: 99 }, {}, subject).answers).toMatchObject(
      { bmi: 20.8 },
    )
    const before = { weight: 60, height: 170, bmi: 20.8 }
    expect(settle(fields, { height: 170 }, before, subject).answers).toEqual({ height: 170 })
  })
})

describe('a bad answer', () => {
  const problemOf = (one: EventFormField, answer: unknown) =>
    settle([one], { q: answer }, {}, subject).problems['q']?.key
  const text = field('q', { fieldType: 'free-text', inputType: 'text', length: 'short' })
  const choice = field('q', {
    fieldType: 'options',
    inputType: 'radio',
    multi: false,
    options: [option('a')],
  })
  const medicines = field('q', {
    fieldType: 'medicine',
    inputType: 'input-group',
    options: [],
    fields: noParts,
  })

  test.each([
    ['a million letters', text, 'x'.repeat(1_000_000), 'validation.tooLong'],
    ['a list for a text', text, ['x'], 'validation.wrongType'],
    ['no option', choice, '<script>alert(1)</script>', 'validation.option'],
    ['an object for an option', choice, { value: 'a' }, 'validation.option'],
    ['a medicine without a name', medicines, [{ dose: 5 }], 'answers.medicineName'],
    [
      'a dose below nothing',
      medicines,
      [{ name: 'A', dose: '-3', doseUnits: 'mg' }],
      'answers.medicineDose',
    ],
    ['a dose of nothing', medicines, [{ name: 'A', dose: '٠' }], 'answers.medicineDose'],
    [
      'a duration without its unit',
      medicines,
      [{ name: 'A', duration: '7' }],
      'answers.medicineDurationUnit',
    ],
    [
      'a duration below nothing',
      medicines,
      [{ name: 'A', duration: -1 }],
      'answers.medicineDuration',
    ],
    ['a medicine that is a text', medicines, ['Amoxicillin'], 'validation.wrongType'],
    ['a part that is a list', medicines, [{ name: 'A', dose: [1] }], 'validation.wrongType'],
    [
      'a prototype',
      medicines,
      [JSON.parse('{"name":"A","__proto__":{"isAdmin":true}}')],
      'validation.wrongType',
    ],
    [
      'a thousand medicines',
      medicines,
      Array.from({ length: 1000 }, () => ({ name: 'A' })),
      'validation.tooMany',
    ],
  ])('%s is refused', (_what, one, answer, key) => {
    expect(problemOf(one, answer)).toBe(key)
  })

  test('HTML is stored as plain text and has no effect', () => {
    expect(settle([text], { q: '<img src=x onerror=alert(1)>' }, {}, subject)).toEqual({
      answers: { q: '<img src=x onerror=alert(1)>' },
      problems: {},
    })
  })
})

describe('whole numbers and options that exclude the others', () => {
  const count = field('count', {
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
    rules: { whole: true },
  })
  const signs = field('signs', {
    fieldType: 'options',
    inputType: 'select',
    multi: true,
    options: ['cough', 'fever', 'none', 'unknown'].map((value) => ({
      id: `o-${value}`,
      value,
      label: value,
    })),
    rules: { exclusive: ['o-none', 'o-unknown'] },
  })
  const fields = [count, signs]
  const problemsOf = (given: object, before: Record<string, FormAnswer> = {}, how = {}) =>
    settle(fields, { ...given }, before, subject, how)

  test('a decimal and a contradiction are refused where they are typed', () => {
    expect(problemsOf({ count: 2.5, signs: ['fever', 'none'] }).problems).toEqual({
      count: { key: 'vitals.whole' },
      signs: { key: 'answers.excludesOthers' },
    })
    expect(problemsOf({ count: 2, signs: ['fever', 'cough'] }).problems).toEqual({})
    expect(problemsOf({ count: -0, signs: ['none'] }).problems).toEqual({})
    expect(problemsOf({ signs: ['none', 'unknown'] }).problems).toHaveProperty('signs')
  })

  test('what a phone or a program sent stays, is marked, and survives an edit of another answer', () => {
    const stored = [
      {
        fieldId: 'count',
        name: 'count',
        inputType: 'number',
        fieldType: 'free-text',
        value: '2.5',
      },
      {
        fieldId: 'signs',
        name: 'signs',
        inputType: 'select',
        fieldType: 'options',
        value: 'fever; none',
      },
    ]
    const before = readFormAnswers(fields, stored, zone)
    expect(before).toEqual({ count: 2.5, signs: ['fever', 'none'] })
    expect(problemsOf(before, before).problems).toEqual({})
    expect(fields.map((one) => answerFlaw(one, before[one.id]))).toEqual([
      'notWhole',
      'excludesOthers',
    ])
    const sent = problemsOf(before, {}, { keepsFlawed: true })
    expect(sent).toEqual({ answers: before, problems: {} })
    expect(answerFlaw(count, 2)).toBeNull()
    expect(answerFlaw(signs, ['none'])).toBeNull()
    expect(answerFlaw(field('plain', { ...count, id: 'plain', rules: undefined }), 2.5)).toBeNull()
  })

  test('choosing one clears what it excludes, in both directions', () => {
    expect(settledChoices(signs, ['cough', 'fever'], ['cough', 'fever', 'none'])).toEqual(['none'])
    expect(settledChoices(signs, ['none'], ['none', 'cough'])).toEqual(['cough'])
    expect(settledChoices(signs, ['none'], ['none', 'unknown'])).toEqual(['unknown'])
    expect(settledChoices(signs, ['cough'], ['cough', 'fever'])).toEqual(['cough', 'fever'])
    // taking one away from a phone's contradiction decides nothing else
    expect(settledChoices(signs, ['fever', 'cough', 'none'], ['fever', 'none'])).toEqual([
      'fever',
      'none',
    ])
    expect(settledChoices(signs, undefined, ['none'])).toEqual(['none'])
  })
})
