import * as z from 'zod'
import { VACCINES } from '~/shared/vaccines'
import { VITAL_SIGNS } from './field-kinds'

/*
 * The rules of a field are in its key `rules`. Phones ignore it: they show every field, and users type
 * what Sanad computes. A rule refers only to fields above its own, so that one pass from top to bottom
 * evaluates a form and cycles are impossible (docs/decisions/0006).
 */

const notAKey = new Set([
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
])
/** The id of a field or an option: a UUID where Sanad made it. */
export const Token = z
  .string('validation.wrongType')
  .regex(/^[\w-]{1,64}$/, 'validation.id')
  .refine((id) => !notAKey.has(id), 'validation.id')

/** Facts about the patient that a rule may test like a field. Ages are full years or months at the visit. */
export const SUBJECT_FIELDS = [
  '__sex__',
  '__age_years__',
  '__age_months__',
  '__due_date__',
] as const

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
export type ComparisonOperator = (typeof COMPARISONS)[number]
export const needsValue = (comparison: ComparisonOperator) =>
  comparison !== 'answered' && comparison !== 'notAnswered'

/** `value`: an option's value, a number, or a day as `yyyy-MM-dd`. Of several choices, `is` means "among them". */
const Test = z
  .object({
    fieldId: Token,
    comparison: z.enum(COMPARISONS, 'validation.option'),
    value: z
      .union(
        [z.string().max(200, 'validation.tooLong'), z.number(), z.boolean()],
        'validation.wrongType',
      )
      .nullish()
      .transform((value) => value ?? null),
  })
  .refine(({ comparison, value }) => !needsValue(comparison) || (value !== null && value !== ''), {
    message: 'validation.required',
    path: ['value'],
  })
export type Test = z.output<typeof Test>

/** How many of its parts must hold: every one, one of them, a given number (`least`), none. */
export const CONDITION_MATCHES = ['all', 'any', 'atLeast', 'none'] as const
type Match = (typeof CONDITION_MATCHES)[number]

/** Tests, and in `groups` conditions that count as one test each: "fever, and any two of these". */
export type Condition = { match: Match; least?: number; tests: Test[]; groups?: Condition[] }
/** A condition, the groups in it, and so on: deeper nesting is unreadable. */
export const DEEPEST_GROUPS = 4
const MOST_PARTS = 20

const conditionAt = (depth: number): z.ZodType<Condition> =>
  z
    .object({
      match: z.enum(CONDITION_MATCHES, 'validation.option'),
      least: z
        .number('validation.number')
        .int('validation.number')
        .min(1, 'validation.tooSmall')
        .max(MOST_PARTS, 'validation.tooLarge')
        .optional(),
      tests: z.array(Test, 'validation.wrongType').max(MOST_PARTS, 'validation.tooMany'),
      groups: (depth < DEEPEST_GROUPS
        ? z
            .array(conditionAt(depth + 1), 'validation.wrongType')
            .max(MOST_PARTS, 'validation.tooMany')
        : z.array(z.never(), 'validation.wrongType').max(0, 'validation.tooMany')
      ).optional(),
    })
    .refine(({ tests, groups = [] }) => tests.length + groups.length > 0, {
      message: 'validation.required',
      path: ['tests'],
    })
    .refine(({ match, least }) => match !== 'atLeast' || least !== undefined, {
      message: 'validation.required',
      path: ['least'],
    })
    .transform(({ match, least, tests, groups = [] }) => ({
      match,
      ...(match === 'atLeast' && { least }),
      tests,
      ...(groups.length > 0 && { groups }),
    }))
export const Condition = conditionAt(1)

/** Every test of a condition, those in its groups included. */
export const listConditionTests = ({ tests, groups = [] }: Condition): Test[] => [
  ...tests,
  ...groups.flatMap(listConditionTests),
]

/** The condition with each field's id replaced. */
export const withIds = (condition: Condition, idOf: (id: string) => string): Condition => ({
  ...condition,
  tests: condition.tests.map((test) => ({ ...test, fieldId: idOf(test.fieldId) })),
  ...(condition.groups && { groups: condition.groups.map((group) => withIds(group, idOf)) }),
})

