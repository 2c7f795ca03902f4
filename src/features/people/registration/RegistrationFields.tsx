import { type ComponentType, type ReactNode, use } from 'react'
import { type FieldProps, FormContext } from '~/ui/FormField'
import { cascadedOptions } from './form-fields'
import type { RegistrationForm } from './registration-form'

type Props = {
  form: { fields: readonly RegistrationForm['fields'][number][] }
  names: readonly string[]
  Field: ComponentType<FieldProps>
  /** Drawn around the field of this name. */
  around?: Record<string, (field: ReactNode) => ReactNode>
}

/** The fields of a form around it, those whose options depend on another answer with the options of that answer. */
export function RegistrationFields({ form, names, Field, around = {} }: Props) {
  const options = cascadedOptions(form.fields, use(FormContext)?.draft ?? {})
  return names.map((name) => {
    const field = <Field key={name} name={name} options={options[name]} />
    return around[name]?.(field) ?? field
  })
}
