import type { ComponentType } from 'react'
import type { Sayable } from '~/shared/say'
import type { Field, Option } from './field'

export type InputProps = {
  field: Field
  name: string
  value: unknown
  onChange: (value: unknown) => void
  onBlur?: () => void
  /** The error, in the viewer's language. */
  error?: string
  disabled?: boolean
  /** Instead of the field's own, where a screen knows them (clinics, people). */
  options?: readonly Option[]
}

export type CellProps = { field: Field; value: unknown; options?: readonly Option[] }

type Say = (what: Sayable) => string

/** Everything that the product knows about one kind of field, in one file per kind. */
export type FieldKindSpec = {
  Input: ComponentType<InputProps>
  /** How an answer reads in a table or a list of details. The caller draws nothing as a dash. */
  Cell: ComponentType<CellProps>
  /** The answer in a spreadsheet. */
  toText: (value: unknown, field: Field, say: Say) => string
  /** `Questionnaire.item.type` of FHIR R4. */
  fhirType: 'string' | 'text' | 'decimal' | 'date' | 'boolean' | 'choice'
}

export const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** The typed text, "" for nothing: inputs stay controlled. */
export const typed = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
