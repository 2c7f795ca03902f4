import { createContext, use } from 'react'
import type { FieldErrors } from './form'
import { afterPress } from './press'
import type { Fields, Option } from '~/fields/field'
import { fieldKinds } from '~/fields/kinds'
import { useSay } from '~/shared/say'
import type { Draft } from './draft'

type Form = {
  fields: Fields
  draft: Draft
  errors: FieldErrors
  options?: Partial<Record<string, readonly Option[]>>
  disabled: boolean
  change: (name: string, value: unknown) => void
  check: (name: string) => void
}

export const FormContext = createContext<Form | null>(null)

export type FieldProps<Name extends string = string> = { name: Name; options?: readonly Option[] }

/** One field of the form around it. */
export function FormField({ name, options }: FieldProps) {
  const say = useSay()
  const form = use(FormContext)
  const field = form?.fields[name]
  if (!form || !field) throw new Error(`There is no field "${name}" in this form`)
  const { Input } = fieldKinds[field.kind]
  const error = errorAt(form.errors, name)
  return (
    <Input
      field={field}
      name={name}
      value={form.draft[name]}
      onChange={(value) => form.change(name, value)}
      onBlur={() => afterPress(() => form.check(name))}
      error={error && say(error)}
      disabled={form.disabled}
      options={options ?? form.options?.[name]}
    />
  )
}

/**
 * Of a field that the screen draws itself inside the form (`ownFields` of FieldForm): its error, and what its
 * `onChange` calls, because the error was about the value before.
 */
export function useOwnField(name: string) {
  const form = use(FormContext)
  return { error: errorAt(form?.errors ?? {}, name), corrected: () => form?.check(name) }
}

/** An error of one entry ("words.2") belongs to the field as well. */
const errorAt = (errors: FieldErrors, name: string) =>
  errors[name] ?? Object.entries(errors).find(([path]) => path.startsWith(`${name}.`))?.[1]
