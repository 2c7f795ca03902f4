import { useSay } from '~/shared/say'
import { hasRemovedCharacters } from '~/shared/typed-text'
import type { InputProps } from './kind'

/** What every input has in common: its name, label, hint, mark, error. */
export function useFrame({ field, name, value, error, disabled, onBlur }: InputProps) {
  const say = useSay()
  return {
    name,
    label: say(field.label),
    description:
      typeof value === 'string' && hasRemovedCharacters(value)
        ? say('form.charactersRemoved')
        : field.hint && say(field.hint),
    error,
    'aria-invalid': Boolean(error) || undefined,
    'aria-required': field.required || undefined,
    withAsterisk: field.required,
    disabled,
    onBlur,
  }
}
