import * as z from 'zod'
import {
  BASE_COLUMNS,
  type BaseColumnName,
  isBaseColumn,
  MOST_REGISTRATION_FIELDS,
  patientColumn,
} from '~/records/patient'
import { Cascade } from './cascade'
import { Token } from '~/forms/definition-rules'
import { QUESTION_TYPES, type QuestionType } from '~/forms/question'
import { addAll } from '~/shared/any-length'
import type { Translated } from '~/shared/language'
import { Saved } from '~/shared/record'

/** One field of a registration form, decoded. */
export type RegistrationField = {
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
  /** Its options depend on the answer to another field. Phones hold such a field as a text. */
  cascade?: Cascade | null | undefined
}
export type RegistrationForm = {
  id: string
  name: string
  fields: RegistrationField[]
  last_modified: Date
}

/** The ids of the base fields, by column. */
export const BASE_FIELDS = Object.fromEntries(
  BASE_COLUMNS.map((column) => [column, patientColumn(column).base]),
) as Record<BaseColumnName, string>

/** A form may ask for the clinic, as the forms of phones do. */
const CLINIC_FIELD = {
  column: 'primary_clinic_id',
  id: 'fe4d179e-8153-11f0-8de9-0242ac120002',
} as const

/**
 * The preferred language of the patient: the web asks it at its place in the form, and phones have it as a hidden
 * field, because their patients have no such column. No column that is made from a label has a dot.
 */
export const LANGUAGE_FIELD = {
  column: 'patients.language',
  id: '785c0c36-61ee-41f4-bc60-731d01519400',
} as const

export const isLanguageField = ({ id, baseField }: Pick<RegistrationField, 'id' | 'baseField'>) =>
  baseField && id === LANGUAGE_FIELD.id

/** The question types that a base field may have: its column holds a date or a text. */
export function baseTypes(column: string): readonly QuestionType[] {
  if (column === LANGUAGE_FIELD.column) return ['text']
  return patientColumn(column).sql === 'date' ? ['date'] : ['text', 'select']
}

const MOST_OPTIONS = 300

/** Languages have codes such as en and pt-BR; the pattern also refuses `__proto__`. */
const Texts: z.ZodType<Translated, Translated> = z
  .record(
    z.string().regex(/^[a-z]{2,3}(-[A-Za-z]{2,8})?$/, 'validation.wrongType'),
    // no control characters: U+001F separates the choices of one answer
    z
      .string('validation.wrongType')
      .trim()
      .max(200, 'validation.tooLong')
      .regex(/^\P{Cc}*$/u, 'validation.characters'),
    'validation.wrongType',
  )
  .transform((texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')))

/** Names that collide with a column of the patient or with a property of JavaScript objects. */
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
  id: Token,
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
  /** An absent table stays as it is; null removes it. */
  cascade: Cascade.nullish(),
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
    .max(MOST_REGISTRATION_FIELDS, 'validation.tooMany')
    .superRefine((fields, context) => {
      const addIssue = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path, message })
      const seen = { id: new Set<string>(), column: new Set<string>() }
      const labels = new Set<string>()
      fields.forEach((field, at) => {
        for (const [name, message] of [
          ['id', 'formEditor.sameId'],
          ['column', 'formEditor.sameColumn'],
        ] as const) {
          const value = field[name].toLowerCase()
          if (seen[name].has(value)) addIssue([at, name], message)
          seen[name].add(value)
        }
        // two fields of one name are one field to who reads the form: answers go into either
        const isCompared = field.visible && !field.deleted && !isLanguageField(field)
        const shown = isCompared ? labelKeys(field.label) : []
        if (shown.some((key) => labels.has(key))) addIssue([at, 'label'], 'formBuilder.sameName')
        for (const key of shown) labels.add(key)
        for (const [name, message] of findFieldProblems(field)) addIssue([at, name], message)
        const problem = field.cascade && cascadeProblem(field, fields)
        if (problem) addIssue([at, 'cascade'], problem)
      })
      for (const column of missingBaseColumns(fields)) {
        context.addIssue({
          code: 'custom',
          path: [],
          message: 'formEditor.baseMissing',
          params: { column },
        })
      }
    }),
})

/** A table belongs to a text, and depends on another field of the form that holds one text, in no circle. */
function cascadeProblem(field: Drawn, fields: readonly Drawn[]): string | null {
  if (field.fieldType !== 'text') return 'formEditor.cascadeText'
  let above = field
  for (let step = 0; above.cascade; step++) {
    const { parent } = above.cascade
    const next = fields.find(({ id }) => id === parent)
    if (step > fields.length || next?.id === field.id) return 'formEditor.cascadeCircle'
    if (!next || next.deleted || isLanguageField(next)) return 'formEditor.cascadeParent'
    if (next.fieldType !== 'text' && next.fieldType !== 'select') return 'formEditor.cascadeParent'
    above = next
  }
  return null
}

/** A label in each language, as readers compare it. */
const labelKeys = (label: Drawn['label']): string[] =>
  Object.entries(label).map(
    ([language, text]) => `${language} ${String(text).normalize('NFKC').trim().toLowerCase()}`,
  )

function findFieldProblems(field: Drawn): [keyof Drawn, string][] {
  const found: [keyof Drawn, string][] = []
  const base = field.baseField
  const asks = field.fieldType === 'select' || field.fieldType === 'checkbox'
  if (Object.keys(field.label).length === 0) found.push(['label', 'formEditor.labelNeeded'])
  if (base && !isOneOfOurs(field)) found.push(['column', 'formEditor.baseFixed'])
  if (base && field.deleted) found.push(['deleted', 'formEditor.baseStays'])
  const hasFixedTypes = isBaseColumn(field.column) || field.column === LANGUAGE_FIELD.column
  if (base && hasFixedTypes && !baseTypes(field.column).includes(field.fieldType)) {
    found.push(['fieldType', 'formEditor.baseType'])
  }
  if (
    !base &&
    (reserved.has(field.column) ||
      isBaseColumn(field.column) ||
      field.column === CLINIC_FIELD.column ||
      field.column === LANGUAGE_FIELD.column)
  ) {
    found.push(['column', 'formEditor.reserved'])
  }
  if (!base && isBaseId(field.id.toLowerCase())) found.push(['id', 'formEditor.baseFixed'])
  if (asks && !field.deleted) addAll(found, optionProblems(field.options))
  return found
}

const isOneOfOurs = ({ id, column }: Drawn) =>
  (isBaseColumn(column) && BASE_FIELDS[column] === id) ||
  [CLINIC_FIELD, LANGUAGE_FIELD].some((own) => column === own.column && id === own.id)
const isBaseId = (id: string) =>
  id === CLINIC_FIELD.id ||
  id === LANGUAGE_FIELD.id ||
  Object.values<string>(BASE_FIELDS).includes(id)

/** Two options with the same text in one language would be the same answer. */
function optionProblems(options: Translated[]): ['options', string][] {
  if (options.length === 0) return [['options', 'formEditor.optionsNeeded']]
  const texts = options.map((option) => Object.values(option).map((text) => text?.toLowerCase()))
  if (texts.some((of) => of.length === 0)) return [['options', 'formEditor.optionEmpty']]
  const clash = texts.some((of, at) =>
    texts.slice(0, at).some((earlier) => of.some((text) => earlier.includes(text))),
  )
  return clash ? [['options', 'formEditor.sameOption']] : []
}

/** The base columns that a form has no field for. */
export const missingBaseColumns = (fields: readonly { id: string }[]) =>
  BASE_COLUMNS.filter((column) => !fields.some(({ id }) => id === BASE_FIELDS[column]))