/** How urgent a note is, most urgent first: act now, act today, good to know. */
export const NOTE_URGENCIES = ['emergency', 'urgent', 'advice'] as const
export type NoteUrgency = (typeof NOTE_URGENCIES)[number]

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
 * The functions that Sanad computes, with their arguments in order: `bmi` weight in kg and
 * height in cm; `weightForHeight` the same, for the z-score of a child below five; `dueDate` and
 * `gestationalWeeks` the first day of the last period and, after an early ultrasound scan, its day
 * and its weeks; `addDays` a day; `daysBetween` two days; `sum` and `mean` any
 * number of scores or numbers; `formula` the fields of its letters.
 */
export const FUNCTIONS = [
  'bmi',
  'weightForHeight',
  'ageYears',
  'ageMonths',
  'dueDate',
  'gestationalWeeks',
  'daysBetween',
  'addDays',
  'sum',
  'mean',
  'formula',
] as const
export type FunctionName = (typeof FUNCTIONS)[number]
/** How many fields it takes: [least, most]. */
export const ARITY: Record<FunctionName, readonly [number, number]> = {
  bmi: [2, 2],
  weightForHeight: [2, 2],
  ageYears: [0, 0],
  ageMonths: [0, 0],
  dueDate: [1, 3],
  gestationalWeeks: [1, 3],
  daysBetween: [2, 2],
  addDays: [1, 1],
  sum: [1, 50],
  mean: [1, 50],
  formula: [1, 10],
}
/** Whether the result is a day; otherwise it is a number. */
export const givesDay = (name: FunctionName) => name === 'dueDate' || name === 'addDays'
/** Whether the argument at this position is a day; otherwise it is a number or a score. */
export const takesDayAt = (name: FunctionName, at: number) =>
  name === 'addDays' || name === 'daysBetween' || (isDating(name) && at < 2)
/** Whether it computes from the last period or from a scan, which has both a day and weeks. */
export const isDating = (name: FunctionName) => name === 'dueDate' || name === 'gestationalWeeks'

const Computation = z
  .object({
    function: z.enum(FUNCTIONS, 'formBuilder.unknownFunction'),
    /** Ids of fields; in a formula, the fields of a, b, c … */
    fields: z.array(Token, 'validation.wrongType').max(50, 'validation.tooMany'),
    /** For `formula`: numbers, the letters a, b, c …, + - * / and brackets. */
    formula: z.string('validation.wrongType').trim().max(200, 'validation.tooLong').default(''),
    /** For `addDays`. */
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
  .refine(
    ({ function: name, fields: { length } }) =>
      ARITY[name][0] <= length && length <= ARITY[name][1] && !(isDating(name) && length === 2),
    { message: 'formBuilder.computeFields', path: ['fields'] },
  )
export type Computation = z.output<typeof Computation>

/** What phones do not know of a field. All keys are optional. */
export const Rules = z
  .object({
    showIf: Condition.optional(),
    requiredIf: Condition.optional(),
    /** The answer is refused while this holds; the condition may test the field's own answer. */
    refuseIf: Condition.optional(),
    /** For a note. */
    urgency: z.enum(NOTE_URGENCIES, 'validation.option').optional(),
    /** For a number: values outside are refused. */
    limits: Limits.optional(),
    /** For a number: values outside are accepted and marked. */
    normal: Limits.optional(),
    /** For a date, relative to the day of the visit, which counts as past and as future. */
    days: z.enum(['past', 'future'], 'validation.option').optional(),
    compute: Computation.optional(),
    /** For a number: a decimal is refused in the form, and marked where another program sent it. */
    whole: z.literal(true, 'validation.wrongType').optional(),
    /** For several choices: the ids of options such as "None of these", which exclude every other option. */
    exclusive: z
      .array(Token, 'validation.wrongType')
      .max(300, 'validation.tooMany')
      .transform((ids) => (ids.length > 0 ? ids : undefined))
      .optional(),
    /** For a number: it is also recorded as this vital sign. */
    vital: z.enum(VITAL_SIGNS, 'validation.option').optional(),
    /**
     * For a choice of one: a dose of this vaccine, whose number is in the answer. For a text: the batch number of
     * that dose. For a date: the day on which it was given; `all`: every dose of the form without a day of its own.
     */
    vaccine: z.enum([...VACCINES, 'all'], 'validation.option').optional(),
  })
  .transform((rules) =>
    Object.values(rules).some((rule) => rule !== undefined) ? rules : undefined,
  )
export type Rules = NonNullable<z.output<typeof Rules>>
