import type { InputProps, FieldKindSpec } from '../kind'
import { booleanKind } from './boolean'
import { OneKey } from './choice'

const options = [
  { value: 'true', label: 'common.yes' },
  { value: 'false', label: 'common.no' },
] as const

/** Yes, no, or not asked yet: a switch would answer "no" for everyone who was never asked. */
function Input({ value, onChange, ...props }: InputProps) {
  return (
    <OneKey
      {...props}
      options={props.field.options ?? options}
      value={typeof value === 'boolean' ? String(value) : props.field.options && ''}
      onChange={(answer) => onChange(answer ? answer === 'true' : null)}
    />
  )
}

export const yesNoKind: FieldKindSpec = { ...booleanKind, Input }
