import * as z from 'zod'
import { QUESTION_TYPES, type QuestionType } from '~/forms/question'
import type { Translated } from '~/shared/language'
import { Saved } from '~/shared/record'

/** One field of a registration form, decoded: what the phones call a registration field. */
export type FormField = {
  id: string
  position: number
  column: string
  label: Translated
  fieldType: QuestionType
  options: Translated[]
  required: boolean
  baseField: boolean
  visible: boolean
  deleted: boolean
  showsInSummary: boolean
  isSearchField: boolean
}
export type RegistrationForm = {
  id: string
  name: string
  fields: FormField[]
  last_modified: Date
}

/** The base fields' ids are the same everywhere: answers on phones refer to them. */
export const BASE_FIELDS = {
  given_name: 'e3d7615c-6ee6-11ee-b962-0242ac120002',
  surname: '128faebe-6ee7-11ee-b962-0242ac120002',
  date_of_birth: '417d5df8-6eeb-11ee-b962-0242ac120002',
  sex: '4b9190de-6eeb-11ee-b962-0242ac120002',
  citizenship: '33282fe0-6f76-11ee-b962-0242ac120002',
  hometown: '06108a10-bc84-11ee-a506-0242ac120002',
  phone: 'fd328808-bc83-11ee-a506-0242ac120002',
  camp: 'f6024866-bc83-11ee-a506-0242ac120002',
  government_id: 'be6e53d6-120a-11ef-9262-0242ac120002',
  external_patient_id: 'b7671870-120a-11ef-9262-0242ac120002',
} as const
export type BaseColumn = keyof typeof BASE_FIELDS
export const isBaseColumn = (column: string): column is BaseColumn =>
  Object.hasOwn(BASE_FIELDS, column)

/** A form may ask for the clinic too, as phones do. */
export const CLINIC_FIELD = {
  column: 'primary_clinic_id',
  id: 'fe4d179e-8153-11f0-8de9-0242ac120002',
} as const

/** What a base field may be asked as: its column keeps a text, and a birth is a day. */
export const baseTypes = (column: string): readonly QuestionType[] =>
  column === 'date_of_birth' ? ['date'] : ['text', 'select']

export const MOST_FIELDS = 200
export const MOST_OPTIONS = 300

/** A language is named as in en or pt-BR, which is what keeps `__proto__` out. */
const Texts: z.ZodType<Translated, Translated> = z
  .record(
    z.string().regex(/^[a-z]{2,3}(-[A-Za-z]{2,8})?$/, 'validation.wrongType'),
    // no control characters: U+001F stands between the choices of one answer
    z
      .string('validation.wrongType')
      .trim()
      .max(200, 'validation.tooLong')
      .regex(/^\P{Cc}*$/u, 'validation.characters'),
    'validation.wrongType',
  )
  .transform((texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')))

/** Names that would be mistaken for a column of the patient, or for a part of JavaScript. */
const reserved = new Set([
  'id',
  'metadata',
  'photo_url',
  'additional_data',
  '__proto__',
  'constructor',
  'prototype',
])
const flag = z.boolean('validation.wrongType')

const Field = z.object({
  id: z.uuid('validation.id'),
  column: z
    .string('validation.wrongType')
    .trim()
    .min(1, 'validation.required')
    .max(200, 'validation.tooLong'),
  label: Texts,
  fieldType: z.enum(QUESTION_TYPES, 'formEditor.unknownType'),
  options: z.array(Texts, 'validation.wrongType').max(MOST_OPTIONS, 'validation.tooMany'),
  required: flag,
  baseField: flag,
  visible: flag,
  deleted: flag,
  showsInSummary: flag,
  isSearchField: flag,
})
type Drawn = z.output<typeof Field>

export const SaveForm = Saved.extend({
  name: z
    .string('validation.wrongType')
    .trim()
    .min(1, 'validation.required')
    .max(200, 'validation.tooLong'),
  fields: z
    .array(Field, 'validation.wrongType')
    .max(MOST_FIELDS, 'validation.tooMany')
    .superRefine((fields, context) => {
      const complain = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path, message })
      const seen = { id: new Set<string>(), column: new Set<string>() }
      fields.forEach((field, at) => {
        for (const [name, message] of [
          ['id', 'formEditor.sameId'],
          ['column', 'formEditor.sameColumn'],
        ] as const) {
          const value = field[name].toLowerCase()
          if (seen[name].has(value)) complain([at, name], message)
          seen[name].add(value)
        }
        for (const [name, message] of problemsOf(field)) complain([at, name], message)
      })
      for (const [column, id] of Object.entries(BASE_FIELDS)) {
        if (!fields.some((field) => field.id === id)) complain([], `formEditor.missing_${column}`)
      }
    }),
})

function problemsOf(field: Drawn): [keyof Drawn, string][] {
  const found: [keyof Drawn, string][] = []
  const base = field.baseField
  const asks = field.fieldType === 'select' || field.fieldType === 'checkbox'
  if (Object.keys(field.label).length === 0) found.push(['label', 'formEditor.labelNeeded'])
  if (base && !isOneOfOurs(field)) found.push(['column', 'formEditor.baseFixed'])
  if (base && field.deleted) found.push(['deleted', 'formEditor.baseStays'])
  if (base && isBaseColumn(field.column) && !baseTypes(field.column).includes(field.fieldType)) {
    found.push(['fieldType', 'formEditor.baseType'])
  }
  if (
    !base &&
    (reserved.has(field.column) ||
      isBaseColumn(field.column) ||
      field.column === CLINIC_FIELD.column)
  ) {
    found.push(['column', 'formEditor.reserved'])
  }
  if (!base && isBaseId(field.id)) found.push(['id', 'formEditor.baseFixed'])
  if (asks && !field.deleted) found.push(...optionProblems(field.options))
  return found
}

const isOneOfOurs = ({ id, column }: Drawn) =>
  (isBaseColumn(column) && BASE_FIELDS[column] === id) ||
  (column === CLINIC_FIELD.column && id === CLINIC_FIELD.id)
const isBaseId = (id: string) =>
  id === CLINIC_FIELD.id || Object.values<string>(BASE_FIELDS).includes(id)

/** Two options that read alike in one language cannot be told apart in an answer. */
function optionProblems(options: Translated[]): ['options', string][] {
  if (options.length === 0) return [['options', 'formEditor.optionsNeeded']]
  const texts = options.map((option) => Object.values(option).map((text) => text?.toLowerCase()))
  if (texts.some((of) => of.length === 0)) return [['options', 'formEditor.optionEmpty']]
  const clash = texts.some((of, at) =>
    texts.slice(0, at).some((earlier) => of.some((text) => earlier.includes(text))),
  )
  return clash ? [['options', 'formEditor.sameOption']] : []
}
