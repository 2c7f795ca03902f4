import { describe, expect, test } from 'vitest'
import type { EventFormField } from './definition'
import type { ComparisonOperator, Computation, Condition, Rules } from './definition-rules'
import { evaluateFormula, parseFormula } from './formula'
import {
  ageDoubt,
  evaluate,
  fitsDays,
  checkAnswerRange,
  type RuleSubject,
  waitsForBirth,
} from './rules'

const base = { description: '', required: false }
const number = (id: string, rules?: Rules): EventFormField => ({
  ...base,
  id,
  name: id,
  fieldType: 'free-text',
  inputType: 'number',
  length: 'short',
  rules,
})
const day = (id: string, rules?: Rules): EventFormField => ({
  ...base,
  id,
  name: id,
  fieldType: 'date',
  inputType: 'date',
  rules,
})
const choice = (id: string, values: string[], multi = false): EventFormField => ({
  ...base,
  id,
  name: id,
  fieldType: 'options',
  inputType: 'select',
  multi,
  options: values.map((value) => ({ id: value, label: value, value })),
})
const when = (
  fieldId: string,
  comparison: ComparisonOperator,
  value: string | number | null = null,
): Rules => ({
  showIf: { match: 'all', tests: [{ fieldId, comparison, value }] },
})
const compute = (values: Partial<Computation>): Rules => ({
  compute: { function: 'sum', fields: [], formula: '', days: 0, decimals: 1, ...values },
})
const woman: RuleSubject = { sex: 'Female', birth: '1990-06-15', day: '2026-03-10' }
const run = (fields: EventFormField[], answers: object, subject = woman) =>
  evaluate(fields, answers as Record<string, unknown>, subject)

