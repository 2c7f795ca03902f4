import type { InputProps, Kind } from '../kind'
import { boolean } from './boolean'
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
      options={options}
      value={typeof value === 'boolean' ? String(value) : null}
      onChange={(answer) => onChange(answer === null ? null : answer === 'true')}
    />
  )
}

export const yesNo: Kind = { ...boolean, Input }
