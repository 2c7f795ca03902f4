import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { firstErrors } from '~/shared/problems'
import { COMPARISONS, FUNCTIONS, needsValue, NOTE_URGENCIES } from './definition-rules'
import { VACCINES } from '~/shared/vaccines'
import { VITAL_SIGNS } from './field-kinds'
import {
  type WrittenCondition,
  NOTE_TYPES,
  STARTER_QUESTION_TYPES,
  type StarterFile,
} from './starter-file'
import { SHARED_FILE, STARTER_FILES } from './starters'

const Words = z.strictObject({
  en: z.string().trim().min(1),
  ar: z.string().trim().min(1),
  es: z.string().trim().min(1),
})
const Source = z.strictObject({ text: z.string().min(10), url: z.url().optional() })
const Name = z.string().regex(/^[a-z][a-z0-9_]*$/)
const Compared = z
  .tuple([z.string(), z.enum(COMPARISONS)], z.union([z.string(), z.number()]))
  .refine(([, comparison, ...values]) => values.length === (needsValue(comparison) ? 1 : 0))
const OneOf = z.tuple([z.string(), z.literal('oneOf'), z.string()], z.string())
const ConditionSchema: z.ZodType<WrittenCondition> = z.lazy(() =>
  z.union([
    Name,
    OneOf,
    Compared,
    z.strictObject({ allOf: z.array(ConditionSchema).min(1) }),
    z.strictObject({ anyOf: z.array(ConditionSchema).min(1) }),
    z.strictObject({ noneOf: z.array(ConditionSchema).min(1) }),
    z.strictObject({ atLeast: z.int().min(1), of: z.array(ConditionSchema).min(2) }),
  ]),
)
const Concept = z.string().regex(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/)
const Options = z
  .array(Words.extend({ value: z.string().min(1), concept: Concept.optional() }).strict())
  .min(2)
  .refine((options) => new Set(options.map(({ value }) => value)).size === options.length)
const Bounds = z
  .strictObject({ min: z.number(), max: z.number() })
  .partial()
  .refine((bounds) => Object.keys(bounds).length > 0)
const ruled = {
  source: z.string().min(5).optional(),
  hint: Words.optional(),
  required: z.literal(true).optional(),
  showIf: ConditionSchema.optional(),
  requiredIf: ConditionSchema.optional(),
  refuseIf: ConditionSchema.optional(),
  limits: Bounds.optional(),
  whole: z.literal(true).optional(),
  exclusive: z.array(z.string()).min(1).optional(),
  normal: Bounds.optional(),
  days: z.enum(['past', 'future']).optional(),
  vital: z.enum(VITAL_SIGNS).optional(),
  vaccine: z.enum([...VACCINES, 'all']).optional(),
  compute: z
    .strictObject({
      function: z.enum(FUNCTIONS),
      fields: z.array(z.string()).optional(),
      formula: z.string().optional(),
      days: z.number().optional(),
      decimals: z.number().optional(),
    })
    .optional(),
}
const Question = z.strictObject({
  id: Name,
  type: z.enum(STARTER_QUESTION_TYPES),
  name: Words,
  unit: z.string().optional(),
  options: z.union([Name, Options]).optional(),
  concepts: z
    .array(
      z.strictObject({
        concept: Concept,
        option: z.string().optional(),
        when: z.tuple([Name, z.string()]).optional(),
      }),
    )
    .min(1)
    .optional(),
  ...ruled,
})
const Note = z.strictObject({
  id: Name,
  type: z.enum(NOTE_TYPES),
  text: Words,
  source: ruled.source,
  showIf: ruled.showIf,
})
const Use = z.strictObject({
  use: Name,
  id: Name.optional(),
  name: Words.optional(),
  ...ruled,
})
const NamedConditions = z.record(
  Name,
  z.strictObject({
    source: z.string().min(5).optional(),
    note: z.string().min(10).optional(),
    when: ConditionSchema,
  }),
)
const head = {
  version: z.string().regex(/^\d{4}-\d{2}$/),
  date: z.iso.date(),
  sources: z.array(Source),
  conditions: NamedConditions.optional(),
  lists: z.record(Name, Options).optional(),
}
const File = z.strictObject({
  key: z.string().regex(/^[a-z0-9-]+$/),
  concept: Concept.optional(),
  name: Words,
  description: Words,
  ...head,
  fields: z.array(z.union([Question, Note, Use])).min(3),
})
const Shared = z.strictObject({
  ...head,
  fields: z.record(Name, z.array(z.union([Question, Note])).min(1)),
})

const issuesOf = (schema: z.ZodType, file: unknown) => {
  const read = schema.safeParse(file)
  return read.success ? {} : firstErrors(read.error)
}

test('the shared file has the shape that the loader expects', () => {
  expect(issuesOf(Shared, SHARED_FILE)).toEqual({})
})

describe.for(STARTER_FILES.map((file) => [file.key, file] as const))('%s', ([, file]) => {
  test('has the shape that the loader expects', () => {
    expect(issuesOf(File, file)).toEqual({})
  })

  test('uses each of its conditions and lists', () => {
    const { conditions = {}, lists = {}, fields } = file
    const text = JSON.stringify([fields, Object.values(conditions).map(({ when }) => when)])
    const names = [...Object.keys(conditions), ...Object.keys(lists)]
    expect(names.filter((name) => !text.includes(`"${name}"`))).toEqual([])
  })
})

test('every form that gives clinical advice names its sources', () => {
  const advises = ({ fields }: StarterFile) =>
    fields.some(
      (field) => 'type' in field && NOTE_URGENCIES.some((urgency) => urgency === field.type),
    )
  const silent = STARTER_FILES.filter((file) => advises(file) && file.sources.length === 0)
  // the two general forms have one note each, of common practice
  expect(silent.map(({ key }) => key)).toEqual(['general-consultation', 'referral-discharge'])
})

test('each shared condition, list and field is used', () => {
  const { conditions = {}, lists = {}, fields } = SHARED_FILE
  const text = JSON.stringify([STARTER_FILES, Object.values(fields)])
  const names = [conditions, lists, fields].flatMap((values) => Object.keys(values))
  expect(names.filter((name) => !text.includes(`"${name}"`))).toEqual([])
})