describe('a field is shown', () => {
  test.each([
    ['is', 'x', 'x', true],
    ['is', 'X ', 'x', true],
    ['is', ['a', 'x'], 'x', true],
    ['is', undefined, 'x', false],
    ['is', 3, '3', true],
    ['is', '3.0', 3, true],
    ['isNot', 'y', 'x', true],
    ['isNot', ['a', 'x'], 'x', false],
    ['isNot', undefined, 'x', false],
    ['answered', 0, null, true],
    ['answered', [], null, false],
    ['notAnswered', '', null, true],
    ['lessThan', 9, 10, true],
    ['lessThan', '9', '10', true],
    ['lessThan', 'a', 10, false],
    ['atMost', 10, 10, true],
    ['moreThan', 10, 10, false],
    ['atLeast', '2026-03-10', '2026-03-09', true],
    ['lessThan', '2026-03-08', '2026-03-09', true],
  ] as [ComparisonOperator, unknown, string | number | null, boolean][])(
    'when the answer %s: %j against %j is %s',
    (comparison, answer, value, expected) => {
      const fields = [choice('a', ['x', 'y']), number('b', when('a', comparison, value))]
      expect(run(fields, { a: answer }).visible.has('b')).toBe(expected)
    },
  )

  test('by the patient’s sex and age on the day of the visit', () => {
    const fields = [
      number('pregnant', when('__sex__', 'is', 'female')),
      number('old', when('__age_years__', 'atLeast', 36)),
      number('young', when('__age_months__', 'lessThan', 60)),
    ]
    expect([...run(fields, {}).visible]).toEqual(['pregnant'])
    expect([
      ...run(fields, {}, { sex: null, birth: '2021-03-11', day: '2026-03-10' }).visible,
    ]).toEqual(['young'])
  })

  test('by any age where the birth is unknown: the cautious reading', () => {
    const unknown: RuleSubject = { sex: null, birth: null, day: '2026-03-10' }
    const months = (comparison: ComparisonOperator, value: number) => ({
      fieldId: '__age_months__',
      comparison,
      value,
    })
    const fields = [
      number('young', when('__age_months__', 'lessThan', 2)),
      number('old', when('__age_years__', 'atLeast', 50)),
      number('band', {
        showIf: { match: 'all', tests: [months('atLeast', 2), months('lessThan', 12)] },
      }),
      number('never', {
        showIf: { match: 'all', tests: [months('atLeast', 12), months('lessThan', 2)] },
      }),
      number('asked', when('__age_months__', 'notAnswered')),
      number('known', when('__age_months__', 'answered')),
    ]
    expect([...run(fields, {}, unknown).visible]).toEqual(['young', 'old', 'band', 'asked'])
    expect([...run(fields, {}, woman).visible]).toEqual(['known'])
    expect(ageDoubt(fields, unknown)).toBe('unknown')
    expect(ageDoubt(fields, { ...woman, precision: 'year' })).toBe('approximate')
    expect(ageDoubt(fields, woman)).toBeNull()
    expect(
      ageDoubt([number('a'), number('asked', when('__age_months__', 'notAnswered'))], unknown),
    ).toBeNull()
  })

  test('when some number of its tests holds, or none of them, with groups as tests', () => {
    const is = (fieldId: string): Condition['tests'][number] => ({
      fieldId,
      comparison: 'is',
      value: 1,
    })
    const shown = (showIf: Condition, answers: object) =>
      run([number('a'), number('b'), number('c'), number('out', { showIf })], answers).visible.has(
        'out',
      )
    const two: Condition = { match: 'atLeast', least: 2, tests: [is('a'), is('b'), is('c')] }
    expect([
      shown(two, { a: 1 }),
      shown(two, { a: 1, c: 1 }),
      shown(two, { a: 1, b: 1, c: 1 }),
    ]).toEqual([false, true, true])
    const none: Condition = { match: 'none', tests: [is('a'), is('b')] }
    expect([shown(none, {}), shown(none, { a: 2 }), shown(none, { b: 1 })]).toEqual([
      true,
      true,
      false,
    ])
    // a, and b or c, but not both
    const grouped: Condition = {
      match: 'all',
      tests: [is('a')],
      groups: [
        { match: 'any', tests: [is('b'), is('c')] },
        { match: 'none', tests: [], groups: [{ match: 'all', tests: [is('b'), is('c')] }] },
      ],
    }
    expect(
      [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }, { a: 1, b: 1, c: 1 }].map((answers) =>
        shown(grouped, answers),
      ),
    ).toEqual([false, false, true, false])
  })

  test('by every age that is possible where the birth is approximate', () => {
    const fields = [
      number('young', when('__age_months__', 'lessThan', 2)),
      number('school', when('__age_years__', 'atLeast', 5)),
    ]
    const visible = (birth: string, precision: 'month' | 'year' | 'age' | 'day') => [
      ...run(fields, {}, { sex: null, birth, precision, day: '2026-11-22' }).visible,
    ]
    expect(visible('2026-01-01', 'year')).toEqual(['young'])
    expect(visible('2026-01-01', 'day')).toEqual([])
    expect(visible('2026-09-10', 'month')).toEqual(['young'])
    expect(visible('2021-12-01', 'year')).toEqual(['school'])
    expect(visible('2022-07-01', 'age')).toEqual(['school'])
    expect(visible('2024-07-01', 'age')).toEqual([])
  })

  test('when any or all of its tests hold', () => {
    const tests = [
      { fieldId: 'a', comparison: 'is' as const, value: 1 },
      { fieldId: 'b', comparison: 'is' as const, value: 1 },
    ]
    const fields = [
      number('a'),
      number('b'),
      number('any', { showIf: { match: 'any', tests } }),
      number('all', { showIf: { match: 'all', tests } }),
    ]
    expect([...run(fields, { a: 1 }).visible]).toEqual(['a', 'b', 'any'])
    expect([...run(fields, { a: 1, b: 1 }).visible]).toContain('all')
  })

  test('a hidden field counts as unanswered, so that what hangs on it is hidden too', () => {
    const fields = [
      number('a'),
      number('b', when('a', 'is', 1)),
      number('c', when('b', 'answered')),
    ]
    const { visible, answers } = run(fields, { a: 2, b: 5, c: 6 })
    expect([...visible]).toEqual(['a'])
    expect(answers).toEqual({ a: 2 })
  })

  test('what is called like a part of JavaScript is no answer', () => {
    expect([
      ...run([number('toString'), number('b', when('toString', 'answered'))], {}).visible,
    ]).toEqual(['toString'])
  })
})

test('an answer is required when the rule says so, and only while it is shown', () => {
  const requiredIf = when('a', 'is', 1).showIf!
  const fields = [
    number('a'),
    number('b', { requiredIf }),
    { ...number('c', when('a', 'is', 9)), required: true },
  ]
  expect([...run(fields, { a: 1 }).required]).toEqual(['b'])
  expect([...run(fields, { a: 9 }).required]).toEqual(['c'])
})

test('an answer that does not fit the others is refused, and only while it does not', () => {
  const category = (refuseIf: Condition) => ({
    ...choice('category', ['red', 'green']),
    rules: { refuseIf },
  })
  const fields = [
    number('sign'),
    category({
      match: 'all',
      tests: [
        { fieldId: 'category', comparison: 'is', value: 'green' },
        { fieldId: 'sign', comparison: 'answered', value: null },
      ],
    }),
  ]
  const refused = (answers: object) => [...run(fields, answers).refused]
  expect(
    [
      { sign: 1, category: 'green' },
      { sign: 1, category: 'red' },
      { category: 'green' },
      { sign: 1 },
    ].map(refused),
  ).toEqual([['category'], [], [], []])
})

