import { type ComponentType, type ReactNode, use } from 'react'
import { type FieldProps, FormContext } from '~/ui/FormField'
import { cascadedOptions, newOutsideTables, notBelow } from './form-fields'
import type { RegistrationForm } from './registration-form'

type Props = {
  form: { fields: readonly RegistrationForm['fields'][number][] }
  names: readonly string[]
  Field: ComponentType<FieldProps>
  /** Drawn around the field of this name. */
  around?: Record<string, (field: ReactNode) => ReactNode>
  /** The stored answers by name: those that their table does not have may stay. */
  kept?: Readonly<Record<string, unknown>>
}

/**
 * The fields of a form around it, those whose options depend on another answer with the options of that answer. An
 * answer that no longer fits is marked as soon as the other one changes, not only by a save.
 */
export function RegistrationFields({ form, names, Field, around = {}, kept = {} }: Props) {
  const context = use(FormContext)
  const draft = context?.draft ?? {}
  const options = cascadedOptions(form.fields, draft)
  const fields = names.map((name) => {
    const field = <Field key={name} name={name} options={options[name]} />
    return around[name]?.(field) ?? field
  })
  if (!context) return fields
  const errors = { ...notBelow(newOutsideTables(form.fields, draft, kept)), ...context.errors }
  return <FormContext value={{ ...context, errors }}>{fields}</FormContext>
}
