import type { Computation, Limits, Rules } from './definition-rules'
import type { VitalSign } from './field-kinds'

/** A text in the languages of the interface. */
export type Words = { en: string; ar: string; es: string }
type Source = { text: string; url?: string }

/**
 * The name of a condition; a test such as `["fever", "is", "yes"]`, where `oneOf` takes several
 * values; or several conditions together.
 */
export type ConditionOf =
  | string
  | readonly (string | number)[]
  | { allOf: readonly ConditionOf[] }
  | { anyOf: readonly ConditionOf[] }
  | { noneOf: readonly ConditionOf[] }
  | { atLeast: number; of: readonly ConditionOf[] }

/** `value` is what an answer stores. */
export type OptionOf = Words & { value: string; concept?: string }

/**
 * The concept of reports that an answer holds (docs/reports.md, "Concepts"): any answer, or this
 * option; `when`: only if another field has this answer.
 */
type ConceptOf = {
  concept: string
  option?: string
  when?: readonly [field: string, value: string]
}

type Ruled = {
  hint?: Words
  required?: boolean
  showIf?: ConditionOf
  requiredIf?: ConditionOf
  refuseIf?: ConditionOf
  normal?: Partial<Limits>
  limits?: Partial<Limits>
  days?: Rules['days']
  /** The number is also recorded as this vital sign. */
  vital?: VitalSign
  /** A number without decimals. */
  whole?: true
  /** Of several choices: the values of the options that exclude every other option. */
  exclusive?: readonly string[]
  /** A choice: also recorded as a dose of it; a text: its batch number; a day: when it was given, or all were. */
  vaccine?: Rules['vaccine']
  compute?: Partial<Computation> & Pick<Computation, 'function'>
}

export const QUESTION_TYPES = [
  'text',
  'longText',
  'number',
  'day',
  'choice',
  'choices',
  'yesNo',
  'diagnosis',
  'medicines',
  'files',
] as const
/** The last three appear depending on the answers and are as urgent as their type says. */
export const NOTE_TYPES = ['heading', 'note', 'emergency', 'urgent', 'advice'] as const

type Cited = { id: string; source?: string }
export type QuestionOf = Cited &
  Ruled & {
    concepts?: readonly ConceptOf[]
    type: (typeof QUESTION_TYPES)[number]
    name: Words
    unit?: string
    /** The options, or the name of a list. */
    options?: readonly OptionOf[] | string
  }
export type NoteOf = Cited & { type: (typeof NOTE_TYPES)[number]; text: Words } & Pick<
    Ruled,
    'showIf'
  >
/** Fields of `shared.json`, and what this form changes in them. */
export type UseOf = { use: string; id?: string; name?: Words; source?: string } & Ruled

type Named = {
  version: string
  date: string
  sources: readonly Source[]
  conditions?: Record<string, NamedCondition>
  lists?: Record<string, readonly OptionOf[]>
}
/** `source` and `note` are for readers of the file. */
export type NamedCondition = { source?: string; note?: string; when: ConditionOf }
export type SharedFile = Named & { fields: Record<string, readonly (QuestionOf | NoteOf)[]> }
/**
 * A file of `src/forms/starter`. Options with the same name, conditions and fields that several
 * forms use are in `shared.json`. A field's `source` also covers the fields below it, until the
 * next `source`.
 */
export type StarterFile = Named & {
  key: string
  name: Words
  description: Words
  /** What each filled-in form is to reports, such as `anc.contact`. */
  concept?: string
  fields: readonly (QuestionOf | NoteOf | UseOf)[]
}