describe('computing', () => {
  const one = (rules: Rules, fields: EventFormField[], answers: object, subject = woman) =>
    run([...fields, number('out', rules)], answers, subject).answers['out'] ?? null

  test('the body mass index from weight and height', () => {
    const bmi = compute({ function: 'bmi', fields: ['w', 'h'] })
    expect(one(bmi, [number('w'), number('h')], { w: 70, h: 175 })).toBe(22.9)
    expect(one(bmi, [number('w'), number('h')], { w: 70 })).toBeNull()
    expect(one(bmi, [number('w'), number('h')], { w: 70, h: 0 })).toBeNull()
  })

  test('nothing, not even a dose, of a weight that no child of that age can have', () => {
    const baby: RuleSubject = { sex: 'female', birth: '2025-07-10', day: '2026-03-10' }
    const [weight, pounds] = (['kg', 'lb'] as const).map(
      (unit) => ({ ...number('w', { vital: 'weight_kg' }), units: [unit] }) as EventFormField,
    )
    const dose = compute({ function: 'formula', fields: ['w'], formula: 'a * 15' })
    for (const [field, typed, mg] of [
      [weight!, 75, null],
      [weight!, 0.75, null],
      [weight!, 7.5, 112.5],
      [pounds!, 75, null],
      [pounds!, 16.5, 247.5],
    ] as const)
      expect({ typed, mg: one(dose, [field], { w: typed }, baby) }).toEqual({ typed, mg })
    const fields = [number('w'), number('h')]
    for (const name of ['bmi', 'weightForHeight'] as const) {
      const rule = compute({ function: name, fields: ['w', 'h'] })
      expect(one(rule, fields, { w: 75, h: 68 }, baby)).toBeNull()
      expect(one(rule, fields, { w: 7.5, h: 68 }, baby)).not.toBeNull()
    }
    // a number that is no weight, and a weight of an unknown age, are taken as they are
    expect(one(dose, [number('w')], { w: 75 }, baby)).toBe(1125)
    expect(one(dose, [weight!], { w: 75 }, { ...baby, birth: null })).toBe(1125)
  })

  test('the age on the day of the visit', () => {
    expect(one(compute({ function: 'ageYears' }), [], {})).toBe(35)
    expect(one(compute({ function: 'ageMonths' }), [], {})).toBe(428)
    expect(one(compute({ function: 'ageYears' }), [], {}, { ...woman, birth: null })).toBeNull()
  })

  test('the due date and the weeks of a pregnancy from the last period', () => {
    // by hand: 2026-01-01 and 280 days is 2026-10-08
    expect(
      one(compute({ function: 'dueDate', fields: ['lmp'] }), [day('lmp')], { lmp: '2026-01-01' }),
    ).toBe('2026-10-08')
    const weeks = compute({ function: 'gestationalWeeks', fields: ['lmp'] })
    expect(one(weeks, [day('lmp')], { lmp: '2026-01-01' })).toBe(9)
    expect(one(weeks, [day('lmp')], { lmp: '2024-01-01' })).toBeNull()
    expect(one(weeks, [day('lmp')], { lmp: '2026-05-01' })).toBeNull()
    // a period of years ago is not this pregnancy's
    expect(
      one(compute({ function: 'dueDate', fields: ['lmp'] }), [day('lmp')], { lmp: '2024-01-01' }),
    ).toBeNull()
  })

  test('a pregnancy is counted from a scan before 24 weeks rather than from the last period', () => {
    const fields = [day('lmp'), day('scan'), number('found')]
    const from = (name: 'dueDate' | 'gestationalWeeks', answers: object) =>
      one(compute({ function: name, fields: ['lmp', 'scan', 'found'] }), fields, answers)
    // by hand: 12 weeks on 2026-02-01 is a beginning on 2025-11-09, and 280 days later 2026-08-16
    const scanned = { scan: '2026-02-01', found: 12 }
    expect([from('gestationalWeeks', scanned), from('dueDate', scanned)]).toEqual([
      17,
      '2026-08-16',
    ])
    expect(from('dueDate', { ...scanned, lmp: '2026-01-01' })).toBe('2026-08-16')
    expect(from('dueDate', { lmp: '2026-01-01', scan: '2026-02-01', found: 24 })).toBe('2026-10-08')
    expect(from('dueDate', { lmp: '2026-01-01', scan: '2026-02-01' })).toBe('2026-10-08')
    expect(from('dueDate', { found: 12 })).toBeNull()
  })

  test('the mean of what is there', () => {
    const mean = compute({ function: 'mean', fields: ['a', 'b'], decimals: 0 })
    const readings = [number('a'), number('b')]
    expect(
      [{ a: 170 }, { a: 170, b: 150 }, {}].map((answers) => one(mean, readings, answers)),
    ).toEqual([170, 160, null])
  })

  test('days between two days, and a day some days later', () => {
    expect(
      one(compute({ function: 'daysBetween', fields: ['a', 'b'] }), [day('a'), day('b')], {
        a: '2026-02-27',
        b: '2026-03-01',
      }),
    ).toBe(2)
    expect(
      one(compute({ function: 'addDays', fields: ['a'], days: 28 }), [day('a')], {
        a: '2026-02-27',
      }),
    ).toBe('2026-03-27')
  })

  test('a score of choices, once every part that is asked has been answered', () => {
    const parts = [choice('a', ['0', '1', '2', '3']), choice('b', ['0', '1', '2', '3'])]
    const sum = compute({ fields: ['a', 'b'] })
    expect(one(sum, parts, { a: '3', b: '0' })).toBe(3)
    expect(one(sum, parts, { a: '3' })).toBeNull()
    const hidden = { ...parts[1]!, rules: when('__sex__', 'is', 'male') }
    expect(one(sum, [parts[0]!, hidden], { a: '2', b: '3' })).toBe(2)
  })

  test('by a formula, and what was computed may be computed with and asked about', () => {
    const map = number(
      'map',
      compute({ function: 'formula', fields: ['s', 'd'], formula: '(a + 2*b) / 3', decimals: 0 }),
    )
    const fields = [number('s'), number('d'), map, number('low', when('map', 'lessThan', 65))]
    const { answers, visible } = run(fields, { s: 80, d: 50 })
    expect(answers['map']).toBe(60)
    expect(visible.has('low')).toBe(true)
  })

  test('a typed value is replaced where Sanad computes', () => {
    expect(one(compute({ fields: ['a'] }), [number('a')], { a: 2, out: 99 })).toBe(2)
  })
})

