import * as z from 'zod'
import { DOSE_UNITS, DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import { LANGUAGES } from '~/shared/language'
import { Rules, Token } from './definition-rules'
import {
  BINARY_INPUTS,
  DURATION_UNITS,
  MIME_TYPES,
  OPTIONS_INPUTS,
  TEXT_INPUTS,
  TEXT_SIZES,
  FORM_UNITS,
} from './field-kinds'

/*
 * A stored event form, as phones read it (docs/phone-sync.md, "Formats of columns"). `rules` holds what phones do not
 * know. Every text is in the form's own language; `translations` holds the other languages.
 */
export const MOST_FIELDS = 500
const MOST_OPTIONS = 300

const flag = z.boolean('validation.wrongType')
/** No control characters but line breaks and tabs: U+001F separates the choices of one answer. */
export const boundedText = (max: number) =>
  z
    .string('validation.wrongType')
    .trim()
    .max(max, 'validation.tooLong')
    .regex(/^[\P{Cc}\n\r\t]*$/u, 'validation.characters')

/** An answer stores `value`, in whichever language the option was chosen. */
const Option = z.object({
  id: Token,
  label: boundedText(200).min(1, 'formBuilder.optionEmpty'),
  value: boundedText(200).min(1, 'formBuilder.optionEmpty'),
})
export type FormOption = z.output<typeof Option>
const options = z.array(Option, 'validation.wrongType').max(MOST_OPTIONS, 'validation.tooMany')

const enumList = <const V extends readonly string[]>(values: V) =>
  z
    .array(z.enum(values, 'validation.option'), 'validation.wrongType')
    .max(values.length, 'validation.tooMany')

const base = {
  id: Token,
  name: boundedText(200),
  description: boundedText(2000),
  required: flag,
  rules: Rules.optional(),
}
const asked = { ...base, name: boundedText(200).min(1, 'formBuilder.nameNeeded') }

/**
 * A yes-or-no question. Answered with an option's value; a checkbox is only ticked or not, and
 * rules take its first option for that.
 */
const Binary = z.object({
  ...asked,
  fieldType: z.literal('binary'),
  inputType: z.enum(BINARY_INPUTS, 'validation.option'),
  options,
})
/** Text or a number. `length` long means several lines. */
const FreeText = z.object({
  ...asked,
  fieldType: z.literal('free-text'),
  inputType: z.enum([...TEXT_INPUTS, 'textarea'], 'validation.option'),
  length: z.enum(['short', 'long'], 'validation.option'),
  units: enumList<readonly string[]>(FORM_UNITS).optional(),
})
const Medicine = z.object({
  ...asked,
  fieldType: z.literal('medicine'),
  inputType: z.literal('input-group'),
  /** Medicines to choose from; if empty, any name is accepted. */
  options,
  /** The choices of each part; the texts are defaults. */
  fields: z.object({
    name: boundedText(200),
    route: enumList(ROUTES),
    form: enumList(DOSAGE_FORMS),
    frequency: boundedText(200),
    intervals: boundedText(200),
    dose: boundedText(200),
    doseUnits: enumList(DOSE_UNITS),
    duration: boundedText(200),
    durationUnits: enumList(DURATION_UNITS),
  }),
})
const Diagnosis = z.object({
  ...asked,
  fieldType: z.literal('diagnosis'),
  inputType: z.literal('select'),
  /** Diagnoses to choose from, with the code as `value` if there is one; if empty, any listed code is accepted. */
  options,
})
const DateField = z.object({ ...asked, fieldType: z.literal('date'), inputType: z.literal('date') })
const Options = z.object({
  ...asked,
  fieldType: z.literal('options'),
  inputType: z.enum(OPTIONS_INPUTS, 'validation.option'),
  options,
  /** Several may be chosen. */
  multi: flag,
})
const count = z
  .number('validation.number')
  .int('validation.number')
  .min(0, 'validation.tooSmall')
  .max(20, 'validation.tooLarge')
const File = z.object({
  ...asked,
  fieldType: z.literal('file'),
  inputType: z.literal('file'),
  allowedMimeTypes: enumList(MIME_TYPES).min(1, 'formBuilder.mimeNeeded'),
  multiple: flag,
  minItems: count,
  maxItems: count,
})
/** A heading or a note between the questions. */
const Text = z.object({
  ...base,
  fieldType: z.literal('text'),
  content: boundedText(5000).min(1, 'formBuilder.contentNeeded'),
  size: z.enum(TEXT_SIZES, 'validation.option'),
})
const Separator = z.object({ ...base, fieldType: z.literal('separator') })

export const EventFormField = z.discriminatedUnion(
  'fieldType',
  [FreeText, Options, Binary, DateField, Medicine, Diagnosis, File, Text, Separator],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'formBuilder.unknownKind' : 'validation.wrongType',
  },
)
/** One field of an event form, by its `fieldType`. */
export type EventFormField = z.output<typeof EventFormField>
export type EventFieldOfType<K extends EventFormField['fieldType']> = Extract<
  EventFormField,
  { fieldType: K }
>

/** A text in some of the languages; empty texts are dropped. */
const Texts = z
  .partialRecord(z.enum(LANGUAGES, 'validation.option'), boundedText(5000), 'validation.wrongType')
  .transform(
    (texts) =>
      Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) as typeof texts,
  )

/**
 * `fieldId` may also be one of FORM_TEXTS: the form's own name and description. Of a `text` field,
 * `name` is its content.
 */
export const Translation = z.object({
  fieldId: Token,
  name: Texts,
  description: Texts,
  /** By the option's id. */
  options: z.record(Token, Texts, 'validation.wrongType'),
  createdAt: z.string('validation.wrongType').max(40, 'validation.tooLong').optional(),
  updatedAt: z.string('validation.wrongType').max(40, 'validation.tooLong').optional(),
})
export type Translation = z.output<typeof Translation>
export const FORM_TEXTS = { name: '__form_name__', description: '__form_description__' } as const

/**
 * The fields of a stored form. Values that a phone or an older server left out get their defaults. An
 * entry that is not a field is skipped, so that it does not make the form unreadable.
 */
export const storedFields = (stored: unknown): EventFormField[] =>
  (Array.isArray(stored) ? stored : []).flatMap((field) => {
    const read = EventFormField.safeParse(completed(field))
    return read.success ? [read.data] : []
  })

export const storedTranslations = (stored: unknown): Translation[] =>
  (Array.isArray(stored) ? stored : []).flatMap((entry) => {
    const read = Translation.safeParse({ name: {}, description: {}, options: {}, ...entry })
    return read.success ? [read.data] : []
  })

/** Adds what older servers left out: they wrote options as texts or without an id, and no empty parts. */
function completed(field: unknown): unknown {
  if (typeof field !== 'object' || field === null) return field
  const { options: stored, ...others } = field as Record<string, unknown>
  const listed = Array.isArray(stored) ? stored.map(completedOption) : stored
  return {
    name: '',
    description: '',
    required: false,
    ...others,
    ...(listed !== undefined && { options: listed }),
  }
}

function completedOption(option: unknown, at: number): unknown {
  if (typeof option === 'string') return { id: String(at), label: option, value: option }
  return typeof option === 'object' && option !== null ? { id: String(at), ...option } : option
}
