import * as z from 'zod'
import type { MessageKey } from '~/shared/language'
import { orNull } from '~/shared/record'
import type { Sayable } from '~/shared/say'
import { cleanLine, cleanText, latinDigitsOnly } from '~/shared/typed-text'
import { type OfMonth, readDay } from './day'
import { isAmbiguousNumber, type NumberLimits } from './typed'

export type FieldKind =
  | 'text'
  | 'longText'
  | 'email'
  | 'password'
  | 'number'
  | 'date'
  | 'birthDate'
  | 'boolean'
  | 'yesNo'
  | 'select'
  | 'choice'
  | 'choices'
  | 'tags'

/** `aliases`: how an older form or a phone may have written the same answer, in another language for instance. */
export type Option = {
  value: string
  label: MessageKey | { text: string }
  aliases?: readonly string[]
}

/** One of the records that a field chooses from. */
export const asOption = ({ id, name }: { id: string; name: string }): Option => ({
  value: id,
  label: { text: name },
})

/** One thing a person can fill in or read: what it is called, how it is asked, what counts as a valid answer. */
export type Field<S extends z.ZodType = z.ZodType> = {
  kind: FieldKind
  label: Sayable
  hint?: Sayable
  options?: readonly Option[]
  /** Of a date: the day that a month means (`12/2027`), and the sentence that says how it was read, with `{day}`. */
  month?: OfMonth
  readAs?: MessageKey
  /** Of a number. */
  limits?: NumberLimits
  required: boolean
  schema: S
}
export type Fields = Record<string, Field>

type More = {
  hint?: MessageKey
  max?: number
  requiredMessage?: MessageKey
  /** A code, a barcode or a phone number: digits of every script are read as 0-9. */
  isCode?: true
}

const required = (
  schema: z.ZodString,
  { max = 200, requiredMessage = 'validation.required', isCode }: More,
  clean = cleanLine,
) =>
  schema
    .overwrite((typed) => (isCode ? latinDigitsOnly(clean(typed)) : clean(typed)))
    .trim()
    .min(1, requiredMessage)
    .max(max, 'validation.tooLong')

const asText = (issue: { input: unknown }, requiredMessage?: MessageKey) =>
  issue.input === undefined || issue.input === null
    ? (requiredMessage ?? 'validation.required')
    : 'validation.wrongType'

const string = (more: More) => z.string({ error: (issue) => asText(issue, more.requiredMessage) })

/** Text of one line, trimmed; at most 200 characters unless it says otherwise. */
export const text = (label: MessageKey, more: More = {}) =>
  ({
    kind: 'text',
    label,
    hint: more.hint,
    required: true,
    schema: required(string(more), more),
  }) satisfies Field

/** Text of several lines; at most 2,000 characters unless it says otherwise. */
export const longText = (label: MessageKey, more: More = {}) =>
  ({
    ...text(label, more),
    kind: 'longText',
    schema: required(string(more), { max: 2000, ...more }, cleanText),
  }) satisfies Field

/** An e-mail address, kept in lower case: addresses are compared without case. */
export const email = (label: MessageKey, more: More = {}) =>
  ({
    ...text(label, { max: 254, ...more }),
    kind: 'email',
    schema: required(string(more), { max: 254, ...more })
      .toLowerCase()
      .pipe(z.email('validation.email')),
  }) satisfies Field

/** A secret: never trimmed, never shown, never audited. */
export const password = (
  label: MessageKey,
  { min = 8, hint }: { min?: number; hint?: MessageKey } = {},
) =>
  ({
    kind: 'password',
    label,
    hint,
    required: true,
    schema: string({})
      .min(1, 'validation.required')
      .min(min, 'validation.tooShort')
      .max(200, 'validation.tooLong'),
  }) satisfies Field

export const number = (
  label: MessageKey,
  { min, max, hint }: { min?: number; max?: number; hint?: MessageKey } = {},
) => {
  let schema = z.number({
    error: (issue) =>
      isAmbiguousNumber(issue.input) ? 'validation.ambiguousNumber' : asText(issue),
  })
  if (min !== undefined) schema = schema.min(min, 'validation.tooSmall')
  if (max !== undefined) schema = schema.max(max, 'validation.tooLarge')
  return {
    kind: 'number',
    label,
    hint,
    limits: { min, max },
    required: true,
    schema,
  } satisfies Field
}

const asDay = ({ input }: { input?: unknown }): MessageKey => {
  if (typeof input !== 'string' || input.trim() === '')
    return asText({ input: input === '' ? null : input })
  const read = readDay(input)
  return read && 'either' in read ? 'validation.whichDay' : 'validation.date'
}

/**
 * A day of the calendar, `yyyy-MM-dd`, in no time zone. `month`: typed without a day, as on
 * packages, it means that one.
 */
export const date = (
  label: MessageKey,
  { hint, month, readAs }: { hint?: MessageKey; month?: OfMonth; readAs?: MessageKey } = {},
) =>
  ({
    kind: 'date',
    label,
    hint,
    month,
    readAs,
    required: true,
    schema: z.iso.date({ error: asDay }),
  }) satisfies Field

export const boolean = (label: MessageKey, { hint }: { hint?: MessageKey } = {}) =>
  ({
    kind: 'boolean',
    label,
    hint,
    required: false,
    schema: z.boolean({ error: 'validation.wrongType' }),
  }) satisfies Field

/** Yes, no or no answer; `options` give the three of them words of their own, with the value "" for no answer. */
export const yesNo = (
  label: MessageKey,
  { options, ...more }: { hint?: MessageKey; options?: readonly Option[] } = {},
) => ({ ...boolean(label, more), kind: 'yesNo', options }) satisfies Field

/** One of a fixed list of values. */
export const select = <const V extends readonly [string, ...string[]]>(
  label: MessageKey,
  values: V,
  labelOf: (value: V[number]) => MessageKey,
  { hint }: { hint?: MessageKey } = {},
) =>
  ({
    kind: 'select',
    label,
    hint,
    required: true,
    options: values.map((value) => ({ value, label: labelOf(value) })),
    schema: z.enum(values, {
      error: (issue) =>
        issue.input === undefined || issue.input === null || issue.input === ''
          ? 'validation.required'
          : 'validation.option',
    }),
  }) satisfies Field

/** A row of another table by its id. The screen fills in the options. */
export const reference = (label: MessageKey, { hint, requiredMessage }: More = {}) =>
  ({
    kind: 'select',
    label,
    hint,
    required: true,
    options: [],
    schema: z.uuid({
      error: (issue) =>
        issue.input ? 'validation.id' : (requiredMessage ?? 'validation.required'),
    }),
  }) satisfies Field

/** Several short words, without repeats. */
export const tags = (
  label: MessageKey,
  { hint, max = 50 }: { hint?: MessageKey; max?: number } = {},
) =>
  ({
    kind: 'tags',
    label,
    hint,
    required: false,
    schema: z
      .array(required(string({}), { max: 100 }), { error: 'validation.wrongType' })
      .max(max, 'validation.tooMany')
      .transform((words) => [...new Set(words)]),
  }) satisfies Field

/** The same field, which may stay empty: "" and nothing are stored as null. */
export const optional = <S extends z.ZodType>(field: Field<S>) => ({
  ...field,
  required: false,
  schema: orNull(field.schema),
})

/** What a form of these fields hands in. */
export const fieldsSchema = <F extends Fields>(fields: F) =>
  z.object(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema])),
    // fromEntries forgets which name has which schema
  ) as unknown as z.ZodObject<{
    [K in keyof F]: F[K]['schema']
  }>