describe('a formula', () => {
  test.each([
    ['1 + 2 * 3', [], 7],
    ['(1 + 2) × 3', [], 9],
    ['a / (b / 100) / (b / 100)', [70, 175], 70 / 1.75 ** 2],
    ['-a - -2', [5], -3],
    ['8 ÷ 4 ÷ 2', [], 1],
    ['a / 0', [1], null],
  ] as [string, number[], number | null][])('%s with %j is %s', (text, values, result) => {
    expect(evaluateFormula(parseFormula(text, values.length)!, values)).toEqual(result)
  })
  test.each([
    '',
    'a +',
    '(a',
    'a b',
    'b',
    'constructor',
    'alert(1)',
    'a;b',
    '1..2',
    '**',
    '()',
    `${'('.repeat(90)}1${')'.repeat(90)}`,
  ])('%j is none', (text) => expect(parseFormula(text, 1)).toBeNull())
})

test('a number beyond its limits is refused; beyond what is normal, marked', () => {
  const field = number('n', { limits: { min: 30, max: null }, normal: { min: 90, max: 140 } })
  expect([20, 80, 120, 150, 'x', null].map((value) => checkAnswerRange(field, value))).toEqual([
    'refused',
    'low',
    'normal',
    'high',
    'normal',
    'normal',
  ])
})

test('a day may have to lie in the past or in the future; the day of the visit is both', () => {
  const fits = (days: 'past' | 'future' | undefined) =>
    ['2026-03-09', '2026-03-10', '2026-03-11'].map((one) =>
      fitsDays(day('d', { days }), one, woman),
    )
  expect([fits('past'), fits('future'), fits(undefined)]).toEqual([
    [true, true, false],
    [false, true, true],
    [true, true, true],
  ])
})

test('an age that no answer completes waits for the date of birth', () => {
  const waits = (name: Computation['function'], birth: Partial<RuleSubject>) =>
    waitsForBirth(
      { function: name, fields: [], formula: '', days: 0, decimals: 0 },
      { sex: null, birth: '2024-01-15', day: '2026-03-01', ...birth },
    )
  expect(waits('ageMonths', { precision: 'year' })).toBe(true)
  expect(waits('ageMonths', { birth: null })).toBe(true)
  expect(waits('ageMonths', { precision: 'month' })).toBe(false)
  expect(waits('ageYears', { precision: 'year' })).toBe(false)
  expect(waits('ageYears', { birth: null })).toBe(true)
  expect(waits('bmi', { birth: null })).toBe(false)
})
