import type { Computation, Limits, Rules } from './definition-rules'
import type { VitalSign } from './field-kinds'

/** A text in the languages of the interface. */
export type StarterText = { en: string; ar: string; es: string }
type Source = { text: string; url?: string }

/**
 * The name of a condition; a test such as `["fever", "is", "yes"]`, where `oneOf` takes several
 * values; or several conditions together.
 */
export type WrittenCondition =
  | string
  | readonly (string | number)[]
  | { allOf: readonly WrittenCondition[] }
  | { anyOf: readonly WrittenCondition[] }
  | { noneOf: readonly WrittenCondition[] }
  | { atLeast: number; of: readonly WrittenCondition[] }

/** `value` is what an answer stores. */
export type OptionOf = StarterText & { value: string; concept?: string }

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
  hint?: StarterText
  required?: boolean
  showIf?: WrittenCondition
  requiredIf?: WrittenCondition
  refuseIf?: WrittenCondition
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

export const STARTER_QUESTION_TYPES = [
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
    type: (typeof STARTER_QUESTION_TYPES)[number]
    name: StarterText
    unit?: string
    /** The options, or the name of a list. */
    options?: readonly OptionOf[] | string
  }
export type NoteOf = Cited & { type: (typeof NOTE_TYPES)[number]; text: StarterText } & Pick<
    Ruled,
    'showIf'
  >
/** Fields of `shared.json`, and what this form changes in them. */
export type UseOf = { use: string; id?: string; name?: StarterText; source?: string } & Ruled

type Named = {
  version: string
  date: string
  sources: readonly Source[]
  conditions?: Record<string, NamedCondition>
  lists?: Record<string, readonly OptionOf[]>
}
/** `source` and `note` are for readers of the file. */
export type NamedCondition = { source?: string; note?: string; when: WrittenCondition }
export type SharedFile = Named & { fields: Record<string, readonly (QuestionOf | NoteOf)[]> }
/**
 * A file of `src/forms/starter`. Options with the same name, conditions and fields that several
 * forms use are in `shared.json`. A field's `source` also covers the fields below it, until the
 * next `source`.
 */
export type StarterFile = Named & {
  key: string
  name: StarterText
  description: StarterText
  /** What each filled-in form is to reports, such as `anc.contact`. */
  concept?: string
  fields: readonly (QuestionOf | NoteOf | UseOf)[]
}
