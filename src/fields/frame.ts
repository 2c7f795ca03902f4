import { useSay } from '~/shared/say'
import type { InputProps } from './kind'

/** What every input has in common: its name, label, hint, mark, error. */
export function useFrame({ field, name, error, disabled, onBlur }: InputProps) {
  const say = useSay()
  return {
    name,
    label: say(field.label),
    description: field.hint && say(field.hint),
    error,
    'aria-invalid': Boolean(error) || undefined,
    'aria-required': field.required || undefined,
    withAsterisk: field.required,
    disabled,
    onBlur,
  }
}
