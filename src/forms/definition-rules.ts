import * as z from 'zod'

/*
 * Rules lie in a key of their own (`rules`) inside each stored field. Phones ignore it: they show every field, let people
 * type what Sanad computes, and stay usable. A rule looks at fields above its own only, so that one pass from top to
 * bottom settles everything and no circle can arise.
 */

const notAKey = new Set(['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'])
/** The id of a field or an option: a UUID where Sanad made it. */
export const Token = z
  .string('validation.wrongType')
  .regex(/^[\w-]{1,64}$/, 'validation.id')
  .refine((id) => !notAKey.has(id), 'validation.id')

/** What a rule may ask of the person instead of a field. Age is in full years, or months, on the day of the visit. */
export const SUBJECT_FIELDS = ['__sex__', '__age_years__', '__age_months__'] as const
export type SubjectField = (typeof SUBJECT_FIELDS)[number]

export const COMPARISONS = [
  'is',
  'isNot',
  'answered',
  'notAnswered',
  'lessThan',
  'atMost',
  'moreThan',
  'atLeast',
] as const
export type Comparison = (typeof COMPARISONS)[number]
export const needsValue = (comparison: Comparison) => comparison !== 'answered' && comparison !== 'notAnswered'

/** `value`: an option's value, a number, or a day as `yyyy-MM-dd`. Of several choices, `is` means "among them". */
const Test = z
  .object({
    fieldId: Token,
    comparison: z.enum(COMPARISONS, 'validation.option'),
    value: z
      .union([z.string().max(200, 'validation.tooLong'), z.number(), z.boolean()], 'validation.wrongType')
      .nullish()
      .transform((value) => value ?? null),
  })
  .refine(({ comparison, value }) => !needsValue(comparison) || (value !== null && value !== ''), {
    message: 'validation.required',
    path: ['value'],
  })
export type Test = z.output<typeof Test>

export const Condition = z.object({
  match: z.enum(['all', 'any'], 'validation.option'),
  tests: z.array(Test, 'validation.wrongType').min(1, 'validation.required').max(20, 'validation.tooMany'),
})
export type Condition = z.output<typeof Condition>

const limit = z
  .number('validation.number')
  .min(-1e9, 'validation.tooSmall')
  .max(1e9, 'validation.tooLarge')
  .nullish()
  .transform((value) => value ?? null)
const Limits = z
  .object({ min: limit, max: limit })
  .refine(({ min, max }) => min === null || max === null || min <= max, {
    message: 'formBuilder.limitsCross',
    path: ['max'],
  })
/** Null where there is no limit on that side. */
export type Limits = z.output<typeof Limits>

/**
 * The closed list of what Sanad computes, with what each takes, in order: `bmi` weight in kg and height in cm;
 * `dueDate` and `gestationalWeeks` the first day of the last period; `addDays` a day; `daysBetween` two days; `sum` any
 * number of scores or numbers; `formula` whatever its letters stand for.
 */
export const FUNCTIONS = [
  'bmi',
  'ageYears',
  'ageMonths',
  'dueDate',
  'gestationalWeeks',
  'daysBetween',
  'addDays',
  'sum',
  'formula',
] as const
export type FunctionName = (typeof FUNCTIONS)[number]
/** How many fields it takes: [least, most]. */
export const ARITY: Record<FunctionName, readonly [number, number]> = {
  bmi: [2, 2],
  ageYears: [0, 0],
  ageMonths: [0, 0],
  dueDate: [1, 1],
  gestationalWeeks: [1, 1],
  daysBetween: [2, 2],
  addDays: [1, 1],
  sum: [1, 50],
  formula: [1, 10],
}
/** Answers with a day; the others with a number. */
export const givesDay = (name: FunctionName) => name === 'dueDate' || name === 'addDays'

const Computation = z
  .object({
    function: z.enum(FUNCTIONS, 'formBuilder.unknownFunction'),
    /** Ids of fields. Of a formula: what a, b, c … stand for. */
    fields: z.array(Token, 'validation.wrongType').max(50, 'validation.tooMany'),
    /** Of `formula`: numbers, the letters a, b, c …, + - * / and brackets. */
    formula: z.string('validation.wrongType').trim().max(200, 'validation.tooLong').default(''),
    /** Of `addDays`. */
    days: z
      .number('validation.number')
      .int('validation.number')
      .min(-36_500, 'validation.tooSmall')
      .max(36_500, 'validation.tooLarge')
      .default(0),
    /** Digits after the point. */
    decimals: z
      .number('validation.number')
      .int()
      .min(0, 'validation.tooSmall')
      .max(4, 'validation.tooLarge')
      .default(1),
  })
  .refine(({ function: name, fields }) => ARITY[name][0] <= fields.length && fields.length <= ARITY[name][1], {
    message: 'formBuilder.computeFields',
    path: ['fields'],
  })
export type Computation = z.output<typeof Computation>

/** Everything beyond what phones know. All keys may be missing. */
export const Rules = z
  .object({
    showIf: Condition.optional(),
    requiredIf: Condition.optional(),
    /** Of a number: anything else is refused. */
    limits: Limits.optional(),
    /** Of a number: anything else is accepted and marked. */
    normal: Limits.optional(),
    /** Of a date, against the day of the visit; that day itself is both. */
    days: z.enum(['past', 'future'], 'validation.option').optional(),
    compute: Computation.optional(),
  })
  .transform((rules) => (Object.values(rules).some((rule) => rule !== undefined) ? rules : undefined))
export type Rules = NonNullable<z.output<typeof Rules>>
