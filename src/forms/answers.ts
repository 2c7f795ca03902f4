import type { EventFormField } from './definition'

/** What phones write of a medicine, beside an id by which they tell one from another. */
export const MEDICINE_PARTS = [
  'name',
  'dose',
  'doseUnits',
  'form',
  'route',
  'frequency',
  'intervals',
  'duration',
  'durationUnits',
] as const
export type MedicinePart = (typeof MEDICINE_PARTS)[number]
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }
export type Medicine = { readonly [part: string]: Json }
export type Diagnosis = { readonly [part: string]: Json } & {
  readonly code: string
  readonly desc: string
}

/**
 * An answer as screens and programs hand it over: null for none, an option's value (of a ticked box
 * its first option's), several, a text, a number, a day as `yyyy-MM-dd`, medicines, diagnoses, the
 * ids of files.
 */
export type FormAnswer = null | string | number | string[] | Medicine[] | Diagnosis[]
/** By the id of the field. */
export type AnswersByField = Readonly<Record<string, FormAnswer>>

/** An answer as it is stored, and as phones write and read it. What else they keep in it stays. */
export type StoredFormAnswer = Record<string, unknown> & {
  fieldId: string
  name: string
  inputType: string
  fieldType: string
  value: unknown
}

export type AnswerKind =
  | 'tick'
  | 'choice'
  | 'choices'
  | 'text'
  | 'number'
  | 'date'
  | 'medicines'
  | 'diagnoses'
  | 'files'

/** How a field is answered; null for what is only there to be read. */
export function answerKind(field: EventFormField): AnswerKind | null {
  switch (field.fieldType) {
    case 'binary':
      return field.inputType === 'checkbox' ? 'tick' : 'choice'
    case 'options':
      return field.multi ? 'choices' : 'choice'
    case 'free-text':
      return field.inputType === 'number' ? 'number' : 'text'
    case 'date':
      return 'date'
    case 'medicine':
      return 'medicines'
    case 'diagnosis':
      return 'diagnoses'
    case 'file':
      return 'files'
    case 'text':
    case 'separator':
      return null
  }
}

/** Equal as JSON: the order of keys, which the database changes, does not count. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && same(value, right.get(key)))
  )
}
